// Package device opens what a --device flag names.
package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// Help documents a --device flag.
const Help = "auto (an H100 or H200 if there is one, else emulated), emulated, or cuda:N"

// Emulated is the name of the emulated device.
const Emulated = "emulated"

// Device is an open device with a stream of its own.
type Device struct {
	Runtime *oxrt.Runtime
	Dev     *oxrt.Device
	Stream  *oxrt.Stream
}

// Open opens the device of that name.
func Open(name string) (*Device, error) { return OpenWith(name, oxrt.Options{}) }

// OpenWith is Open with options for the runtime.
func OpenWith(name string, o oxrt.Options) (*Device, error) {
	switch number, isCUDA := strings.CutPrefix(name, "cuda:"); {
	case name == Emulated:
		rt, err := oxrt.OpenDriverWith(emulated.New(emulated.Options{Lookups: []emulated.Lookup{ptx.Lookup}}), o)
		return On(rt, err, 0)
	case name == "auto":
		return auto(o)
	case isCUDA:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("device %q: %q is no device number", name, number)
		}
		rt, err := oxrt.OpenWith(o)
		return On(rt, err, n)
	}
	return nil, fmt.Errorf("device %q: want %s", name, Help)
}

// auto takes the first device with artifacts, and the emulated one on a machine without such a device. A driver
// that exists and fails is an error: it must not look like a machine without one.
func auto(o oxrt.Options) (*Device, error) {
	rt, err := oxrt.OpenWith(o)
	if errors.Is(err, oxrt.ErrNoDriver) {
		return OpenWith(Emulated, o)
	}
	if err != nil {
		return nil, err
	}
	infos, err := rt.Devices()
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	for n, info := range infos {
		if info.Major == 9 && info.Minor == 0 {
			return On(rt, nil, n)
		}
	}
	if err := rt.Close(); err != nil {
		return nil, err
	}
	return OpenWith(Emulated, o)
}

// On opens a device of a runtime and owns the runtime from then on. A non-nil err is returned.
func On(rt *oxrt.Runtime, err error, ordinal int) (*Device, error) {
	if err != nil {
		return nil, err
	}
	dev, err := rt.Device(ordinal)
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	stream, err := dev.NewStream()
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	return &Device{rt, dev, stream}, nil
}

// IsEmulated reports whether there is no GPU behind it.
func (d *Device) IsEmulated() bool { return d.Runtime.DriverName() == "emulated" }

// Name is the name that opens the same device again.
func (d *Device) Name() string {
	if d.IsEmulated() {
		return Emulated
	}
	return fmt.Sprintf("cuda:%d", d.Dev.Ordinal())
}

func (d *Device) String() string {
	major, minor := d.Dev.ComputeCapability()
	return fmt.Sprintf("%s (compute capability %d.%d, %s)", d.Dev.Name(), major, minor, d.Runtime.DriverName())
}

// Close closes the stream and the runtime.
func (d *Device) Close() error { return errors.Join(d.Stream.Close(), d.Runtime.Close()) }
