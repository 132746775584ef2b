package cubin

import (
	"debug/elf"
	"encoding/binary"
)

// Resources is what one kernel uses. All but the spill bytes are read from the ELF.
type Resources struct {
	Registers         int `json:"registers"`           // per thread
	SpillStoreBytes   int `json:"spill_store_bytes"`   // per thread, as ptxas -v counts them
	SpillLoadBytes    int `json:"spill_load_bytes"`    // per thread
	StackBytes        int `json:"stack_bytes"`         // local memory per thread
	StaticSharedBytes int `json:"static_shared_bytes"` // per block, without what the system reserves
	Barriers          int `json:"barriers"`            // 0..16
	ParamBytes        int `json:"param_bytes"`
	ConstantBytes     int `json:"constant_bytes"` // constant banks other than the parameters'
	CodeBytes         int `json:"code_bytes"`
}

// reservedShared is what every block of compute capability 9.0 and later owns besides its own shared memory
// (CUDA C++ Programming Guide, technical specifications: 1 KB per block). ptxas adds it to .nv.shared.<entry>.
const reservedShared = 1024

func (c *Cubin) resources(entry string, text *section, symbols []elf.Symbol) (Resources, error) {
	r := Resources{CodeBytes: len(text.data)}
	if s := c.section(".nv.shared." + entry); s != nil {
		r.StaticSharedBytes = int(s.size)
		if c.section(".nv.shared.reserved.0") != nil && c.SM >= 90 {
			r.StaticSharedBytes = max(0, r.StaticSharedBytes-reservedShared)
		}
	}
	for _, bank := range []string{"2", "3", "4"} {
		for _, name := range []string{".nv.constant" + bank + "." + entry, ".nv.constant" + bank} {
			if s := c.section(name); s != nil {
				r.ConstantBytes += int(s.size)
			}
		}
	}
	if err := c.moduleAttributes(&r, entry, symbols); err != nil {
		return r, err
	}
	return r, c.entryAttributes(&r, entry)
}

// moduleAttributes reads .nv.info, whose records name the function by its symbol.
func (c *Cubin) moduleAttributes(r *Resources, entry string, symbols []elf.Symbol) error {
	info := c.section(".nv.info")
	if info == nil {
		return nil
	}
	attrs, err := parseAttributes(info.data)
	if err != nil {
		return err
	}
	for _, a := range attrs {
		index, value, ok := a.perFunction()
		// debug/elf leaves out the null symbol, so index 1 is element 0.
		if !ok || index == 0 || int(index) > len(symbols) || symbols[index-1].Name != entry {
			continue
		}
		switch a.code {
		case attrRegCount:
			r.Registers = int(value)
		case attrFrameSize:
			r.StackBytes = int(value)
		}
	}
	return nil
}

func (c *Cubin) entryAttributes(r *Resources, entry string) error {
	info := c.section(".nv.info." + entry)
	if info == nil {
		return nil
	}
	attrs, err := parseAttributes(info.data)
	if err != nil {
		return err
	}
	for _, a := range attrs {
		switch {
		case a.code == attrNumBarriers && len(a.value) == 1:
			r.Barriers = int(a.value[0])
		case a.code == attrParamCBank && len(a.value) >= 8:
			r.ParamBytes = int(binary.LittleEndian.Uint16(a.value[6:]))
		}
	}
	return nil
}
