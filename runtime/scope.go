package oxrt

import (
	"fmt"
	goruntime "runtime"
	"sync/atomic"
)

// Scope collects the calls of one or more operators for one stream: it checks operands, holds leases and submits everything at once.
// A scope belongs to one goroutine and ends with Submit or Drop; any use after that is ErrStale, and a Drop after that does nothing.
//
// A call that is refused makes the scope refuse everything after it, Submit included, with the same error: an operator is never
// submitted in part. Drop it and begin another.
type Scope struct {
	c   *scopeCore
	gen uint64 // of the core while it is this scope's
}

// scopeCore is what a scope collects. Cores are reused, scopes are not: one that was kept by mistake must not end another.
type scopeCore struct {
	dev    *Device
	stream *Stream
	gen    atomic.Uint64 // odd while a scope is open
	err    error
	op     string // the operator bound last
	ops    int
	batch  Batch
	names  []string // of the kernel of each command
	leases []*lease

	sig     *Signature // the one bound last, nil where operands were bound one by one
	touches []touch    // in the order of their commands

	status    *statusRecord // of an eager submission that validates
	reportTo  DevicePtr     // the caller's record instead
	reports   uint32        // operators that report to it
	recorded  *recording    // whose record or workspace an operator has got
	eagerOp   string        // who must not be captured, and what would help
	eagerWant string

	view    TensorView // of the map that is being encoded
	encoded TensorMap
	maps    *rehearsedMaps // of a call that is being prepared, else nil

	before, after *scopeCore // in the pool's list of open scopes
}

// Operand is one region as an operator uses it.
type Operand struct {
	Name   string
	Region Region
	Access Access
	// InPlace names another operand of the same Bind that may be exactly this memory: an operator that works in place. Every other
	// overlap with a written operand is refused.
	InPlace string
	// Constant says that a programmatic launch reads the operand before it waits for the launches ahead of it. Where one of them may
	// still write the memory, the launch is made to wait instead; work of others than this runtime is not seen (see [LaunchConfig]).
	Constant bool
}

// LaunchConfig is what one launch of a kernel may choose within its contract.
type LaunchConfig struct {
	Grid Dim3 // X must be at least 1; Y and Z count as 1 if zero
	// Block is zero (the contract's exact block) or must equal it; kernels without an exact block need it.
	Block Dim3
	// DynamicSharedBytes is zero for the contract's default.
	DynamicSharedBytes uint32
	// Programmatic starts the kernel while the launch before it still runs; only for kernels whose contract says
	// ProgrammaticLaunch. An operand bound as Constant turns it off where an earlier operator of the stream may still write the operand.
	// What others write on the stream is not seen: a kernel of theirs that lets its dependents start early
	// (griddepcontrol.launch_dependents) must not write such an operand.
	Programmatic bool
}

// Begin opens a scope on the stream. It does no driver call.
func (s *Stream) Begin() (*Scope, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	scope := s.dev.scopes.get()
	c := scope.c
	c.stream, c.err, c.op, c.ops = s, nil, "", 0
	return scope, nil
}

// Stream returns the scope's stream, nil for an ended scope.
func (s *Scope) Stream() *Stream {
	if s.ended() {
		return nil
	}
	return s.c.stream
}

// Device returns the scope's device.
func (s *Scope) Device() *Device { return s.c.dev }

func (s *Scope) ended() bool { return s.c.gen.Load() != s.gen }

// ready returns the core of an open scope that has refused nothing.
func (s *Scope) ready() (*scopeCore, error) {
	if s.ended() {
		return nil, fmt.Errorf("scope: %w", ErrStale)
	}
	return s.c, s.c.err
}

func (c *scopeCore) refuse(err error) error {
	c.err = err
	return err
}

