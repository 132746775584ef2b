package emulate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// tmaCase is a box copy whose result is worked out element by element from the manual's definition (5.5.3 to 5.5.6).
type tmaCase struct {
	m     TensorMap
	start [5]int32
	smem  int // offset of the box in shared memory
	store bool
}

// element is one element of the box: where it lies in shared memory and in the tensor's memory, -1 if out of bounds.
type element struct{ shared, global int }

func (c *tmaCase) elements() []element {
	e := c.m.elemBytes()
	count := func(i int) int {
		switch {
		case i >= c.m.Rank:
			return 1
		case i == 0:
			return int(c.m.Box[0])
		}
		return (int(c.m.Box[i]) + int(c.m.ElementStrides[i]) - 1) / int(c.m.ElementStrides[i])
	}
	dims := c.m.Dims
	if c.store { // whole chunks of 16 bytes are written, as by an H200
		dims[0] = alignUp(dims[0], uint64(16/e))
	}
	var out []element
	row := 0
	for x4 := range count(4) {
		for x3 := range count(3) {
			for x2 := range count(2) {
				for x1 := range count(1) {
					for x0 := range count(0) {
						x := [5]int{x0, x1, x2, x3, x4}
						el := element{shared: c.smem + row*c.pitch() + x0*e}
						for d := range c.m.Rank {
							step, stride := int(c.m.ElementStrides[d]), e
							if d == 0 {
								step = 1
							} else {
								stride = int(c.m.Strides[d-1])
							}
							coord := int(c.start[d]) + x[d]*step
							if coord < 0 || coord >= int(dims[d]) {
								el.global = -1
								break
							}
							el.global += coord * stride
						}
						// User memory starts 1024 bytes into the window, which no swizzle notices.
						switch c.m.Swizzle {
						case Swizzle32B:
							el.shared ^= el.shared >> 7 & 1 << 4
						case Swizzle64B:
							el.shared ^= el.shared >> 7 & 3 << 4
						case Swizzle128B:
							el.shared ^= el.shared >> 7 & 7 << 4
						}
						out = append(out, el)
					}
					row++
				}
			}
		}
	}
	return out
}

// pitch is the distance of rows in shared memory: those of a swizzled box begin a span each, as on an H200.
func (c *tmaCase) pitch() int {
	if span := c.m.Swizzle.span(); span != 0 {
		return span
	}
	return int(c.m.Box[0]) * c.m.elemBytes()
}

func (c *tmaCase) size() int { return len(c.elements()) * c.m.elemBytes() }

// tensorBytes is the memory that the tensor spans, with a last chunk of 16 bytes.
func (c *tmaCase) tensorBytes() int {
	n := int(alignUp(c.m.Dims[0]*uint64(c.m.elemBytes()), 16))
	for d := 1; d < c.m.Rank; d++ {
		n += int(c.m.Dims[d]-1) * int(c.m.Strides[d-1])
	}
	return n
}

const tmaShared = 16 << 10

// tmaKernel takes a map, a buffer and the coordinates.
func tmaKernel(rank int, body string) string {
	coords := make([]string, rank)
	head := ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 dyn[];\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 p0, .param .u32 n, .param .align 4 .b8 start[20], .param .u32 at)\n{\n" +
		".reg .pred %p<20>; .reg .b32 %r<60>; .reg .b64 %rd<40>;\nmov.u32 %r0, %tid.x; ld.param.u64 %rd0, [p0]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [at]; mov.u32 %r8, dyn; add.u32 %r9, %r8, %r2; add.u32 %r9, %r9, 128; mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; setp.eq.u32 %p0, %r0, 0;\n"
	for i := range coords {
		coords[i] = "%r5" + itoa(i)
		head += "ld.param.u32 " + coords[i] + ", [start+" + itoa(4*i) + "];\n"
	}
	return head + strings.NewReplacer("RANK", itoa(rank)+"d", "COORDS", "{"+strings.Join(coords, ", ")+"}").Replace(body) + "ret;\n}\n"
}

const (
	tmaInit = "@%p0 mbarrier.init.shared.b64 [%r8], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n"
	tmaLoad = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], %r1; @%p0 cp.async.bulk.tensor.RANK.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], [%rd1, COORDS], [%r8];\n" +
		"W: mbarrier.try_wait.parity.shared.b64 %p9, [%r8], 0; @!%p9 bra W;\n"
	// every thread copies words of shared memory to the buffer, or the other way
	tmaDump = "mov.u32 %r3, %r0; D: shl.b32 %r4, %r3, 2; add.u32 %r5, %r8, %r4; ld.shared.u32 %r6, [%r5+128]; cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r6; add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 4096; @%p1 bra D;\n"
	tmaFill = "mov.u32 %r3, %r0; F: shl.b32 %r4, %r3, 2; add.u32 %r5, %r8, %r4; cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd0, %rd2; ld.global.u32 %r6, [%rd3]; st.shared.u32 [%r5+128], %r6; add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 4096; @%p1 bra F;\nfence.proxy.async.shared::cta; bar.sync 0;\n"
	tmaDone = "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n"
)

