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
		"mbarrier": decodeMbarrier, "cp": decodeCp,
		"griddepcontrol": decodeGridDep, "tensormap": decodeTensorMapOp, "discard": decodeDiscard, "setmaxnreg": decodeSetMaxNReg, "fence": decodeFence, "membar": decodeFence, "mapa": decodeMapa, "getctarank": decodeCTARank,
		"ld": decodeLd, "st": asyncOr(decodeSt), "atom": decodeAtomic, "red": asyncOr(decodeAtomic),
		"shfl": decodeShfl, "vote": decodeVote, "match": decodeMatch, "redux": decodeRedux, "elect": decodeElect, "activemask": decodeActivemask,
		"bar": decodeBar, "barrier": decodeBar,
		"mma": decodeMma, "wgmma": decodeWgmma, "ldmatrix": decodeLdmatrix, "stmatrix": decodeStmatrix, "movmatrix": decodeMovmatrix,
		"bra": decodeBra, "brx": decodeBrx, "call": decodeCall, "ret": decodeRet, "exit": decodeExit, "trap": decodeTrap, "brkpt": decodeTrap,
	}
	for _, op := range []string{"prefetch", "prefetchu", "applypriority", "nanosleep", "pmevent"} {
		t[op] = decodeNothing
	}
	return t
}

// asyncOr is the handler of an opcode whose .async form is another instruction.
func asyncOr(h func(*build)) func(*build) {
	return func(b *build) {
		switch b.in.Form.Op() {
		case "st.async", "red.async":
			decodeRemote(b)
		default:
			h(b)
		}
	}
}
