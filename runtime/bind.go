package oxrt

import (
	"errors"
	"fmt"
	goruntime "runtime"
)

// Bind declares the operands of one operator before its launches: each must be on the scope's device, open and allowed what the operator
// does with it, and no written operand may share memory with another one except as InPlace allows. All findings are returned at once,
// as ContractErrors. The operands are leased until the submission settles.
func (s *Scope) Bind(op string, operands ...Operand) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	return c.bind(op, operands)
}

// CheckAliases is the part of Bind that compares the operands' memory: by address, whatever objects they belong to.
func CheckAliases(op string, operands ...Operand) error {
	var findings []error
	for i := range operands {
		findings = aliases(findings, op, operands[:i], &operands[i])
	}
	return errors.Join(findings...)
}

func aliases(findings []error, op string, earlier []Operand, o *Operand) []error {
	for j := range earlier {
		if err := checkAlias(op, &earlier[j], o); err != nil {
			findings = append(findings, err)
		}
	}
	return findings
}

// Refuse makes the scope refuse everything that follows, as after a finding of its own: an operator that has more to check calls
// it, so that the calls around it are not submitted without it. It returns err.
func (s *Scope) Refuse(err error) error {
	defer goruntime.KeepAlive(s)
	c, ended := s.ready()
	if ended != nil {
		return ended
	}
	return c.refuse(err)
}

func (c *scopeCore) bindOne(op string, o *Operand) error {
	r := &o.Region
	switch {
	case r.IsZero():
		return &ContractError{op, o.Name, "a region", "none"}
	case o.Access == 0:
		return &ContractError{op, o.Name, "a declared access", "none"}
	case o.Access&^r.access != 0:
		return &ContractError{op, o.Name, o.Access.String() + " access", r.access.String() + " access"}
	case r.mem == nil:
		return nil
	case r.mem.dev != c.dev:
		return &ContractError{op, o.Name, "memory of " + c.dev.String(), "memory of " + r.mem.dev.String()}
	case !r.mem.acquire():
		return r.gone(op, o.Name)
	}
	c.leases = append(c.leases, r.mem.lease)
	return nil
}

func checkAlias(op string, a, b *Operand) error {
	if (a.Access|b.Access)&Write == 0 || !a.Region.overlaps(b.Region) {
		return nil
	}
	inPlace := a.mayBe(b)
	if inPlace && a.Region.same(b.Region) {
		return nil
	}
	want := "memory apart from " + a.Name
	if inPlace {
		want += " or exactly the same"
	}
	return &ContractError{op, b.Name, want, regionText(b.Region) + " overlapping " + regionText(a.Region)}
}

// regionText shows a region's range of addresses.
func regionText(r Region) string {
	return fmt.Sprintf("[%#x, %#x)", uint64(r.ptr), uint64(r.ptr)+uint64(r.Bytes()))
}

// check validates a launch against the kernel's contract and fills in its defaults.
func (k *Kernel) check(dev *Device, cfg *LaunchConfig, params *Params) error {
	c := &k.contract
	refuse := func(field, want, got string) error { return &ContractError{k.name, field, want, got} }
	if cfg.Block.IsZero() {
		cfg.Block = c.Block
	}
	if cfg.DynamicSharedBytes == 0 {
		cfg.DynamicSharedBytes = c.DynamicSharedBytes
	}
	switch {
	case k.dev != dev:
		return refuse("device", dev.String(), k.dev.String())
	case cfg.Block.IsZero():
		return refuse("block", "one, as the contract fixes none", "none")
	case !c.Block.IsZero() && cfg.Block.Fill() != c.Block.Fill():
		return refuse("block", fmt.Sprint(c.Block), fmt.Sprint(cfg.Block))
	case cfg.DynamicSharedBytes > c.MaxDynamicSharedBytes:
		return refuse("dynamic shared bytes", fmt.Sprintf("at most %d", c.MaxDynamicSharedBytes), fmt.Sprint(cfg.DynamicSharedBytes))
	case cfg.Programmatic && !c.ProgrammaticLaunch:
		return refuse("programmatic launch", "a kernel that waits for its predecessors", "one that does not")
	case params.bad:
		return refuse("parameters", "aligned values inside the buffer", "a Put outside or misaligned")
	case params.end != c.ParamBytes:
		return refuse("parameters", fmt.Sprintf("%d bytes", c.ParamBytes), fmt.Sprintf("%d bytes", params.end))
	}
	cfg.Block = cfg.Block.Fill()
	if threads := cfg.Block.Count(); c.Block.IsZero() && threads > uint64(c.MaxThreads) {
		return refuse("block", fmt.Sprintf("at most %d threads", c.MaxThreads), fmt.Sprint(threads))
	}
	return k.checkGrid(cfg.Grid)
}

// checkGrid applies the driver's limits (CUDA programming guide, table of technical specifications) and the cluster.
func (k *Kernel) checkGrid(g Dim3) error {
	if g.X == 0 {
		return &ContractError{k.name, "grid", "at least one block", "none"}
	}
	if g.X > 1<<31-1 || g.Y > 1<<16-1 || g.Z > 1<<16-1 {
		return &ContractError{k.name, "grid", "at most 2147483647 x 65535 x 65535", fmt.Sprint(g)}
	}
	if k.contract.Cluster.IsZero() {
		return nil
	}
	f, c := g.Fill(), k.contract.Cluster.Fill()
	if f.X%c.X != 0 || f.Y%c.Y != 0 || f.Z%c.Z != 0 {
		return &ContractError{k.name, "grid", "a multiple of the cluster " + fmt.Sprint(k.contract.Cluster), fmt.Sprint(g)}
	}
	return nil
}
