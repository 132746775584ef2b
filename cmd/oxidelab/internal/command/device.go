package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// deviceHelp documents the --device flag.
const deviceHelp = "auto (an H100 or H200 if there is one, else emulated), emulated, or cuda:N"

// device is an open device with a stream of its own.
type device struct {
	rt     *oxrt.Runtime
	dev    *oxrt.Device
	stream *oxrt.Stream
}

// openDevice opens what the --device flag names.
func openDevice(name string) (*device, error) {
	switch number, isCUDA := strings.CutPrefix(name, "cuda:"); {
	case name == "emulated":
		rt, err := emulated.Open(ptx.Lookup)
		return newDevice(rt, err, 0)
	case name == "auto":
		d, err := autoDevice()
		return d, err
	case isCUDA:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("device %q: %q is no device number", name, number)
		}
		rt, err := oxrt.Open()
		return newDevice(rt, err, n)
	}
	return nil, fmt.Errorf("device %q: want %s", name, deviceHelp)
}

// autoDevice takes the first device with artifacts, and the emulated one on a machine without such a device. A driver
// that exists and fails is an error: it must not look like a machine without one.
func autoDevice() (*device, error) {
	rt, err := oxrt.Open()
	if errors.Is(err, oxrt.ErrNoDriver) {
		return openDevice("emulated")
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
			return newDevice(rt, nil, n)
		}
	}
	if err := rt.Close(); err != nil {
		return nil, err
	}
	return openDevice("emulated")
}

func newDevice(rt *oxrt.Runtime, err error, ordinal int) (*device, error) {
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
	return &device{rt, dev, stream}, nil
}

func (d *device) isEmulated() bool { return d.rt.DriverName() == "emulated" }

func (d *device) String() string {
	major, minor := d.dev.ComputeCapability()
	return fmt.Sprintf("%s (compute capability %d.%d, %s)", d.dev.Name(), major, minor, d.rt.DriverName())
}

func (d *device) close() error { return errors.Join(d.stream.Close(), d.rt.Close()) }
