//go:build !cgo || !linux

// Package main is the C ABI of Oxide Infer; it needs cgo and Linux.
package main

func main() {}
