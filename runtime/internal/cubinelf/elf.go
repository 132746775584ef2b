package cubinelf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ErrNotCubin is wrapped by every refusal of Parse.
var ErrNotCubin = errors.New("not a cubin")

// ELF constants (System V gABI, figures 4-3 to 4-10) and NVIDIA's machine number.
const (
	headerBytes  = 64
	sectionBytes = 64
	symbolBytes  = 24
	machineCUDA  = 190
	typeExec     = 2
	sectionNotes = 7
	sectionNoBit = 8
)

// File is a parsed cubin. It refers to the bytes that it was parsed from.
type File struct {
	// SM is the number in e_flags, for example 90: equal for sm_90 and sm_90a.
	SM int
	// Arch is the -arch option in .note.nv.tkinfo, for example "sm_90a"; empty if the note or the option is missing.
	Arch string
	// Options is the whole command line that ptxas recorded.
	Options string

	sections []section
}

type section struct {
	name string
	kind uint32
	link uint32
	data []byte
}

// Parse reads the section table. It accepts any bytes and never panics.
func Parse(image []byte) (*File, error) {
	h, err := parseHeader(image)
	if err != nil {
		return nil, err
	}
	f := &File{SM: int(h.flags >> 8 & 0xff)}
	if err := f.readSections(image, h); err != nil {
		return nil, err
	}
	f.readToolNote()
	return f, nil
}

type header struct {
	sectionOffset uint64
	sectionCount  int
	nameIndex     int
	flags         uint32
}

func parseHeader(b []byte) (header, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < headerBytes:
		return header{}, fmt.Errorf("%w: %d bytes", ErrNotCubin, len(b))
	case string(b[:4]) != "\x7fELF" || b[4] != 2 || b[5] != 1:
		return header{}, fmt.Errorf("%w: no 64-bit little-endian ELF header", ErrNotCubin)
	case le.Uint16(b[18:]) != machineCUDA:
		return header{}, fmt.Errorf("%w: ELF machine %d", ErrNotCubin, le.Uint16(b[18:]))
	case le.Uint16(b[16:]) != typeExec:
		return header{}, fmt.Errorf("%w: ELF type %d is not an executable", ErrNotCubin, le.Uint16(b[16:]))
	case le.Uint16(b[58:]) != sectionBytes:
		return header{}, fmt.Errorf("%w: section header size %d", ErrNotCubin, le.Uint16(b[58:]))
	}
	h := header{
		sectionOffset: le.Uint64(b[40:]),
		sectionCount:  int(le.Uint16(b[60:])),
		nameIndex:     int(le.Uint16(b[62:])),
		flags:         le.Uint32(b[48:]),
	}
	if h.sectionOffset > uint64(len(b)) || uint64(h.sectionCount)*sectionBytes > uint64(len(b))-h.sectionOffset {
		return header{}, fmt.Errorf("%w: section table outside the file", ErrNotCubin)
	}
	if h.sectionCount == 0 || h.nameIndex >= h.sectionCount {
		return header{}, fmt.Errorf("%w: no section names", ErrNotCubin)
	}
	return h, nil
}

func (f *File) readSections(image []byte, h header) error {
	le := binary.LittleEndian
	names := make([]uint32, h.sectionCount)
	f.sections = make([]section, h.sectionCount)
	for i := range f.sections {
		e := image[h.sectionOffset+uint64(i)*sectionBytes:]
		s := section{kind: le.Uint32(e[4:]), link: le.Uint32(e[40:])}
		offset, size := le.Uint64(e[24:]), le.Uint64(e[32:])
		if s.kind != sectionNoBit && i > 0 {
			if offset > uint64(len(image)) || size > uint64(len(image))-offset {
				return fmt.Errorf("%w: section %d outside the file", ErrNotCubin, i)
			}
			s.data = image[offset : offset+size]
		}
		names[i], f.sections[i] = le.Uint32(e), s
	}
	table := f.sections[h.nameIndex].data
	for i := range f.sections {
		f.sections[i].name = cstring(table, names[i])
	}
	return nil
}

func (f *File) section(name string) *section {
	for i := range f.sections {
		if f.sections[i].name == name {
			return &f.sections[i]
		}
	}
	return nil
}

// readToolNote reads .note.nv.tkinfo. Its descriptor is six words, the last of which is the offset of the option string, and a
// string table.
func (f *File) readToolNote() {
	s := f.section(".note.nv.tkinfo")
	if s == nil || s.kind != sectionNotes || len(s.data) < 12 {
		return
	}
	le := binary.LittleEndian
	nameBytes, descBytes := uint64(le.Uint32(s.data)), uint64(le.Uint32(s.data[4:]))
	start := 12 + (nameBytes+3)&^3
	if start+descBytes > uint64(len(s.data)) {
		return
	}
	desc := s.data[start : start+descBytes]
	if len(desc) < 24 {
		return
	}
	f.Options = strings.TrimSpace(cstring(desc[24:], le.Uint32(desc[20:])))
	f.Arch = archOption(f.Options)
}

// archOption returns the last -arch of a ptxas command line, as ptxas itself does.
func archOption(options string) string {
	arch := ""
	words := strings.Fields(options)
	for i, w := range words {
		for _, name := range []string{"-arch", "--gpu-name"} {
			if w == name && i+1 < len(words) {
				arch = words[i+1]
			} else if v, ok := strings.CutPrefix(w, name+"="); ok {
				arch = v
			}
		}
	}
	return arch
}

func cstring(table []byte, offset uint32) string {
	if uint64(offset) >= uint64(len(table)) {
		return ""
	}
	s := table[offset:]
	for i, c := range s {
		if c == 0 {
			return string(s[:i])
		}
	}
	return ""
}
