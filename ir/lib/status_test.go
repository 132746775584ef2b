package lib_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/runtime"
)

// copyIDs is y = ids if all ids are below 100, by one warp.
var copyIDs = ir.Algorithm[struct{}]{
	Name: "TestCopyIDs", Doc: "y = ids", Variants: []struct{}{{}},
	Contract: func(struct{}) ir.Contract { return ir.Contract{Block: [3]int{32}} },
	Kernel: func(k *ir.Kernel, _ struct{}) {
		ids, y, s := ir.GlobalParam[ir.U32](k, "ids"), ir.GlobalParam[ir.U32](k, "y", ir.Writes), lib.StatusParams(k)
		id, none := ids.At(k.TIDX()).Load(), k.ConstU32(1<<32-1)
		bad := ir.Select(id.GreaterEqual(k.ConstU32(100)).And(s.Checked()), k.TIDX(), none).ReduxMin()
		k.If(bad.Equal(k.TIDX()), func() {
			s.Reject(1, lib.Below, bad.ConvertToS64(), k.ConstS64(100), id.ConvertToS64())
		})
		k.If(bad.Equal(none), func() { y.At(k.TIDX()).Store(id) })
	},
}

// TestStatus: what a kernel writes is what the runtime reads.
func TestStatus(t *testing.T) {
	names := &oxrt.Validation{Operator: "copy", Operands: []string{"other", "ids"}}
	run := func(record []int64, operator uint32, bad ...int) (y []uint32, err error) {
		ids := make([]uint32, 32)
		y = make([]uint32, 32)
		for _, i := range bad {
			ids[i] = 200 + uint32(i)
		}
		irtest.Run(t, copyIDs, ids, y, record, operator)
		var data []byte
		for _, word := range record {
			data = binary.LittleEndian.AppendUint64(data, uint64(word))
		}
		return y, oxrt.ReadStatus(append(data, make([]byte, 40)...), names, names)
	}
	record := make([]int64, 5)
	if _, err := run(record, 1); err != nil {
		t.Errorf("right ids: %v", err)
	}
	want := oxrt.RejectedError{Operator: "copy", Operand: "ids", Index: 7, Rule: oxrt.RuleBelow, Wanted: 100, Got: 207}
	for _, bad := range [][]int{{7, 9}, {3}} { // the second finding does not replace the first
		y, err := run(record, 1, bad...)
		var rejected *oxrt.RejectedError
		if !errors.As(err, &rejected) || *rejected != want {
			t.Errorf("got %v, want %v", err, &want)
		}
		if y[0] != 0 || y[bad[0]] != 0 {
			t.Error("a rejected call has written")
		}
	}
	if y, err := run(nil, oxrt.StatusUnchecked, 5); err != nil || y[5] != 205 {
		t.Errorf("trusted: %v, y[5] = %d", err, y[5])
	}
}

func TestRulesAreTheRuntimes(t *testing.T) {
	for ours, theirs := range map[lib.Rule]oxrt.Rule{lib.Below: oxrt.RuleBelow, lib.AtMost: oxrt.RuleAtMost, lib.AtLeast: oxrt.RuleAtLeast, lib.Exactly: oxrt.RuleEqual} {
		if uint32(ours) != uint32(theirs) {
			t.Errorf("%d and %v", ours, theirs)
		}
	}
}
