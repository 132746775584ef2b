package cubin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Instruction is one SASS instruction. Line is the PTX line that it was made from, 0 where nvdisasm names none.
type Instruction struct {
	Label  string // set on the first instruction after a label
	Offset int    // bytes from the entry
	Text   string // without the closing semicolon
	Note   string // what ptxas annotated, such as SpillRefill
	Line   int
}

// Opcode is the instruction's name without guard and modifiers, like LDG for "@P0 LDG.E.128 R4, …".
func (i Instruction) Opcode() string {
	words := strings.Fields(i.Text)
	if len(words) > 1 && strings.HasPrefix(words[0], "@") {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(words[0], ".")
	return name
}

// Local reports whether the instruction goes to local memory: a spill or a stack variable.
func (i Instruction) Local() bool {
	switch i.Opcode() {
	case "LDL", "STL", "ATOML":
		return true
	}
	return false
}

// Spill reports whether ptxas marked the instruction as storing or reloading a spilled register.
func (i Instruction) Spill() bool { return strings.Contains(i.Note, "SpillRefill") }

// SASSDifferError says that assembling with line information made other code than the released cubin's, so that its
// lines must not be shown beside it.
type SASSDifferError struct {
	Entry  string
	Offset int // first differing byte of the code
}

func (e *SASSDifferError) Error() string {
	return fmt.Sprintf("entry %s: the code assembled with -lineinfo differs from the released cubin's at byte %#x",
		e.Entry, e.Offset)
}

// Disassembler runs the pinned nvdisasm.
type Disassembler struct{ Program Program }

// Listing disassembles one entry of a released cubin and names the PTX line of every instruction. The lines come
// from a second assembly of the same text with -lineinfo, whose code must equal the released one byte for byte.
func (d Disassembler) Listing(ctx context.Context, a *Assembler, ptx, released []byte, target, entry string) ([]Instruction, error) {
	withLines, _, err := a.run(ctx, ptx, target, append([]string{"-lineinfo"}, Flags(target)...))
	if err != nil {
		return nil, err
	}
	if err := sameCode(released, withLines, entry); err != nil {
		return nil, err
	}
	text, err := d.run(ctx, withLines, "-gp", "-c")
	if err != nil {
		return nil, err
	}
	list := parseListing(text, entry)
	if len(list) == 0 {
		return nil, fmt.Errorf("entry %s: nvdisasm lists no instruction", entry)
	}
	return list, nil
}

// SASS disassembles one entry of a cubin, without lines.
func (d Disassembler) SASS(ctx context.Context, cubin []byte, entry string) ([]Instruction, error) {
	text, err := d.run(ctx, cubin, "-c")
	if err != nil {
		return nil, err
	}
	return parseListing(text, entry), nil
}

func (d Disassembler) run(ctx context.Context, cubin []byte, args ...string) (string, error) {
	dir, err := os.MkdirTemp("", "oxide-sass-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(file, cubin, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, d.Program.Path, append(args, file)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("run %s: %w\n%s", d.Program, err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

func sameCode(released, withLines []byte, entry string) error {
	var text [2][]byte
	for i, b := range [][]byte{released, withLines} {
		c, err := Read(b)
		if err != nil {
			return err
		}
		e := c.Entry(entry)
		if e == nil {
			return fmt.Errorf("the cubin has no entry %s", entry)
		}
		text[i] = e.Text
	}
	if bytes.Equal(text[0], text[1]) {
		return nil
	}
	at := 0
	for at < len(text[0]) && at < len(text[1]) && text[0][at] == text[1][at] {
		at++
	}
	return &SASSDifferError{entry, at}
}

var (
	sectionLine     = regexp.MustCompile(`^\s*\.section\s+\.text\.([^,]+),`)
	labelLine       = regexp.MustCompile(`^(\.L_[^:]*):`)
	positionLine    = regexp.MustCompile(`^\s*//## File ".*", line (\d+)`)
	instructionLine = regexp.MustCompile(`^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*(?:\(\*"(.*)"\*\))?\s*;\s*$`)
)

// parseListing picks one entry out of what nvdisasm prints.
func parseListing(text, entry string) []Instruction {
	var list []Instruction
	inside, label, ptxLine := false, "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			inside, label, ptxLine = m[1] == entry, "", 0
		}
		if !inside {
			continue
		}
		if m := labelLine.FindStringSubmatch(line); m != nil {
			label = m[1]
		} else if m := positionLine.FindStringSubmatch(line); m != nil {
			ptxLine = number(m[1])
		} else if m := instructionLine.FindStringSubmatch(line); m != nil {
			offset, err := strconv.ParseInt(m[1], 16, 64)
			if err != nil {
				continue
			}
			list = append(list, Instruction{label, int(offset), m[2], m[3], ptxLine})
			label = ""
		}
	}
	return list
}
