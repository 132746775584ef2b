package arch

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/oxideinfer/oxide"

// rule says what the packages that match From may import from this module: only packages that match one of
// Only. Patterns are path.Match patterns on the path inside the module; a trailing "/**" matches the folder and
// everything below it.
type rule struct {
	From string
	Only []string
}

// rules are tried from top to bottom; the first that matches a package decides. A package that matches none
// fails the test: a new folder states its directions here.
var rules = []rule{
	{module, nil}, // the root package is documentation
	{"ir/op", nil},
	{"ir/internal/**", []string{"ir/op"}},
	{"ir/lib", []string{"ir", "ir/op", "internal/fastdiv"}},
	{"ir/tile", []string{"ir", "ir/op", "ir/lib"}},
	{"ir/**", []string{"ir/**"}},
	{"codegen/ptx/isa/**", []string{"codegen/ptx/isa/**"}},
	{"codegen/ptx/emulate/irtest", []string{"ir/**", "codegen/lower", "codegen/ptx", "codegen/ptx/emulate"}},
	{"codegen/ptx/emulate/golden/**", []string{"codegen/ptx", "codegen/ptx/emulate/**", "internal/numfmt", "internal/safetensors"}},
	{"codegen/ptx/emulate/trace", []string{"codegen/ptx", "codegen/ptx/isa", "codegen/ptx/emulate"}},
	{"codegen/ptx/emulate/**", []string{"codegen/ptx", "codegen/ptx/isa", "codegen/ptx/emulate/**", "internal/numfmt"}},
	{"codegen/ptx/mutate", []string{"codegen/ptx", "codegen/ptx/isa", "codegen/ptx/emulate"}},
	{"codegen/ptx", []string{"codegen/ptx/isa"}},
	{"codegen/linemap", nil},
	{"codegen/profilepage", []string{"codegen/linemap", "codegen/cubin", "codegen/ptx/emulate/profile"}},
	{"codegen/subjects", []string{"ir/**", "codegen/lower", "codegen/ptx", "codegen/ptx/emulate", "codegen/ptx/mutate", "internal/numfmt", "internal/safetensors"}},
	{"codegen/lower/**", []string{"ir/**", "codegen/ptx", "codegen/ptx/isa"}},
	{"codegen/cubin/**", []string{"codegen/cubin/**", "codegen/ptx", "codegen/ptx/isa"}},
	{"codegen/build/**", []string{"ir/**", "codegen/**"}},
	{"algorithms/catalog", []string{"runtime", "internal/numfmt"}},
	{"algorithms/catalog/trial/trialtest", []string{"algorithms/catalog", "algorithms/catalog/trial", "gen/ptx", "runtime", "runtime/emulated"}},
	{"algorithms/operators", []string{"algorithms/*"}},
	{"algorithms/*/kernels/**", []string{"ir", "ir/lib", "ir/tile"}},
	{"algorithms/**", []string{"algorithms/catalog", "gen/*", "runtime", "internal/numfmt", "internal/fastdiv", "algorithms/internal/**"}},
	{"runtime/emulated/**", []string{"runtime", "codegen/ptx", "codegen/ptx/isa", "codegen/ptx/emulate", "codegen/linemap"}},
	{"runtime/**", []string{"runtime/**"}},
	{"gen/ptx", nil},
	{"gen/*", []string{"runtime"}},
	{"cmd/oxidegen/**", []string{"cmd/oxidegen/**", "ir/**", "codegen/**", "internal/numfmt", "internal/visible"}},
	{"evidence", nil},
	{"cmd/oxidelab/internal/*/kernels", []string{"ir", "ir/lib"}},
	{"cmd/oxidelab/**", []string{"cmd/oxidelab/**", "evidence", "algorithms/**", "runtime/**", "gen/*", "internal/**", "codegen/ptx/**", "codegen/ptx", "codegen/cubin", "codegen/linemap", "codegen/profilepage"}},
	{"adapters/python", nil},
	{"adapters/c/**", []string{"adapters/c/**", "algorithms/catalog", "algorithms/operators", "runtime/**", "gen/ptx"}},
	{"internal/differential", []string{"ir/**", "codegen/**", "runtime"}},
	{"internal/tensormap", []string{"codegen/ptx/emulate", "runtime"}},
	{"internal/probes", []string{"ir/**", "codegen/**"}},
	{"internal/**", []string{"internal/**"}},
	{"examples/**", []string{"algorithms/**", "runtime/**", "gen/ptx"}},
	{"bench/**", []string{"runtime/**"}},
}

// never lists what must not be linked, however indirectly.
var never = []struct{ from, to string }{
	{"algorithms/*", "ir/**"},
	{"algorithms/*", "codegen/**"},
	{"runtime", "codegen/**"},
	{"runtime/emulated", "ir/**"},
	{"cmd/oxidegen", "gen/**"},
	{"cmd/oxidegen", "runtime/**"},
	{"ir", "runtime/**"},
	{"algorithms/*/kernels", "runtime/**"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func matches(pattern, name string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/**"); ok {
		n := strings.Count(folder, "/") + 1
		parts := strings.Split(name, "/")
		return len(parts) >= n && matches(folder, strings.Join(parts[:n], "/"))
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

func load(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	graph := map[string][]string{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		var own []string
		for _, imp := range p.Imports {
			if in, ok := strings.CutPrefix(imp, module+"/"); ok {
				own = append(own, in)
			}
		}
		graph[strings.TrimPrefix(p.ImportPath, module+"/")] = own
	}
	return graph
}

func TestImportDirections(t *testing.T) {
	graph := load(t)
	if len(graph) < 5 {
		t.Fatalf("go list found only %d packages", len(graph))
	}
	for name, imports := range graph {
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.From, name) })
		if i < 0 {
			t.Errorf("%s: no rule covers this package; say in the rules what it may import", name)
			continue
		}
		for _, imp := range imports {
			if !slices.ContainsFunc(rules[i].Only, func(p string) bool { return matches(p, imp) }) {
				t.Errorf("%s imports %s; %s may import only %v", name, imp, rules[i].From, rules[i].Only)
			}
		}
	}
}

func TestNeverLinked(t *testing.T) {
	graph := load(t)
	for _, n := range never {
		for name := range graph {
			if !matches(n.from, name) {
				continue
			}
			if chain := reach(graph, name, n.to, map[string]bool{}); chain != nil {
				t.Errorf("%s links %s: %s", n.from, n.to, strings.Join(chain, " -> "))
			}
		}
	}
}

// reach returns a chain of imports from name to a package that matches pattern, or nil.
func reach(graph map[string][]string, name, pattern string, seen map[string]bool) []string {
	if seen[name] {
		return nil
	}
	seen[name] = true
	for _, imp := range graph[name] {
		if matches(pattern, imp) {
			return []string{name, imp}
		}
		if chain := reach(graph, imp, pattern, seen); chain != nil {
			return append([]string{name}, chain...)
		}
	}
	return nil
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"ir/**", "ir", true},
		{"ir/**", "ir/lib", true},
		{"ir/**", "irx", false},
		{"algorithms/*/kernels/**", "algorithms/gemm/kernels", true},
		{"algorithms/*/kernels/**", "algorithms/gemm", false},
		{"gen/*", "gen/gemm", true},
		{"gen/*", "gen", false},
		{"runtime", "runtime/emulated", false},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("matches(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
