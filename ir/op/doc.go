// Package op is the table of the IR's operations: their signatures, the kinds on which they exist, their attributes and
// their effects. It is data only. The typed methods of package ir are generated from it, and the printer, the parser, the
// verifier and the lowering all dispatch on it, so a new operation starts with one literal here.
package op
