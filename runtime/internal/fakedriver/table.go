package fakedriver

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/runtime"
)

var _ oxrt.Driver = (*Driver)(nil)

// The driver table; methods do what oxrt.Driver says.

func (d *Driver) Name() string              { return "fake" }
func (d *Driver) Version() (int, oxrt.Code) { return 13000, d.simple("Version") }
func (d *Driver) Close() error              { d.simple("Close"); return nil }

func (d *Driver) DeviceCount() (int, oxrt.Code) { return 2, d.simple("DeviceCount") }

func (d *Driver) DeviceInfo(ordinal int) (oxrt.DeviceInfo, oxrt.Code) {
	return oxrt.DeviceInfo{Name: "fake H200", Major: 9, SMs: 132, SharedBytesPerBlock: 227 << 10, Clusters: true,
		UUID: [16]byte{byte(ordinal)}}, d.simple("DeviceInfo")
}

func (d *Driver) Retain(ordinal int) (oxrt.ContextHandle, oxrt.Code) {
	return oxrt.ContextHandle(ordinal + 1), d.simple("Retain")
}
func (d *Driver) Release(int) oxrt.Code { return d.simple("Release") }

func (d *Driver) Synchronize(oxrt.ContextHandle) oxrt.Code {
	defer d.mu.Unlock()
	code := d.enter("Synchronize")
	if code == oxrt.CodeSuccess {
		clear(d.pending)
		clear(d.flying)
	}
	return code
}

func (d *Driver) MemInfo(oxrt.ContextHandle) (uint64, uint64, oxrt.Code) {
	return 1 << 30, 2 << 30, d.simple("MemInfo")
}

func (d *Driver) Alloc(_ oxrt.ContextHandle, bytes int64, _ string) (oxrt.DevicePtr, oxrt.Code) {
	defer d.mu.Unlock()
	if code := d.enter("Alloc"); code != oxrt.CodeSuccess {
		return 0, code
	}
	d.next = (d.next + 511) &^ 255
	p := oxrt.DevicePtr(d.next)
	d.next += uint64(bytes)
	d.memory[p] = bytes
	return p, oxrt.CodeSuccess
}

func (d *Driver) Free(_ oxrt.ContextHandle, ptr oxrt.DevicePtr) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter("Free"); code != oxrt.CodeSuccess {
		return code
	}
	if _, live := d.memory[ptr]; !live {
		return oxrt.CodeInvalidValue
	}
	delete(d.memory, ptr)
	if d.freed != nil {
		d.freed(ptr)
	}
	return oxrt.CodeSuccess
}

func (d *Driver) AllocHost(_ oxrt.ContextHandle, bytes int64) ([]byte, oxrt.DevicePtr, oxrt.Code) {
	defer d.mu.Unlock()
	if code := d.enter("AllocHost"); code != oxrt.CodeSuccess {
		return nil, 0, code
	}
	d.next = (d.next + 511) &^ 255
	p := oxrt.DevicePtr(d.next)
	d.next += uint64(bytes)
	d.host[p] = make([]byte, bytes)
	return d.host[p], p, oxrt.CodeSuccess
}

func (d *Driver) FreeHost(_ oxrt.ContextHandle, mem []byte) oxrt.Code {
	defer d.mu.Unlock()
	code := d.enter("FreeHost")
	for p, m := range d.host {
		if &m[0] == &mem[0] {
			delete(d.host, p)
		}
	}
	return code
}

func (d *Driver) CopyToDevice(oxrt.ContextHandle, oxrt.StreamHandle, oxrt.DevicePtr, []byte) oxrt.Code {
	return d.simple("CopyToDevice")
}
func (d *Driver) CopyToHost(oxrt.ContextHandle, oxrt.StreamHandle, []byte, oxrt.DevicePtr) oxrt.Code {
	return d.simple("CopyToHost")
}

func (d *Driver) StreamCreate(oxrt.ContextHandle, int) (oxrt.StreamHandle, oxrt.Code) {
	h, code := d.create("StreamCreate", "stream")
	return oxrt.StreamHandle(h), code
}
func (d *Driver) StreamPriorities(oxrt.ContextHandle) (least, greatest int, code oxrt.Code) {
	return 0, -5, d.simple("StreamPriorities")
}
func (d *Driver) StreamDestroy(_ oxrt.ContextHandle, s oxrt.StreamHandle) oxrt.Code {
	return d.destroy("StreamDestroy", "stream", uint64(s))
}

func (d *Driver) StreamQuery(_ oxrt.ContextHandle, s oxrt.StreamHandle) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter("StreamQuery"); code != oxrt.CodeSuccess {
		return code
	}
	if len(d.flying[s]) > 0 {
		return oxrt.CodeNotReady
	}
	return oxrt.CodeSuccess
}
func (d *Driver) StreamSynchronize(oxrt.ContextHandle, oxrt.StreamHandle) oxrt.Code {
	return d.simple("StreamSynchronize")
}
func (d *Driver) StreamWait(oxrt.ContextHandle, oxrt.StreamHandle, oxrt.EventHandle) oxrt.Code {
	return d.simple("StreamWait")
}

func (d *Driver) EventCreate(oxrt.ContextHandle, bool) (oxrt.EventHandle, oxrt.Code) {
	h, code := d.create("EventCreate", "event")
	return oxrt.EventHandle(h), code
}
func (d *Driver) EventDestroy(_ oxrt.ContextHandle, e oxrt.EventHandle) oxrt.Code {
	return d.destroy("EventDestroy", "event", uint64(e))
}

