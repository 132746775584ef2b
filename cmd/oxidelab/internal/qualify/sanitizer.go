package qualify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// sanitizerPlaces are where compute-sanitizer lies if PATH does not have it.
var sanitizerPlaces = []string{"/usr/local/cuda/bin/compute-sanitizer", "/opt/cuda/bin/compute-sanitizer"}

// FindSanitizer returns compute-sanitizer, or an error that says where it was looked for.
func FindSanitizer() (string, error) {
	path, missing := findSanitizer()
	if path == "" {
		return "", errors.New(missing)
	}
	return path, nil
}

// findSanitizer returns the program, or why there is none.
func findSanitizer() (path, missing string) {
	const name = "compute-sanitizer"
	path, err := exec.LookPath(name)
	if err == nil {
		return path, ""
	}
	for _, place := range sanitizerPlaces {
		if _, err := os.Stat(place); err == nil {
			return place, ""
		}
	}
	return "", name + " is neither in PATH nor in /usr/local/cuda"
}

// underTool puts a command under a tool. The tool writes into a file of its own, so that the messages stay clean.
func underTool(ctx context.Context, sanitizer, tool, log string, cmd *exec.Cmd) *exec.Cmd {
	args := []string{"--tool", tool, "--log-file", log, "--print-limit", "20", "--target-processes", "application-only"}
	return exec.CommandContext(ctx, sanitizer, append(args, cmd.Args...)...)
}

// toolReport is what a tool's log says.
type toolReport struct {
	complete bool // the log ends with a summary
	errors   int
	// findings are the paragraphs of the log that describe an error, by the kernels that they name ("" for none).
	findings map[string]string
	first    string // the first lines of a log without summary
}

var (
	summary    = regexp.MustCompile(`(?m)^=+ (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)`)
	kernelName = regexp.MustCompile(`\b(Oxide[A-Za-z0-9_]+)\b`)
)

func readToolLog(path string) toolReport {
	data, err := os.ReadFile(path)
	if err != nil {
		return toolReport{first: err.Error()}
	}
	return parseToolLog(string(data))
}

func parseToolLog(text string) toolReport {
	r := toolReport{findings: map[string]string{}}
	m := summary.FindStringSubmatch(text)
	if m == nil {
		lines := strings.SplitN(strings.TrimSpace(text), "\n", 4)
		r.first = strings.Join(lines[:min(len(lines), 3)], " ")
		return r
	}
	r.complete = true
	r.errors, _ = strconv.Atoi(m[1] + m[2]) // one of them is empty, the other digits
	if r.errors == 0 {
		return r
	}
	for paragraph := range strings.SplitSeq(text, "\n=========\n") {
		if summary.MatchString(paragraph) || !strings.Contains(paragraph, "=========     ") {
			continue
		}
		name := ""
		if k := kernelName.FindStringSubmatch(paragraph); k != nil {
			name = k[1]
		}
		if _, ok := r.findings[name]; !ok {
			r.findings[name] = strings.TrimSpace(strings.ReplaceAll(paragraph, "=========", ""))
		}
	}
	return r
}
