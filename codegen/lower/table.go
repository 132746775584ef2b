package lower

import "github.com/oxideinfer/oxide/ir"

type lowering func(*emitter, *ir.Op)

// lowering finds the function of an op. yield has none: the op that holds its region reads it.
func (e *emitter) lowering(name string) lowering {
	if f, ok := e.table[name]; ok {
		return f
	}
	if _, ok := specialRegister(name); ok {
		return lowerSpecial
	}
	return nil
}

// newTable names the function of every op. It is made per kernel and not a variable, because control ops lower their
// regions through it.
func newTable() map[string]lowering {
	return map[string]lowering{
		// control
		"loop":  lowerLoop,
		"while": lowerWhile,
		"if":    lowerIf,
		"exit":  lowerPlain("exit"),
		// arithmetic
		"add":      lowerFloat("add"),
		"sub":      lowerFloat("sub"),
		"mul":      lowerFloat("mul"),
		"fma":      lowerFloat("fma"),
		"mul_hi":   lowerMulHi,
		"mul_wide": lowerMulWide,
		"mad":      lowerMad,
		"mad_wide": lowerMadWide,
		"div":      lowerMode("div"),
		"rem":      lowerTyped("rem"),
		"neg":      lowerTyped("neg"),
		"abs":      lowerTyped("abs"),
		"min":      lowerTyped("min"),
		"max":      lowerTyped("max"),
		"sqrt":     lowerMode("sqrt"),
		"rcp":      lowerMode("rcp"),
		"copysign": lowerCopysign,
		"dp4a":     lowerDp4a,
		"rsqrt":    lowerApprox("rsqrt"),
		"ex2":      lowerApprox("ex2"),
		"lg2":      lowerApprox("lg2"),
		"tanh":     lowerApprox("tanh"),
		"sin":      lowerApprox("sin"),
		"cos":      lowerApprox("cos"),
		"floor":    lowerIntegral("rmi"),
		"ceil":     lowerIntegral("rpi"),
		"trunc":    lowerIntegral("rzi"),
		"rint":     lowerIntegral("rni"),
		// bitwise
		"and":          lowerLogic("and"),
		"or":           lowerLogic("or"),
		"xor":          lowerLogic("xor"),
		"not":          lowerLogic("not"),
		"andnot":       lowerAndNot,
		"shl":          lowerShl,
		"shr":          lowerShr,
		"funnel_left":  lowerFunnel("shf.l"),
		"funnel_right": lowerFunnel("shf.r"),
		"popc":         lowerBits("popc"),
		"clz":          lowerBits("clz"),
		"bfind":        lowerTyped("bfind"),
		"brev":         lowerBits("brev"),
		"bfe":          lowerField("bfe", func(o *ir.Op) string { return suffix(kind(o)) }),
		"bfi":          lowerField("bfi", func(o *ir.Op) string { return typeBits(o.Args[0].Type()) }),
		"lop3":         lowerLop3,
		"prmt":         lowerPrmt,
		// comparison
		"lt":        lowerCompare("lt"),
		"le":        lowerCompare("le"),
		"gt":        lowerCompare("gt"),
		"ge":        lowerCompare("ge"),
		"eq":        lowerCompare("eq"),
		"ne":        lowerCompare("ne"),
		"is_nan":    lowerIsNaN,
		"is_finite": lowerTestp("finite"),
		"is_inf":    lowerTestp("infinite"),
		"select":    lowerSelect,
		// conversion
		"bitcast":       lowerBitcast,
		"cvt_int":       lowerCvtInt,
		"cvt_int_float": lowerCvtIntFloat,
		"cvt_float_int": lowerCvtFloatInt,
		"cvt_widen":     lowerCvtWiden,
		"cvt_narrow":    lowerCvtNarrow,
		"cvt_half":      lowerCvtHalf,
		"cvt_tf32":      lowerCvtTF32,
		"cvt_pack_half": lowerCvtPackHalf,
		"cvt_pack_fp8":  lowerCvtPackFP8,
		"cvt_half_fp8":  lowerCvtHalfFP8,
		"cvt_fp8_half":  lowerCvtFP8Half,
		"cvt_half_wide": lowerCvtHalfWide,
		"pack":          lowerPack,
		"unpack":        lowerUnpack,
		// memory
		"addr":          lowerAddr,
		"addr_off":      lowerAddrOff,
		"ptr_cast":      lowerPtrCast,
		"to_generic":    lowerToGeneric,
		"from_generic":  lowerFromGeneric,
		"ptr_bits":      lowerPtrBits,
		"bits_ptr":      lowerBitsPtr,
		"load":          lowerLoad,
		"load_if":       lowerLoadIf,
		"store":         lowerStore,
		"store_if":      lowerStoreIf,
		"prefetch":      lowerPrefetch,
		"create_policy": lowerCreatePolicy,
		"fence":         lowerFence,
		"atom":          lowerAtom,
		"cas":           lowerCas,
		"red":           lowerRed,
		// warp
		"shfl_bfly":  lowerShfl("bfly"),
		"shfl_up":    lowerShfl("up"),
		"shfl_down":  lowerShfl("down"),
		"shfl_idx":   lowerShfl("idx"),
		"uniform":    lowerUniform,
		"vote_all":   lowerVote("all"),
		"vote_any":   lowerVote("any"),
		"vote_uni":   lowerVote("uni"),
		"ballot":     lowerVote("ballot"),
		"match_any":  lowerMatchAny,
		"match_all":  lowerMatchAll,
		"redux_add":  lowerRedux("add"),
		"redux_min":  lowerRedux("min"),
		"redux_max":  lowerRedux("max"),
		"redux_and":  lowerRedux("and"),
		"redux_or":   lowerRedux("or"),
		"redux_xor":  lowerRedux("xor"),
		"elect":      lowerElect,
		"activemask": lowerActiveMask,
		"sync_warp":  lowerSyncWarp,
		// barrier
		"barrier":        lowerBarrier,
		"barrier_named":  lowerNamedBarrier("sync"),
		"barrier_arrive": lowerNamedBarrier("arrive"),
		"barrier_popc":   lowerBarrierPopc,
		"barrier_and":    lowerBarrierRed("and"),
		"barrier_or":     lowerBarrierRed("or"),
		"griddep_wait":   lowerPlain("griddepcontrol.wait"),
		"griddep_launch": lowerPlain("griddepcontrol.launch_dependents"),
		"nanosleep":      lowerPlain("nanosleep.u32"),
		"trap":           lowerPlain("trap"),
	}
}
