package safetensors

import (
	"bytes"
	"encoding/json"
)

// maxRank bounds the dimensions of a tensor. The format names no limit; no framework has tensors of more.
const maxRank = 64

// member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// entry is the header's description of one tensor.
type entry struct {
	dtype   DType
	shape   []int64
	offsets []int64
}

// object splits a JSON object into its members, in order; a name may occur once. encoding/json alone keeps the last of
// two equal names and ignores their case.
func object(text []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fail("", "the header is not a JSON object")
	}
	var out []member
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		if err != nil || !ok {
			return nil, fail("", "the header is not valid JSON: %v", err)
		}
		if seen[name] {
			return nil, fail(name, "the header names it twice")
		}
		seen[name] = true
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, fail("", "the header is not valid JSON: %v", err)
		}
		out = append(out, member{name, v})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fail("", "the header is not valid JSON: %v", err)
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return nil, fail("", "the header goes on behind its JSON object")
	}
	return out, nil
}

// parseMetadata reads the object of strings that a file may carry.
func parseMetadata(text []byte) (map[string]string, error) {
	all, err := object(text)
	if err != nil {
		return nil, fail("", "%s is not an object of strings", metadataKey)
	}
	out := make(map[string]string, len(all))
	for _, m := range all {
		var s *string
		if err := json.Unmarshal(m.value, &s); err != nil || s == nil {
			return nil, fail("", "%s is not an object of strings", metadataKey)
		}
		out[m.name] = *s
	}
	return out, nil
}

// parseEntry reads the description of one tensor: exactly dtype, shape and data_offsets, each once and none null.
func parseEntry(m member) (entry, error) {
	var e entry
	all, err := object(m.value)
	if err != nil {
		return e, fail(m.name, "its entry cannot be read: it is no JSON object, or names a field twice")
	}
	for _, f := range all {
		switch f.name {
		case "dtype":
			var s *DType
			if err := json.Unmarshal(f.value, &s); err != nil || s == nil {
				return e, fail(m.name, "its entry cannot be read: dtype is no string")
			}
			e.dtype = *s
		case "shape":
			e.shape, err = integers(m.name, f)
		case "data_offsets":
			e.offsets, err = integers(m.name, f)
		default:
			return e, fail(m.name, "its entry cannot be read: unknown field %q", f.name)
		}
		if err != nil {
			return e, err
		}
	}
	switch {
	case e.dtype == "" || e.shape == nil || len(e.offsets) != 2:
		return e, fail(m.name, "its entry needs dtype, shape and two data_offsets")
	case e.dtype.Size() == 0:
		return e, fail(m.name, "unknown dtype %q", e.dtype)
	case len(e.shape) > maxRank:
		return e, fail(m.name, "its shape has %d dimensions, at most %d are read", len(e.shape), maxRank)
	}
	return e, nil
}

// integers reads a JSON array of integers. encoding/json alone takes null for 0.
func integers(tensor string, f member) ([]int64, error) {
	var list []*int64
	if err := json.Unmarshal(f.value, &list); err != nil || list == nil {
		return nil, fail(tensor, "its entry cannot be read: %s is no array of integers", f.name)
	}
	out := make([]int64, len(list))
	for i, n := range list {
		if n == nil {
			return nil, fail(tensor, "its entry cannot be read: %s is no array of integers", f.name)
		}
		out[i] = *n
	}
	return out, nil
}
