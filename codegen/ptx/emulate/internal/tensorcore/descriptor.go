package tensorcore

// Descriptor is the 64-bit matrix descriptor of wgmma (manual 9.7.15.5.1.2.2): where a matrix starts in shared
// memory, two strides and a swizzle.
type Descriptor uint64

// Start is the shared-memory address of the matrix in bytes.
func (d Descriptor) Start() uint32 { return uint32(d&0x3fff) << 4 }

// Leading is the leading dimension byte offset.
func (d Descriptor) Leading() uint32 { return uint32(d>>16&0x3fff) << 4 }

// Stride is the stride dimension byte offset.
func (d Descriptor) Stride() uint32 { return uint32(d>>32&0x3fff) << 4 }

// BaseOffset is the phase of the swizzle pattern at the start of the matrix, in units of 128 bytes.
func (d Descriptor) BaseOffset() uint32 { return uint32(d >> 49 & 7) }

// Swizzle is the width of the swizzle in bytes: 128, 64, 32, or 0 for none.
func (d Descriptor) Swizzle() uint32 { return [...]uint32{0, 128, 64, 32}[d>>62] }

// Pattern is after how many bytes the swizzle repeats; a matrix that starts on such a boundary needs no base offset.
func (d Descriptor) Pattern() uint32 { return max(16, 8*d.Swizzle()) }

// swizzle exchanges 16-byte chunks: the address bits above the 128-byte line choose which.
func (d Descriptor) swizzle(addr uint32) uint32 {
	phase := addr>>7 - d.BaseOffset()
	switch d >> 62 {
	case 1:
		return addr ^ phase&7<<4
	case 2:
		return addr ^ phase&3<<4
	case 3:
		return addr ^ phase&1<<4
	}
	return addr
}

// chunk is the unit that swizzles keep together.
const chunk = 16

// Matrix is what a descriptor points at: n rows (of m or of n) of k elements.
type Matrix struct {
	Descriptor
	Format  Format
	Rows, K int
	MNMajor bool // elements of one k lie side by side; 16-bit formats only
}

// Chunks calls visit for each 16 bytes of the matrix with its shared-memory address. With K-major layout the chunk
// holds elements k.. of a row; with MN-major layout elements row.. of one k. It stops where visit returns false.
func (m Matrix) Chunks(visit func(addr uint32, row, k int) bool) {
	per := chunk / m.Format.Bytes()
	if m.MNMajor {
		for k := range m.K {
			for row := 0; row < m.Rows; row += per {
				if !visit(m.mnChunk(row, k), row, k) {
					return
				}
			}
		}
		return
	}
	for row := range m.Rows {
		for k := 0; k < m.K; k += per {
			if !visit(m.kChunk(row, k/per), row, k) {
				return
			}
		}
	}
}

// kChunk is the address of chunk c of a row in a K-major layout.
func (m Matrix) kChunk(row, c int) uint32 {
	r, g := uint32(row&7), uint32(row>>3)
	w := m.Swizzle()
	if w == 0 {
		return m.Start() + r*chunk + g*m.Stride() + uint32(c)*m.Leading()
	}
	return m.swizzle(m.Start() + r*w + g*m.Stride() + uint32(c)*chunk)
}

// mnChunk is the address of the chunk that begins at a row, at one k, in an MN-major layout.
func (m Matrix) mnChunk(row, k int) uint32 {
	kr, kg := uint32(k&7), uint32(k>>3)
	w := m.Swizzle()
	if w == 0 {
		return m.Start() + uint32(row/8)*m.Stride() + kr*chunk + kg*m.Leading()
	}
	at := uint32(row * m.Format.Bytes())
	return m.swizzle(m.Start() + at%w + at/w*m.Leading() + kr*w + kg*m.Stride())
}

// Gather decodes the matrix into rows. read returns 16 bytes of shared memory.
func (m Matrix) Gather(to *Rows, negate bool, read func(addr uint32) *[chunk]byte) {
	to.Reset(m.Format, m.Rows, m.K)
	if !m.MNMajor {
		per := chunk / m.Format.Bytes()
		var raw [32]byte
		for row := range m.Rows {
			n := 0
			for c := range m.K / per {
				n += copy(raw[n:], read(m.kChunk(row, c))[:])
			}
			to.Set(row, raw[:n], negate)
		}
		return
	}
	for row := 0; row < m.Rows; row += 8 {
		var raw [8][32]byte
		for k := range m.K {
			c := read(m.mnChunk(row, k))
			for i := range raw {
				raw[i][2*k], raw[i][2*k+1] = c[2*i], c[2*i+1]
			}
		}
		for i := range raw {
			to.Set(row+i, raw[i][:2*m.K], negate)
		}
	}
}
