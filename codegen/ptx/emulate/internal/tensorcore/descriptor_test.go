package tensorcore

import (
	"encoding/binary"
	"testing"
)

// describe encodes a descriptor from its fields.
func describe(start, leading, stride, base uint32, mode uint64) Descriptor {
	return Descriptor(uint64(start>>4) | uint64(leading>>4)<<16 | uint64(stride>>4)<<32 | uint64(base)<<49 | mode<<62)
}

// offsetOf is the address of one element by the formulas of the manual's layout sections, element by element.
func offsetOf(start, lbo, sbo, mn, k, e, width uint32, mnMajor bool) uint32 {
	t := 16 / e
	var a uint32
	switch {
	case !mnMajor && width == 0:
		a = mn%8*16 + mn/8*sbo + k/t*lbo + k%t*e
	case !mnMajor:
		a = mn%8*width + mn/8*sbo + k*e
	case width == 0:
		a = mn%t*e + mn/t*sbo + k%8*16 + k/8*lbo
	default:
		we := width / e
		a = mn%we*e + mn/we*lbo + k%8*width + k/8*sbo
	}
	a += start
	switch width {
	case 128:
		a ^= a >> 7 & 7 << 4
	case 64:
		a ^= a >> 7 & 3 << 4
	case 32:
		a ^= a >> 7 & 1 << 4
	}
	return a
}

// TestGather fills a shared memory with an index in each element of the formats' size and checks which one each
// element of the matrix is read from.
func TestGather(t *testing.T) {
	for _, f := range []Format{BF16, TF32, E4M3} {
		for mode, width := range []uint32{0, 128, 64, 32} {
			for _, mnMajor := range []bool{false, true} {
				if mnMajor && f.Bytes() != 2 {
					continue
				}
				e := uint32(f.Bytes())
				k := 32 / int(e)
				start, lbo, sbo := uint32(2048), uint32(4096), uint32(8*max(width, 16))
				if mnMajor && width != 0 {
					lbo, sbo = 4096, 8*width
				}
				m := Matrix{Descriptor: describe(start, lbo, sbo, 0, uint64(mode)), Format: f, Rows: 64, K: k, MNMajor: mnMajor}
				var asked []uint32
				var rows Rows
				m.Gather(&rows, false, func(addr uint32) *[16]byte {
					asked = append(asked, addr)
					var c [16]byte
					for i := uint32(0); i < 16; i += 4 {
						binary.LittleEndian.PutUint32(c[i:], addr+i)
					}
					return &c
				})
				seen := map[uint32]bool{}
				for mn := range 64 {
					for kk := range k {
						want := offsetOf(start, lbo, sbo, uint32(mn), uint32(kk), e, width, mnMajor)
						seen[want&^15] = true
						var word [8]byte
						binary.LittleEndian.PutUint32(word[:], want&^3)
						bits := binary.LittleEndian.Uint32(word[want&3:]) & uint32(1<<(8*e)-1)
						if e == 1 {
							bits &= 0xff
						}
						b := rows.data[mn*rows.blocks+kk/8].value[kk%8]
						if w := f.value(bits); b != w && b == b {
							t.Fatalf("%v mode %d mn-major %v: element (%d, %d) is %g, want %g from %#x", f, mode, mnMajor, mn, kk, b, w, want)
						}
					}
				}
				if len(asked) != len(seen) {
					t.Errorf("%v mode %d: %d chunks read, want %d", f, mode, len(asked), len(seen))
				}
				n := 0
				m.Chunks(func(addr uint32, _, _ int) bool {
					if !seen[addr] {
						t.Errorf("chunk %#x is not part of the matrix", addr)
					}
					n++
					return true
				})
				if n != len(asked) {
					t.Errorf("%d chunks listed, %d read", n, len(asked))
				}
			}
		}
	}
}

// TestAdvanceInsideAtom: moving the start by 32 bytes inside a swizzled row selects the next slice of k.
func TestAdvanceInsideAtom(t *testing.T) {
	whole := Matrix{Descriptor: describe(0x400, 0, 1024, 0, 1), Format: BF16, Rows: 16, K: 64}
	part := Matrix{Descriptor: describe(0x400+64, 0, 1024, 0, 1), Format: BF16, Rows: 16, K: 16}
	for row := range 16 {
		for c := range 2 {
			if got, want := part.kChunk(row, c), whole.kChunk(row, 4+c); got != want {
				t.Fatalf("row %d chunk %d at %#x, want %#x", row, c, got, want)
			}
		}
	}
}

// TestBaseOffset: a matrix that starts at line p of a pattern and says so reads its lines as if the pattern began
// there.
func TestBaseOffset(t *testing.T) {
	for p := uint32(1); p < 8; p++ {
		at := Matrix{Descriptor: describe(0x400+128*p, 0, 1024, p, 1), Format: BF16, Rows: 8, K: 64}
		zero := Matrix{Descriptor: describe(0x400, 0, 1024, 0, 1), Format: BF16, Rows: 8, K: 64}
		for row := range 8 {
			for c := range 8 {
				if got, want := at.kChunk(row, c), zero.kChunk(row, c)+128*p; got != want {
					t.Fatalf("base offset %d: row %d chunk %d at %#x, want %#x", p, row, c, got, want)
				}
			}
		}
	}
}

// TestFragmentsCover: every map names each element of its matrix once.
func TestFragmentsCover(t *testing.T) {
	type at struct{ r, c int }
	a, b := map[at]int{}, map[at]int{}
	for lane := range 32 {
		for r := range 4 {
			row, first := ARegister(lane, r)
			col, firstB := BRegister(lane, r)
			for i := range 4 {
				a[at{row, first + i}]++
				if r < 2 {
					b[at{col, firstB + i}]++
				}
			}
		}
	}
	for r := range 16 {
		for c := range 32 {
			if a[at{r, c}] != 1 {
				t.Errorf("byte %d of row %d of A is held %d times", c, r, a[at{r, c}])
			}
			if r < 8 && b[at{r, c}] != 1 {
				t.Errorf("byte %d of column %d of B is held %d times", c, r, b[at{r, c}])
			}
		}
	}
	d := map[at]int{}
	for lane := range 32 {
		for j := range 32 {
			row, col := DElement(lane, j)
			d[at{row, col}]++
		}
	}
	for r := range 16 {
		for c := range 64 {
			if d[at{r, c}] != 1 {
				t.Errorf("D(%d, %d) is held %d times", r, c, d[at{r, c}])
			}
		}
	}
}
