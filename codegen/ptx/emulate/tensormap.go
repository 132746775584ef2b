package emulate

import (
	"encoding/binary"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// TensorMapBytes is the size of an encoded tensor map: a kernel takes it as .param .align 64 .b8 name[128].
const TensorMapBytes = 128

// MapType is the element type of a tensor map. The values are those of CUtensorMapDataType.
type MapType uint8

// The element types.
const (
	MapU8 MapType = iota
	MapU16
	MapU32
	MapS32
	MapU64
	MapS64
	MapF16
	MapF32
	MapF64
	MapBF16
	MapF32Ftz
	MapTF32
	MapTF32Ftz
	numMapTypes
)

var mapTypes = [numMapTypes]isa.Type{isa.U8, isa.U16, isa.U32, isa.S32, isa.U64, isa.S64, isa.F16, isa.F32, isa.F64, isa.BF16, isa.F32, isa.F32, isa.F32}

// MapInterleave is CUtensorMapInterleave.
type MapInterleave uint8

// The interleaved layouts.
const (
	InterleaveNone MapInterleave = iota
	Interleave16B
	Interleave32B
)

// MapSwizzle is CUtensorMapSwizzle: how 16-byte chunks are permuted in shared memory.
type MapSwizzle uint8

// The swizzles, by the bytes of a row that they permute.
const (
	SwizzleNone MapSwizzle = iota
	Swizzle32B
	Swizzle64B
	Swizzle128B
)

// span is the number of bytes that the permutation keeps together, 0 for none.
func (s MapSwizzle) span() int {
	if s == SwizzleNone {
		return 0
	}
	return 16 << s
}

// of permutes a shared address: address bits 4 and up are combined with bits 7 and up (manual 5.5.6).
func (s MapSwizzle) of(addr uint64) uint64 { return addr ^ addr>>7&(1<<s-1)<<4 }

// MapPromotion is CUtensorMapL2promotion, which changes no result.
type MapPromotion uint8

// The promotions.
const (
	PromotionNone MapPromotion = iota
	Promotion64B
	Promotion128B
	Promotion256B
)

// TensorMap describes a tensor in global memory for the copy engine: the arguments of cuTensorMapEncodeTiled, innermost
// dimension first. Entries from Rank on do not matter.
type TensorMap struct {
	Type           MapType
	Rank           int
	Address        uint64
	Dims           [5]uint64 // elements
	Strides        [4]uint64 // bytes between neighbours in dimensions 1, 2, …
	Box            [5]uint32 // elements that one copy spans in each dimension
	ElementStrides [5]uint32 // every how many elements one is copied; that of dimension 0 is ignored
	Interleave     MapInterleave
	Swizzle        MapSwizzle
	Promotion      MapPromotion
	FillNaN        bool // elements out of bounds read as NaN instead of zero
}

// TensorMapError says which argument of a tensor map is refused, and why. The driver's call fails with
// CUDA_ERROR_INVALID_VALUE for the same reasons, except where Unmodelled is set: the chip has that, the emulator not.
type TensorMapError struct {
	Field      string // "rank", "globalAddress", "globalDim", "globalStrides", "boxDim", …: the driver's names
	Reason     string
	Unmodelled bool
}

// Error implements error.
func (e *TensorMapError) Error() string { return "emulate: tensor map: " + e.Field + ": " + e.Reason }

// elemBytes is the size of an element.
func (m *TensorMap) elemBytes() int {
	switch m.Type {
	case MapU8:
		return 1
	case MapU16, MapF16, MapBF16:
		return 2
	case MapU64, MapS64, MapF64:
		return 8
	}
	return 4
}

// Check reports why the driver would refuse the map, or nil.
func (m *TensorMap) Check() error {
	bad := func(field, format string, args ...any) error {
		return &TensorMapError{Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	align := uint64(16)
	if m.Interleave == Interleave32B {
		align = 32
	}
	switch {
	case m.Type >= numMapTypes:
		return bad("tensorDataType", "%d", m.Type)
	case m.Rank < 1 || m.Rank > 5:
		return bad("tensorRank", "%d; it is 1 to 5", m.Rank)
	case m.Interleave > Interleave32B:
		return bad("interleave", "%d", m.Interleave)
	case m.Swizzle > Swizzle128B:
		return bad("swizzle", "%d", m.Swizzle)
	case m.Promotion > Promotion256B:
		return bad("l2Promotion", "%d", m.Promotion)
	case m.Interleave != InterleaveNone && m.Rank < 3:
		return bad("tensorRank", "%d; an interleaved layout has at least 3", m.Rank)
	case m.Address%align != 0:
		return bad("globalAddress", "%#x is no multiple of %d", m.Address, align)
	case m.FillNaN && !m.float():
		return bad("oobFill", "NaN for elements that are no floating-point numbers")
	}
	if err := m.checkDims(align); err != nil {
		return err
	}
	inner := int(m.Box[0]) * m.elemBytes()
	switch span := m.Swizzle.span(); {
	case inner%16 != 0:
		return bad("boxDim", "the rows of the box have %d bytes, which is no multiple of 16", inner)
	case m.Interleave == InterleaveNone && span != 0 && inner > span:
		return bad("boxDim", "the rows of the box have %d bytes; the swizzle takes at most %d", inner, span)
	}
	if n := m.boxBytes(); n > maxBoxBytes {
		return bad("boxDim", "a box of %d bytes; %d are possible", n, maxBoxBytes)
	}
	return m.modelled()
}

// maxBoxBytes is the largest box: what the shared memory of a block holds. A driver took 196608 bytes and refused 245760.
const maxBoxBytes = 227 << 10

func (m *TensorMap) boxBytes() int {
	n := m.elemBytes()
	for _, x := range m.Box[:m.Rank] {
		n *= int(x)
	}
	return n
}

func (m *TensorMap) float() bool {
	return m.Type == MapF16 || m.Type == MapF32 || m.Type == MapF64 || m.Type >= MapBF16
}

// checkDims looks at what is given for each dimension.
func (m *TensorMap) checkDims(align uint64) error {
	for i := range m.Rank {
		var e *TensorMapError
		switch {
		case m.Dims[i] == 0 || m.Dims[i] > 1<<32:
			e = &TensorMapError{Field: "globalDim", Reason: fmt.Sprintf("%d elements in dimension %d; 1 to 2^32 are possible", m.Dims[i], i)}
		case m.Box[i] == 0 || m.Box[i] > 256:
			e = &TensorMapError{Field: "boxDim", Reason: fmt.Sprintf("%d elements in dimension %d; 1 to 256 are possible", m.Box[i], i)}
		case m.ElementStrides[i] == 0 || m.ElementStrides[i] > 8:
			e = &TensorMapError{Field: "elementStrides", Reason: fmt.Sprintf("%d in dimension %d; 1 to 8 are possible", m.ElementStrides[i], i)}
		case i > 0 && (m.Strides[i-1]%align != 0 || m.Strides[i-1] >= 1<<40):
			e = &TensorMapError{Field: "globalStrides", Reason: fmt.Sprintf("%d bytes in dimension %d; a multiple of %d below 2^40 is wanted", m.Strides[i-1], i, align)}
		default:
			continue
		}
		return e
	}
	return nil
}

// modelled refuses what the chip has and the emulator does not.
func (m *TensorMap) modelled() error {
	switch {
	case m.Interleave != InterleaveNone:
		return &TensorMapError{"interleave", "interleaved layouts are not modelled", true}
	}
	return nil
}

// The encoding is our own: the chip's is not documented. All numbers are little-endian.
const (
	mapMagic = 0x4d54584f // "OXTM", at both ends
	mapEnd   = TensorMapBytes - 4

	mapAtType       = 4
	mapAtRank       = 5 // minus 1
	mapAtInterleave = 6
	mapAtSwizzle    = 7
	mapAtAddress    = 8
	mapAtDims       = 16 // 32 bits each, minus 1
	mapAtStrides    = 40 // 64 bits each
	mapAtBox        = 72 // 16 bits each
	mapAtSteps      = 82 // 8 bits each
	mapAtFill       = 87
	mapAtPromotion  = 88
)

// Encode returns the object that a kernel takes. An error is a *TensorMapError.
func (m *TensorMap) Encode() ([TensorMapBytes]byte, error) {
	var b [TensorMapBytes]byte
	if err := m.Check(); err != nil {
		return b, err
	}
	le := binary.LittleEndian
	le.PutUint32(b[0:], mapMagic)
	le.PutUint32(b[mapEnd:], mapMagic)
	b[mapAtType], b[mapAtRank] = byte(m.Type), byte(m.Rank-1)
	b[mapAtInterleave], b[mapAtSwizzle], b[mapAtPromotion] = byte(m.Interleave), byte(m.Swizzle), byte(m.Promotion)
	if m.FillNaN {
		b[mapAtFill] = 1
	}
	le.PutUint64(b[mapAtAddress:], m.Address)
	for i := range m.Rank {
		le.PutUint32(b[mapAtDims+4*i:], uint32(m.Dims[i]-1))
		le.PutUint16(b[mapAtBox+2*i:], uint16(m.Box[i]))
		b[mapAtSteps+i] = byte(m.ElementStrides[i])
		if i > 0 {
			le.PutUint64(b[mapAtStrides+8*(i-1):], m.Strides[i-1])
		}
	}
	return b, nil
}

// decodeTensorMap reads an encoded map; ok is false for bytes that Encode did not make.
func decodeTensorMap(b []byte) (m TensorMap, ok bool) {
	le := binary.LittleEndian
	if le.Uint32(b) != mapMagic || le.Uint32(b[mapEnd:]) != mapMagic {
		return m, false
	}
	m.Type, m.Rank = MapType(b[mapAtType]), int(b[mapAtRank])+1
	m.Interleave, m.Swizzle, m.Promotion = MapInterleave(b[mapAtInterleave]), MapSwizzle(b[mapAtSwizzle]), MapPromotion(b[mapAtPromotion])
	m.FillNaN, m.Address = b[mapAtFill] != 0, le.Uint64(b[mapAtAddress:])
	for i := range m.Dims {
		m.Dims[i] = uint64(le.Uint32(b[mapAtDims+4*i:])) + 1
		m.Box[i] = uint32(le.Uint16(b[mapAtBox+2*i:]))
		m.ElementStrides[i] = uint32(b[mapAtSteps+i])
		if i > 0 {
			m.Strides[i-1] = le.Uint64(b[mapAtStrides+8*(i-1):])
		}
	}
	return m, true
}

// fill is the pattern of an element out of bounds, repeated. The NaN is the one that an H200 writes, for every type.
func (m *TensorMap) fill(b []byte) {
	if !m.FillNaN {
		clear(b)
		return
	}
	for i := 0; i+1 < len(b); i += 2 {
		binary.LittleEndian.PutUint16(b[i:], 0x7ff7)
	}
}

// convert is what a load does to elements: those of tf32 maps are rounded to tf32, to nearest even, and their NaNs become
// one. Maps that flush change nothing on an H200.
func (m *TensorMap) convert(b []byte) {
	if m.Type != MapTF32 && m.Type != MapTF32Ftz {
		return
	}
	for i := 0; i+3 < len(b); i += 4 {
		v := binary.LittleEndian.Uint32(b[i:])
		switch {
		case v&^(1<<31) > 0x7f800000:
			v = 0x7fffe000
		default:
			v = (v + 0xfff + v>>13&1) &^ 0x1fff
		}
		binary.LittleEndian.PutUint32(b[i:], v)
	}
}

// extents returns how many elements a copy has in each dimension, and its bytes.
func (m *TensorMap) extents() (n [5]int, bytes int) {
	bytes = m.elemBytes()
	for i := range n {
		n[i] = 1
		if i >= m.Rank {
			continue
		}
		step := int(m.ElementStrides[i])
		if i == 0 {
			step = 1
		}
		n[i] = (int(m.Box[i]) + step - 1) / step
		bytes *= n[i]
	}
	return n, bytes
}

// boxRow is a run of a copy along dimension 0.
type boxRow struct {
	at          int    // first byte, in the dense box
	skip, bytes int    // bytes out of bounds before those in bounds, and the bytes in bounds
	addr        uint64 // in global memory, of the first byte in bounds
}

// storedRows is rows for a store or a reduction: an H200 drops what is out of bounds by whole chunks of 16 bytes, so the rest
// of a chunk that reaches into the tensor is written too.
func (m *TensorMap) storedRows(coord [5]int32, f func(r boxRow)) {
	m.rows(coord, func(r boxRow) {
		r.bytes = (r.bytes + 15) &^ 15
		f(r)
	})
}

// chunk is where the 16 bytes at i of a dense box lie in shared memory. Rows that are shorter than the swizzle's span begin
// a span each.
func (m *TensorMap) chunk(base uint64, i int) uint64 {
	if span := m.Swizzle.span(); span != 0 {
		row := int(m.Box[0]) * m.elemBytes()
		i = i/row*span + i%row
	}
	return m.Swizzle.of(base + uint64(i))
}

// rows calls f for every run of a box that starts at the coordinates.
func (m *TensorMap) rows(coord [5]int32, f func(r boxRow)) {
	n, _ := m.extents()
	e := m.elemBytes()
	lo, hi := clampRange(int64(coord[0]), int64(n[0]), int64(m.Dims[0]))
	var x [5]int
	for at := 0; ; at += n[0] * e {
		r := boxRow{at: at, skip: int(lo) * e, bytes: int(hi-lo) * e, addr: m.Address + uint64(int64(coord[0])+lo)*uint64(e)}
		for i := 1; i < m.Rank; i++ {
			c := int64(coord[i]) + int64(x[i])*int64(m.ElementStrides[i])
			if c < 0 || c >= int64(m.Dims[i]) {
				r.bytes = 0
				continue
			}
			r.addr += uint64(c) * m.Strides[i-1]
		}
		f(r)
		i := 1
		for ; i < m.Rank; i++ {
			if x[i]++; x[i] < n[i] {
				break
			}
			x[i] = 0
		}
		if i >= m.Rank {
			return
		}
	}
}

// clampRange returns the part [lo, hi) of 0..n for which start+x lies in 0..dim.
func clampRange(start, n, dim int64) (lo, hi int64) {
	lo = max(0, min(n, -start))
	hi = max(lo, min(n, dim-start))
	return lo, hi
}
