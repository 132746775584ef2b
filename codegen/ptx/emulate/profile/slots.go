package profile

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// cost is what a PTX instruction becomes in machine code, and how long its result takes. ptxas folds much of PTX away:
// parameters are operands from the constant bank, moves and zero extensions are names, unpacking a pair of halves is part of
// the conversion behind it. The counts follow what ptxas 13.0.88 prints for the kernels of this library (oxidegen -dump-sass).
type cost struct {
	Slots
	latency float64 // clocks from issue to a dependent instruction; 0: issues for a result at once
}

// Latencies in clocks of results that come from the SM itself: 4 for FMA and ALU, 29 for shared memory (Luo et al. 2024,
// "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking"; Jia et al. 2018 for the others, which
// have not changed since Volta).
const (
	latencyALU      = 4
	latencyIMAD     = 5
	latencyMUFU     = 18
	latencyConvert  = 14
	latencyShuffle  = 24
	latencyShared   = 29
	latencyLdmatrix = 33
	latencyMma      = 33
	latencyPred     = 12 // a comparison to the branch or instruction that it guards
)

func alu(n float64) cost { return cost{Slots{Issue: n, ALU: n}, latencyALU * n} }
func fma(n float64) cost { return cost{Slots{Issue: n, FMA: n}, latencyALU * n} }

// mufu is an approximate function with instructions around it that scale its argument and result.
func mufu(around float64) cost {
	return cost{Slots{Issue: 1 + around, MUFU: 1, FMA: around}, latencyMUFU + latencyALU*around}
}

func convert() cost { return cost{Slots{Issue: 1, Convert: 1}, latencyConvert} }

// costs of the opcodes whose type does not matter.
var costs = map[string]cost{
	"mov": {}, "cvta": {}, "mapa": alu(1), "isspacep": alu(1),
	"setp": {Slots{Issue: 1, ALU: 1}, latencyPred}, "set": alu(1),
	"bra": {Slots{Issue: 1}, 0}, "ret": {Slots{Issue: 1}, 0}, "exit": {Slots{Issue: 1}, 0},
	"shfl": {Slots{Issue: 1, Shuffle: 1}, latencyShuffle},
	"vote": {Slots{Issue: 1, ALU: 1}, latencyPred}, "match": {Slots{Issue: 1, ALU: 1}, 2 * latencyShuffle},
	"redux": {Slots{Issue: 1, Shuffle: 2}, latencyShuffle}, "elect": {Slots{Issue: 1, ALU: 1}, latencyPred}, "activemask": alu(1),
	"bar": {Slots{Issue: 1}, 0}, "barrier": {Slots{Issue: 1}, 0},
	"popc": convert(), "clz": convert(), "bfind": convert(), "brev": convert(),
	"ldmatrix": {Slots{Issue: 1, LSU: 1}, latencyLdmatrix}, "stmatrix": {Slots{Issue: 1, LSU: 1}, 0},
	"mma": {Slots{Issue: 1}, latencyMma}, "wgmma": {Slots{Issue: 1}, 0},
	"mbarrier": {Slots{Issue: 1, LSU: 1}, latencyShared}, "fence": {Slots{Issue: 1}, latencyALU}, "membar": {Slots{Issue: 1}, latencyALU},
	"cp": {Slots{Issue: 1, LSU: 1}, 0}, "prefetch": {Slots{Issue: 1, LSU: 1}, 0}, "prefetchu": {Slots{Issue: 1, LSU: 1}, 0},
	"setmaxnreg": {Slots{Issue: 1}, latencyALU}, "griddepcontrol": {Slots{Issue: 1}, latencyALU}, "nanosleep": {Slots{Issue: 1}, latencyALU},
	"div": fma(10), "rem": alu(16), "sqrt": mufu(6), "rsqrt": mufu(4), "rcp": mufu(5), "ex2": mufu(3), "lg2": mufu(3),
	"sin": mufu(1), "cos": mufu(1), "tanh": mufu(0),
}

// costOf looks at the type too.
func costOf(in *ptx.Instr) cost {
	f := in.Form
	op, t := f.Opcode(), f.Type("type")
	wide := t.Bits() == 64
	switch op {
	case "ld", "st", "atom", "red", "ldu":
		return memoryCost(f)
	case "cvt":
		return conversionCost(f)
	case "fma":
		return fma(1)
	case "add", "sub", "mul", "mad", "sad", "min", "max", "abs", "neg":
		return arithmeticCost(op, f, t)
	case "ex2", "rcp", "rsqrt", "lg2", "sqrt":
		if f.Has("ftz") {
			return mufu(0)
		}
	}
	if c, ok := costs[op]; ok {
		return c
	}
	if wide { // logic, shifts and selections of 64 bits are two of 32
		return cost{Slots{Issue: 2, ALU: 2}, latencyALU}
	}
	return alu(1)
}

func arithmeticCost(op string, f *isa.Form, t isa.Type) cost {
	switch t.Class() {
	case isa.ClassFloat:
		if op == "min" || op == "max" || op == "abs" || op == "neg" {
			return alu(1)
		}
		return fma(1)
	}
	wide := t.Bits() == 64
	switch {
	case op == "mul" || op == "mad":
		n := 1.0
		if wide { // low half of a 64-bit product: three products of 32 bits
			n = 3
		}
		if f.Has("wide") { // IMAD.WIDE goes through in two passes
			return cost{Slots{Issue: 1, FMA: 2}, latencyIMAD}
		}
		return cost{Slots{Issue: n, FMA: n}, latencyIMAD * n}
	case wide: // carries from one half to the other
		return cost{Slots{Issue: 2, ALU: 2}, 2 * latencyALU}
	}
	return alu(1)
}

// conversionCost: between floats of 16 and 32 bits at half rate, to fp8 and between integers and floats at a quarter of it.
func conversionCost(f *isa.Form) cost {
	var integer, float, small, narrow bool
	for _, m := range f.Mods() {
		t := isa.TypeOf(m)
		switch t.Class() {
		case isa.ClassSigned, isa.ClassUnsigned:
			integer = true
		case isa.ClassFloat:
			float = true
		}
		small = small || m == "e4m3x2" || m == "e5m2x2"
		narrow = narrow || m == "f64"
	}
	switch {
	case integer && !float: // zero and sign extension
		if f.Has("u64") && f.Has("u32") || f.Has("u32") && f.Has("u16") {
			return cost{}
		}
		return alu(1)
	case integer, narrow:
		return convert()
	case small:
		return cost{Slots{Issue: 1, ALU: 2}, latencyConvert}
	}
	return cost{Slots{Issue: 1, ALU: 1}, latencyALU}
}

func memoryCost(f *isa.Form) cost {
	switch {
	case f.Has("param") || f.Has("param::entry"):
		return cost{}
	case f.Has("shared") || f.Has("shared::cta") || f.Has("shared::cluster"):
		return cost{Slots{Issue: 1, LSU: 1}, latencyShared}
	}
	return cost{Slots{Issue: 1, LSU: 1}, 0} // the latency depends on where the bytes are
}
