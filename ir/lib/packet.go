package lib

import "github.com/oxideinfer/oxide/ir"

// PacketSize is the number of elements that one thread moves together: 16 bytes of a 16-bit format, the widest access
// there is.
const PacketSize = 8

// Packet is PacketSize consecutive elements as they lie in memory. Its address is a multiple of its size in bytes, or of
// 16 if that is less.
type Packet struct {
	format Format
	words  []ir.U32
}

// PacketOf makes a packet of its 32-bit words, as Words gives them: a packet that a loop carries lives in Vars of words.
func PacketOf(f Format, words []ir.U32) Packet { return Packet{f, words} }

// Words are the 32-bit words of the packet, lowest address first.
func (p Packet) Words() []ir.U32 { return p.words }

// LoadPacket reads a packet.
func (e Elements) LoadPacket(opts ...ir.LoadOption) Packet {
	p := Packet{format: e.format}
	for at := 0; at < e.packetWords(); at += 4 {
		p.words = append(p.words, ir.Cast[ir.U32](e.p).AtConst(at).LoadVec(min(4, e.packetWords()), opts...)...)
	}
	return p
}

// LoadPacketIf reads a packet where mask holds and gives zeros elsewhere, without touching memory there.
func (e Elements) LoadPacketIf(k *ir.Kernel, mask ir.Pred, opts ...ir.LoadOption) Packet {
	zeros := Packet{format: e.format}
	for range e.packetWords() {
		zeros.words = append(zeros.words, k.ConstU32(0))
	}
	return e.LoadPacketOr(mask, zeros, opts...)
}

// LoadPacketOr reads a packet where mask holds and gives other elsewhere, without touching memory there.
func (e Elements) LoadPacketOr(mask ir.Pred, other Packet, opts ...ir.LoadOption) Packet {
	p := Packet{format: e.format}
	for at := 0; at < e.packetWords(); at += 4 {
		rest := ir.Vec[ir.U32](other.words[at:min(at+4, len(other.words))])
		p.words = append(p.words, ir.Cast[ir.U32](e.p).AtConst(at).LoadVecIf(mask, rest, opts...)...)
	}
	return p
}

func (e Elements) packetWords() int { return PacketSize * e.format.Bytes() / 4 }

// Values widens the elements.
func (p Packet) Values() []ir.F32 {
	var out []ir.F32
	for _, w := range p.words {
		switch p.format {
		case F32:
			out = append(out, w.AsF32())
		case F16:
			lo, hi := w.AsF16x2().ConvertToF32()
			out = append(out, lo, hi)
		case BF16:
			lo, hi := w.AsBF16x2().ConvertToF32()
			out = append(out, lo, hi)
		case E4M3:
			low, high := w.UnpackToU16()
			for _, pair := range []ir.U16{low, high} {
				lo, hi := wideE4M3(pair.AsE4M3x2())
				out = append(out, lo, hi)
			}
		}
	}
	return out
}

// Pack rounds PacketSize values to a format. E4M3 clamps to ±448.
func (f Format) Pack(values []ir.F32) Packet {
	p := Packet{format: f}
	for i := 0; i < len(values); i += 4 / f.Bytes() {
		p.words = append(p.words, f.word(values[i:]))
	}
	return p
}

// word joins the first elements of values into 32 bits.
func (f Format) word(v []ir.F32) ir.U32 {
	switch f {
	case F32:
		return v[0].AsU32()
	case F16:
		return v[0].ConvertToF16x2(v[1]).AsU32()
	case BF16:
		return v[0].ConvertToBF16x2(v[1]).AsU32()
	}
	return v[0].ConvertToE4M3x2(v[1]).AsU16().PackToU32(v[2].ConvertToE4M3x2(v[3]).AsU16())
}

// StorePacket writes a packet of the pointer's format.
func (e Elements) StorePacket(p Packet, opts ...ir.StoreOption) {
	for at := 0; at < len(p.words); at += 4 {
		ir.Cast[ir.U32](e.p).AtConst(at).StoreVec(ir.Vec[ir.U32](p.words[at:min(at+4, len(p.words))]), opts...)
	}
}

// StorePacketIf writes a packet where mask holds.
func (e Elements) StorePacketIf(mask ir.Pred, p Packet, opts ...ir.StoreOption) {
	for at := 0; at < len(p.words); at += 4 {
		ir.Cast[ir.U32](e.p).AtConst(at).StoreVecIf(mask, ir.Vec[ir.U32](p.words[at:min(at+4, len(p.words))]), opts...)
	}
}

// LoadN reads one element, or a packet, as values.
func (e Elements) LoadN(n int, opts ...ir.LoadOption) []ir.F32 {
	if n == 1 {
		return []ir.F32{e.Load(opts...)}
	}
	return e.LoadPacket(opts...).Values()
}

// LoadNIf reads one element, or a packet, where mask holds and gives zeros elsewhere.
func (e Elements) LoadNIf(k *ir.Kernel, mask ir.Pred, n int, opts ...ir.LoadOption) []ir.F32 {
	if n == 1 {
		return []ir.F32{e.LoadIf(k, mask, opts...)}
	}
	return e.LoadPacketIf(k, mask, opts...).Values()
}

// StoreN rounds and writes one element, or a packet.
func (e Elements) StoreN(values []ir.F32, opts ...ir.StoreOption) {
	if len(values) == 1 {
		e.Store(values[0], opts...)
		return
	}
	e.StorePacket(e.format.Pack(values), opts...)
}

// StoreRounded is StoreN that gives the values as they are now in memory.
func (e Elements) StoreRounded(values []ir.F32, opts ...ir.StoreOption) []ir.F32 {
	if len(values) == 1 {
		values = []ir.F32{e.format.Round(values[0])}
		e.Store(values[0], opts...)
		return values
	}
	p := e.format.Pack(values)
	e.StorePacket(p, opts...)
	return p.Values()
}
