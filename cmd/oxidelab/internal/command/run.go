package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/internal/safetensors"
)

// maxSpecBytes is more than any Spec needs.
const maxSpecBytes = 1 << 16

// run runs one operator on the tensors of a file.
func (l *lab) run(args []string) (err error) {
	f := l.flags("run", "OP --spec SPEC.json --in IN.safetensors --out OUT.safetensors [flags]")
	specPath := f.String("spec", "", "JSON `file` with the Spec; fields with defaults may be left out")
	inPath := f.String("in", "", "safetensors `file` with the inputs, named as the operands")
	outPath := f.String("out", "", "safetensors `file` to write the outputs to")
	where := f.String("device", "auto", device.Help)
	algorithm := f.String("algorithm", "", "run this `algorithm` and no other")
	check := f.Bool("check", false, "compare with the float64 reference")
	names, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(names) != 1 || *specPath == "" || *inPath == "" || *outPath == "" {
		return errors.New("run needs one operator and --spec, --in and --out")
	}
	b, err := find(names[0])
	if err != nil {
		return err
	}
	if err := safetensors.Writable(*outPath, *inPath, *specPath); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	s, err := readSetup(b, *specPath, *inPath)
	if err != nil {
		return err
	}
	d, err := device.Open(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	plan, err := b.Plan(d.Dev, s.Spec, *algorithm)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.out, "%s\non %s\n", plan, d)
	out, err := trial.Run(l.ctx, d.Stream, b.Operator, plan, s)
	if err != nil {
		return err
	}
	file, err := outputFile(b.Operator, s, out)
	if err != nil {
		return err
	}
	if err := safetensors.WriteFile(*outPath, file); err != nil {
		return err
	}
	for _, t := range file.Tensors {
		fmt.Fprintf(l.out, "%s: %s %v written to %s\n", t.Name, t.DType, t.Shape, *outPath)
	}
	if !*check {
		return nil
	}
	return l.check(b, s, out)
}

func (l *lab) check(b catalog.Binding, s trial.Setup, out trial.Outcome) error {
	names, verdicts, err := trial.Check(b, s, out.Outputs)
	if err != nil {
		return err
	}
	wrong := false
	for i, v := range verdicts {
		fmt.Fprintf(l.out, "check %s: %s\n", names[i], v)
		wrong = wrong || !v.OK()
	}
	for _, d := range out.Damage {
		fmt.Fprintf(l.out, "check memory: %s\n", d)
		wrong = true
	}
	if wrong {
		return errWrong
	}
	return nil
}

// readSetup reads a Spec and the inputs that it asks for.
func readSetup(b catalog.Binding, specPath, inPath string) (trial.Setup, error) {
	data, err := readSmall(specPath)
	if err != nil {
		return trial.Setup{}, err
	}
	spec, err := b.ParseSpec(data)
	if err != nil {
		return trial.Setup{}, fmt.Errorf("%s: %w", specPath, err)
	}
	file, err := safetensors.ReadFile(inPath)
	if err != nil {
		return trial.Setup{}, fmt.Errorf("%s: %w", inPath, err)
	}
	s, err := setupFrom(b.Operator, spec, file)
	if err != nil {
		return trial.Setup{}, fmt.Errorf("%s: %w", inPath, err)
	}
	return s, nil
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpecBytes {
		return nil, fmt.Errorf("%s: a spec is a file of at most %d bytes", path, maxSpecBytes)
	}
	return os.ReadFile(path)
}
