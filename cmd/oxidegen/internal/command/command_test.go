package command

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		part   string
	}{
		{"", exitUsage, "usage: oxidegen"},
		{"help", exitOK, "-dump-sass"},
		{"-h", exitOK, "toolchain"},
		{"nonsense", exitUsage, `unknown command "nonsense"`},
		{"dump-sass", exitUsage, "unknown command"},
		{"-dump-sass", exitUsage, "needs the name of an algorithm"},
		{"build -nonsense", exitUsage, "flag provided but not defined"},
		{"build -h", exitOK, "-install"},
		{"dump", exitUsage, "needs one of"},
		{"dump -ir -ptx", exitUsage, "takes one of"},
		{"list ./x", exitUsage, "takes no packages"},
		{"toolchain nonsense", exitUsage, "there are install and path"},
		{"toolchain -from x", exitUsage, "belongs to toolchain install"},
		{"toolchain install -from /nowhere -ptxas x", exitOK, "ptxas 13.0.88"},
		{"toolchain path", exitOK, "nvdisasm"},
		{"profile", exitUsage, "needs the name of an algorithm"},
		{"profile x=1", exitUsage, "needs the name of an algorithm"},
		{"profile Nonsense -grid 1,2,3,4", exitUsage, "want X, X,Y or X,Y,Z"},
		{"profile Nonsense -grid 0", exitUsage, "each at least 1"},
		{"profile Nonsense -blocks -1", exitUsage, "negative"},
		{"probe nonsense", exitUsage, `no opcode "nonsense"`},
		{"probe -limit 0", exitUsage, "must be positive"},
		{"probe popc elect", exitOK, "2 rows, 3 forms; ptxas 13.0.88"},
		{"verify -out ..", exitFailure, "must be below the module"},
		{"\x1b[31m", exitUsage, `unknown command "\x1b[31m"`},
		{"build -\x1b[31m", exitUsage, `-\x1b[31m`},
		{"build ./\x1b[31m", exitFailure, `\x1b[31m`},
		{"list -ptxas /no/\x1b[31m \u202e", exitUsage, "takes no packages"},
		{"toolchain \x1b[31m", exitUsage, "there are install and path"},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		if out := stdout.String() + stderr.String(); status != c.status || !strings.Contains(out, c.part) || strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("oxidegen %q: status %d, want %d; output lacks %q:\n%s", c.args, status, c.status, c.part, out)
		}
	}
}