func (d *Driver) EventRecord(_ oxrt.ContextHandle, e oxrt.EventHandle, s oxrt.StreamHandle) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter("EventRecord"); code != oxrt.CodeSuccess {
		return code
	}
	d.fly(e, s)
	return oxrt.CodeSuccess
}

func (d *Driver) EventQuery(_ oxrt.ContextHandle, e oxrt.EventHandle) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter("EventQuery"); code != oxrt.CodeSuccess {
		return code
	}
	if _, flying := d.pending[e]; flying {
		return oxrt.CodeNotReady
	}
	return d.codes[e]
}
func (d *Driver) EventSynchronize(oxrt.ContextHandle, oxrt.EventHandle) oxrt.Code {
	return d.simple("EventSynchronize")
}
func (d *Driver) EventElapsed(oxrt.ContextHandle, oxrt.EventHandle, oxrt.EventHandle) (float32, oxrt.Code) {
	return 1.5, d.simple("EventElapsed")
}

func (d *Driver) ModuleLoad(oxrt.ContextHandle, *oxrt.Artifact) (oxrt.ModuleHandle, oxrt.Code) {
	h, code := d.create("ModuleLoad", "module")
	return oxrt.ModuleHandle(h), code
}
func (d *Driver) ModuleUnload(_ oxrt.ContextHandle, m oxrt.ModuleHandle) oxrt.Code {
	return d.destroy("ModuleUnload", "module", uint64(m))
}
func (d *Driver) ModuleFunction(oxrt.ContextHandle, oxrt.ModuleHandle, string) (oxrt.FuncHandle, oxrt.Code) {
	return 7, d.simple("ModuleFunction")
}
func (d *Driver) FuncAttribute(_ oxrt.ContextHandle, _ oxrt.FuncHandle, attr oxrt.FuncAttr) (int, oxrt.Code) {
	return int(attr) + 1, d.simple("FuncAttribute")
}
func (d *Driver) SetFuncAttribute(oxrt.ContextHandle, oxrt.FuncHandle, oxrt.FuncAttr, int) oxrt.Code {
	return d.simple("SetFuncAttribute")
}
func (d *Driver) Occupancy(_ oxrt.ContextHandle, _ oxrt.FuncHandle, threads int, _ int64) (int, oxrt.Code) {
	return 2048 / threads, d.simple("Occupancy")
}

func (d *Driver) Submit(_ oxrt.ContextHandle, s oxrt.StreamHandle, b *oxrt.Batch) (int, oxrt.CaptureID, oxrt.Code) {
	defer d.mu.Unlock()
	if code := d.enter("Submit"); code != oxrt.CodeSuccess {
		return len(b.Commands) / 2, 0, code
	}
	id := d.capture[s]
	if id != 0 && b.Eager {
		return 0, id, oxrt.CodeSuccess
	}
	d.log = append(d.log[:0], b.Commands...)
	d.params = append(d.params[:0], b.Params...)
	d.commands += len(b.Commands)
	if id == 0 {
		d.fly(b.Done, s)
	}
	return len(b.Commands), id, oxrt.CodeSuccess
}

// EncodeTensorMap writes the address, so that maps of different places differ.
func (d *Driver) EncodeTensorMap(to *oxrt.TensorMap, _ *oxrt.TensorBox, v *oxrt.TensorView) oxrt.Code {
	code := d.simple("EncodeTensorMap")
	if code == oxrt.CodeSuccess {
		binary.LittleEndian.PutUint64(to[:], uint64(v.Base))
	}
	return code
}

func (d *Driver) CaptureBegin(_ oxrt.ContextHandle, s oxrt.StreamHandle) (oxrt.CaptureID, oxrt.Code) {
	defer d.mu.Unlock()
	if code := d.enter("CaptureBegin"); code != oxrt.CodeSuccess {
		return 0, code
	}
	d.next++
	d.capture[s] = oxrt.CaptureID(d.next)
	return d.capture[s], oxrt.CodeSuccess
}

func (d *Driver) CaptureEnd(_ oxrt.ContextHandle, s oxrt.StreamHandle) (oxrt.GraphHandle, oxrt.Code) {
	h, code := d.create("CaptureEnd", "graph")
	d.leave(s)
	return oxrt.GraphHandle(h), code
}

func (d *Driver) GraphInstantiate(oxrt.ContextHandle, oxrt.GraphHandle) (oxrt.ExecHandle, oxrt.Code) {
	h, code := d.create("GraphInstantiate", "exec")
	return oxrt.ExecHandle(h), code
}
func (d *Driver) GraphDestroy(_ oxrt.ContextHandle, g oxrt.GraphHandle) oxrt.Code {
	return d.destroy("GraphDestroy", "graph", uint64(g))
}
func (d *Driver) ExecUpload(oxrt.ContextHandle, oxrt.ExecHandle, oxrt.StreamHandle) oxrt.Code {
	return d.simple("ExecUpload")
}

func (d *Driver) ExecLaunch(_ oxrt.ContextHandle, _ oxrt.ExecHandle, s oxrt.StreamHandle, done oxrt.EventHandle) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter("ExecLaunch"); code != oxrt.CodeSuccess {
		return code
	}
	d.fly(done, s)
	return oxrt.CodeSuccess
}
func (d *Driver) ExecUpdate(oxrt.ContextHandle, oxrt.ExecHandle, oxrt.GraphHandle) oxrt.Code {
	return d.simple("ExecUpdate")
}
func (d *Driver) ExecDestroy(_ oxrt.ContextHandle, x oxrt.ExecHandle) oxrt.Code {
	return d.destroy("ExecDestroy", "exec", uint64(x))
}
