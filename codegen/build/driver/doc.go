// Package driver is the body of the program that oxidegen generates and runs inside a user's module. The program
// lists the module's kernel declarations; Main builds, verifies and lowers each instance and writes a bundle.
//
// The program needs no toolchain and writes nothing but the bundle: assembling, files and messages are oxidegen's.
package driver
