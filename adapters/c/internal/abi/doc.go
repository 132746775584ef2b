// Package abi is the C ABI without C: what each exported function does, over opaque handles and plain structs. The package adapters/c
// only turns its errors into codes; package bind makes the header from its types.
//
// # Handles
//
// A handle is a number: what it names, a slot, and the slot's generation. It is never a Go pointer. A handle that was destroyed, or never
// given out, is [ErrHandle] for ever: a slot's next user has another generation. When a call panics, its handle is poisoned: it can be
// destroyed and nothing else.
//
// # Structs
//
// Every struct begins with a [Header]: its size and a version that names the struct and its layout. Both must agree before anything else is
// read, and nothing is written to the caller's memory unless the call succeeds.
package abi
