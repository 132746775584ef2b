// Package trace writes what a launch does on the emulator as text, one line an instruction of a warp, and finds where two such
// texts part.
//
//	f, err := trace.ParseFilter("warp=0:1,addr=shared:0x400-0x480")
//	tr := trace.New(w, f)
//	dev := emulate.NewDevice(emulate.Config{Observe: tr.Observe, Workers: 1})
//	…
//	err = tr.Flush()
//
// A line reads
//
//	b0 w1 l37 0000ffff ld.global.v4.b32 [x+0x100+16*t] %r10=0x3f803f80 %r11={4*0x1 0x2}
//
// block 0 in launch order (behind g2 in the second launch), warp 1, PTX line 37, the lanes that executed it, the instruction, its addresses, and what it wrote.
// Values are given for the lanes of the mask in order: one for all, base+step*t where they rise evenly with the lane t, or a
// list in which n*v stands for n equal ones. Copies follow as "copies FROM -> TO on BARRIER". "waits" at the end says that the lanes
// wait, "again" that they will execute the instruction again.
//
// The same program, inputs and configuration give the same text, byte for byte, with Workers at 1.
package trace
