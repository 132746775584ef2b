// Package lib holds device code that kernels of several families share: element formats, packets of 16 bytes and
// reductions. Everything is plain code over package ir.
package lib
