// Package safetensors reads and writes the .safetensors file format: an 8-byte header length, a JSON header, and the
// tensors' bytes, little-endian and without gaps.
//
// The reader trusts nothing in a file. Lengths, offsets, shapes and types are checked against each other and against
// the size of the file before a byte of data is touched, and every refusal is an [*Error] that says what is wrong.
package safetensors
