package cubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ErrNotCubin says that bytes are not a cubin this package can read.
var ErrNotCubin = errors.New("not a cubin")

// elfMachineCUDA is EM_CUDA; debug/elf has no name for it.
const elfMachineCUDA = 190

// Cubin is what the ELF says about itself.
type Cubin struct {
	SM       int    // SM number of e_flags; the same for sm_90 and sm_90a
	Arch     string // -arch of .note.nv.tkinfo, like sm_90a; empty if the note is missing
	Tool     string // tool and version of the note, like "ptxas V13.0.88"
	Options  string // the options that ptxas wrote into the note
	Entries  []Entry
	sections []section
}

// Entry is one kernel of a cubin.
type Entry struct {
	Name      string
	Resources Resources
	Text      []byte // machine code
}

type section struct {
	name string
	info uint32
	size uint64 // in memory; the bytes of .nv.shared are not in the file
	data []byte
}

// Read parses a cubin. It never trusts a length: any bytes give a Cubin or an error.
func Read(b []byte) (*Cubin, error) {
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotCubin, err)
	}
	if f.Machine != elfMachineCUDA || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("%w: ELF machine %d, class %v", ErrNotCubin, f.Machine, f.Class)
	}
	c := &Cubin{SM: smOfFlags(b)}
	for _, s := range f.Sections {
		sec := section{name: s.Name, info: s.Info, size: s.Size}
		if s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL {
			if sec.data, err = s.Data(); err != nil {
				return nil, fmt.Errorf("%w: section %s: %w", ErrNotCubin, s.Name, err)
			}
		}
		c.sections = append(c.sections, sec)
	}
	if err := c.readNote(); err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%w: symbols: %w", ErrNotCubin, err)
	}
	return c, c.readEntries(symbols)
}

// smOfFlags reads the SM number of e_flags at offset 48 of the header. From ELF ABI version 8 on (CUDA 13) it is
// the second byte, before that the lowest.
func smOfFlags(b []byte) int {
	flags := binary.LittleEndian.Uint32(b[48:])
	if b[elf.EI_ABIVERSION] >= 8 {
		return int(flags >> 8 & 0xff)
	}
	return int(flags & 0xff)
}

func (c *Cubin) section(name string) *section {
	for i := range c.sections {
		if c.sections[i].name == name {
			return &c.sections[i]
		}
	}
	return nil
}

// readNote reads .note.nv.tkinfo: after the ELF note header a table of offsets into a block of strings (tool, its
// long name, its version, its build, its options).
func (c *Cubin) readNote() error {
	sec := c.section(".note.nv.tkinfo")
	if sec == nil {
		return nil
	}
	const header, table = 12, 24 // name size, desc size, type; version, five offsets
	d := sec.data
	if len(d) < header {
		return fmt.Errorf("%w: .note.nv.tkinfo has %d bytes", ErrNotCubin, len(d))
	}
	nameSize := int(binary.LittleEndian.Uint32(d))
	descSize := int(binary.LittleEndian.Uint32(d[4:]))
	desc := header + (nameSize+3)&^3
	if nameSize < 0 || descSize < table || desc < header || desc+descSize > len(d) || desc+descSize < desc {
		return fmt.Errorf("%w: .note.nv.tkinfo is cut short", ErrNotCubin)
	}
	d = d[desc : desc+descSize]
	var texts [5]string
	for i := range texts {
		off := int(binary.LittleEndian.Uint32(d[4+4*i:]))
		if off < 0 || table+off > len(d) {
			return fmt.Errorf("%w: .note.nv.tkinfo names a string outside of it", ErrNotCubin)
		}
		text, _, _ := bytes.Cut(d[table+off:], []byte{0})
		texts[i] = strings.TrimSpace(string(text))
	}
	c.Tool, c.Options = texts[1], texts[4]
	if _, version, ok := strings.Cut(texts[2], ", "); ok {
		c.Tool += " " + version[strings.LastIndex(version, " ")+1:]
	}
	c.Arch = archOption(c.Options)
	return nil
}

func archOption(options string) string {
	words := strings.Fields(options)
	for i, w := range words {
		if w == "-arch" && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

func (c *Cubin) readEntries(symbols []elf.Symbol) error {
	for i := range c.sections {
		name, ok := strings.CutPrefix(c.sections[i].name, ".text.")
		if !ok {
			continue
		}
		r, err := c.resources(name, &c.sections[i], symbols)
		if err != nil {
			return fmt.Errorf("entry %s: %w", name, err)
		}
		c.Entries = append(c.Entries, Entry{Name: name, Resources: r, Text: c.sections[i].data})
	}
	return nil
}

// Entry returns the kernel of that name, or nil.
func (c *Cubin) Entry(name string) *Entry {
	for i := range c.Entries {
		if c.Entries[i].Name == name {
			return &c.Entries[i]
		}
	}
	return nil
}
