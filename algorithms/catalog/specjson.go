package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DecodeSpec reads a JSON object into the Spec that spec points to. Fields that the object leaves out get their
// defaults; unknown, repeated and missing fields and values of the wrong type are errors, all reported together.
// Ranges are left to Check.
func (op *Operator) DecodeSpec(data []byte, spec any) error {
	given, err := objectTexts(data)
	if err != nil {
		return fmt.Errorf("%s: spec: %w", op.Name, err)
	}
	v := op.Values(spec)
	var all []error
	for _, f := range op.Fields {
		text, ok := given[f.Name]
		delete(given, f.Name)
		switch {
		case !ok && f.Default == "":
			all = append(all, op.Refuse(f.Name, f.want(), "no such field in the spec"))
		case !ok && !v.hasSource(f): // reported at the field that the default comes from
		case !ok:
			all = append(all, v.setDefault(f))
		case f.quoted() != text.quoted:
			all = append(all, op.Refuse(f.Name, f.want(), text.raw))
		default:
			all = append(all, v.give(f, text.value))
		}
	}
	for _, name := range sortedKeys(given) {
		all = append(all, op.Refuse(name, "a field of the spec: "+op.fieldNames(), "an unknown field"))
	}
	return errors.Join(all...)
}

// give sets a field that the object names. A zero that the field may not be is refused here: Complete would take it for
// a field that was left out.
func (v Values) give(f Field, text string) error {
	if err := v.set(f, text); err != nil {
		return err
	}
	if f.Default != "" && v.spec.FieldByName(f.Go).IsZero() && !f.accepts(v) {
		return v.op.Refuse(f.Name, f.want(), text)
	}
	return nil
}

// Defaults sets every field that has a default.
func (op *Operator) Defaults(spec any) {
	v := op.Values(spec)
	for _, f := range op.Fields {
		if f.Default != "" {
			_ = v.setDefault(f) // Verify parses every default
		}
	}
}

// Complete gives its default to every field that is zero and may not be: in Go, leaving such a field out asks for the
// default.
func (op *Operator) Complete(spec any) {
	v := op.Values(spec)
	for _, f := range op.Fields {
		if f.Default != "" && v.spec.FieldByName(f.Go).IsZero() && !f.accepts(v) {
			_ = v.setDefault(f)
		}
	}
}

// hasSource reports whether the default of a field can be had: a default that is another field's needs that field.
func (v Values) hasSource(f Field) bool {
	name, copied := strings.CutPrefix(f.Default, "=")
	other, _ := v.op.field(name)
	return !copied || !v.spec.FieldByName(other.Go).IsZero()
}

func (v Values) setDefault(f Field) error {
	if name, ok := strings.CutPrefix(f.Default, "="); ok {
		other, _ := v.op.field(name)
		return v.set(f, v.Text(other))
	}
	return v.set(f, f.Default)
}

// EncodeSpec writes every field of the Spec as one line of JSON, in declaration order.
func (op *Operator) EncodeSpec(spec any) []byte {
	v := op.Values(spec)
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range op.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		text := v.Text(f)
		if f.quoted() {
			text = `"` + text + `"`
		}
		fmt.Fprintf(&b, "%q: %s", f.Name, text)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (f Field) quoted() bool { return f.Kind == Type || f.Kind == Enum }

func (op *Operator) fieldNames() string {
	names := make([]string, len(op.Fields))
	for i, f := range op.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// jsonText is one value of a flat JSON object.
type jsonText struct {
	raw, value string
	quoted     bool
}

// objectTexts reads a flat JSON object. encoding/json alone would keep the last of two equal keys without a word.
func objectTexts(data []byte) (map[string]jsonText, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, syntax(err, "not a JSON object")
	}
	out := map[string]jsonText{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, syntax(err, "bad key")
		}
		name := key.(string) // inside an object the decoder yields only strings as keys
		if _, dup := out[name]; dup {
			return nil, fmt.Errorf("field %q is given twice", name)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, syntax(err, "bad value")
		}
		text := jsonText{raw: string(raw), value: string(raw)}
		if raw[0] == '"' {
			text.quoted = true
			if err := json.Unmarshal(raw, &text.value); err != nil {
				return nil, syntax(err, "bad string")
			}
		}
		out[name] = text
	}
	if _, err := dec.Token(); err != nil {
		return nil, syntax(err, "unterminated object")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return out, nil
}

func syntax(err error, otherwise string) error {
	if err == nil {
		return errors.New(otherwise)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends too early")
	}
	return err
}