// run launches a kernel of tmaKernel on a tensor and a buffer, and returns both afterwards.
func (c *tmaCase) run(t *testing.T, cfg Config, text string, tensor, buffer []byte) (res *Result, outTensor, outBuffer []byte) {
	t.Helper()
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(text))
	}
	prog, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	dev := NewDevice(cfg)
	addr, err := dev.Alloc("tensor", uint64(len(tensor)))
	if err != nil {
		t.Fatal(err)
	}
	buf, err := dev.Alloc("buffer", uint64(len(buffer)))
	if err != nil {
		t.Fatal(err)
	}
	if dev.Write(addr, tensor) != nil || dev.Write(buf, buffer) != nil {
		t.Fatal("write")
	}
	c.m.Address = addr
	enc, err := c.m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	p := append([]byte(nil), enc[:]...)
	p = binary.LittleEndian.AppendUint64(p, buf)
	p = binary.LittleEndian.AppendUint32(p, uint32(c.size()))
	for _, s := range c.start {
		p = binary.LittleEndian.AppendUint32(p, uint32(s))
	}
	p = binary.LittleEndian.AppendUint32(p, uint32(c.smem))
	l := block(32)
	l.Dynamic = tmaShared + 1024
	if res, err = dev.Launch(prog.Kernel("k"), l, p); err != nil {
		t.Fatal(err)
	}
	outTensor, outBuffer = make([]byte, len(tensor)), make([]byte, len(buffer))
	if dev.Read(addr, outTensor) != nil || dev.Read(buf, outBuffer) != nil {
		t.Fatal("read")
	}
	return res, outTensor, outBuffer
}

// randomTMA makes a valid case.
func randomTMA(r *rand.Rand) *tmaCase {
	for {
		c := &tmaCase{smem: 896 + 128*r.IntN(3)}
		c.m.Type = []MapType{MapU8, MapU16, MapF16, MapBF16, MapU32, MapF32, MapU64}[r.IntN(7)]
		c.m.Rank = 1 + r.IntN(5)
		c.m.Swizzle = MapSwizzle(r.IntN(4))
		c.m.FillNaN = c.m.float() && r.IntN(2) == 0
		e := c.m.elemBytes()
		stride := uint64(0)
		for d := range c.m.Rank {
			c.m.Dims[d] = uint64(1 + r.IntN(9))
			c.m.Box[d] = uint32(1 + r.IntN(5))
			c.m.ElementStrides[d] = uint32(1 + r.IntN(3))
			c.start[d] = int32(r.IntN(10) - 3)
			if d == 0 {
				c.m.Dims[0] = uint64(1 + r.IntN(200/e))
				c.m.Box[0] = uint32(16 / e * (1 + r.IntN(8)))
				c.start[0] = int32(16 / e * (r.IntN(7) - 2))
				stride = alignUp(c.m.Dims[0]*uint64(e), 16)
				continue
			}
			c.m.Strides[d-1] = stride + 16*uint64(r.IntN(2))
			stride = c.m.Strides[d-1] * c.m.Dims[d]
		}
		if c.m.Check() == nil && c.size()/int(c.m.Box[0])/c.m.elemBytes()*c.pitch() <= 8<<10 {
			return c
		}
	}
}

// TestTensorLoad: boxes of every rank, element size, swizzle, fill and stride, with bounds crossed on both sides.
func TestTensorLoad(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		c := randomTMA(r)
		tensor := make([]byte, c.tensorBytes())
		for j := range tensor {
			tensor[j] = byte(r.Uint32())
		}
		fillBuf := bytes.Repeat([]byte{0xee}, tmaShared)
		res, _, got := c.run(t, Config{Async: AsyncMode(i % 3), Seed: uint64(i), Off: Initcheck}, tmaKernel(c.m.Rank, tmaFill+tmaInit+tmaLoad+tmaDump), tensor, fillBuf)
		if len(res.Findings) > 0 {
			t.Fatalf("%+v: %v", c, res.Findings)
		}
		want := bytes.Repeat([]byte{0xee}, tmaShared)
		e := c.m.elemBytes()
		for _, el := range c.shifted(128) {
			at := el.shared - 128 // the kernel's buffer shows shared memory from byte 128
			switch dst := want[at : at+e]; {
			case el.global >= 0:
				copy(dst, tensor[el.global:el.global+e])
			case c.m.FillNaN:
				copy(dst, "\xf7\x7f\xf7\x7f")
			default:
				clear(dst)
			}
		}
		if j := firstDifference(got, want); j >= 0 {
			t.Fatalf("case %d %+v: byte %d of shared memory is %#x, want %#x", i, c, j, got[j], want[j])
		}
	}
}

