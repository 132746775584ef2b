package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrTooLong marks a record whose encoding is longer than MaxBytes.
var ErrTooLong = errors.New("evidence: record is too long")

// Encode validates a record and writes it as JSON, one case a line.
func Encode(r *Record) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	out := layOut(b.Bytes())
	if len(out) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(out), MaxBytes)
	}
	return out, nil
}

// layOut breaks compact JSON into lines: one for every member of the record and for every element of its lists.
func layOut(compact []byte) []byte {
	var out bytes.Buffer
	depth, inString := 0, false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		if inString {
			out.WriteByte(c)
			if c == '\\' {
				i++
				out.WriteByte(compact[i])
			}
			inString = c != '"'
			continue
		}
		if c == '}' || c == ']' {
			if depth--; depth < 1 {
				out.WriteByte('\n')
			}
		}
		out.WriteByte(c)
		switch c {
		case '"':
			inString = true
		case '{', '[':
			if depth++; depth == 1 || depth == 2 && c == '[' {
				out.WriteByte('\n')
			}
		case ',':
			if depth <= 2 {
				out.WriteByte('\n')
			}
		}
	}
	return out.Bytes()
}

// Decode reads and validates a record. Unknown members, trailing data and anything over MaxBytes are refused.
func Decode(data []byte) (*Record, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(data), MaxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var r Record
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: data after the record", ErrInvalid)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Split encodes a record, in as many parts as MaxBytes asks for. Each part has its own artifacts.
func Split(r *Record) ([]*Record, error) {
	for parts := 1; ; parts++ {
		size := (len(r.Cases) + parts - 1) / parts
		var all []*Record
		for cases := range slices.Chunk(r.Cases, max(size, 1)) {
			p := *r
			p.Artifacts, p.Cases = used(r.Artifacts, cases)
			all = append(all, &p)
		}
		for i, p := range all {
			p.Part, p.Parts = i+1, len(all)
		}
		err := encodable(all)
		if err == nil || !errors.Is(err, ErrTooLong) || len(all) >= len(r.Cases) {
			return all, err
		}
	}
}

func encodable(all []*Record) error {
	for _, p := range all {
		if _, err := Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// used returns the artifacts that cases name, and the cases numbered anew.
func used(artifacts []Artifact, cases []Case) ([]Artifact, []Case) {
	kept, renumbered := []Artifact{}, slices.Clone(cases)
	number := map[int]int{}
	for i := range renumbered {
		c := &renumbered[i]
		c.Artifacts = slices.Clone(c.Artifacts)
		for j, old := range c.Artifacts {
			if _, ok := number[old]; !ok && old >= 0 && old < len(artifacts) {
				number[old] = len(kept)
				kept = append(kept, artifacts[old])
			}
			if n, ok := number[old]; ok {
				c.Artifacts[j] = n
			}
		}
	}
	return kept, renumbered
}
