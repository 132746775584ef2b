package ir

// Refuse reports a mistake that a package on top of this one finds while the kernel is being built. A finding without a
// position gets that of the kernel code that is running, see Here.
func (k *Kernel) Refuse(f Finding) {
	if f.Pos == nil {
		f.Pos = here()
	}
	k.report(f)
}

// Here is the place in the kernel's Go code that is being run, its callers behind it.
func Here() Pos { return here() }
