// Package gpu reads a GPU's clocks, power and driver through nvidia-smi. It changes nothing.
package gpu

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/evidence"
)

const (
	program  = "nvidia-smi"
	interval = 200 * time.Millisecond
	fields   = "clocks.sm,clocks.mem,power.draw,power.limit,temperature.gpu,pstate,clocks_event_reasons.active"
)

// Watch reads a GPU's state until it is stopped.
type Watch struct {
	cancel context.CancelFunc
	done   chan evidence.State
}

// Start begins to watch the GPU of that number.
func Start(ctx context.Context, ordinal int) *Watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch{cancel, make(chan evidence.State, 1)}
	cmd := exec.CommandContext(ctx, program, "-i", strconv.Itoa(ordinal), "--query-gpu="+fields, "--format=csv,noheader,nounits",
		"-lms", strconv.FormatInt(interval.Milliseconds(), 10))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.done <- evidence.State{Unseen: err.Error()}
		return w
	}
	go func() {
		state := read(out)
		_ = cmd.Wait() // it was killed
		w.done <- state
	}()
	return w
}

// Stop ends the watch and returns what was seen.
func (w *Watch) Stop() evidence.State {
	w.cancel()
	return <-w.done
}

// read summarises the program's lines until they end.
func read(r io.Reader) evidence.State {
	s := evidence.State{By: program}
	var columns [5][]float64
	var refused string
	for lines := bufio.NewScanner(r); lines.Scan(); {
		cells := strings.Split(lines.Text(), ", ")
		if len(cells) != 7 {
			refused = lines.Text()
			continue
		}
		s.Readings++
		for i := range columns {
			if x, err := strconv.ParseFloat(cells[i], 64); err == nil { // "[N/A]" where a GPU does not tell
				columns[i] = append(columns[i], x)
			}
		}
		s.PStates, s.Throttle = addNew(s.PStates, cells[5]), addNew(s.Throttle, cells[6])
	}
	if s.Readings == 0 {
		return evidence.State{Unseen: fmt.Sprintf("%s gave no reading: %s", program, refused)}
	}
	s.SMClockMHz, s.MemClockMHz, s.PowerW, s.TempC = span(columns[0]), span(columns[1]), span(columns[2]), span(columns[4])
	if limit := columns[3]; len(limit) > 0 {
		s.PowerLimitW = slices.Max(limit)
	}
	return s
}

func addNew(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

func span(x []float64) *evidence.Span {
	if len(x) == 0 {
		return nil
	}
	return &evidence.Span{Min: slices.Min(x), Median: evidence.Median(x), Max: slices.Max(x)}
}

var kernelModule = regexp.MustCompile(`(?m)^NVRM version:.*?\s([0-9]+\.[0-9]+(\.[0-9]+)?)\s`)

// Driver returns the version of the installed driver, for example "580.159.04".
func Driver(ctx context.Context) (string, error) {
	out, asked := exec.CommandContext(ctx, program, "--query-gpu=driver_version", "--format=csv,noheader").Output()
	if first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); asked == nil && first != "" {
		return first, nil
	}
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if m := kernelModule.FindSubmatch(text); err == nil && m != nil {
		return string(m[1]), nil
	}
	return "", errors.Join(fmt.Errorf("the driver's version: %w", asked), err)
}