// shifted are the elements with the box moved by n bytes, so that the swizzle sees the addresses that the kernel uses.
func (c *tmaCase) shifted(n int) []element {
	d := *c
	d.smem += n
	return d.elements()
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestTensorStore: the inverse, with elements out of bounds dropped; and reductions.
func TestTensorStore(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		c := randomTMA(r)
		c.store = true
		for d := range c.start {
			c.start[d] = max(0, c.start[d])
		}
		op, suffix := "cp.async.bulk.tensor.RANK.global.shared::cta.tile.bulk_group", ""
		if add := i%3 == 0 && c.m.Type == MapU32; add {
			op, suffix = "cp.reduce.async.bulk.tensor.RANK.global.shared::cta.add.tile.bulk_group", "add"
		}
		tensor, shared := make([]byte, c.tensorBytes()), make([]byte, tmaShared)
		for j := range tensor {
			tensor[j] = byte(r.Uint32())
		}
		for j := range shared {
			shared[j] = byte(r.Uint32())
		}
		want := bytes.Clone(tensor)
		e := c.m.elemBytes()
		for _, el := range c.shifted(128) {
			if el.global < 0 {
				continue
			}
			src := shared[el.shared-128 : el.shared-128+e]
			if suffix == "add" {
				sum := binary.LittleEndian.Uint32(want[el.global:]) + binary.LittleEndian.Uint32(src)
				binary.LittleEndian.PutUint32(want[el.global:], sum)
				continue
			}
			copy(want[el.global:], src)
		}
		text := tmaKernel(c.m.Rank, tmaFill+"@%p0 "+op+" [%rd1, COORDS], [%r9];\n"+tmaDone)
		res, got, _ := c.run(t, Config{Async: AsyncMode(i % 3), Seed: uint64(i)}, text, tensor, shared)
		if len(res.Findings) > 0 {
			t.Fatalf("%+v: %v", c, res.Findings)
		}
		if j := firstDifference(got, want); j >= 0 {
			t.Fatalf("case %d %+v: byte %d of the tensor is %#x, want %#x", i, c, j, got[j], want[j])
		}
	}
}

// plainMap is a matrix of 16 rows of 64 f32.
func plainMap() TensorMap {
	return TensorMap{Type: MapF32, Rank: 2, Dims: [5]uint64{64, 16}, Strides: [4]uint64{256}, Box: [5]uint32{32, 8}, ElementStrides: [5]uint32{1, 1}, Swizzle: Swizzle128B}
}

