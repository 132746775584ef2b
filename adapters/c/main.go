//go:build cgo && linux

// Package main is the C ABI of Oxide Infer. Build it as a shared library, and include oxide.h:
//
//	go build -buildmode=c-shared -o liboxide.so ./adapters/c
//
// Package internal/abi does the work; what is here only crosses between C and Go. Every exported function has a C side (zexports.c) that a
// program calls; the functions named oxideGo... are not for use.
package main

// #include "exports.h"
import "C"

import (
	"runtime/debug"
	"unsafe"

	"github.com/oxideinfer/oxide/adapters/c/internal/abi"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

//go:generate go run ./internal/bind/gen

var library = abi.New(abi.Options{
	Bindings: operators.Bindings(),
	Open:     func() (*oxrt.Runtime, error) { return oxrt.OpenWith(oxrt.Options{RestoreNoContext: true}) },
	Emulated: func() *emulated.Driver { return emulated.New(emulated.Options{Lookups: []emulated.Lookup{ptx.Lookup}}) },
})

func main() {}

// finish turns an error into a status that the thread remembers.
func finish(err error) C.oxide_status {
	switch err {
	case nil:
		return C.OXIDE_OK
	case abi.NotReady:
		return C.OXIDE_NOT_READY
	}
	e := abi.Describe(err)
	return C.oxide_remember((*C.oxide_error)(unsafe.Pointer(&e)))
}

// version is the text of oxide_version, made once.
var version = C.CString(versionText())

func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
			text += " " + s.Key[len("vcs."):] + " " + s.Value
		}
	}
	return text
}

//export oxideGoVersion
func oxideGoVersion() *C.char { return version }

func ref(h C.uint64_t) abi.Ref        { return abi.Ref(h) }
func refs(p *C.uint64_t) *abi.Ref     { return (*abi.Ref)(unsafe.Pointer(p)) }
func kind(k C.int32_t) abi.DeviceKind { return abi.DeviceKind(k) }
func number(p *C.int32_t) *int32      { return (*int32)(unsafe.Pointer(p)) }
