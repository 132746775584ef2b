package oxrt_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func TestDTypes(t *testing.T) {
	sizes := map[string]int{"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1, "i64": 8, "i32": 4, "i16": 2, "i8": 1,
		"u64": 8, "u32": 4, "u16": 2, "u8": 1, "bool": 1}
	for _, d := range oxrt.DTypes() {
		back, ok := oxrt.ParseDType(d.String())
		if !ok || back != d || d.Size() != sizes[d.String()] || !d.Valid() {
			t.Errorf("%v: size %d, parsed %v", d, d.Size(), back)
		}
		delete(sizes, d.String())
	}
	if len(sizes) != 0 {
		t.Errorf("missing %v", sizes)
	}
	if bad := oxrt.DType(200); bad.Valid() || bad.Size() != 0 || bad.String() != "none" || bad.IsFloat() {
		t.Error("an invalid type is taken for one")
	}
	if _, ok := oxrt.ParseDType("none"); ok {
		t.Error("parsed none")
	}
	if !oxrt.E5M2.IsFloat() || oxrt.I64.IsFloat() || oxrt.DType(0).IsFloat() {
		t.Error("IsFloat")
	}
}

func TestParams(t *testing.T) {
	var p oxrt.Params
	p.PutU8(0, 0x11)
	p.PutI8(1, -1)
	p.PutU16(2, 0x2233)
	p.PutF32(4, 1)
	p.PutI64(8, -2)
	p.PutF64(16, -2)
	p.PutBytes(32, 32, []byte{1, 2, 3})
	const want = "11ff33220000803ffeffffffffffffff00000000000000c00000000000000000010203"
	if got := hex.EncodeToString(p.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.Reset()
	p.PutI32(4, 1)
	if got := hex.EncodeToString(p.Bytes()); got != "0000000001000000" {
		t.Errorf("after Reset: %s", got)
	}
}

func TestParamsRefusesWhatDoesNotFit(t *testing.T) {
	r := newRig(t, false)
	for name, put := range map[string]func(*oxrt.Params){
		"outside":          func(p *oxrt.Params) { p.PutU64(oxrt.MaxParamBytes, 1) },
		"across the end":   func(p *oxrt.Params) { p.PutBytes(oxrt.MaxParamBytes-2, 1, []byte{1, 2, 3}) },
		"huge offset":      func(p *oxrt.Params) { p.PutU32(1<<32-4, 1) },
		"misaligned":       func(p *oxrt.Params) { p.PutU16(1, 1) },
		"misaligned bytes": func(p *oxrt.Params) { p.PutBytes(32, 64, []byte{1}) },
		"too many bytes":   func(p *oxrt.Params) { p.PutBytes(0, 1, make([]byte, oxrt.MaxParamBytes+1)) },
	} {
		var p oxrt.Params
		p.PutU64(0, 1)
		p.PutU32(8, 1)
		put(&p)
		s := r.begin()
		if err := s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
		s.Drop()
	}
}

func TestRegions(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(100)
	reg, err := buf.Region(4, oxrt.F32, 24)
	must(t, err)
	if reg.Ptr() != buf.Ptr()+4 || reg.Bytes() != 96 || reg.Owner() != buf || reg.AlignedTo(8) || !reg.AlignedTo(4) {
		t.Errorf("%+v", reg)
	}
	part, err := reg.Slice(20, 4)
	must(t, err)
	if part.Ptr() != buf.Ptr()+84 || part.Len() != 4 {
		t.Errorf("%+v", part)
	}
	halves, err := part.As(oxrt.BF16)
	must(t, err)
	if halves.Len() != 8 || halves.DType() != oxrt.BF16 {
		t.Errorf("%+v", halves)
	}
	for name, err := range map[string]error{
		"outside":          second(buf.Region(4, oxrt.F32, 25)),
		"negative":         second(buf.Region(-4, oxrt.F32, 1)),
		"overflow":         second(buf.Region(0, oxrt.F64, 1<<61)),
		"misaligned":       second(buf.Region(2, oxrt.F32, 1)),
		"no type":          second(buf.Region(0, 0, 1)),
		"slice":            second(reg.Slice(24, 1)),
		"slice overflow":   second(reg.Slice(1, 1<<62)),
		"as f64":           second(reg.As(oxrt.F64)),
		"external null":    second(oxrt.External(0, 1, oxrt.F32, oxrt.Read)),
		"external wrap":    second(oxrt.External(^oxrt.DevicePtr(3), 4, oxrt.F32, oxrt.Read)),
		"external huge":    second(oxrt.External(16, 1<<62, oxrt.F32, oxrt.Read)),
		"external odd":     second(oxrt.External(2, 1, oxrt.F32, oxrt.Read)),
		"external access":  second(oxrt.External(4, 1, oxrt.F32, 0)),
		"external no type": second(oxrt.External(4, 1, 0, oxrt.Read)),
		"negative alloc":   second(r.dev.Alloc(-1)),
	} {
		if !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty, err := r.dev.Alloc(0)
	must(t, err)
	if empty.Ptr() != 0 || !empty.All(0).IsZero() || empty.All(oxrt.F32).Len() != 0 {
		t.Error("empty buffer")
	}
	must(t, empty.Close())
	if _, err := oxrt.External(0, 0, oxrt.F32, oxrt.Read); err != nil {
		t.Errorf("an empty external region: %v", err)
	}
}

func TestCopiesAreChecked(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(8)
	all := buf.All(oxrt.F32)
	other, err := r.rt.Device(1)
	must(t, err)
	far, err := other.Alloc(8)
	must(t, err)
	must(t, r.stream.Upload(all, make([]byte, 8)))
	must(t, r.stream.Download(make([]byte, 4), all))
	must(t, r.stream.Upload(all, nil))
	for name, err := range map[string]error{
		"too long":       r.stream.Upload(all, make([]byte, 9)),
		"read only":      r.stream.Upload(all.ReadOnly(), make([]byte, 8)),
		"another device": r.stream.Download(make([]byte, 8), far.All(oxrt.F32)),
	} {
		if !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, buf.Close())
	if err := r.stream.Upload(all, make([]byte, 8)); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestCodes(t *testing.T) {
	if got := oxrt.CodeIllegalAddress.Error(); got != "CUDA_ERROR_ILLEGAL_ADDRESS" {
		t.Error(got)
	}
	if got := oxrt.Code(12345).Error(); got != "CUDA_ERROR_12345" {
		t.Error(got)
	}
	for code, sticky := range map[oxrt.Code]bool{oxrt.CodeIllegalAddress: true, oxrt.CodeECCUncorrectable: true, oxrt.CodeLaunchFailed: true,
		oxrt.CodeDeviceUnavailable: true, oxrt.CodeOutOfMemory: false, oxrt.CodeInvalidValue: false, oxrt.CodeNotReady: false, oxrt.CodeSuccess: false} {
		if code.Sticky() != sticky {
			t.Errorf("%v: sticky %v", code, code.Sticky())
		}
	}
	detail := errors.New("detail")
	err := error(&oxrt.DriverError{Op: "cuX", Kernel: "k", Code: oxrt.CodeOutOfMemory, Detail: detail})
	if !errors.Is(err, oxrt.CodeOutOfMemory) || !errors.Is(err, detail) || errors.Is(err, oxrt.CodeNotFound) ||
		err.Error() != "k: cuX: CUDA_ERROR_OUT_OF_MEMORY: detail" {
		t.Error(err)
	}
}
