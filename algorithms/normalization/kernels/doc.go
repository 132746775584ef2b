// Package kernels describes the device code of package normalization: RMSNorm, residual add + RMSNorm, per-head RMSNorm
// and LayerNorm.
//
// Two structures serve all of them. Row keeps a row in registers, eight elements at a time, and touches memory once; it
// needs rows that 16-byte accesses can read. Stream walks over the row and reads it again for the second pass, which then
// comes from L1 or L2; it takes any length and any alignment.
//
// Every kernel takes part in programmatic dependent launch: weights are constant and load before griddepcontrol.wait,
// activations only after it.
package kernels
