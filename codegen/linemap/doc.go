// Package linemap reads and writes the .map files beside generated PTX: for every PTX line the Go line that made it,
// and the helpers through which it came. A file is text:
//
//	file example.com/user/kernels/norm.go
//	at 0 41 - rmsNorm
//	at 0 27 0 warpSum
//	37 0
//	38 1
//	52 -
//
// A file line names a source file, an at line a place: file, line, the place of the caller or "-", function. Both are
// numbered from 0. The remaining lines say from which PTX line on which place holds, until the next such line; "-" is
// no place. Kernels are long and their helper chains repeat: written out, the maps were three quarters of gen/.
package linemap
