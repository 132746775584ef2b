package pass_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/pass"
)

const head = `kernel @k target sm_90a
block 256 1 1
param %p global.f32 align 16
param %n u32
array %s shared.f32 count 1024 align 16
{
`

// apply parses a body, runs one pass and gives the body back.
func apply(t *testing.T, p pass.Pass, body string) string {
	t.Helper()
	k, err := ir.Parse(head + body + "}\n")
	if err != nil {
		t.Fatal(err)
	}
	if found := ir.Verify(k); len(found) > 0 {
		t.Fatal(ir.Findings(found))
	}
	p.Run(k)
	if found := ir.Verify(k); len(found) > 0 {
		t.Fatalf("after %s: %v", p.Name, ir.Findings(found))
	}
	_, text, _ := strings.Cut(k.String(), "{\n")
	return strings.TrimSuffix(text, "}\n")
}

func named(t *testing.T, name string) pass.Pass {
	for _, p := range pass.All() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no pass %s", name)
	return pass.Pass{}
}

func TestPasses(t *testing.T) {
	for _, c := range []struct{ pass, why, in, want string }{
		{"fold", "constants meet", `
	%1 = mul u32 u32:3, u32:5
	%2 = add u32 %1, %n
	%3 = add u32 %2, u32:0
	%4 = addr global.f32 %p, %3 {scale=4}
	%5 = mul f32 f32:2, f32:0.5
	store %4, %5
	yield
`, `	%0 = mul u32 u32:3, u32:5
	%1 = add u32 u32:15, %n
	%2 = add u32 %1, u32:0
	%3 = addr global.f32 %p, %1 {scale=4}
	%4 = mul f32 f32:2, f32:0.5
	store %3, f32:1
	yield
`},
		{"fold", "floats do not fold where bits could differ, nor x + 0, which turns -0 into 0", `
	%1 = load f32 %p
	%2 = add f32 %1, f32:0
	%3 = add f32 f32:1, f32:2 {rnd=rz}
	%4 = div u32 %n, u32:0
	%5 = cvt_int_float f32 %4
	%6 = add f32 %5, %3
	%7 = add f32 %6, %2
	store %p, %7
	yield
`, `	%0 = load f32 %p
	%1 = add f32 %0, f32:0
	%2 = add f32 f32:1, f32:2 {rnd=rz}
	%3 = div u32 %n, u32:0
	%4 = cvt_int_float f32 %3
	%5 = add f32 %4, %2
	%6 = add f32 %5, %1
	store %p, %6
	yield
`},
		{"fold", "signed and narrow integers wrap as on the device", `
	%1 = shr s32 s32:-8, u32:1
	%2 = cvt_int u32 %1
	%3 = add u16 u16:65535, u16:2
	%4 = cvt_int u32 %3
	%5 = add u32 %2, %4
	%6 = lt pred s32:-1, s32:1
	%7 = select u32 %6, %5, %n
	%8 = addr global.f32 %p, %7 {scale=4}
	store %8, f32:0
	yield
`, `	%0 = shr s32 s32:-8, u32:1
	%1 = cvt_int u32 s32:-4
	%2 = add u16 u16:65535, u16:2
	%3 = cvt_int u32 u16:1
	%4 = add u32 u32:4294967292, u32:1
	%5 = lt pred s32:-1, s32:1
	%6 = select u32 pred:true, u32:4294967293, %n
	%7 = addr global.f32 %p, u32:4294967293 {scale=4}
	store %7, f32:0
	yield
`},
		{"fold", "unsigned division by a power of two is a shift or a mask, other division stays", `
	%1 = div u32 %n, u32:16
	%2 = rem u32 %n, u32:16
	%3 = div u32 %1, u32:6
	%4 = add u32 %3, %2
	%5 = addr global.f32 %p, %4 {scale=4}
	store %5, f32:0
	yield
`, `	%0 = shr u32 %n, u32:4
	%1 = div u32 %n, u32:16
	%2 = and u32 %n, u32:15
	%3 = rem u32 %n, u32:16
	%4 = div u32 %0, u32:6
	%5 = add u32 %4, %2
	%6 = addr global.f32 %p, %5 {scale=4}
	store %6, f32:0
	yield
`},
		{"cse", "equal pure ops have one result, operands in any order; loads keep their own", `
	%1 = tid.x u32
	%2 = tid.x u32
	%3 = add u32 %1, %n
	%4 = add u32 %n, %2
	%5 = addr global.f32 %p, %3 {scale=4}
	%6 = addr global.f32 %p, %4 {scale=4}
	%7 = load f32 %5
	%8 = load f32 %6
	%9 = add f32 %7, %8
	store %6, %9
	yield
`, `	%0 = tid.x u32
	%1 = tid.x u32
	%2 = add u32 %0, %n
	%3 = add u32 %n, %0
	%4 = addr global.f32 %p, %2 {scale=4}
	%5 = addr global.f32 %p, %2 {scale=4}
	%6 = load f32 %4
	%7 = load f32 %4
	%8 = add f32 %6, %7
	store %4, %8
	yield
`},
		{"cse", "a value from one branch is not there in the other, one from outside is", `
	%1 = lt pred %n, u32:5
	%2 = if u32 %1 () {
		%3 = not u32 %n
		yield %3
	} () {
		%4 = not u32 %n
		yield %4
	}
	%5 = lt pred %n, u32:5
	%6 = if u32 %5 () {
		%7 = lt pred %n, u32:5
		%8 = select u32 %7, %2, %n
		yield %8
	} () {
		yield %n
	}
	%9 = addr global.f32 %p, %6 {scale=4}
	store %9, f32:0
	yield
`, `	%0 = lt pred %n, u32:5
	%3 = if u32 %0 () {
		%1 = not u32 %n
		yield %1
	} () {
		%2 = not u32 %n
		yield %2
	}
	%4 = lt pred %n, u32:5
	%7 = if u32 %0 () {
		%5 = lt pred %n, u32:5
		%6 = select u32 %0, %3, %n
		yield %6
	} () {
		yield %n
	}
	%8 = addr global.f32 %p, %7 {scale=4}
	store %8, f32:0
	yield
`},
		{"dce", "what nobody uses goes, and what only that used; shuffles and loads stay", `
	%1 = tid.x u32
	%2 = add u32 %1, %n
	%3 = mul u32 %2, %2
	%4 = shfl_bfly u32 %1 {lane=1}
	%5 = load f32 %p
	yield
`, `	%0 = tid.x u32
	%1 = shfl_bfly u32 %0 {lane=1}
	%2 = load f32 %p
	yield
`},
		{"address", "constants come out where the block size proves that nothing wraps", `
	%1 = tid.x u32
	%2 = add u32 %1, u32:256
	%3 = mul u32 %2, u32:4
	%4 = addr global.f32 %p, %3 {scale=4}
	%5 = load f32 %4
	%6 = mad u32 %1, u32:2, u32:7
	%7 = cvt_int u64 %6
	%8 = addr global.f32 %p, %7 {scale=4, off=4}
	store %8, %5
	%9 = addr shared.f32 %s, u32:3 {scale=4, off=8}
	store %9, %5
	yield
`, `	%0 = tid.x u32
	%1 = add u32 %0, u32:256
	%2 = mul u32 %1, u32:4
	%3 = mul u32 %0, u32:4
	%4 = addr global.f32 %p, %3 {scale=4}
	%5 = addr_off global.f32 %4 {off=4096}
	%6 = addr global.f32 %p, %2 {scale=4}
	%7 = load f32 %5
	%8 = mad u32 %0, u32:2, u32:7
	%9 = cvt_int u64 %8
	%10 = mul u32 %0, u32:2
	%11 = cvt_int u64 %10
	%12 = addr global.f32 %p, %11 {scale=4}
	%13 = addr_off global.f32 %12 {off=32}
	%14 = addr global.f32 %p, %9 {scale=4, off=4}
	store %13, %7
	%15 = addr_off shared.f32 %s {off=20}
	%16 = addr shared.f32 %s, u32:3 {scale=4, off=8}
	store %15, %7
	yield
`},
		{"address", "a parameter may be anything, so n + 1 may wrap and stays", `
	%1 = add u32 %n, u32:1
	%2 = addr global.f32 %p, %1 {scale=4}
	%3 = tid.x u32
	%4 = sub u32 %3, u32:1
	%5 = add u32 %4, u32:1
	%6 = addr global.f32 %p, %5 {scale=4}
	%7 = mul u32 %3, u32:33554432
	%8 = add u32 %7, u32:33554432
	%9 = addr global.f32 %p, %8 {scale=4}
	store %2, f32:0
	store %6, f32:0
	store %9, f32:0
	yield
`, `	%0 = add u32 %n, u32:1
	%1 = addr global.f32 %p, %0 {scale=4}
	%2 = tid.x u32
	%3 = sub u32 %2, u32:1
	%4 = add u32 %3, u32:1
	%5 = addr global.f32 %p, %4 {scale=4}
	%6 = mul u32 %2, u32:33554432
	%7 = add u32 %6, u32:33554432
	%8 = addr global.f32 %p, %7 {scale=4}
	store %1, f32:0
	store %5, f32:0
	store %8, f32:0
	yield
`},
		{"address", "a loop with known bounds has a known index", `
	loop u32:0, u32:100, u32:1 (%1: u32) {
		%2 = add u32 %1, u32:5
		%3 = addr global.f32 %p, %2 {scale=4}
		store %3, f32:0
		yield
	}
	yield
`, `	loop u32:0, u32:100, u32:1 (%0: u32) {
		%1 = add u32 %0, u32:5
		%2 = addr global.f32 %p, %0 {scale=4}
		%3 = addr_off global.f32 %2 {off=20}
		%4 = addr global.f32 %p, %1 {scale=4}
		store %3, f32:0
		yield
	}
	yield
`},
	} {
		t.Run(c.pass+"/"+c.why, func(t *testing.T) {
			if got := apply(t, named(t, c.pass), strings.TrimPrefix(c.in, "\n")); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestPassesHaveReasons(t *testing.T) {
	for _, p := range pass.All() {
		if p.Name == "" || p.Why == "" || p.Run == nil {
			t.Errorf("pass %+v", p.Name)
		}
	}
}
