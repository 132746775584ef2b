package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/trace"
)

// traceFlags are those of ptx run that ask for a trace.
type traceFlags struct{ filter, file *string }

func addTraceFlags(f *flag.FlagSet) traceFlags {
	return traceFlags{
		f.String("trace", "", "write every instruction that meets the `conditions`: all, thread=[BLOCK:]N, warp=[BLOCK:]N, line=LO-HI, barrier=N, addr=WHERE:LO-HI, separated by commas"),
		f.String("trace-to", "", "`file` for the trace; standard output if empty"),
	}
}

// open returns the tracer, nil where none is asked for, and what completes its text.
func (t traceFlags) open(out io.Writer, asJSON bool) (tr *trace.Tracer, finish func() error, err error) {
	if *t.filter == "" {
		if *t.file != "" {
			return nil, nil, errors.New("-trace-to needs -trace")
		}
		return nil, func() error { return nil }, nil
	}
	filter, err := trace.ParseFilter(*t.filter)
	if err != nil {
		return nil, nil, err
	}
	if *t.file == "" {
		if asJSON {
			return nil, nil, errors.New("-json prints one object: -trace needs -trace-to FILE beside it")
		}
		tr = trace.New(out, filter)
		return tr, tr.Flush, nil
	}
	file, err := os.Create(*t.file)
	if err != nil {
		return nil, nil, err
	}
	tr = trace.New(file, filter)
	return tr, func() error { return errors.Join(tr.Flush(), file.Close()) }, nil
}

// ptxTraceDiff shows where two traces part: exit status 1 if they do.
func (l *lab) ptxTraceDiff(args []string) error {
	f := l.flags("ptx trace-diff", "A B")
	paths, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(paths) != 2 {
		return errors.New("ptx trace-diff needs two traces")
	}
	var files [2]*os.File
	for i, p := range paths {
		if files[i], err = os.Open(p); err != nil {
			return err
		}
		defer files[i].Close()
	}
	d, err := trace.Diff(files[0], files[1])
	if err != nil {
		return err
	}
	if d == nil {
		fmt.Fprintln(l.out, "every warp does the same in both")
		return nil
	}
	d.Write(l.out)
	return errWrong
}
