package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build"
)

func runVerify(ctx context.Context, p *program, args []string) error {
	patterns, err := p.parse(args)
	if err != nil {
		return err
	}
	report, err := build.Verify(ctx, p.options(patterns))
	var fault *build.Fault
	if errors.As(err, &fault) {
		return fmt.Errorf("%w\nfix: go generate ./... on a machine with ptxas, and commit what it makes", err)
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