func TestTensorMapRefusals(t *testing.T) {
	for _, c := range []struct {
		field string
		edit  func(m *TensorMap)
	}{
		{"tensorDataType", func(m *TensorMap) { m.Type = 99 }},
		{"tensorRank", func(m *TensorMap) { m.Rank = 0 }},
		{"tensorRank", func(m *TensorMap) { m.Rank = 6 }},
		{"tensorRank", func(m *TensorMap) { m.Interleave = Interleave16B }},
		{"globalAddress", func(m *TensorMap) { m.Address = 8 }},
		{"globalDim", func(m *TensorMap) { m.Dims[1] = 0 }},
		{"globalDim", func(m *TensorMap) { m.Dims[0] = 1<<32 + 1 }},
		{"globalStrides", func(m *TensorMap) { m.Strides[0] = 264 }},
		{"globalStrides", func(m *TensorMap) { m.Strides[0] = 1 << 40 }},
		{"boxDim", func(m *TensorMap) { m.Box[1] = 257 }},
		{"boxDim", func(m *TensorMap) { m.Box[0] = 0 }},
		{"boxDim", func(m *TensorMap) { m.Box[0] = 31 }},
		{"boxDim", func(m *TensorMap) { m.Box[0] = 36 }},
		{"boxDim", func(m *TensorMap) { m.Box, m.Swizzle = [5]uint32{256, 256}, SwizzleNone }},
		{"elementStrides", func(m *TensorMap) { m.ElementStrides[1] = 9 }},
		{"elementStrides", func(m *TensorMap) { m.ElementStrides[0] = 0 }},
		{"swizzle", func(m *TensorMap) { m.Swizzle = 4 }},
		{"interleave", func(m *TensorMap) {
			m.Rank, m.Dims[2], m.Box[2], m.ElementStrides[2], m.Interleave = 3, 1, 1, 1, Interleave32B
		}},
		{"interleave", func(m *TensorMap) {
			m.Rank, m.Dims[2], m.Box[2], m.ElementStrides[2], m.Interleave = 3, 1, 1, 1, Interleave16B
		}},
		{"oobFill", func(m *TensorMap) { m.Type, m.FillNaN = MapU32, true }},
		{"l2Promotion", func(m *TensorMap) { m.Promotion = 4 }},
	} {
		m := plainMap()
		c.edit(&m)
		_, err := m.Encode()
		var e *TensorMapError
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	m := plainMap()
	enc, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m.Dims[2], m.Dims[3], m.Dims[4] = 1, 1, 1
	if got, ok := decodeTensorMap(enc[:]); !ok || got != m {
		t.Errorf("decoded %+v", got)
	}
}

func TestTensorFaults(t *testing.T) {
	load := tmaInit + tmaLoad
	store := tmaFill + "@%p0 cp.async.bulk.tensor.RANK.global.shared::cta.bulk_group [%rd1, COORDS], [%r9];\n" + tmaDone
	for _, c := range []struct {
		name  string
		rank  int
		body  string
		class Class
		part  string
		edit  func(c *tmaCase)
	}{
		{"coordinate", 2, load, BulkCoord, "byte 20", func(c *tmaCase) { c.start[0] = 5 }},
		{"negative store", 2, store, BulkCoord, "starts at -1", func(c *tmaCase) { c.start[1] = -1 }},
		{"alignment", 2, load, Misaligned, "no multiple of 128", func(c *tmaCase) { c.smem = 64 }},
		{"rank", 1, load, LaunchMap, "rank 2 for an instruction of rank 1", nil},
		{"no map", 2, strings.Replace(load, "[%rd1, COORDS]", "[%rd0, COORDS]", 1), LaunchMap, "are no tensor map", nil},
		{"past the allocation", 2, load, OOBGlobal, "row of the box", func(c *tmaCase) { c.m.Dims[1] = 20; c.start[1] = 12 }},
		{"past shared memory", 2, load, OOBShared, "of 1024 bytes", func(c *tmaCase) { c.smem = tmaShared + 128 }},
		{"reduction type", 2, tmaFill + "@%p0 cp.reduce.async.bulk.tensor.RANK.global.shared::cta.xor.bulk_group [%rd1, COORDS], [%r9];\n" + tmaDone, LaunchMap, ".xor", nil},
		{"undefined source", 2, strings.TrimPrefix(store, tmaFill), InitShared, "nobody wrote", nil},
		{"bytes", 2, strings.Replace(load, "%r1;", "1008;", 1), Deadlock, "16 bytes more", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &tmaCase{m: plainMap(), smem: 896}
			tensor := make([]byte, 16*256)
			if c.edit != nil {
				c.edit(x)
			}
			for _, mode := range allModes {
				res, _, _ := x.run(t, Config{Async: mode}, tmaKernel(c.rank, c.body), tensor, make([]byte, tmaShared))
				if len(res.Findings) == 0 || res.Findings[0].Class != c.class || !strings.Contains(res.Findings[0].Message, c.part) {
					t.Errorf("%v: want %s with %q: %v", mode, c.class, c.part, res.Findings)
				}
			}
		})
	}
}

// TestTensorMapInMemory: a map in global memory needs an acquiring proxy fence.
func TestTensorMapInMemory(t *testing.T) {
	for _, fenced := range []bool{true, false} {
		body := "fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;\n"
		if !fenced {
			body = ""
		}
		c := &tmaCase{m: plainMap(), smem: 896}
		// The kernel copies the map from its parameter to the buffer and uses it there.
		copyMap := ""
		for i := range 16 {
			copyMap += fmt.Sprintf("ld.param.u64 %%rd5, [map+%d]; st.global.u64 [%%rd0+%d], %%rd5;\n", 8*i, 8*i)
		}
		text := tmaKernel(2, copyMap+"fence.proxy.tensormap::generic.release.gpu; bar.sync 0;"+body+tmaInit+strings.Replace(tmaLoad, "%rd1", "%rd0", 1))
		res, _, _ := c.run(t, Config{}, text, make([]byte, 16*256), make([]byte, tmaShared))
		if fenced && len(res.Findings) != 0 || !fenced && (len(res.Findings) != 1 || res.Findings[0].Class != Proxy) {
			t.Errorf("fenced %v: %v", fenced, res.Findings)
		}
	}
}
