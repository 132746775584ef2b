package tile

import "github.com/oxideinfer/oxide/ir"

const (
	warpgroupWarps = 4
	warpgroupSize  = 128
)

// Role is a run of whole warpgroups of the block that do one kind of work.
type Role struct {
	b          *Block
	name       string
	first      int // warpgroup
	warpgroups int
	registers  int
	sync       int // named barriers, one a warpgroup; 0: not taken yet
	body       func()
	warpgroup  ir.U32
	warp       ir.U32
}

// Role gives the next warpgroups of the block a role. registers is how many each thread has while it plays it, 0 to leave
// them as they are; the verifier checks that all roles together have no more than the block starts with.
func (b *Block) Role(name string, warpgroups, registers int) *Role {
	r := &Role{b: b, name: name, warpgroups: warpgroups, registers: registers}
	for _, o := range b.roles {
		r.first += o.warpgroups
	}
	b.roles = append(b.roles, r)
	return r
}

// warps is how many warps play the role.
func (r *Role) warps() int { return r.warpgroups * warpgroupWarps }

// Do sets what the role's threads do.
func (r *Role) Do(body func()) *Role {
	r.body = body
	return r
}

// Run divides the block into its roles. Each role's body is built once, for all of its warpgroups.
func (b *Block) Run() {
	have := 0
	for _, r := range b.roles {
		have += r.warpgroups
		if r.body == nil {
			b.refuse(CodeRole, "call Do", "nobody has said what the role %s does", r.name)
			return
		}
	}
	if have*warpgroupSize != b.k.Threads() {
		b.refuse(CodeRole, "give every warpgroup a role, or change the contract's block", "roles for %d warpgroups in a block of %d threads", have, b.k.Threads())
		return
	}
	// The warp's index is made uniform here, where all threads are: ptxas keeps what depends on it in uniform registers.
	warp := b.k.Uniform(b.k.TIDX().ShiftRight(b.u32(5)))
	for _, r := range b.roles {
		r.warp, r.warpgroup = warp.And(b.u32(warpgroupWarps-1)), b.u32(0)
		if r.warpgroups > 1 {
			r.warpgroup = warp.ShiftRight(b.u32(2)).Sub(b.u32(r.first))
		}
	}
	b.dispatch(b.roles)
}

func (b *Block) dispatch(roles []*Role) {
	r := roles[0]
	if len(roles) == 1 {
		r.play()
		return
	}
	b.k.If(b.k.InWarpgroups(r.first, r.warpgroups), r.play).Else(func() { b.dispatch(roles[1:]) })
}

// play builds the body, and checks what it leaves.
func (r *Role) play() {
	b := r.b
	r.resize()
	b.role = r
	r.body()
	b.role = nil
	for _, ring := range b.rings {
		ring.left(r)
	}
	b.products = nil
}

// resize takes or gives registers (PTX ISA 9.7.19.5). ptxas starts with all that the block can have, in units of 8.
func (r *Role) resize() {
	entry := registerFile / r.b.k.Threads() / 8 * 8
	switch {
	case r.registers == 0 || r.registers == entry:
	case r.registers < entry:
		r.b.k.DecreaseRegisters(r.registers)
	default:
		r.b.k.IncreaseRegisters(r.registers)
	}
}

const registerFile = 65536 // 32-bit registers of a multiprocessor

// Warpgroup is the number of the thread's warpgroup in the role, equal in the warp.
func (r *Role) Warpgroup() ir.U32 { return r.here(r.warpgroup) }

// Warp is the number of the thread's warp in its warpgroup, equal in the warp.
func (r *Role) Warp() ir.U32 { return r.here(r.warp) }

// here is a value that the role's threads have.
func (r *Role) here(x ir.U32) ir.U32 {
	if r.b.role != r {
		r.b.refuse(CodeRole, "ask in the role's body", "role %s is not the one that is being built", r.name)
		return r.b.u32(0)
	}
	return x
}

// One runs body in one thread of the role: of its first warp.
func (r *Role) One(body func()) {
	k := r.b.k
	k.If(k.InWarps(warpgroupWarps*r.first, 1), func() { k.If(k.Elect(), body) })
}

// OneEach runs body in one thread of each of the role's warpgroups, always the same one.
func (r *Role) OneEach(body func()) {
	k := r.b.k
	k.If(r.Warp().Equal(k.ConstU32(0)), func() { k.If(k.Elect(), body) })
}

// Sync waits for the threads of the warpgroup.
func (r *Role) Sync() {
	if r.sync == 0 {
		r.sync = r.b.named(r.warpgroups)
	}
	r.syncFrom(0)
}

// syncFrom finds the warpgroup's barrier: its number must be constant (a register takes all 16, ISA 9.7.13.1).
func (r *Role) syncFrom(i int) {
	k := r.b.k
	if i == r.warpgroups-1 {
		k.BarrierNamed(r.sync+i, warpgroupSize)
		return
	}
	k.If(k.InWarpgroups(r.first+i, 1), func() { k.BarrierNamed(r.sync+i, warpgroupSize) }).Else(func() { r.syncFrom(i + 1) })
}
