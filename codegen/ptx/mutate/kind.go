package mutate

import "github.com/oxideinfer/oxide/codegen/ptx/emulate"

// Kind is a kind of mistake.
type Kind string

// The kinds. Those of data shape change which bytes are touched; the others change what is ordered.
const (
	BarrierRemoved     Kind = "barrier removed"
	WarpBarrierRemoved Kind = "warp barrier removed"
	ClusterRemoved     Kind = "cluster barrier removed"
	BarrierCount       Kind = "barrier count wrong"
	FenceRemoved       Kind = "fence removed"
	ProxyFenceRemoved  Kind = "proxy fence removed"
	WaitRemoved        Kind = "wait removed"
	WaitWeakened       Kind = "wait weakened"
	ArriveCount        Kind = "arrive count ±1"
	TxBytes            Kind = "tx bytes ±16"
	ParityFlipped      Kind = "parity flipped"
	StageCount         Kind = "stage count off"
	MulticastMask      Kind = "multicast mask wrong"
	ReleaseEarly       Kind = "release before the wait"
	MaskLane           Kind = "mask lane dropped"
	SemWeakened        Kind = "release or acquire dropped"

	BoundsOffByOne   Kind = "bounds off by one"
	SwizzleBit       Kind = "swizzle bit changed"
	DescriptorStride Kind = "descriptor stride changed"
)

// Kinds lists all kinds, those of synchronisation first.
var Kinds = []Kind{BarrierRemoved, WarpBarrierRemoved, ClusterRemoved, BarrierCount, FenceRemoved, ProxyFenceRemoved, WaitRemoved, WaitWeakened,
	ArriveCount, TxBytes, ParityFlipped, StageCount, MulticastMask, ReleaseEarly, MaskLane, SemWeakened, BoundsOffByOne, SwizzleBit, DescriptorStride}

// Shape reports whether the kind is one of data shape: wrong numbers alone tell it.
func (k Kind) Shape() bool {
	return k == BoundsOffByOne || k == SwizzleBit || k == DescriptorStride || k == MaskLane || k == MulticastMask
}

var (
	races     = []emulate.Class{emulate.RaceShared, emulate.RaceGlobal, emulate.RaceCluster, emulate.RaceAsync}
	asyncs    = []emulate.Class{emulate.AsyncCopy, emulate.AsyncBulk, emulate.RaceAsync, emulate.RaceShared, "wgmma.wait", "wgmma.reuse", "wgmma.fence"}
	stuck     = []emulate.Class{emulate.Deadlock, emulate.Hang}
	undefined = []emulate.Class{emulate.InitShared, emulate.InitGlobal, emulate.InitRegister}
	phases    = []emulate.Class{emulate.MbarCount, emulate.MbarTx, emulate.MbarInit}
)

// names lists the classes of findings that name a kind of mistake.
func (k Kind) names() [][]emulate.Class {
	switch k {
	case BarrierRemoved, WarpBarrierRemoved:
		return [][]emulate.Class{races, asyncs, undefined, stuck, {emulate.Proxy, emulate.SyncBarrier, emulate.MbarInit}}
	case ClusterRemoved:
		return [][]emulate.Class{races, asyncs, stuck, {emulate.SyncCluster, emulate.ClusterStart, emulate.ClusterExit, emulate.MbarInit}}
	case BarrierCount:
		return [][]emulate.Class{races, stuck, {emulate.SyncBarrier}}
	case FenceRemoved, SemWeakened:
		return [][]emulate.Class{races, {"wgmma.fence"}}
	case ProxyFenceRemoved:
		return [][]emulate.Class{{emulate.Proxy}}
	case WaitRemoved, WaitWeakened, ReleaseEarly:
		return [][]emulate.Class{races, asyncs, undefined, stuck, phases}
	case ArriveCount, TxBytes, ParityFlipped:
		return [][]emulate.Class{phases, stuck, asyncs, races}
	case StageCount:
		return [][]emulate.Class{phases, stuck, asyncs, races, undefined, {emulate.OOBShared}}
	case MulticastMask:
		return [][]emulate.Class{{emulate.ClusterRank, emulate.ClusterExit}, phases, stuck, races, asyncs, undefined}
	case MaskLane:
		return [][]emulate.Class{{emulate.SyncMask}, stuck}
	case BoundsOffByOne:
		return [][]emulate.Class{{emulate.OOBGlobal, emulate.OOBShared, emulate.OOBLocal}, undefined, races, stuck, asyncs, phases}
	}
	return [][]emulate.Class{{emulate.OOBShared, emulate.OOBGlobal, emulate.Misaligned}, undefined, races, asyncs}
}

// Names reports whether a class of findings names the mistake.
func (k Kind) Names(c emulate.Class) bool {
	for _, list := range k.names() {
		for _, x := range list {
			if x == c {
				return true
			}
		}
	}
	return false
}
