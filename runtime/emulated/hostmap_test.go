//go:build linux

package emulated_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// TestMapHost: a kernel works on memory of the host at the host's address, and no longer once it is unmapped.
func TestMapHost(t *testing.T) {
	drv := emulated.New(emulated.Options{Lookups: []emulated.Lookup{lookup}})
	rt, err := oxrt.OpenDriver(drv)
	must(t, err)
	defer rt.Close()
	dev, err := rt.Device(0)
	must(t, err)
	kernel, err := dev.Load(scaleArtifact())
	must(t, err)
	// Memory as a C program has it: the addresses of Go's own heap may be those of the emulator's windows.
	mem, err := syscall.Mmap(-1, 0, 128, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	must(t, err)
	host := unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), 32)
	at := oxrt.DevicePtr(uintptr(unsafe.Pointer(&host[0])))
	for i := range host {
		host[i] = float32(i)
	}
	stream := oxrt.ExternalStream(dev, oxrt.StreamLegacy)
	double := func() error {
		var p oxrt.Params
		p.PutPtr(0, at)
		p.PutPtr(8, at)
		p.PutF32(16, 2)
		p.PutU32(20, 32)
		scope, err := stream.Begin()
		must(t, err)
		must(t, scope.Launch(kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p))
		done, err := scope.Submit()
		must(t, err)
		slot, generation := done.Slot()
		return dev.Completion(slot, generation).Wait(context.Background())
	}
	must(t, drv.MapHost(0, "host", mem))
	must(t, double())
	if host[31] != 62 {
		t.Errorf("host[31] = %g, want 62", host[31])
	}
	if drv.MapHost(0, "again", mem) == nil || drv.MapHost(0, "none", nil) == nil || drv.MapHost(1, "elsewhere", mem) == nil {
		t.Error("memory was mapped twice, without bytes, or on a device that is not there")
	}
	must(t, drv.UnmapHost(0, at))
	if drv.UnmapHost(0, at) == nil {
		t.Error("memory was unmapped twice")
	}
	if err := double(); !errors.Is(err, oxrt.CodeIllegalAddress) {
		t.Errorf("a kernel on unmapped memory ends with %v", err)
	}
	if _, err := dev.Completion(7, 0).Poll(); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("a completion that nobody had: %v", err)
	}
}
