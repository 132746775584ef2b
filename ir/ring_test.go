package ir_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
)

// double streams tiles of 512 numbers through a ring of four stages: warp 4 copies, warps 0 to 3 compute.
func double(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	tiles, c := ir.Param[ir.U32](k, "tiles"), k.ConstU32
	ring := ir.SharedArray[ir.F32](k, "ring", 4*512, 128)
	full, empty := ir.MBarriers(k, "full", 4), ir.MBarriers(k, "empty", 4)
	k.If(k.TIDX().Equal(c(0)), func() {
		for s := range 4 {
			full.AtConst(s).Init(c(1))  // arrivals of a phase: the copying thread
			empty.AtConst(s).Init(c(4)) // one thread of each computing warp
		}
		k.FenceMBarrierInit()
	})
	k.Barrier()
	k.If(k.InWarps(4, 1), func() {
		k.If(k.Elect(), func() {
			for i := range k.Loop(c(0), tiles, c(1), ir.NoUnroll) {
				stage, lap := i.And(c(3)), i.ShiftRight(c(2))
				empty.At(stage).Wait(lap.Add(c(1)).And(c(1))) // in the first lap at once
				full.At(stage).ArriveExpect(c(2048))
				ir.BulkLoad(ring.At(stage.Mul(c(512))), x.At(i.Mul(c(512))), c(2048), full.At(stage))
			}
		})
	}).Else(func() {
		mine := k.TIDX().Mul(c(4))
		for i := range k.Loop(c(0), tiles, c(1), ir.NoUnroll) {
			stage, lap := i.And(c(3)), i.ShiftRight(c(2))
			full.At(stage).Wait(lap.And(c(1)))
			v := ring.At(stage.Mul(c(512)).Add(mine)).LoadVec(4)
			k.SyncWarp() // the whole warp has read
			k.If(k.Elect(), func() { empty.At(stage).Arrive() })
			for j := range v {
				v[j] = v[j].Add(v[j])
			}
			y.At(i.Mul(c(512)).Add(mine)).StoreVec(v)
		}
	})
}

// TestRing runs the README's ring with copies that come at once, as late as they may, and at random.
func TestRing(t *testing.T) {
	const tiles = 11
	for _, mode := range []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly, emulate.AsyncRandom} {
		m := newMachine(t)
		m.dev = emulate.NewDevice(emulate.Config{Async: mode, Seed: 5})
		k := m.build("double", ir.Contract{Block: [3]int{160}}, double)
		x, y := &buffer{}, &buffer{data: make([]byte, tiles*512*4)}
		want := &buffer{}
		for i := range tiles * 512 {
			x.data = append(x.data, f32s(float32(i)).data...)
			want.data = append(want.data, f32s(float32(2*i)).data...)
		}
		m.run(k, one, x, y, uint32(tiles))
		m.equal("doubled", y.u32(), want.u32())
	}
}

func TestReadmeQuotesTheRing(t *testing.T) {
	_, body, ok := strings.Cut(read(t, "ring_test.go"), "func double(")
	body, _, ok2 := strings.Cut(body, "\n}\n")
	if !ok || !ok2 || !strings.Contains(read(t, "README.md"), "func double("+body+"\n}\n") {
		t.Error("README does not quote the ring")
	}
}
