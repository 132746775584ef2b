// Package trial launches a kernel on the emulator from arguments that stand on a command line, and profiles it.
package trial
