package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/ptxcase"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// ptxRecord runs every case of a folder on a GPU and writes the outputs into the case. Cubins are assembled by the
// pinned ptxas where there is one; elsewhere NAME.cubin lies beside NAME.json. With -assemble it only makes those. With
// -compare it writes nothing and compares with the outputs that are there.
func (l *lab) ptxRecord(args []string) (err error) {
	f := l.flags("ptx record", "DIR [flags]")
	name := f.String("device", "cuda:0", "GPU to run on: cuda:N")
	assemble := f.Bool("assemble", false, "write the cubins beside the cases and run nothing")
	compare := f.Bool("compare", false, "compare with the outputs that the cases hold, and write nothing")
	paths, err := parse(f, args[1:])
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return errors.New("ptx record needs one folder")
	}
	cases, err := filepath.Glob(filepath.Join(paths[0], "*.json"))
	if err != nil || len(cases) == 0 {
		return fmt.Errorf("%s: no case files (%w)", paths[0], err)
	}
	asm, err := assembler()
	if *assemble {
		if err != nil {
			return err
		}
		return ptxcase.Assemble(asm, cases)
	}
	d, err := device.Open(*name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if d.IsEmulated() {
		return errors.New("only a GPU can be recorded")
	}
	r := &ptxcase.Recorder{Device: d.Dev, Stream: d.Stream, Assembler: asm}
	run, did := r.Record, "recorded"
	if *compare {
		run, did = func(path string) error { return compareCase(r, path) }, "equal"
	}
	failed := 0
	for _, c := range cases {
		if err := run(c); err != nil {
			failed++
			fmt.Fprintf(l.out, "%s: %v\n", filepath.Base(c), err)
		}
	}
	fmt.Fprintf(l.out, "%d cases %s, %d failed, on %s\n", len(cases)-failed, did, failed, d)
	if failed > 0 {
		return errWrong
	}
	return nil
}

// compareCase is an error if the outputs of a case differ from those in its file.
func compareCase(r *ptxcase.Recorder, path string) error {
	report, err := r.Compare(path)
	if err != nil {
		return err
	}
	for _, o := range report.Outputs {
		if o.Mismatches > 0 {
			return fmt.Errorf("%d of %d elements of %s differ: %s", o.Mismatches, o.Elements, o.Buffer, o.First)
		}
	}
	return nil
}

// assembler is the pinned ptxas, nil where there is none.
func assembler() (*cubin.Assembler, error) {
	p, _, err := cubin.Search{}.Find(context.Background(), cubin.Ptxas())
	if err != nil {
		return nil, err
	}
	return cubin.NewAssembler(p, 0), nil
}
