package isa

// The N of a wgmma shape: every multiple of 8 up to 256 for floating-point types; fewer for integers.
const (
	wgmmaK16 = "m64n8k16 m64n16k16 m64n24k16 m64n32k16 m64n40k16 m64n48k16 m64n56k16 m64n64k16 m64n72k16 m64n80k16 m64n88k16 m64n96k16 " +
		"m64n104k16 m64n112k16 m64n120k16 m64n128k16 m64n136k16 m64n144k16 m64n152k16 m64n160k16 m64n168k16 m64n176k16 m64n184k16 m64n192k16 " +
		"m64n200k16 m64n208k16 m64n216k16 m64n224k16 m64n232k16 m64n240k16 m64n248k16 m64n256k16"
	wgmmaK8 = "m64n8k8 m64n16k8 m64n24k8 m64n32k8 m64n40k8 m64n48k8 m64n56k8 m64n64k8 m64n72k8 m64n80k8 m64n88k8 m64n96k8 " +
		"m64n104k8 m64n112k8 m64n120k8 m64n128k8 m64n136k8 m64n144k8 m64n152k8 m64n160k8 m64n168k8 m64n176k8 m64n184k8 m64n192k8 " +
		"m64n200k8 m64n208k8 m64n216k8 m64n224k8 m64n232k8 m64n240k8 m64n248k8 m64n256k8"
	wgmmaK32 = "m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n40k32 m64n48k32 m64n56k32 m64n64k32 m64n72k32 m64n80k32 m64n88k32 m64n96k32 " +
		"m64n104k32 m64n112k32 m64n120k32 m64n128k32 m64n136k32 m64n144k32 m64n152k32 m64n160k32 m64n168k32 m64n176k32 m64n184k32 m64n192k32 " +
		"m64n200k32 m64n208k32 m64n216k32 m64n224k32 m64n232k32 m64n240k32 m64n248k32 m64n256k32"
	wgmmaInt = "m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n48k32 m64n64k32 m64n80k32 m64n96k32 m64n112k32 m64n128k32 m64n144k32 m64n160k32 " +
		"m64n176k32 m64n192k32 m64n208k32 m64n224k32 m64n240k32 m64n256k32"
	wgmmaBit = "m64n8k256 m64n16k256 m64n24k256 m64n32k256 m64n48k256 m64n64k256 m64n80k256 m64n96k256 m64n112k256 m64n128k256 m64n144k256 " +
		"m64n160k256 m64n176k256 m64n192k256 m64n208k256 m64n224k256 m64n240k256 m64n256k256"

	wgmmaArgs  = "d: @wgmmaD usedef vec=@wgmmaD; a: @wgmmaA reg orvec=4; b-desc: b64 reg; scale-d: pred reg imm=0|1"
	wgmmaScale = "; imm-scale-a: s32 imm=1|-1; imm-scale-b: s32 imm=1|-1"
	wgmmaTrans = "; imm-trans-a: b32 imm=0|1 scalaronly=a; imm-trans-b: b32 imm=0|1"
)

// Warpgroup-level matrix instructions (manual 9.7.15). Operand a is a descriptor, or four registers.
var wgmmaRows = []Row{
	{Op: "wgmma.mma_async", Syntax: "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b",
		Alt: A{"shape", wgmmaK16, "dtype", "f16 f32", "atype", "f16 bf16", "btype", "f16 bf16"}, Where: "atype=f16 => btype=f16; atype=bf16 => btype=bf16 & dtype=f32",
		Args: wgmmaArgs + wgmmaScale + wgmmaTrans, PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.5.2", Convergent: true, Reads: "shared", Async: "wgmma",
		Doc: "d = a*b + d of a warpgroup, 16-bit floating-point factors; scale-d 0 drops d."},
	{Op: "wgmma.mma_async", Syntax: "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b-desc, scale-d, imm-scale-a, imm-scale-b",
		Alt:  A{"shape", wgmmaK8, "dtype", "f32", "atype", "tf32", "btype", "tf32"},
		Args: wgmmaArgs + wgmmaScale, PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.5.2", Convergent: true, Reads: "shared", Async: "wgmma",
		Doc: "d = a*b + d of a warpgroup, tf32 factors."},
	{Op: "wgmma.mma_async", Syntax: "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b-desc, scale-d, imm-scale-a, imm-scale-b",
		Alt:  A{"shape", wgmmaK32, "dtype", "f16 f32", "atype", "e4m3 e5m2", "btype", "e4m3 e5m2"},
		Args: wgmmaArgs + wgmmaScale, PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.5.2", Convergent: true, Reads: "shared", Async: "wgmma",
		Doc: "d = a*b + d of a warpgroup, 8-bit floating-point factors, accumulated with 13 mantissa bits."},
	{Op: "wgmma.mma_async", Syntax: "wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b-desc, scale-d",
		Alt:  A{"shape", wgmmaInt, "dtype", "s32", "atype", "s8 u8", "btype", "s8 u8"},
		Args: wgmmaArgs, PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.5.2", Convergent: true, Reads: "shared", Async: "wgmma",
		Doc: "d = a*b + d of a warpgroup, bytes."},
	{Op: "wgmma.mma_async", Syntax: "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype.op.popc d, a, b-desc, scale-d",
		Alt:  A{"shape", wgmmaBit, "dtype", "s32", "atype", "b1", "btype", "b1", "op", "and"},
		Args: wgmmaArgs, PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.5.2", Convergent: true, Reads: "shared", Async: "wgmma",
		Doc: "d = popc(a and b) + d of a warpgroup."},
	{Op: "wgmma.fence", Syntax: "wgmma.fence.sync.aligned", PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.7.1", Convergent: true, Sync: true, Volatile: true,
		Doc: "Orders earlier register accesses before the next wgmma."},
	{Op: "wgmma.commit_group", Syntax: "wgmma.commit_group.sync.aligned", PTX: 80, SM: 90, Arch: true, Sec: "9.7.15.7.2", Convergent: true, Sync: true,
		Volatile: true, Doc: "Closes the group of the wgmma since the last one."},
	{Op: "wgmma.wait_group", Syntax: "wgmma.wait_group.sync.aligned N", Args: "N: b32 imm=0|1|2|3|4|5|6|7", PTX: 80, SM: 90, Arch: true,
		Sec: "9.7.15.7.3", Convergent: true, Sync: true, Volatile: true, Doc: "Waits until at most N groups are in flight."},
}
