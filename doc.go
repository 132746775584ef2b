// Package oxide is the root of Oxide Infer: GPU operators for LLM inference as a Go library. It has no code of its own.
//
// Programs import the operator families (algorithms/normalization, algorithms/activation) and package oxrt (runtime);
// kernel authors import ir and ir/lib and build with cmd/oxidegen. README.md shows a first call and a first kernel.
package oxide

//go:generate go tool oxidegen build -install ./algorithms/... ./cmd/oxidelab/...