// Launch adds a kernel launch. The parameters are copied; params may be reused at once.
func (s *Scope) Launch(k *Kernel, cfg LaunchConfig, params *Params) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	if err := k.check(c.dev, &cfg, params); err != nil {
		return c.refuse(err)
	}
	cmd := Command{
		Kind: CommandLaunch, Func: k.handle, Grid: cfg.Grid.Fill(), Block: cfg.Block,
		Cluster: k.contract.Cluster, SharedBytes: cfg.DynamicSharedBytes,
	}
	if cfg.Programmatic {
		cmd.Flags = LaunchProgrammatic
	}
	b := &c.batch
	for len(b.Params)&15 != 0 {
		b.Params = append(b.Params, 0)
	}
	cmd.ParamStart, cmd.ParamBytes = uint32(len(b.Params)), k.contract.ParamBytes
	cmd.OffsetStart, cmd.OffsetCount = uint32(len(b.Offsets)), uint32(len(k.offsets))
	b.Params = append(b.Params, params.buf[:k.contract.ParamBytes]...)
	b.Offsets = append(b.Offsets, k.offsets...)
	c.add(cmd, k.name)
	return nil
}

func (c *scopeCore) add(cmd Command, name string) {
	c.batch.Commands = append(c.batch.Commands, cmd)
	c.names = append(c.names, name)
}

// Fill sets every byte of a region.
func (s *Scope) Fill(dst Region, value byte) error {
	defer goruntime.KeepAlive(s)
	c := s.c
	if err := s.Bind("fill", Operand{Name: "dst", Region: dst, Access: Write}); err != nil {
		return err
	}
	if dst.elems > 0 {
		c.add(Command{Kind: CommandFill, Dst: dst.ptr, Bytes: uint64(dst.Bytes()), Value: uint32(value)}, "fill")
	}
	return nil
}

// Copy copies src to dst on the device; both have the same number of bytes and do not overlap.
func (s *Scope) Copy(dst, src Region) error {
	defer goruntime.KeepAlive(s)
	c := s.c
	if err := s.Bind("copy", Operand{Name: "dst", Region: dst, Access: Write}, Operand{Name: "src", Region: src, Access: Read}); err != nil {
		return err
	}
	if dst.Bytes() != src.Bytes() {
		return c.refuse(&ContractError{"copy", "dst", fmt.Sprintf("%d bytes", src.Bytes()), fmt.Sprintf("%d bytes", dst.Bytes())})
	}
	if src.elems > 0 {
		c.add(Command{Kind: CommandCopy, Dst: dst.ptr, Src: src.ptr, Bytes: uint64(src.Bytes())}, "copy")
	}
	return nil
}

// WaitFor makes the work added after it wait for an event of another stream.
func (s *Scope) WaitFor(e *Event) error { return s.event(CommandWait, e, "wait for event") }

// Signal records an event behind the work added before it.
func (s *Scope) Signal(e *Event) error { return s.event(CommandRecord, e, "record event") }

func (s *Scope) event(kind CommandKind, e *Event, name string) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	if e.dev != c.dev {
		return c.refuse(&ContractError{name, "event", "of " + c.dev.String(), "of " + e.dev.String()})
	}
	if e.lease != nil {
		if !e.lease.acquire() {
			return c.refuse(fmt.Errorf("%s: %w", name, ErrClosed))
		}
		c.leases = append(c.leases, e.lease)
	}
	c.add(Command{Kind: kind, Event: e.handle}, name)
	return nil
}

// Drop ends the scope without submitting anything and gives its leases back. Dropping an ended scope does nothing.
func (s *Scope) Drop() {
	defer goruntime.KeepAlive(s)
	if !s.ended() {
		s.c.release()
		s.c.end()
	}
}

// release gives back what nothing on the device uses.
func (c *scopeCore) release() {
	for i, l := range c.leases {
		l.release()
		c.leases[i] = nil
	}
	c.leases = c.leases[:0]
	if c.status != nil {
		c.dev.status.put(c.status)
		c.status = nil
	}
}

// end empties the scope and gives it to the pool. The leases must have gone before.
func (c *scopeCore) end() {
	c.empty()
	c.dev.scopes.put(c)
}

func (c *scopeCore) empty() {
	c.stream = nil
	c.reportTo, c.reports, c.recorded = 0, 0, nil
	c.sig, c.touches = nil, c.touches[:0]
	c.batch.Eager = false
	c.batch.Commands = c.batch.Commands[:0]
	c.batch.Params = c.batch.Params[:0]
	c.batch.Offsets = c.batch.Offsets[:0]
	clear(c.names)
	c.names = c.names[:0]
}
