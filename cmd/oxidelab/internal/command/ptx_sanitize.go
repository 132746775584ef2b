package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/ptxcase"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// sanitizerTools are the tools of compute-sanitizer with the options that let them see most; "" is a run without it.
var sanitizerTools = []struct {
	name string
	args []string
}{
	{"", nil}, {"memcheck", []string{"--padding", "512"}}, {"racecheck", []string{"--racecheck-report", "all"}}, {"synccheck", nil}, {"initcheck", nil},
}

// toolRun is what one tool says of one case.
type toolRun struct {
	Tool   string   `json:"tool,omitempty"`
	Errors int      `json:"errors"`           // that it counts
	Says   []string `json:"says,omitempty"`   // first lines of its messages, each once
	Ended  string   `json:"ended"`            // right, wrong or failed: the case's outputs; time: it was ended
	Detail string   `json:"detail,omitempty"` // why it failed
}

// sanitized is a case under every tool.
type sanitized struct {
	Case  string    `json:"case"`
	About string    `json:"about"`
	Ours  []string  `json:"ours"` // classes of the emulator's findings, or "numbers"
	Runs  []toolRun `json:"runs"`
}

// ptxSanitize runs every case of a folder on the emulator with all checkers, and on a GPU, alone and under each tool of
// compute-sanitizer, in processes of their own that are ended after a while. Cubins lie beside the cases.
func (l *lab) ptxSanitize(args []string) error {
	f := l.flags("ptx sanitize", "DIR [flags]")
	limit := f.Duration("timeout", 40*time.Second, "end a process after this `time`")
	parallel := f.Int("parallel", 8, "processes at once")
	table := f.Bool("table", false, "run nothing: print what a file holds, which an earlier run printed, as a Markdown table")
	paths, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return errors.New("ptx sanitize needs one folder")
	}
	if *table {
		return l.sanitizeTable(paths[0])
	}
	cases, err := filepath.Glob(filepath.Join(paths[0], "*.json"))
	if err != nil || len(cases) == 0 {
		return fmt.Errorf("%s: no case files (%w)", paths[0], err)
	}
	program, err := qualify.FindSanitizer()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := sanitizer{program: program, self: self, limit: *limit, slots: make(chan struct{}, max(1, *parallel))}
	results := make(chan sanitized)
	go func() {
		defer close(results)
		var all sync.WaitGroup
		for _, path := range cases {
			all.Go(func() { results <- s.sanitize(l.ctx, path) })
		}
		all.Wait()
	}()
	out := json.NewEncoder(l.data)
	for r := range results {
		err = errors.Join(err, out.Encode(r))
	}
	return err
}

// sanitize runs a case everywhere.
func (s *sanitizer) sanitize(ctx context.Context, path string) sanitized {
	r := sanitized{Case: strings.TrimSuffix(filepath.Base(path), ".json"), Runs: make([]toolRun, len(sanitizerTools))}
	var runs sync.WaitGroup
	for t := range sanitizerTools {
		runs.Go(func() { r.Runs[t] = s.run(ctx, path, t) })
	}
	r.About, r.Ours = emulated(path)
	runs.Wait()
	return r
}

// emulated returns what a case says of itself, and what the emulator sees in it: classes of errors under the first of the
// schedules that has any, else whether numbers are wrong.
func emulated(path string) (about string, seen []string) {
	var file struct {
		About string `json:"about"`
	}
	if b, err := os.ReadFile(path); err != nil || json.Unmarshal(b, &file) != nil {
		return "", []string{ptxcase.StatusUnreadable}
	}
	about = file.About
	for _, c := range mutate.Schedules {
		c.MaxSteps = mutateSteps
		r := ptxcase.Run(path, ptxcase.Options{Device: c})
		var classes []string
		for _, f := range r.Findings {
			if f.Severity == emulate.Error && !slices.Contains(classes, string(f.Class)) {
				classes = append(classes, string(f.Class))
			}
		}
		switch {
		case len(classes) > 0:
			return about, classes
		case r.Error != "":
			return about, []string{r.Status}
		case r.Status == ptxcase.StatusDiffers:
			seen = []string{wrongNumbers}
		}
	}
	return about, seen
}

// wrongNumbers stands for outputs that differ where no checker says anything.
const wrongNumbers = "numbers"

type sanitizer struct {
	program, self string
	limit         time.Duration
	slots         chan struct{}
}

// run runs a case in a folder of its own under one tool.
func (s *sanitizer) run(ctx context.Context, path string, tool int) toolRun {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	r := toolRun{Tool: sanitizerTools[tool].name}
	dir, err := os.MkdirTemp("", "oxidelab-sanitize-*")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = copyCase(path, dir)
	}
	if err != nil {
		r.Ended, r.Detail = "failed", err.Error()
		return r
	}
	log := filepath.Join(dir, "tool.log")
	command := []string{s.self, "ptx", "record", "-compare", dir}
	if r.Tool != "" {
		command = slices.Concat([]string{s.program, "--tool", r.Tool, "--log-file", log, "--print-limit", "50"}, sanitizerTools[tool].args, command)
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	said, err := cmd.CombinedOutput()
	r.judge(ctx, string(said), err)
	if text, err := os.ReadFile(log); err == nil {
		r.read(string(text))
	}
	return r
}

// judge tells how the process ended.
func (r *toolRun) judge(ctx context.Context, said string, err error) {
	switch {
	case ctx.Err() != nil:
		r.Ended = "time"
	case strings.Contains(said, "1 cases equal, 0 failed"):
		r.Ended = "right"
	case strings.Contains(said, "elements of") && strings.Contains(said, "differ:"):
		r.Ended = "wrong"
	default:
		r.Ended, r.Detail = "failed", firstLine(said)
		if r.Detail == "" && err != nil {
			r.Detail = err.Error()
		}
	}
}

func firstLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[0]
}

var (
	errorCount = regexp.MustCompile(`(?m)^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)`)
	toolNoise  = regexp.MustCompile(`COMPUTE-SANITIZER|SUMMARY|^=+\s*$|^=+ {3,}|Target application|LEAK`)
	numbersIn  = regexp.MustCompile(`0x[0-9a-f]+|\d{3,}`)
)

// read takes the count and the first lines of the messages from a tool's log.
func (r *toolRun) read(text string) {
	if m := errorCount.FindStringSubmatch(text); m != nil {
		r.Errors, _ = strconv.Atoi(m[1]) // digits, by the pattern
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "=========") || toolNoise.MatchString(line) {
			continue
		}
		say := numbersIn.ReplaceAllString(strings.TrimSpace(strings.TrimLeft(line, "=")), "N")
		if !slices.Contains(r.Says, say) && len(r.Says) < 4 {
			r.Says = append(r.Says, say)
		}
	}
}

// copyCase copies a case with its files and cubin.
func copyCase(path, dir string) error {
	base := strings.TrimSuffix(path, ".json")
	for _, suffix := range []string{".json", ".ptx", ".safetensors", ".cubin"} {
		if err := copyFile(base+suffix, filepath.Join(dir, filepath.Base(base)+suffix)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
