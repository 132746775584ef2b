// Package kernels holds the kernels of this example. `go generate` builds them into ../../gen.
package kernels

//go:generate go tool oxidegen build -install .
