package probes

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	_ "embed"
)

//go:embed testdata/recording.gz
var recorded []byte

// Recording is what an H200 made of the probes: a hash of each one's outputs.
type Recording struct {
	Header map[string]string // gpu, driver, ptxas, date
	Hashes map[string]string // by probe
}

// Recorded is the committed recording.
func Recorded() (*Recording, error) { return readRecording(recorded) }

// Hash is how a recording keeps outputs.
func Hash(outputs []byte) string {
	sum := sha256.Sum256(outputs)
	return hex.EncodeToString(sum[:8])
}

// The text form, compressed: a line for each header, "# name value", and for each probe, "name hash".
func readRecording(packed []byte) (*Recording, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	r := &Recording{map[string]string{}, map[string]string{}}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		to, line := r.Hashes, lines.Text()
		if text, ok := strings.CutPrefix(line, "# "); ok {
			to, line = r.Header, text
		}
		name, value, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("probes: a recording with the line %q", line)
		}
		to[name] = value
	}
	return r, lines.Err()
}

// Write packs a recording.
func (r *Recording) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	var lines []string
	for name, value := range r.Header {
		lines = append(lines, "# "+name+" "+value)
	}
	for name, hash := range r.Hashes {
		lines = append(lines, name+" "+hash)
	}
	slices.Sort(lines)
	if _, err := io.WriteString(z, strings.Join(lines, "\n")+"\n"); err != nil {
		return err
	}
	return z.Close()
}
