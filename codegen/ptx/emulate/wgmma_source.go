package emulate

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
)

// Matrices in shared memory consist of many small pieces, so what wgmma operations in flight will read is counted by
// 16-byte chunks instead of being listed.

const (
	chunkBytes   = 16
	chunkSources = 0x0101010101010101 * uint64(shadowSource)
)

// chunks calls f for the chunks of shared memory that an operation reads.
func (op *matrixOp) chunks(f func(addr uint64, chunk int)) {
	visit := func(addr uint32, _, _ int) bool {
		at := uint64(addr) - sharedUserStart
		if at+chunkBytes <= uint64(len(op.cta.shared)) {
			f(op.sharedAddr(addr), int(at/chunkBytes))
		}
		return true
	}
	if len(op.a.src) == 0 {
		op.matrixA().Chunks(visit)
	}
	op.matrixB().Chunks(visit)
}

// sources yields what the operation reads, neighbours together.
func (op *matrixOp) sources(yield func(span) bool) {
	var s span
	more := true
	op.chunks(func(addr uint64, _ int) {
		switch {
		case !more:
		case s.n > 0 && addr == s.addr+s.n:
			s.n += chunkBytes
		case s.n > 0 && addr+chunkBytes == s.addr:
			s.addr, s.n = addr, s.n+chunkBytes
		default:
			if s.n > 0 {
				more = yield(s)
			}
			s = span{op.cta, addr, chunkBytes}
		}
	})
	if more && s.n > 0 {
		yield(s)
	}
}

// sharedAddr is an address in a descriptor, which has no cluster rank, in the window of the CTA.
func (op *matrixOp) sharedAddr(addr uint32) uint64 {
	return uint64(addr) + op.cta.first - sharedUserStart
}

// hold marks what the operation will read.
func (op *matrixOp) hold() {
	c := op.cta
	if c.matrixSources == nil {
		c.matrixSources = make([]uint16, len(c.shared)/chunkBytes+1)
	}
	op.held = true
	op.chunks(func(addr uint64, i int) {
		if c.matrixSources[i]++; c.matrixSources[i] == 1 {
			c.markChunk(addr, true)
		}
	})
}

// letGo removes the marks again.
func (op *matrixOp) letGo() {
	if !op.held {
		return
	}
	op.held = false
	c := op.cta
	op.chunks(func(addr uint64, i int) {
		if c.matrixSources[i]--; c.matrixSources[i] == 0 {
			c.markChunk(addr, false)
		}
	})
	for _, o := range c.flight { // copies may read the same bytes
		if o.kind != asyncMatrix && o.stage == asyncIssued {
			for _, s := range o.reads {
				o.warp.run.mark(s, shadowSource)
			}
		}
	}
}

func (c *cta) markChunk(addr uint64, on bool) {
	_, shadow := c.sharedAt(addr, chunkBytes)
	for i := 0; i < chunkBytes; i += 8 {
		v := binary.LittleEndian.Uint64(shadow[i:])
		if v &^= chunkSources; on {
			v |= chunkSources
		}
		binary.LittleEndian.PutUint64(shadow[i:], v)
	}
}

// markMatrices sets the marks of a range again, after a copy that shared it is done.
func (c *cta) markMatrices(s span) {
	if c.matrixSources == nil || s.n == 0 {
		return
	}
	for i := (s.addr - c.first) / chunkBytes; i <= (s.addr-c.first+s.n-1)/chunkBytes && i < uint64(len(c.matrixSources)); i++ {
		if c.matrixSources[i] > 0 {
			c.markChunk(c.first+i*chunkBytes, true)
		}
	}
}

// read is the content of a chunk, or nil outside the CTA's shared memory.
func (op *matrixOp) read(addr uint32) *[chunkBytes]byte {
	if mem, _ := op.cta.sharedAt(op.sharedAddr(addr), chunkBytes); mem != nil {
		return (*[chunkBytes]byte)(mem)
	}
	return nil
}

// judge looks at the shadow of what a factor was read from: rows with bytes that nobody wrote, and bytes that a copy
// in flight still has to write.
func (op *matrixOp) judge(w *warp, m tensorcore.Matrix, list []bool) {
	const written, targets = 0x0101010101010101 * uint64(shadowWritten), 0x0101010101010101 * uint64(shadowTarget)
	m.Chunks(func(addr uint32, row, _ int) bool {
		_, shadow := op.cta.sharedAt(op.sharedAddr(addr), chunkBytes)
		if shadow == nil {
			return true
		}
		lo, hi := binary.LittleEndian.Uint64(shadow), binary.LittleEndian.Uint64(shadow[8:])
		if (lo|hi)&targets != 0 && w.run.asynccheck {
			op.readsTarget(w, op.sharedAddr(addr))
		}
		if lo&hi&written == written {
			return true
		}
		from := origin{InitShared, int(op.in.line)}
		if !m.MNMajor {
			op.def.lose(list, row, from)
			return true
		}
		for i := range 8 {
			if shadow[2*i]&shadow[2*i+1]&shadowWritten == 0 {
				op.def.lose(list, row+i, from)
			}
		}
		return true
	})
}
