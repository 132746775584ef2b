// Package kernels describes the device code of package activation: SiLU and GELU, gated (SwiGLU, GeGLU) or plain.
//
// The packet kernels move 16 bytes at a time and need rows that allow it; the element kernels take any row. Both deal the
// columns of a row out over grid x and the rows over grid y.
package kernels
