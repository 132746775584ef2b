package emulate

// handlers decode the instructions that the emulator models, by opcode.
var handlers = handlerTable()

func handlerTable() map[string]func(*build) {
	t := map[string]func(*build){
		"add": decodeAdd, "sub": decodeSub, "mul": decodeMul, "mad": decodeMad, "mul24": decodeMul24, "mad24": decodeMul24,
		"sad": decodeSad, "div": decodeDiv, "rem": decodeRem, "abs": decodeAbs, "neg": decodeNeg, "min": decodeMinMax,
		"max": decodeMinMax, "dp4a": decodeDot, "dp2a": decodeDot, "addc": decodeAddc, "subc": decodeSubc, "madc": decodeMadc,
		"popc": decodeCount, "clz": decodeCount, "brev": decodeBrev, "bfind": decodeBfind, "bfe": decodeBfe, "bfi": decodeBfi,
		"szext": decodeSzext, "bmsk": decodeBmsk, "fns": decodeFns, "prmt": decodePrmt, "lop3": decodeLop3, "shf": decodeShf,
		"and": decodeLogic, "or": decodeLogic, "xor": decodeLogic, "not": decodeNot, "cnot": decodeCnot, "shl": decodeShift, "shr": decodeShift,
		"fma": decodeFma, "rcp": decodeFunction, "sqrt": decodeFunction, "rsqrt": decodeFunction, "sin": decodeFunction,
		"cos": decodeFunction, "lg2": decodeFunction, "ex2": decodeFunction, "tanh": decodeFunction, "copysign": decodeCopysign, "testp": decodeTestp,
		"setp": decodeSetp, "set": decodeSet, "selp": decodeSelp, "slct": decodeSlct, "cvt": decodeCvt,
		"mov": decodeMov, "cvta": decodeCvta, "isspacep": decodeIsspacep, "createpolicy": decodeCreatePolicy,
		"mapa": decodeMapa, "getctarank": decodeCTARank,
		"ld": decodeLd, "st": decodeSt, "atom": decodeAtomic, "red": decodeAtomic,
		"shfl": decodeShfl, "vote": decodeVote, "match": decodeMatch, "redux": decodeRedux, "elect": decodeElect, "activemask": decodeActivemask,
		"bar": decodeBar, "barrier": decodeBar,
		"bra": decodeBra, "brx": decodeBrx, "call": decodeCall, "ret": decodeRet, "exit": decodeExit, "trap": decodeTrap, "brkpt": decodeTrap,
	}
	for _, op := range []string{"prefetch", "prefetchu", "applypriority", "membar", "fence", "nanosleep", "pmevent", "griddepcontrol"} {
		t[op] = decodeNothing
	}
	return t
}
