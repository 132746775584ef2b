package ir

// Codes of findings.
const (
	CodeZeroValue         = "ZERO_VALUE"
	CodeForeignValue      = "FOREIGN_VALUE"
	CodeOutOfRegion       = "OUT_OF_REGION"
	CodeTypeMismatch      = "TYPE_MISMATCH"
	CodeSpaceMismatch     = "SPACE_MISMATCH"
	CodeUninitVar         = "UNINIT_VAR"
	CodeLoopBreak         = "LOOP_BREAK"
	CodeElseLate          = "ELSE_LATE"
	CodeBadAttribute      = "BAD_ATTRIBUTE"
	CodeStructure         = "STRUCTURE"
	CodeDuplicate         = "DUPLICATE_NAME"
	CodeBarrierDivergent  = "BARRIER_DIVERGENT"
	CodeConvergent        = "CONVERGENT_DIVERGENT"
	CodeNotUniform        = "NOT_UNIFORM"
	CodeMisaligned        = "VECTOR_MISALIGNED"
	CodeVectorWidth       = "VECTOR_WIDTH"
	CodeSharedTooLarge    = "SHARED_TOO_LARGE"
	CodeBlockTooLarge     = "BLOCK_TOO_LARGE"
	CodeContract          = "CONTRACT"
	CodeTargetUnavailable = "TARGET_UNAVAILABLE"
	CodePDLWaitMissing    = "PDL_WAIT_MISSING"
	CodeNCNotConstant     = "NC_NOT_CONSTANT"
	CodeConstantWritten   = "CONSTANT_WRITTEN"
	CodeBarrierID         = "BARRIER_ID"
	CodeTied              = "TIED_OPERAND"
	CodeKernelPanic       = "KERNEL_PANIC"
	CodeCopyMisaligned    = "COPY_MISALIGNED"
	CodeCopySize          = "COPY_SIZE"
	CodeTileMisaligned    = "TILE_MISALIGNED"
	CodeMatrixShape       = "MATRIX_SHAPE"
	CodeArrivals          = "ARRIVAL_COUNT"
	CodeTxBytes           = "TX_BYTES"
	CodeClusterMissing    = "CLUSTER_MISSING"
	CodeClusterStart      = "CLUSTER_START"
	CodeClusterExit       = "CLUSTER_EXIT"
	CodeClusterBarrier    = "CLUSTER_BARRIER"
	CodeGroupUnequal      = "GROUP_UNEQUAL"
	CodeGroupNotWaited    = "GROUP_NOT_WAITED"
	CodeNotCommitted      = "NOT_COMMITTED"
	CodeInFlight          = "TOUCHED_IN_FLIGHT"
	CodeFenceMissing      = "WGMMA_FENCE_MISSING"
	CodeProxyFence        = "PROXY_FENCE_MISSING"
	CodeRegisters         = "REGISTER_BUDGET"
	CodeBox               = "TENSOR_BOX"
)

// Codes lists every code a finding can have.
func Codes() []string {
	return []string{
		CodeZeroValue,
		CodeForeignValue,
		CodeOutOfRegion,
		CodeTypeMismatch,
		CodeSpaceMismatch,
		CodeUninitVar,
		CodeLoopBreak,
		CodeElseLate,
		CodeBadAttribute,
		CodeStructure,
		CodeDuplicate,
		CodeBarrierDivergent,
		CodeConvergent,
		CodeNotUniform,
		CodeMisaligned,
		CodeVectorWidth,
		CodeSharedTooLarge,
		CodeBlockTooLarge,
		CodeContract,
		CodeTargetUnavailable,
		CodePDLWaitMissing,
		CodeNCNotConstant,
		CodeConstantWritten,
		CodeBarrierID,
		CodeTied,
		CodeKernelPanic,
		CodeCopyMisaligned,
		CodeCopySize,
		CodeTileMisaligned,
		CodeMatrixShape,
		CodeArrivals,
		CodeTxBytes,
		CodeClusterMissing,
		CodeClusterStart,
		CodeClusterExit,
		CodeClusterBarrier,
		CodeGroupUnequal,
		CodeGroupNotWaited,
		CodeNotCommitted,
		CodeInFlight,
		CodeFenceMissing,
		CodeProxyFence,
		CodeRegisters,
		CodeBox,
	}
}
