package emulate

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// matrixMove is a decoded ldmatrix or stmatrix: num matrices of 8 rows of 16 bytes. Lane 8i+r gives the address of
// row r of matrix i; lane l holds elements 2(l%4) and 2(l%4)+1 of row l/4, or of column l/4 with .trans.
type matrixMove struct {
	place
	trans bool
	regs  registers // of stmatrix
	dst   []int32   // of ldmatrix
}

const matrixRowBytes = 16

// decodeLdmatrix is ldmatrix (manual 9.7.14.5.15).
func decodeLdmatrix(b *build) {
	o := &matrixMove{}
	b.matrixMove(o)
	if b.err == nil {
		o.dst = b.results("r")
		b.wholeWarp(o.load)
	}
}

// decodeStmatrix is stmatrix (manual 9.7.14.5.16).
func decodeStmatrix(b *build) {
	o := &matrixMove{}
	b.matrixMove(o)
	if b.err == nil {
		o.regs = b.registers("r", isa.B32)
		b.wholeWarp(o.store)
	}
}

func (b *build) matrixMove(o *matrixMove) {
	b.types()
	b.ignore("m8n8", "x1", "x2", "x4")
	o.trans = b.has("trans")
	o.place = b.place(b.need("p"), matrixRowBytes)
}

// rows resolves the row addresses of n matrices and shows the accesses to the checkers. A row without memory is
// reported and nil.
func (o *matrixMove) rows(w *warp, in *inst, n int, write bool) (mem, shadow [32][]byte) {
	verb, m := "load of a matrix row", fullMask>>(warpSize-8*n)
	if write {
		verb = "store of a matrix row"
	}
	w.needDefined(o.id, in, m, "is an address")
	base := w.val(o.base)
	if t := w.run.track; t != nil {
		t.visit(&access{t: t, w: w, in: in, write: write}, m, &o.place, base, order{})
	}
	for lane := range 8 * n {
		addr := base[lane] + o.off
		if addr%matrixRowBytes != 0 && w.run.memcheck {
			w.misaligned(in, &o.place, addr, lane, verb)
			continue
		}
		if mem[lane], shadow[lane], _ = w.locate(&o.place, addr, lane); mem[lane] == nil {
			w.badAccess(in, &o.place, addr, lane, verb)
			continue
		}
		for i := 0; i < len(shadow[lane]); i += 8 {
			switch s := readBytes(shadow[lane][i:], 8); {
			case s&^allInit(8) == 0:
			case write:
				w.overwrites(in, &o.place, addr+uint64(i), s, 8, lane)
			default:
				w.readable(in, &o.place, addr+uint64(i), s, 8, lane)
			}
		}
	}
	return mem, shadow
}

func (o *matrixMove) load(w *warp, in *inst, _ uint32) {
	mem, shadow := o.rows(w, in, len(o.dst), false)
	for i, d := range o.dst {
		var undef uint32
		for lane := range warpSize {
			var word [4]byte
			for e := range 2 {
				row, at := o.element(i, lane, e)
				if mem[row] == nil {
					continue
				}
				copy(word[2*e:], mem[row][at:at+2])
				if s := shadow[row]; s != nil && s[at]&s[at+1]&shadowWritten == 0 {
					undef |= 1 << lane
				}
			}
			w.regs[d][lane] = uint64(binary.LittleEndian.Uint32(word[:]))
		}
		if w.run.initcheck {
			w.setDef(d, fullMask, ^undef, origin{InitShared, int(in.line)})
		}
	}
}

// element is the row (of the 8·num rows) and the byte in it of element e of a lane in matrix i.
func (o *matrixMove) element(i, lane, e int) (row, at int) {
	r, c := lane>>2, lane&3*2+e
	if o.trans {
		r, c = c, r
	}
	return 8*i + r, 2 * c
}

func (o *matrixMove) store(w *warp, in *inst, _ uint32) {
	mem, shadow := o.rows(w, in, len(o.regs.src), true)
	w.run.progress++
	for i, s := range o.regs.src {
		v, def := w.val(s), w.defOf(o.regs.id[i])
		for lane := range warpSize {
			for e := range 2 {
				row, at := o.element(i, lane, e)
				if mem[row] == nil {
					continue
				}
				binary.LittleEndian.PutUint16(mem[row][at:], uint16(v[lane]>>(16*e)))
				for b := at; b < at+2 && shadow[row] != nil; b++ {
					shadow[row][b] &^= shadowWritten
					shadow[row][b] |= byte(def>>lane&1) * shadowWritten
				}
			}
		}
	}
}

// decodeMovmatrix transposes a matrix of 16-bit elements in registers (manual 9.7.14.5.17).
func decodeMovmatrix(b *build) {
	b.types()
	b.ignore("m8n8", "trans")
	a, id := b.value(b.need("a"), isa.B32)
	d := b.result(b.need("d"))
	b.wholeWarp(func(w *warp, _ *inst, _ uint32) {
		from, def := *w.val(a), w.defOf(id)
		var ok uint32
		for lane := range warpSize {
			col, row := lane>>2, lane&3*2
			// Elements (row, col) and (row+1, col) sit in lanes 4·row+col/2 and the one 4 further, in half col%2.
			lo, hi := 4*row+col/2, 4*row+4+col/2
			shift := 16 * (col & 1)
			w.regs[d][lane] = from[lo]>>shift&0xffff | from[hi]>>shift&0xffff<<16
			ok |= def >> lo & (def >> hi) & 1 << lane
		}
		o := origin{class: InitRegister}
		if id >= 0 {
			o = w.originOf(id)
		}
		w.setDef(d, fullMask, ok, o)
	})
}
