package oxrt

import (
	"fmt"
)

// Kernel is an artifact loaded on one device. It is immutable and lives as long as its runtime.
type Kernel struct {
	dev      *Device
	artifact *Artifact
	name     string
	handle   FuncHandle
	offsets  []uint16
	contract LaunchContract
}

// module is a loaded image with its kernels.
type module struct {
	handle  ModuleHandle
	kernels map[string]*Kernel // by algorithm, variant and entry
}

// Load puts an artifact on the device, behind the device gate: artifact, cubin and device must agree, or a *TargetError is returned
// before the driver sees the image. Loading an artifact again returns the same kernel.
func (d *Device) Load(a *Artifact) (*Kernel, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if a == nil {
		return nil, &ContractError{"Device.Load", "artifact", "one", "nil"}
	}
	key := a.CubinSHA256 + "/" + a.PTXSHA256
	name := a.Name() + "/" + a.Entry
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.modules[key]; m != nil {
		if k := m.kernels[name]; k != nil && k.artifact == a {
			return k, nil
		}
	}
	if err := d.gate(a); err != nil {
		return nil, err
	}
	m := d.modules[key]
	if m == nil {
		handle, code := d.drv.ModuleLoad(d.ctx, a)
		if code != CodeSuccess {
			return nil, d.fail("cuModuleLoadData", a.Name(), code)
		}
		m = &module{handle: handle, kernels: map[string]*Kernel{}}
		d.modules[key] = m
	}
	k, err := d.newKernel(m, a)
	if err != nil {
		return nil, err
	}
	m.kernels[name] = k
	return k, nil
}

func (d *Device) gate(a *Artifact) error {
	if err := checkDevice(a, d.info); err != nil {
		return err
	}
	if l, ok := d.drv.(PTXLoader); ok && l.LoadsPTX() && len(a.Cubin) == 0 {
		return checkContract(a, d.info)
	}
	if err := CheckArtifact(a); err != nil {
		return err
	}
	return checkContract(a, d.info)
}

// checkContract refuses a launch contract that no launch could satisfy.
func checkContract(a *Artifact, info DeviceInfo) error {
	c := &a.Launch
	refuse := func(field, want, got string) error { return &ContractError{a.Name(), field, want, got} }
	if len(c.Params) > maxParams || c.ParamBytes > MaxParamBytes {
		return refuse("parameters", fmt.Sprintf("at most %d in %d bytes", maxParams, MaxParamBytes), fmt.Sprintf("%d in %d bytes", len(c.Params), c.ParamBytes))
	}
	var end uint32
	for _, p := range c.Params {
		if p.Offset < end || p.Size == 0 || p.Offset+p.Size > c.ParamBytes {
			return refuse("parameter "+p.Name, "ascending and inside the buffer", fmt.Sprintf("%d bytes at %d", p.Size, p.Offset))
		}
		end = p.Offset + p.Size
	}
	if end != c.ParamBytes {
		return refuse("ParamBytes", fmt.Sprint(end), fmt.Sprint(c.ParamBytes))
	}
	if shared := int64(c.StaticSharedBytes) + int64(c.MaxDynamicSharedBytes); shared > int64(info.SharedBytesPerBlock) {
		return refuse("shared memory", fmt.Sprintf("at most %d bytes", info.SharedBytesPerBlock), fmt.Sprint(shared))
	}
	if c.DynamicSharedBytes > c.MaxDynamicSharedBytes {
		return refuse("DynamicSharedBytes", fmt.Sprintf("at most %d", c.MaxDynamicSharedBytes), fmt.Sprint(c.DynamicSharedBytes))
	}
	if threads := max(c.Block.Count(), uint64(c.MaxThreads)); threads > maxBlockThreads {
		return refuse("block", fmt.Sprintf("at most %d threads", maxBlockThreads), fmt.Sprint(threads))
	}
	return nil
}

// Limits of the driver and of every device since compute capability 9.0.
const (
	defaultSharedBytes = 48 << 10
	maxBlockThreads    = 1024
	maxParams          = 128
	portableCluster    = 8
)

func (d *Device) newKernel(m *module, a *Artifact) (*Kernel, error) {
	handle, code := d.drv.ModuleFunction(d.ctx, m.handle, a.Entry)
	if code != CodeSuccess {
		return nil, d.fail("cuModuleGetFunction", a.Name(), code)
	}
	k := &Kernel{dev: d, artifact: a, name: a.Name(), handle: handle, contract: a.Launch}
	for _, p := range a.Launch.Params {
		k.offsets = append(k.offsets, uint16(p.Offset))
	}
	c := &k.contract
	if c.StaticSharedBytes+c.MaxDynamicSharedBytes > defaultSharedBytes {
		code = d.drv.SetFuncAttribute(d.ctx, handle, FuncMaxDynamicSharedBytes, int(c.MaxDynamicSharedBytes))
		if code != CodeSuccess {
			return nil, d.fail("cuFuncSetAttribute(max dynamic shared)", k.name, code)
		}
	}
	if c.Cluster.Count() > portableCluster {
		if code = d.drv.SetFuncAttribute(d.ctx, handle, FuncNonPortableCluster, 1); code != CodeSuccess {
			return nil, d.fail("cuFuncSetAttribute(non-portable cluster)", k.name, code)
		}
	}
	return k, nil
}

// Name returns the artifact's algorithm and variant.
func (k *Kernel) Name() string { return k.name }

// Artifact returns what was loaded.
func (k *Kernel) Artifact() *Artifact { return k.artifact }

// Device returns where it was loaded.
func (k *Kernel) Device() *Device { return k.dev }

// Handle returns the driver's function, for programs that launch it themselves.
func (k *Kernel) Handle() FuncHandle { return k.handle }

// Attribute reads a function attribute from the driver.
func (k *Kernel) Attribute(attr FuncAttr) (int, error) {
	if err := k.dev.usable(); err != nil {
		return 0, err
	}
	v, code := k.dev.drv.FuncAttribute(k.dev.ctx, k.handle, attr)
	if code != CodeSuccess {
		return 0, k.dev.fail("cuFuncGetAttribute", k.name, code)
	}
	return v, nil
}

// BlocksPerSM returns how many blocks of the kernel an SM holds at once.
func (k *Kernel) BlocksPerSM(threads int, dynamicSharedBytes int64) (int, error) {
	if err := k.dev.usable(); err != nil {
		return 0, err
	}
	n, code := k.dev.drv.Occupancy(k.dev.ctx, k.handle, threads, dynamicSharedBytes)
	if code != CodeSuccess {
		return 0, k.dev.fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", k.name, code)
	}
	return n, nil
}
