package oxrt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

var tables = &oxrt.Validation{Operator: "decode", Operands: []string{"page_table", "lengths"}}

// checked adds a validating operator that writes the buffer.
func (r *rig) checked(s *oxrt.Scope, b *oxrt.Buffer) oxrt.Status {
	r.Helper()
	must(r, s.Bind("decode", oxrt.Operand{Name: "y", Region: b.All(oxrt.F32), Access: oxrt.Write}))
	st, err := s.Status(tables)
	must(r, err)
	must(r, r.launch(s))
	return st
}

// reject does what a kernel does that finds lengths[7] = 40 where at most 32 is allowed.
func reject(record []byte, operator uint32) {
	if binary.LittleEndian.Uint32(record[oxrt.StatusRule:]) != 0 {
		return // the first finding stays
	}
	binary.LittleEndian.PutUint32(record[oxrt.StatusOperator:], operator)
	binary.LittleEndian.PutUint32(record[oxrt.StatusOperand:], 1)
	binary.LittleEndian.PutUint64(record[oxrt.StatusIndex:], 7)
	binary.LittleEndian.PutUint64(record[oxrt.StatusWanted:], 32)
	binary.LittleEndian.PutUint64(record[oxrt.StatusGot:], 40)
	binary.LittleEndian.PutUint32(record[oxrt.StatusRule:], uint32(oxrt.RuleAtMost))
}

func wantRejected(t testing.TB, err error) {
	t.Helper()
	var rejected *oxrt.RejectedError
	want := oxrt.RejectedError{Operator: "decode", Operand: "lengths", Index: 7, Rule: oxrt.RuleAtMost, Wanted: 32, Got: 40}
	if !errors.As(err, &rejected) || *rejected != want || !errors.Is(err, oxrt.ErrRejected) {
		t.Fatalf("got %v", err)
	}
	if text := "decode: lengths[7]: want at most 32, got 40"; err.Error() != text {
		t.Errorf("got %q, want %q", err, text)
	}
}

func (r *rig) submit(s *oxrt.Scope) oxrt.Completion {
	r.Helper()
	done, err := s.Submit()
	must(r, err)
	return done
}

// TestRejectionIsTheOutcomeOfItsSubmission: of three submissions in flight, the one that the device rejected and no other.
func TestRejectionIsTheOutcomeOfItsSubmission(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	var done [3]oxrt.Completion
	for i := range done {
		s := r.begin()
		r.checked(s, buf)
		if st := r.checked(s, buf); st.Operator != 1 {
			t.Errorf("the second operator has number %d", st.Operator)
		} else if i == 1 {
			reject(r.drv.Host(st.Record), 1)
			reject(r.drv.Host(st.Record), 0)
		}
		done[i] = r.submit(s)
	}
	r.drv.Advance(r.stream.Handle(), 3, oxrt.CodeSuccess)
	must(t, done[2].Wait(context.Background()))
	must(t, done[0].Wait(context.Background()))
	for range 2 {
		wantRejected(t, done[1].Wait(context.Background()))
	}
	must(t, buf.Close()) // leases are back
	// Records are used again, and clean.
	again := r.buffer(64)
	for range 1000 {
		s := r.begin()
		r.checked(s, again)
		last := r.submit(s)
		r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
		must(t, last.Wait(context.Background()))
	}
	if n := r.drv.Calls("AllocHost"); n != 1 {
		t.Errorf("%d allocations of host memory", n)
	}
}

// TestManyCheckedInFlight: more validating submissions than records are a matter of one more chunk.
func TestManyCheckedInFlight(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	var done []oxrt.Completion
	seen := map[oxrt.DevicePtr]bool{}
	for range 200 {
		s := r.begin()
		st := r.checked(s, buf)
		if seen[st.Record] {
			t.Fatal("two submissions in flight share a record")
		}
		seen[st.Record] = true
		done = append(done, r.submit(s))
	}
	r.drv.Advance(r.stream.Handle(), 200, oxrt.CodeSuccess)
	for _, d := range done {
		must(t, d.Wait(context.Background()))
	}
	must(t, buf.Close())
	must(t, r.rt.Close())
	if a, f := r.drv.Calls("AllocHost"), r.drv.Calls("FreeHost"); a != 2 || f != 2 {
		t.Errorf("%d chunks allocated, %d freed", a, f)
	}
}

