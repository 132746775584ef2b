package levels

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// check is one thing that a contract promises.
type check struct {
	name string
	run  func(*Runner, catalog.Binding) error
}

func (l Library) contractTasks() []Task {
	var all []Task
	for _, b := range l.Bindings {
		for _, c := range checks(b.Operator) {
			all = append(all, Task{Level: evidence.Contract, Operator: b.Operator.Name, Name: c.name})
		}
	}
	return all
}

func (r *Runner) contract(b catalog.Binding, t Task) error {
	for _, c := range checks(b.Operator) {
		if c.name == t.Name {
			return c.run(r, b)
		}
	}
	return fmt.Errorf("no check %q", t.Name)
}

// checks are the promises of an operator: about its description, every Spec field and every operand.
func checks(op *catalog.Operator) []check {
	all := []check{
		{"the description agrees with itself and with the Spec", describesItself},
		{"every declared Spec survives being written and read", readsBack},
		{"different declared Specs have different fingerprints", tellsSpecsApart},
		{"every declared case has an algorithm", hasAlgorithms},
		{"an unknown field is refused", refusesText(func(given string) string { return given[:len(given)-1] + `, "no_such_field": 1}` })},
		{"a field given twice is refused", refusesText(func(given string) string { return given[:len(given)-1] + ", " + given[1:] })},
	}
	for _, f := range op.Fields {
		for _, bad := range outside(f) {
			all = append(all, check{fmt.Sprintf("field %s: %s is refused", f.Name, bad.what), refusesField(f, bad.text)})
		}
	}
	for i, o := range op.Operands {
		for _, spoil := range spoilers() {
			all = append(all, check{fmt.Sprintf("operand %s: %s is refused", o.Name, spoil.name), refusesOperand(i, spoil)})
		}
	}
	return all
}

func describesItself(_ *Runner, b catalog.Binding) error {
	if problems := b.Operator.Verify(b.New()); len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

func readsBack(_ *Runner, b catalog.Binding) error {
	for _, c := range cases(b) {
		text := b.Operator.EncodeSpec(c.Spec)
		spec, err := b.ParseSpec(text)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if again := b.Operator.EncodeSpec(spec); !bytes.Equal(text, again) {
			return fmt.Errorf("%s: %s became %s", c.Name, text, again)
		}
	}
	return nil
}

func tellsSpecsApart(_ *Runner, b catalog.Binding) error {
	seen := map[string]string{}
	for _, c := range cases(b) {
		sum, text := b.Operator.Fingerprint(c.Spec), string(b.Operator.EncodeSpec(c.Spec))
		if old, ok := seen[sum]; ok && old != text {
			return fmt.Errorf("%s and %s have the same fingerprint", old, text)
		}
		seen[sum] = text
	}
	return nil
}

func hasAlgorithms(_ *Runner, b catalog.Binding) error {
	for _, c := range cases(b) {
		any := false
		for i := range b.Operator.Algorithms {
			any = any || runs(b, c, i)
		}
		if !any {
			return fmt.Errorf("%s: no algorithm runs it", c.Name)
		}
	}
	return nil
}

// badValue is the text of a value that a field must refuse.
type badValue struct{ what, text string }

func outside(f catalog.Field) []badValue {
	text := badValue{"a text", `"1"`}
	switch f.Kind {
	case catalog.Int:
		return []badValue{{"a value below the least", fmt.Sprintf("%.0f", f.Min-1)}, {"a value above the largest", fmt.Sprintf("%.0f", f.Max+1)},
			{"a fraction", "1.5"}, text}
	case catalog.Float:
		return []badValue{{"a value below the least", fmt.Sprintf("%g", f.Min-max(1, math.Abs(f.Min)))}, {"a value above the largest", fmt.Sprintf("%g", 2*f.Max+1)}, text}
	case catalog.Bool:
		return []badValue{{"a number", "1"}}
	}
	return []badValue{{"an unknown name", `"no such name"`}, {"a number", "1"}}
}

// refusesField puts a value into a Spec that is otherwise right.
func refusesField(f catalog.Field, text string) func(*Runner, catalog.Binding) error {
	return func(_ *Runner, b catalog.Binding) error {
		given := string(b.Operator.EncodeSpec(cases(b)[0].Spec))
		head, rest, ok := strings.Cut(given, fmt.Sprintf("%q: ", f.Name))
		if !ok {
			return fmt.Errorf("the Spec as text has no field %s", f.Name)
		}
		_, tail, more := strings.Cut(rest, ", ")
		if tail = ", " + tail; !more {
			tail = "}"
		}
		return demandContract(parse(b, fmt.Sprintf("%s%q: %s%s", head, f.Name, text, tail)), f.Name)
	}
}

func refusesText(change func(string) string) func(*Runner, catalog.Binding) error {
	return func(_ *Runner, b catalog.Binding) error {
		if err := parse(b, change(string(b.Operator.EncodeSpec(cases(b)[0].Spec)))); err == nil {
			return errors.New("it was accepted")
		}
		return nil
	}
}

func parse(b catalog.Binding, text string) error {
	_, err := b.ParseSpec([]byte(text))
	return err
}

// demandContract demands a refusal with the right type that names the field.
func demandContract(err error, field string) error {
	var refusal *oxrt.ContractError
	switch {
	case err == nil:
		return errors.New("it was accepted")
	case !errors.Is(err, oxrt.ErrContract) || !errors.As(err, &refusal):
		return fmt.Errorf("the refusal is no ContractError: %w", err)
	case !strings.Contains(err.Error(), field):
		return fmt.Errorf("the refusal does not name %s: %w", field, err)
	}
	return nil
}

// spoiler breaks one operand of a call.
type spoiler struct {
	name  string
	spoil func(good oxrt.Region, o *operands) (oxrt.Region, error)
}

func spoilers() []spoiler {
	return []spoiler{
		{"no region", func(oxrt.Region, *operands) (oxrt.Region, error) { return oxrt.Region{}, nil }},
		{"a region one element short", func(r oxrt.Region, _ *operands) (oxrt.Region, error) { return r.Slice(0, r.Len()-1) }},
		{"another element type", func(r oxrt.Region, o *operands) (oxrt.Region, error) {
			return r.Owner().Region(0, oxrt.U8, r.Len())
		}},
		{"an address that is not aligned as promised", func(r oxrt.Region, o *operands) (oxrt.Region, error) {
			return r.Owner().Region(int64(r.DType().Size()), r.DType(), r.Len())
		}},
	}
}

// refusesOperand enqueues a call that is right but for one operand. Nothing is submitted, so the emulated device will do.
func refusesOperand(i int, s spoiler) func(*Runner, catalog.Binding) error {
	return func(r *Runner, b catalog.Binding) (err error) {
		c, ok := ordinary(b, i)
		if !ok {
			return errors.New("no ordinary declared case has this operand")
		}
		o, err := place(r.device.Stream, b, c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.close()) }()
		plan, err := b.Plan(r.device.Dev, c.Spec, "")
		if err != nil {
			return err
		}
		call := o.call()
		if call.Regions[i], err = s.spoil(call.Regions[i], o); err != nil {
			return err
		}
		scope, err := r.device.Stream.Begin()
		if err != nil {
			return err
		}
		refusal := plan.EnqueueCall(scope, call)
		scope.Drop()
		return demandContract(refusal, b.Operator.Operands[i].Name)
	}
}
