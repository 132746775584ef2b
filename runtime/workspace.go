package oxrt

import (
	"fmt"
	goruntime "runtime"
	"strconv"
)

// WorkspaceAlign is what the address of every workspace is a multiple of.
const WorkspaceAlign = 256

// workspace is the scratch memory of a stream. All operators of a stream share one block: each is done with it when the next one begins,
// because kernels touch it only behind griddepcontrol.wait. It grows only in ReserveWorkspace.
type workspace struct {
	block *memory // nil before the first reservation
	high  int64   // the most that an operator asked for
}

// ReserveWorkspace makes at least that many bytes of scratch memory ready for the stream's operators: the most that one plan says in
// WorkspaceBytes, not their sum. This is the only place where workspace is allocated; an operator that needs more than was
// reserved is refused. Work in flight keeps the smaller block until it is done. A graph captured on the stream gets a block of its own.
func (s *Stream) ReserveWorkspace(bytes int64) error {
	if err := s.usable(); err != nil {
		return err
	}
	switch {
	case bytes < 0:
		return &ContractError{"Stream.ReserveWorkspace", "bytes", "0 or more", strconv.FormatInt(bytes, 10)}
	case s.handle == StreamPerThread:
		return &ContractError{"Stream.ReserveWorkspace", "stream", "one queue", "one for each thread: operators need the caller's workspace"}
	case s.recording.Load() != nil:
		return &ContractError{"Stream.ReserveWorkspace", "stream", "not capturing", "capturing"}
	}
	s.work.Lock()
	defer s.work.Unlock()
	if old := s.workspace.block; old != nil && old.bytes >= bytes {
		return nil
	}
	block, err := s.newWorkspace(bytes)
	if err != nil {
		return err
	}
	if old := s.workspace.block; old != nil {
		old.close()
	}
	s.workspace.block = block
	return nil
}

func (s *Stream) newWorkspace(bytes int64) (*memory, error) {
	owner := &Buffer{dev: s.dev, name: "workspace"}
	m, _, err := s.dev.allocate("Stream.ReserveWorkspace", owner, bytes)
	if err != nil {
		return nil, err
	}
	m.buffer = nil
	return m, nil
}

// WorkspaceBytes returns what is reserved, and the high-water mark: the most that an operator of the stream has asked for, refused or
// not.
func (s *Stream) WorkspaceBytes() (reserved, highWater int64) {
	s.work.Lock()
	defer s.work.Unlock()
	if s.workspace.block != nil {
		reserved = s.workspace.block.bytes
	}
	return reserved, s.workspace.high
}

// Workspace gives an operator scratch memory of the stream: undefined content, at a multiple of [WorkspaceAlign], to be used only behind
// griddepcontrol.wait and until the operator's last launch. It is leased like an operand. Nothing is allocated: what was not
// reserved is refused.
func (s *Scope) Workspace(op string, bytes int64) (Region, error) {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return Region{}, err
	}
	if bytes < 0 {
		return Region{}, c.refuse(&ContractError{op, "workspace", "0 bytes or more", strconv.FormatInt(bytes, 10)})
	}
	block := c.workspace(bytes)
	if block == nil {
		reserved, _ := c.stream.WorkspaceBytes()
		return Region{}, c.refuse(&ContractError{op, "workspace", fmt.Sprintf("%d bytes (Stream.ReserveWorkspace, or the caller's)", bytes),
			fmt.Sprintf("%d reserved", reserved)})
	}
	c.leases = append(c.leases, block.lease)
	if c.recorded == nil {
		c.eager(op, "workspace of the caller's")
	}
	return Region{mem: block, ptr: block.ptr, elems: bytes, dtype: U8, access: ReadWrite}, nil
}

// workspace finds and leases the block to use: the graph's during an own capture, else the stream's. It is nil where that is too
// small.
func (c *scopeCore) workspace(bytes int64) *memory {
	s := c.stream
	s.work.Lock()
	defer s.work.Unlock()
	s.workspace.high = max(s.workspace.high, bytes)
	block := s.workspace.block
	if r := s.recording.Load(); r != nil {
		c.recorded, block = r, r.workspace
	}
	if block == nil || block.bytes < bytes || !block.acquire() {
		return nil
	}
	return block
}

// closeWorkspace gives the block up when the stream is closed.
func (s *Stream) closeWorkspace() {
	s.work.Lock()
	defer s.work.Unlock()
	if s.workspace.block != nil {
		s.workspace.block.close()
		s.workspace.block = nil
	}
}