// TestDroppedScopesGiveTheirRecordBack also when a submission fails.
func TestDroppedScopesGiveTheirRecordBack(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	for range 300 {
		s := r.begin()
		r.checked(s, buf)
		s.Drop()
		s = r.begin()
		r.checked(s, buf)
		r.drv.Fail("Submit", oxrt.CodeLaunchOutOfResources)
		if _, err := s.Submit(); !errors.Is(err, oxrt.CodeLaunchOutOfResources) {
			t.Fatal(err)
		}
		r.drv.Fail("Submit", oxrt.CodeSuccess)
	}
	must(t, r.dev.Synchronize())
	if n := r.drv.Calls("AllocHost"); n != 1 {
		t.Errorf("records were lost: %d chunks", n)
	}
	must(t, buf.Close())
}

func TestStatusInSomebodyElsesCapture(t *testing.T) {
	r := newRig(t, false)
	buf, word := r.buffer(64), r.buffer(64)
	r.drv.Capturing(r.stream.Handle(), true)
	s := r.begin()
	r.checked(s, buf)
	submitted := r.drv.Commands()
	_, err := s.Submit()
	var capture *oxrt.CaptureError
	if !errors.As(err, &capture) || capture.Operator != "decode" || !errors.Is(err, oxrt.ErrCapture) || r.drv.Commands() != submitted {
		t.Fatalf("got %v", err)
	}
	s = r.begin()
	must(t, s.ReportTo(word.All(oxrt.U8)))
	if st := r.checked(s, buf); st != (oxrt.Status{Record: word.Ptr(), Operator: 0}) {
		t.Errorf("reports to %+v", st)
	}
	if st := r.checked(s, buf); st != (oxrt.Status{Record: word.Ptr(), Operator: 1}) {
		t.Errorf("reports to %+v", st)
	}
	if done := r.submit(s); !done.Captured() {
		t.Error("not captured")
	}
	record := make([]byte, oxrt.StatusBytes)
	must(t, oxrt.ReadStatus(record, tables))
	reject(record, 0)
	wantRejected(t, oxrt.ReadStatus(record, tables))
	if err := oxrt.ReadStatus(record); !errors.Is(err, oxrt.ErrRejected) {
		t.Errorf("without names: %v", err)
	}
	must(t, buf.Close())
	must(t, word.Close())
}

func TestReportToRefusals(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(128)
	small, err := buf.Region(0, oxrt.U64, 4)
	must(t, err)
	odd, err := buf.Region(4, oxrt.U32, 16)
	must(t, err)
	for name, c := range map[string]func(*oxrt.Scope) error{
		"too small":  func(s *oxrt.Scope) error { return s.ReportTo(small) },
		"misaligned": func(s *oxrt.Scope) error { return s.ReportTo(odd) },
		"read only":  func(s *oxrt.Scope) error { return s.ReportTo(buf.All(oxrt.U64).ReadOnly()) },
		"too late":   func(s *oxrt.Scope) error { r.checked(s, buf); return s.ReportTo(buf.All(oxrt.U64)) },
	} {
		s := r.begin()
		if err := c(s); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Submit(); err == nil {
			t.Errorf("%s: submitted", name)
		}
	}
	must(t, buf.Close())
}

func TestGraphRejects(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	must(t, r.stream.BeginCapture())
	var at [2]oxrt.Status
	for i := range at {
		s := r.begin()
		at[i] = r.checked(s, buf)
		r.submit(s)
	}
	if at[0].Record != at[1].Record || at[1].Operator != 1 {
		t.Errorf("the scopes of a graph report to %+v", at)
	}
	g, err := r.stream.EndCapture()
	must(t, err)
	for _, bad := range []bool{false, true, false} {
		done, err := g.Launch(r.stream)
		must(t, err)
		if _, err := g.Launch(r.stream); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("a second replay with the same record: %v", err)
		}
		if bad {
			reject(r.drv.Host(at[1].Record), at[1].Operator)
		}
		r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
		err = done.Wait(context.Background())
		if !bad {
			must(t, err)
			continue
		}
		wantRejected(t, err)
	}
	must(t, g.Close())
	must(t, buf.Close())
}

// TestCheckedCallsAllocateNothing: neither in Go nor in the driver.
func TestCheckedCallsAllocateNothing(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	must(t, r.stream.ReserveWorkspace(4096))
	call := func() {
		s, err := r.stream.Begin()
		if err != nil {
			t.Fatal(err)
		}
		r.checked(s, buf)
		if _, err := s.Workspace("decode", 4096); err != nil {
			t.Fatal(err)
		}
		done, err := s.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if err := done.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range 128 {
		call()
	}
	before := r.drv.AllCalls()
	if n := testing.AllocsPerRun(500, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	for method, n := range r.drv.AllCalls() {
		if n != before[method] && method != "Submit" && method != "EventQuery" {
			t.Errorf("a call does %s", method)
		}
	}
}
