// Package bundle is what the generated driver program hands to oxidegen: every kernel of some packages as PTX, with
// its contract and the Go positions of its lines, and every mistake found on the way.
//
// It is JSON in a file, not on standard output: a kernel that prints must not break it.
package bundle
