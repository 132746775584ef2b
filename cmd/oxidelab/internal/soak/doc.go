// Package soak drives one device from many goroutines over few streams with random operators: eager calls, graphs, several operators in
// a scope, waits that are cancelled, buffers that are closed while they are in use, scopes that are dropped. Every result that is
// waited for must be right bit by bit, nothing may hang, and in the end nothing may be left.
package soak
