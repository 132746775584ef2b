package cubin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
)

// Result is one assembled module.
type Result struct {
	Cubin     []byte
	Log       []Diagnostic // everything ptxas said
	Target    string
	Flags     []string
	Key       string // see Key
	Resources map[string]Resources
}

// Assembler runs one ptxas with one command line. It is safe for concurrent use; each distinct text is assembled
// once, and no more than the given number of processes run at a time.
type Assembler struct {
	ptxas Program
	slots chan struct{}
	mu    sync.Mutex
	jobs  map[string]*job
}

type job struct {
	done   chan struct{}
	result *Result
	err    error
}

// NewAssembler returns an assembler over ptxas. workers 0 means one per CPU.
func NewAssembler(ptxas Program, workers int) *Assembler {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Assembler{ptxas: ptxas, slots: make(chan struct{}, workers), jobs: map[string]*job{}}
}

// Program is the ptxas that this assembler runs.
func (a *Assembler) Program() Program { return a.ptxas }

// Flags is the command line of a released cubin. ptxas writes options into the cubin, so there is one: the target.
func Flags(target string) []string { return []string{"-arch", target} }

// Key identifies a cubin before it is made: the SHA-256 of the text, the assembler's version and its flags.
func Key(ptx []byte, version string, flags []string) string {
	h := sha256.New()
	sum := sha256.Sum256(ptx)
	h.Write(sum[:])
	fmt.Fprintf(h, "%q", append([]string{version}, flags...))
	return hex.EncodeToString(h.Sum(nil))
}

var targetName = regexp.MustCompile(`^sm_\d{2,3}[af]?$`)

// Assemble makes a cubin for a target such as sm_90a. A text that ptxas refuses gives an *AssembleError. Warnings
// and resource use are in the result; Result.Check judges them.
func (a *Assembler) Assemble(ctx context.Context, ptx []byte, target string) (*Result, error) {
	if !targetName.MatchString(target) {
		return nil, fmt.Errorf("target %q is not of the form sm_90 or sm_90a", target)
	}
	key := Key(ptx, a.ptxas.Version, Flags(target))
	a.mu.Lock()
	j, known := a.jobs[key]
	if !known {
		j = &job{done: make(chan struct{})}
		a.jobs[key] = j
	}
	a.mu.Unlock()
	if known {
		select {
		case <-j.done:
			return j.result, j.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	j.result, j.err = a.assemble(ctx, ptx, target, key)
	if j.err != nil && ctx.Err() != nil { // a cancelled run says nothing about the text
		a.mu.Lock()
		delete(a.jobs, key)
		a.mu.Unlock()
	}
	close(j.done)
	return j.result, j.err
}

func (a *Assembler) assemble(ctx context.Context, ptx []byte, target, key string) (*Result, error) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	flags := Flags(target)
	cubin, log, err := a.run(ctx, ptx, target, flags)
	if err != nil {
		return nil, err
	}
	elf, err := Read(cubin)
	if err != nil {
		return nil, err
	}
	r := &Result{Cubin: cubin, Log: log, Target: target, Flags: flags, Key: key, Resources: map[string]Resources{}}
	for _, e := range elf.Entries {
		r.Resources[e.Name] = e.Resources
	}
	return r, a.addSpills(ctx, ptx, target, r)
}

// addSpills counts spill bytes where there can be any. Spills live in local memory, so a kernel without a stack
// frame has none; for the others -v is asked in a run of its own, because -v changes the cubin's bytes.
func (a *Assembler) addSpills(ctx context.Context, ptx []byte, target string, r *Result) error {
	needed := false
	for _, res := range r.Resources {
		needed = needed || res.StackBytes > 0
	}
	if !needed {
		return nil
	}
	_, log, err := a.run(ctx, ptx, target, append([]string{"-v"}, r.Flags...))
	if err != nil {
		return err
	}
	for name, v := range parseVerbose(log) {
		res, ok := r.Resources[name]
		if !ok {
			continue
		}
		res.SpillStoreBytes, res.SpillLoadBytes = v.SpillStoreBytes, v.SpillLoadBytes
		r.Resources[name] = res
	}
	return nil
}

// run assembles with any options and returns the bytes as they are.
func (a *Assembler) run(ctx context.Context, ptx []byte, target string, args []string) ([]byte, []Diagnostic, error) {
	dir, err := os.MkdirTemp("", "oxide-ptxas-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernel.ptx"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(in, ptx, 0o600); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, a.ptxas.Path, append(args[:len(args):len(args)], in, "-o", out)...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	log := parseLog(text.String())
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if len(log) == 0 {
			log = []Diagnostic{{Severity: Fatal, Text: exit.Error()}}
		}
		return nil, log, &AssembleError{Target: target, Diagnostics: log}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", a.ptxas, err)
	}
	cubin, err := os.ReadFile(out)
	return cubin, log, err
}

var (
	compiling = regexp.MustCompile(`^(?:Compiling entry function|Function properties for) '?([^' \n]+)'?`)
	frame     = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	used      = regexp.MustCompile(`^Used (\d+) registers`)
	barriers  = regexp.MustCompile(`used (\d+) barriers`)
	smem      = regexp.MustCompile(`(\d+) bytes smem`)
)

// parseVerbose reads the statistics of -v.
func parseVerbose(log []Diagnostic) map[string]Resources {
	all := map[string]Resources{}
	name := ""
	for _, d := range log {
		if m := compiling.FindStringSubmatch(d.Text); m != nil {
			name = m[1]
		}
		r := all[name]
		if m := frame.FindStringSubmatch(d.Text); m != nil {
			r.StackBytes, r.SpillStoreBytes, r.SpillLoadBytes = number(m[1]), number(m[2]), number(m[3])
		}
		if m := used.FindStringSubmatch(d.Text); m != nil {
			r.Registers = number(m[1])
			if b := barriers.FindStringSubmatch(d.Text); b != nil {
				r.Barriers = number(b[1])
			}
			if s := smem.FindStringSubmatch(d.Text); s != nil {
				r.StaticSharedBytes = number(s[1])
			}
		}
		all[name] = r
	}
	delete(all, "")
	return all
}

// number converts what an expression above has already limited to digits.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
