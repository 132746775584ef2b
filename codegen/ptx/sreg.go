package ptx

import "github.com/oxideinfer/oxide/codegen/ptx/isa"

// SReg is a special register (manual 10). A vector register is named by its components.
type SReg uint8

// The special registers. Not here: %pm*, %envreg*, and whole vectors (%tid without a component).
const (
	TIDX SReg = iota
	TIDY
	TIDZ
	NTIDX
	NTIDY
	NTIDZ
	CTAIDX
	CTAIDY
	CTAIDZ
	NCTAIDX
	NCTAIDY
	NCTAIDZ
	ClusterIDX
	ClusterIDY
	ClusterIDZ
	NClusterIDX
	NClusterIDY
	NClusterIDZ
	ClusterCTAIDX
	ClusterCTAIDY
	ClusterCTAIDZ
	ClusterNCTAIDX
	ClusterNCTAIDY
	ClusterNCTAIDZ
	LaneID
	WarpID
	NWarpID
	SMID
	NSMID
	GridID
	IsExplicitCluster
	ClusterCTARank
	ClusterNCTARank
	LanemaskEQ
	LanemaskLE
	LanemaskLT
	LanemaskGE
	LanemaskGT
	Clock
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	TotalSmemSize
	AggrSmemSize
	DynamicSmemSize
	ReservedSmemBegin
	ReservedSmemEnd
	ReservedSmemCap
	ReservedSmem0
	ReservedSmem1
	CurrentGraphExec
	numSRegs
)

var sregInfos = [numSRegs]struct {
	name string
	typ  isa.Type
}{
	TIDX:              {"%tid.x", isa.U32},
	TIDY:              {"%tid.y", isa.U32},
	TIDZ:              {"%tid.z", isa.U32},
	NTIDX:             {"%ntid.x", isa.U32},
	NTIDY:             {"%ntid.y", isa.U32},
	NTIDZ:             {"%ntid.z", isa.U32},
	CTAIDX:            {"%ctaid.x", isa.U32},
	CTAIDY:            {"%ctaid.y", isa.U32},
	CTAIDZ:            {"%ctaid.z", isa.U32},
	NCTAIDX:           {"%nctaid.x", isa.U32},
	NCTAIDY:           {"%nctaid.y", isa.U32},
	NCTAIDZ:           {"%nctaid.z", isa.U32},
	ClusterIDX:        {"%clusterid.x", isa.U32},
	ClusterIDY:        {"%clusterid.y", isa.U32},
	ClusterIDZ:        {"%clusterid.z", isa.U32},
	NClusterIDX:       {"%nclusterid.x", isa.U32},
	NClusterIDY:       {"%nclusterid.y", isa.U32},
	NClusterIDZ:       {"%nclusterid.z", isa.U32},
	ClusterCTAIDX:     {"%cluster_ctaid.x", isa.U32},
	ClusterCTAIDY:     {"%cluster_ctaid.y", isa.U32},
	ClusterCTAIDZ:     {"%cluster_ctaid.z", isa.U32},
	ClusterNCTAIDX:    {"%cluster_nctaid.x", isa.U32},
	ClusterNCTAIDY:    {"%cluster_nctaid.y", isa.U32},
	ClusterNCTAIDZ:    {"%cluster_nctaid.z", isa.U32},
	LaneID:            {"%laneid", isa.U32},
	WarpID:            {"%warpid", isa.U32},
	NWarpID:           {"%nwarpid", isa.U32},
	SMID:              {"%smid", isa.U32},
	NSMID:             {"%nsmid", isa.U32},
	GridID:            {"%gridid", isa.U64},
	IsExplicitCluster: {"%is_explicit_cluster", isa.Pred},
	ClusterCTARank:    {"%cluster_ctarank", isa.U32},
	ClusterNCTARank:   {"%cluster_nctarank", isa.U32},
	LanemaskEQ:        {"%lanemask_eq", isa.U32},
	LanemaskLE:        {"%lanemask_le", isa.U32},
	LanemaskLT:        {"%lanemask_lt", isa.U32},
	LanemaskGE:        {"%lanemask_ge", isa.U32},
	LanemaskGT:        {"%lanemask_gt", isa.U32},
	Clock:             {"%clock", isa.U32},
	ClockHi:           {"%clock_hi", isa.U32},
	Clock64:           {"%clock64", isa.U64},
	GlobalTimer:       {"%globaltimer", isa.U64},
	GlobalTimerLo:     {"%globaltimer_lo", isa.U32},
	GlobalTimerHi:     {"%globaltimer_hi", isa.U32},
	TotalSmemSize:     {"%total_smem_size", isa.U32},
	AggrSmemSize:      {"%aggr_smem_size", isa.U32},
	DynamicSmemSize:   {"%dynamic_smem_size", isa.U32},
	ReservedSmemBegin: {"%reserved_smem_offset_begin", isa.U32},
	ReservedSmemEnd:   {"%reserved_smem_offset_end", isa.U32},
	ReservedSmemCap:   {"%reserved_smem_offset_cap", isa.U32},
	ReservedSmem0:     {"%reserved_smem_offset_0", isa.U32},
	ReservedSmem1:     {"%reserved_smem_offset_1", isa.U32},
	CurrentGraphExec:  {"%current_graph_exec", isa.U64},
}

func (SReg) isOperand() {}

// Name is the name in the text, "%tid.x".
func (s SReg) Name() string {
	if s >= numSRegs {
		return "?"
	}
	return sregInfos[s].name
}

// Type is the register's type.
func (s SReg) Type() isa.Type {
	if s >= numSRegs {
		return isa.NoType
	}
	return sregInfos[s].typ
}

// SRegOf returns the special register of a name.
func SRegOf(name string) (SReg, bool) {
	for s := range sregInfos {
		if sregInfos[s].name == name {
			return SReg(s), true
		}
	}
	return 0, false
}
