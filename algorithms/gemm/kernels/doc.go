// Package kernels describes the device code of package gemm: matrix products with what is done to their results.
package kernels
