package oxrt_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakedriver"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readCubin(t testing.TB, target string) []byte {
	t.Helper()
	b, err := os.ReadFile("internal/cubinelf/testdata/tiny_" + target + ".cubin")
	must(t, err)
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// tiny is the artifact of internal/cubinelf/testdata: tiny(p0 u64, p1 u32), one warp.
func tiny(t testing.TB) *oxrt.Artifact {
	image := readCubin(t, "sm_90a")
	return &oxrt.Artifact{
		Algorithm: "Tiny", Variant: "v", Target: "sm_90a", Entry: "tiny",
		Cubin: image, CubinSHA256: digest(image), PTXSHA256: digest([]byte("ptx")),
		Launch: oxrt.LaunchContract{
			Block: oxrt.Dim3{X: 32, Y: 1, Z: 1}, ParamBytes: 12, ProgrammaticLaunch: true, MaxDynamicSharedBytes: 1024,
			Params: []oxrt.ParamInfo{{Name: "p0", Offset: 0, Size: 8, Pointer: true}, {Name: "p1", Offset: 8, Size: 4}},
		},
	}
}

// rig is a runtime on a fake driver with one stream and one kernel.
type rig struct {
	testing.TB
	drv    *fakedriver.Driver
	rt     *oxrt.Runtime
	dev    *oxrt.Device
	stream *oxrt.Stream
	kernel *oxrt.Kernel
}

func newRig(t testing.TB, manual bool) *rig {
	t.Helper()
	drv := fakedriver.New(manual)
	rt, err := oxrt.OpenDriver(drv)
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	kernel, err := dev.Load(tiny(t))
	must(t, err)
	return &rig{t, drv, rt, dev, stream, kernel}
}

func (r *rig) buffer(bytes int64) *oxrt.Buffer {
	r.Helper()
	b, err := r.dev.Alloc(bytes)
	must(r, err)
	return b
}

func (r *rig) begin() *oxrt.Scope {
	r.Helper()
	s, err := r.stream.Begin()
	must(r, err)
	return s
}

func (r *rig) launch(s *oxrt.Scope) error {
	var p oxrt.Params
	p.PutPtr(0, 0x100)
	p.PutU32(8, 3)
	return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p)
}

// use submits a launch that writes the buffer.
func (r *rig) use(b *oxrt.Buffer) oxrt.Completion {
	r.Helper()
	s := r.begin()
	must(r, s.Bind("op", oxrt.Operand{Name: "y", Region: b.All(oxrt.F32), Access: oxrt.Write}))
	must(r, r.launch(s))
	done, err := s.Submit()
	must(r, err)
	return done
}
