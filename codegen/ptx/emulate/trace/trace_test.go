package trace_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/trace"
)

const text = `.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n)
{
.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
.shared .align 8 .b64 bar;
.shared .align 16 .b8 tile[256];
ld.param.u64 %rd0, [x];
ld.param.u32 %r9, [n];
mov.u32 %r0, %tid.x;
mov.u32 %r1, bar;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd0], 256, [%r1];
W:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
@!%p1 bra W;
mov.u32 %r2, tile;
mad.lo.u32 %r3, %r0, 4, %r2;
ld.shared.u32 %r4, [%r3];
add.u32 %r4, %r4, %r9;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
st.global.u32 [%rd2], %r4;
ret;
}
`

// run traces the kernel with two warps; n is added to every element.
func run(t *testing.T, filter string, n uint32, cfg emulate.Config) string {
	t.Helper()
	f, err := trace.ParseFilter(filter)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := emulate.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	tr := trace.New(&out, f)
	cfg.Observe, cfg.Workers = tr.Observe, 1
	dev := emulate.NewDevice(cfg)
	x, err := dev.Alloc("x", 256)
	if err != nil {
		t.Fatal(err)
	}
	tr.Name = func(addr uint64) (string, uint64) {
		if addr-x < 256 {
			return "x", addr - x
		}
		return "", 0
	}
	if err := dev.Memset(x, 1, 256); err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(nil, x)
	params = binary.LittleEndian.AppendUint32(params, n)
	res, err := dev.Launch(p.Kernel("k"), emulate.LaunchConfig{Block: [3]uint32{64, 1, 1}}, params)
	if err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	if err := tr.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestFilters: each condition gives exactly the lines that it names.
func TestFilters(t *testing.T) {
	const head = "launch k grid 1,1,1 block 64,1,1\n"
	for _, c := range []struct{ filter, want string }{
		{"warp=0:1,line=23", "b0 w1 l23 ffffffff mad.lo.u32 %r3=0x490+4*t\n"},
		{"thread=33,line=28", "b0 w1 l28 00000002 st.global.u32 [x+0x84]\n"},
		{"warp=1,addr=x:128-131", "b0 w1 l28 00000001 st.global.u32 [x+0x80]\n"},
		{"addr=x:252,warp=0", "b0 w0 l18 00000001 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared 0x410] [x+0x0] [shared 0x400] copies x+0x0:256 -> shared 0x410:256 on shared 0x400\n"},
		{"barrier=0", "b0 w0 l16 ffffffff bar.sync waits\nb0 w1 l16 ffffffff bar.sync\n"},
		{"barrier=0x400,warp=0,line=1-19", `b0 w0 l14 00000001 mbarrier.init.shared::cta.b64 [shared 0x400]
b0 w0 l17 00000001 mbarrier.arrive.expect_tx.shared::cta.b64 [shared 0x400]
b0 w0 l18 00000001 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared 0x410] [x+0x0] [shared 0x400] copies x+0x0:256 -> shared 0x410:256 on shared 0x400
`},
		{"addr=shared:0x410-0x413,line=24", "b0 w0 l24 00000001 ld.shared.u32 [shared 0x410] %r4=0x1010101\n"},
		{"warp=0,line=24", "b0 w0 l24 ffffffff ld.shared.u32 [shared 0x410+4*t] %r4=0x1010101\n"},
		{"warp=1,line=17", "b0 w1 l17 off mbarrier.arrive.expect_tx.shared::cta.b64\n"},
	} {
		got := strings.TrimPrefix(run(t, c.filter, 5, emulate.Config{}), head)
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.filter, got, c.want)
		}
	}
}

// TestDeterministic: the same run gives the same text, and other schedules and completions differ in no warp.
func TestDeterministic(t *testing.T) {
	first := run(t, "all", 5, emulate.Config{})
	if first != run(t, "all", 5, emulate.Config{}) {
		t.Error("two runs differ")
	}
	for _, cfg := range []emulate.Config{{Async: emulate.AsyncEarly}, {Seed: 3}, {Seed: 7}} {
		other := run(t, "all", 5, cfg)
		d, err := trace.Diff(strings.NewReader(first), strings.NewReader(other))
		if err != nil || d != nil {
			t.Errorf("%+v: %v %+v\n%s\n%s", cfg, err, d, first, other)
		}
	}
}

// TestDiff: the first value that differs is found, with what came before and after it.
func TestDiff(t *testing.T) {
	d, err := trace.Diff(strings.NewReader(run(t, "all", 5, emulate.Config{})), strings.NewReader(run(t, "all", 6, emulate.Config{})))
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	if d.Others != 1 || !strings.Contains(d.A[0], "ld.param.u32 [param 0x8] %r9=0x5") || !strings.Contains(d.B[0], "%r9=0x6") || len(d.Before) == 0 {
		t.Errorf("%+v", d)
	}
	var out strings.Builder
	d.Write(&out)
	for _, part := range []string{"1 more warps", "\n - b0 w", "\n + b0 w", "\n   b0 w"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	short := "launch k\nb0 w0 l1 00000001 a\n"
	if d, _ := trace.Diff(strings.NewReader(short), strings.NewReader(short+"b0 w1 l1 00000001 a\n")); d == nil || d.Warp != "b0 w1" || d.LineA != 0 || d.LineB != 3 {
		t.Errorf("a warp that only one trace has: %+v", d)
	}
}

func TestFilterRefuses(t *testing.T) {
	for _, bad := range []string{"x=1", "thread=a", "warp=1:", "line=5-3", "addr=shared:9-", "barrier="} {
		if _, err := trace.ParseFilter(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
