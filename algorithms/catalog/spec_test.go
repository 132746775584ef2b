package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

type mode uint8

type exampleSpec struct {
	Rows   int
	Input  oxrt.DType
	Output oxrt.DType
	Stride int
	Scale  float32
	Bias   bool
	Mode   mode
}

func example() *catalog.Operator {
	types := []string{"f32", "bf16"}
	return &catalog.Operator{
		Name: "example.op",
		Fields: []catalog.Field{
			{Name: "max_rows", Go: "Rows", Kind: catalog.Int, Min: 1, Max: 100, Default: "10", Doc: "d"},
			{Name: "input", Go: "Input", Kind: catalog.Type, Choices: types, Doc: "d"},
			{Name: "output", Go: "Output", Kind: catalog.Type, Choices: types, Default: "=input", Doc: "d"},
			{Name: "stride", Go: "Stride", Kind: catalog.Int, Max: 50, Default: "0", Doc: "d"},
			{Name: "scale", Go: "Scale", Kind: catalog.Float, Min: 0.5, Max: 2, Default: "1", Doc: "d"},
			{Name: "bias", Go: "Bias", Kind: catalog.Bool, Default: "false", Doc: "d"},
			{Name: "mode", Go: "Mode", Kind: catalog.Enum, Choices: []string{"fast", "exact"}, Default: "fast", Doc: "d"},
		},
		Dims: []catalog.Dim{{Name: "rows", Max: "max_rows"}},
		Operands: []catalog.Operand{
			{Name: "x", Access: catalog.In, DType: "input", Shape: []string{"rows", "2*4"}, Strides: []string{"stride", "1"}},
			{Name: "b", Access: catalog.In, DType: "input", Shape: []string{"4"}, Strides: []string{"1"}, When: "bias"},
			{Name: "n", Access: catalog.In, DType: "input", Shape: []string{"4"}, Strides: []string{"1"}, When: "!bias"},
			{Name: "y", Access: catalog.Out, DType: "output", Shape: []string{"rows", "3", "2"}, Strides: []string{"0", "0", "1"}, MayAlias: []string{"x"}},
		},
		Flops:      []string{"3*rows", "2*stride"},
		Algorithms: []catalog.Algorithm{{Name: "A", Doc: "d", Provider: "p", Targets: []string{"t"}}},
	}
}

func TestSpecsInJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"input": "bf16"}`, `{"max_rows": 10, "input": "bf16", "output": "bf16", "stride": 0, "scale": 1, "bias": false, "mode": "fast"}`},
		{` {"input": "f32", "output": "bf16", "scale": 1.25, "bias": true, "mode": "exact", "stride": 9} `,
			`{"max_rows": 10, "input": "f32", "output": "bf16", "stride": 9, "scale": 1.25, "bias": true, "mode": "exact"}`},
	} {
		var s exampleSpec
		if err := example().DecodeSpec([]byte(c.in), &s); err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		if got := string(example().EncodeSpec(&s)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestBadSpecsInJSON(t *testing.T) {
	for _, c := range []struct{ in, says string }{
		{``, "ends too early"},
		{`[]`, "not a JSON object"},
		{`{"input": "bf16"`, "ends too early"},
		{`{"input": "bf16"} {}`, "more than one"},
		{`{"input": "bf16", "input": "f32"}`, "given twice"},
		{`{}`, "example.op: input: want one of f32, bf16, got no such field"},
		{`{"input": "bf16", "stri": 3}`, "stri: want a field of the spec"},
		{`{"input": "f16x"}`, "got f16x"},
		{`{"input": 3}`, "input: want one of"},
		{`{"input": "f32", "max_rows": "3"}`, "max_rows: want an integer"},
		{`{"input": "f32", "max_rows": 3.5}`, "max_rows: want an integer"},
		{`{"input": "f32", "max_rows": null}`, "max_rows: want an integer"},
		{`{"input": "f32", "max_rows": [1]}`, "max_rows: want an integer"},
		{`{"input": "f32", "bias": 1}`, "bias: want true or false"},
		{`{"input": "f32", "mode": "slow"}`, "mode: want one of fast, exact"},
		{`{"input": "f32", "scale": 1e99}`, "scale: want a number"},
		{`{"input": "f32", "scale": 0}`, "scale: want a number"}, // not the default without a word
	} {
		var s exampleSpec
		err := example().DecodeSpec([]byte(c.in), &s)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error with %q", c.in, err, c.says)
		}
	}
}

func TestBadSourceOfADefaultIsReportedOnce(t *testing.T) {
	var s exampleSpec
	err := example().DecodeSpec([]byte(`{"input": "int3"}`), &s)
	if err == nil || strings.Contains(err.Error(), "output") {
		t.Errorf("a bad input also blames the output that defaults to it: %v", err)
	}
}

func TestCheck(t *testing.T) {
	good := exampleSpec{Rows: 1, Input: oxrt.F32, Output: oxrt.BF16, Scale: 2}
	if err := example().Check(&good); err != nil {
		t.Error(err)
	}
	bad := exampleSpec{Rows: 101, Input: oxrt.F16, Stride: -1, Scale: 3, Mode: 2}
	err := example().Check(&bad)
	if !errors.Is(err, oxrt.ErrContract) {
		t.Fatalf("got %v", err)
	}
	for _, field := range []string{"max_rows", "input", "output", "stride", "scale", "mode"} {
		if !strings.Contains(err.Error(), "example.op: "+field+":") {
			t.Errorf("%s is not reported: %v", field, err)
		}
	}
}

func TestCompleteReplacesOnlyZeroesThatAreNotAllowed(t *testing.T) {
	s := exampleSpec{Input: oxrt.F32}
	example().Complete(&s)
	if want := (exampleSpec{Rows: 10, Input: oxrt.F32, Output: oxrt.F32, Scale: 1}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func TestFingerprintSeesEveryField(t *testing.T) {
	base := exampleSpec{Rows: 1, Input: oxrt.F32, Output: oxrt.F32, Scale: 1}
	seen := map[string]exampleSpec{}
	for _, s := range []exampleSpec{base,
		{Rows: 2, Input: oxrt.F32, Output: oxrt.F32, Scale: 1}, {Rows: 1, Input: oxrt.BF16, Output: oxrt.F32, Scale: 1},
		{Rows: 1, Input: oxrt.F32, Output: oxrt.BF16, Scale: 1}, {Rows: 1, Input: oxrt.F32, Output: oxrt.F32, Scale: 1.0000001},
		{Rows: 1, Input: oxrt.F32, Output: oxrt.F32, Scale: 1, Bias: true}, {Rows: 1, Input: oxrt.F32, Output: oxrt.F32, Scale: 1, Mode: 1},
		{Rows: 1, Input: oxrt.F32, Output: oxrt.F32, Scale: 1, Stride: 1}} {
		f := example().Fingerprint(&s)
		if other, dup := seen[f]; dup {
			t.Errorf("%+v and %+v have one fingerprint", s, other)
		}
		seen[f] = s
	}
	if example().Fingerprint(base) != example().Fingerprint(&base) {
		t.Error("a Spec and a pointer to it differ")
	}
}

func TestVerifyFindsContradictions(t *testing.T) {
	if problems := example().Verify(&exampleSpec{}); problems != nil {
		t.Fatalf("the example itself: %v", problems)
	}
	for name, spoil := range map[string]func(*catalog.Operator){
		"field order":     func(op *catalog.Operator) { op.Fields[0], op.Fields[3] = op.Fields[3], op.Fields[0] },
		"missing field":   func(op *catalog.Operator) { op.Fields = op.Fields[1:] },
		"bad default":     func(op *catalog.Operator) { op.Fields[4].Default = "one" },
		"no doc":          func(op *catalog.Operator) { op.Fields[4].Doc = "" },
		"no choices":      func(op *catalog.Operator) { op.Fields[6].Choices = nil },
		"size's limit":    func(op *catalog.Operator) { op.Dims[0].Max = "rows" },
		"element type":    func(op *catalog.Operator) { op.Operands[0].DType = "stride" },
		"shape":           func(op *catalog.Operator) { op.Operands[0].Shape[1] = "2*colums" },
		"strides missing": func(op *catalog.Operator) { op.Operands[0].Strides = []string{"1"} },
		"condition":       func(op *catalog.Operator) { op.Operands[1].When = "!biased" },
		"alias of output": func(op *catalog.Operator) { op.Operands[3].MayAlias = []string{"y"} },
		"alias by input":  func(op *catalog.Operator) { op.Operands[0].MayAlias = []string{"b"} },
		"no operations":   func(op *catalog.Operator) { op.Flops = nil },
		"operations":      func(op *catalog.Operator) { op.Flops[1] = "2*strides" },
		"algorithm":       func(op *catalog.Operator) { op.Algorithms[0].Targets = nil },
	} {
		op := example()
		spoil(op)
		if op.Verify(&exampleSpec{}) == nil {
			t.Errorf("%s: nothing found", name)
		}
	}
}
