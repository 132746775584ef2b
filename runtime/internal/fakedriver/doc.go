// Package fakedriver is a driver table for tests of everything above it: no device, no cgo. It counts calls, fails on command, keeps
// books about memory, and in manual mode finishes work only when the test says so.
package fakedriver
