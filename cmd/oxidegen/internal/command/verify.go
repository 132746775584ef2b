package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build"
)

// staleError shows the first faults: when a helper changed, every file of a family differs.
type staleError struct{ faults []*build.Fault }

func (e *staleError) Error() string {
	const most = 20
	var b strings.Builder
	for _, f := range e.faults[:min(most, len(e.faults))] {
		fmt.Fprintln(&b, f)
	}
	if n := len(e.faults) - most; n > 0 {
		fmt.Fprintf(&b, "… and %d more\n", n)
	}
	fmt.Fprintf(&b, "%d faults; fix: go generate ./... on a machine with ptxas, and commit what it makes", len(e.faults))
	return b.String()
}

func runVerify(ctx context.Context, p *program, args []string) error {
	patterns, err := p.parse(args)
	if err != nil {
		return err
	}
	report, err := build.Verify(ctx, p.options(patterns))
	if faults := build.Faults(err); len(faults) > 0 {
		return &staleError{faults}
	}
	if err != nil {
		return err
	}
	proof := "PTX hashes equal"
	if report.Bytes {
		proof = "PTX hashes and cubin bytes equal"
	}
	fmt.Fprintf(p.stdout, "oxidegen: %d kernels of %s: %s (%s)\n", report.Kernels, strings.Join(report.Families, ", "), proof, report.Ptxas)
	return nil
}
