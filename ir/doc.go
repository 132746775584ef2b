// Package ir is the typed language in which kernels are written.
//
// A kernel is a Go function that receives a *Kernel and calls methods on typed device values; running it once records the
// kernel. Go control flow happens while building, so an ordinary for loop unrolls and an ordinary if selects a variant.
// Device control flow has its own forms:
//
//	for i := range k.Loop(lo, hi, step) { … }   // a loop on the device, traced once
//	for range k.While(func() ir.Pred { … }) { … }
//	k.If(p, func() { … }).Else(func() { … })
//
// We say build value for a Go value that exists while a kernel is built (a tile size) and device value for an ir value.
// A variable that changes on the device is a Var. Methods are exact unless an option asks otherwise: x.Add(y) rounds to
// nearest even, x.Add(y, ir.RZ) does not, x.ReciprocalSqrt(ir.Approx) has no exact form.
//
// Build verifies what it recorded and reports every mistake at once, each with a stable code, the Go line with the chain of
// helpers that led to it, and a fix. String prints a kernel and Parse reads it back.
//
// The operations are the rows of the table in package op; their methods are generated from it.
package ir

//go:generate go run ./internal/opgen
