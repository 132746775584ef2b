// Package tensormap encodes tensor maps with the CUDA driver, whose encoding nobody else knows. Recording a PTX case on a
// device needs it; the emulator encodes its own.
package tensormap
