package driver

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/ir"
)

// Entry is one declaration that oxidegen found: the variable, where it stands, and its value.
type Entry struct {
	Package string
	Symbol  string
	File    string
	Line    int
	Value   ir.Declaration
}

// Main is the whole program. Mistakes in kernels are part of the bundle; only a bundle that cannot be written ends
// the program with a failure.
func Main(entries []Entry) {
	flags := flag.NewFlagSet("driver", flag.ExitOnError)
	out := flags.String("o", "", "file that the bundle is written to")
	opt := options{}
	flags.BoolVar(&opt.ir, "ir", false, "add the text form of the IR")
	flags.BoolVar(&opt.passes, "passes", false, "add the IR after every lowering step")
	flags.Parse(os.Args[1:]) // ends the program on a mistake
	if *out == "" {
		fmt.Fprintln(os.Stderr, "this program is run by oxidegen")
		os.Exit(2)
	}
	if err := Trace(entries, opt).Write(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct{ ir, passes bool }

// Trace builds every instance of every declaration, several at a time; the result is in declaration order.
func Trace(entries []Entry, opt options) *bundle.Bundle {
	b := &bundle.Bundle{}
	var jobs []*job
	for _, e := range entries {
		instances := e.Value.Instances()
		if len(instances) == 0 {
			b.Failures = append(b.Failures, bundle.Failure{Package: e.Package, Algorithm: e.Value.AlgorithmName(), Code: "NO_VARIANT",
				Frames: []bundle.Frame{e.frame()}, Message: "the algorithm lists no variant, so there is nothing to build",
				Fix: "give it at least one variant; a kernel without choices has the variant struct{}{}"})
		}
		for _, inst := range instances {
			jobs = append(jobs, &job{entry: e, inst: inst})
		}
	}
	run(jobs, opt)
	for _, j := range jobs {
		b.Failures = append(b.Failures, j.failures...)
		if len(j.failures) == 0 {
			b.Kernels = append(b.Kernels, j.kernel)
		}
	}
	return b
}

func (e Entry) frame() bundle.Frame { return bundle.Frame{File: e.File, Line: e.Line, Func: e.Symbol} }

// job is one instance.
type job struct {
	entry    Entry
	inst     ir.Instance
	kernel   bundle.Kernel
	failures []bundle.Failure
}

func run(jobs []*job, opt options) {
	next := make(chan *job)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wg.Go(func() {
			for j := range next {
				j.run(opt)
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	wg.Wait()
}

func (j *job) run(opt options) {
	k, err := ir.Build(j.inst)
	if err != nil {
		j.fail(err)
		return
	}
	if undeclared := undeclaredWrites(k); len(undeclared) > 0 {
		j.fail(undeclared)
		return
	}
	j.kernel, err = describe(j.entry, j.inst, k, opt)
	if err != nil {
		j.fail(err)
	}
}

// fail records what the verifier or the lowering found.
func (j *job) fail(err error) {
	base := bundle.Failure{Package: j.entry.Package, Algorithm: j.inst.Algorithm, Variant: j.inst.Variant, Target: string(j.inst.Target)}
	var findings ir.Findings
	if !errors.As(err, &findings) {
		f := base
		f.Code, f.Message, f.Frames = "LOWERING", err.Error(), []bundle.Frame{j.entry.frame()}
		j.failures = append(j.failures, f)
		return
	}
	for _, finding := range findings {
		f := base
		f.Code, f.Message, f.Fix = finding.Code, finding.Msg, finding.Fix
		if finding.Op != "" {
			f.Message += "\n\top: " + finding.Op
		}
		if finding.Manual != "" {
			f.Manual = "PTX ISA " + finding.Manual
		}
		f.Frames = frames(finding.Pos)
		if len(f.Frames) == 0 {
			f.Frames = []bundle.Frame{j.entry.frame()}
		}
		j.failures = append(j.failures, f)
	}
}

func frames(pos ir.Pos) []bundle.Frame {
	var all []bundle.Frame
	for _, f := range pos {
		all = append(all, bundle.Frame{File: f.File, Line: f.Line, Func: f.Func})
	}
	return all
}
