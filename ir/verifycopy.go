package ir

import "github.com/oxideinfer/oxide/ir/op"

const (
	bulkAlign    = 16  // of addresses and sizes of bulk copies (PTX ISA 9.7.9.25.4.1)
	tensorAlign  = 128 // of a box in shared memory (PTX ISA 9.7.9.27.1.2)
	maxBulkBytes = 227 << 10
)

// copies checks the rules of asynchronous copies that a single op shows: sizes, alignment where it can be proved, and what
// the contract must have.
func (c *checker) copies(o *Op) {
	switch o.Info.Name {
	case "cp_async":
		c.smallCopy(o)
	case "bulk_load", "bulk_send", "bulk_store", "bulk_reduce", "bulk_reduce_send", "bulk_prefetch":
		c.bulkCopy(o)
	case "tensor_load", "tensor_store", "tensor_reduce":
		c.coordinates(o)
		c.aligned(o, firstOf(o, "dst", "src"), tensorAlign, "a box in shared memory starts at a multiple of 128 bytes")
		c.boxFits(o)
	case "tensor_prefetch":
		c.coordinates(o)
	case "st_async":
		c.remoteStore(o)
	case "ldmatrix", "stmatrix":
		c.aligned(o, o.Args[0], 16, "a row of a matrix is 16 bytes, aligned to its size")
	case "tensormap_at":
		c.aligned(o, o.Args[0], TensorMapAlign, "a tensor map starts at a multiple of 64 bytes")
	}
	if bar := o.Arg("mbar"); bar != nil {
		c.aligned(o, bar, 8, "an mbarrier is aligned to its 8 bytes")
	}
	c.reductionKind(o)
	c.clustered(o)
}

func firstOf(o *Op, names ...string) *Value {
	for _, n := range names {
		if v := o.Arg(n); v != nil {
			return v
		}
	}
	return nil
}

// aligned reports an address that is known not to be a multiple of n.
func (c *checker) aligned(o *Op, p *Value, n int64, rule string) {
	if p == nil {
		return
	}
	a := c.alignment(p, 0).plus(o.Int("off"))
	if g := gcd(a.mod, n); a.rem%g != 0 {
		c.at(o, CodeCopyMisaligned, "align the array, and move by multiples of that", "%s; the address is %d modulo %d", rule, mod(a.rem, g), g)
	}
}

func (c *checker) smallCopy(o *Op) {
	n := o.Int("bytes")
	if n != 4 && n != 8 && n != 16 || o.Enum("cache") == "cg" && n != 16 {
		c.at(o, CodeCopySize, "copy 4, 8 or 16 bytes, with ir.CG 16", "cp.async.%s does not copy %d bytes", o.Enum("cache"), n)
		return
	}
	c.aligned(o, o.Arg("dst"), n, "an asynchronous copy is aligned to its size")
	c.aligned(o, o.Arg("src"), n, "an asynchronous copy is aligned to its size")
}

func (c *checker) bulkCopy(o *Op) {
	for _, slot := range []string{"dst", "src"} {
		c.aligned(o, o.Arg(slot), bulkAlign, "a bulk copy starts at multiples of 16 bytes")
	}
	bytes := o.Arg("bytes")
	if g := gcd(factor(bytes, 0), bulkAlign); bytes.IsConst() && (g != bulkAlign || bytes.Bits() == 0 || bytes.Bits() > maxBulkBytes) {
		c.at(o, CodeCopySize, "copy a multiple of 16 bytes, and the rest with ordinary accesses", "a bulk copy of %d bytes", bytes.Bits())
	}
}

func (c *checker) coordinates(o *Op) {
	if n := len(o.ArgsOf("c")); n < 1 || n > 5 {
		c.at(o, CodeCopySize, "give one coordinate a dimension, innermost first", "a tensor has 1 to 5 dimensions, not %d", n)
	} else if b := c.boxOf(o); b != nil && n != len(b.Dims) {
		c.at(o, CodeBox, "give one coordinate for each dimension of the box", "%d coordinates for a map of %d dimensions", n, len(b.Dims))
	}
}

// boxFits compares a box of known size with the array that it is copied to.
func (c *checker) boxFits(o *Op) {
	n := c.boxBytes(o)
	if root := c.roots.root(firstOf(o, "dst", "src")); n != 0 && root != nil && root.kind == ArrayValue {
		have := c.k.Arrays[root.index].Bytes()
		if c.k.Arrays[root.index].Dynamic && c.k.Arrays[root.index].Count == 0 {
			have = c.k.Contract.DynamicSharedBytes
		}
		if n < 16 || n%16 != 0 || n > int64(have) {
			c.at(o, CodeCopySize, "give the array the size of the box, a multiple of 16 bytes", "a box of %d bytes in an array of %d", n, have)
		}
	}
}

func (c *checker) remoteStore(o *Op) {
	n, size := len(o.ArgsOf("v")), o.Args[0].typ.Elem.Bytes()
	if n != 1 && n != 2 && n != 4 || size != 4 && size != 8 || n*size > maxAccessBytes {
		c.at(o, CodeCopySize, "store 1, 2 or 4 elements of 4 bytes, or 1 or 2 of 8", "st.async does not store %d elements of %d bytes", n, size)
		return
	}
	c.aligned(o, o.Args[0], int64(n*size), "an asynchronous store is aligned to its size")
}

// reductionKind checks which reductions exist on which kinds (PTX ISA 9.7.9.25.4.2, 9.7.13.7).
func (c *checker) reductionKind(o *Op) {
	var p *Value
	switch o.Info.Name {
	case "bulk_reduce", "bulk_reduce_send":
		p = o.Arg("dst")
	case "red_async":
		p = o.Arg("p")
	default:
		return
	}
	remote := p.typ.Space == op.SharedCluster
	kinds := op.Of(op.U32, op.S32)
	switch what := o.Enum("op"); {
	case what == "inc" || what == "dec":
		kinds = op.Of(op.U32)
	case what == "add" && remote:
		kinds |= op.Of(op.U64)
	case what == "add":
		kinds |= op.Of(op.U64, op.S64, op.F32, op.F64, op.F16, op.BF16)
	case remote:
	case what == "min" || what == "max":
		kinds |= op.Of(op.U64, op.S64, op.F16, op.BF16)
	default:
		kinds |= op.Of(op.U64, op.S64)
	}
	if !kinds.Has(p.typ.Elem) {
		c.at(o, CodeTypeMismatch, "reduce another type, or in registers", "an asynchronous %s does not exist on %s here", o.Enum("op"), p.typ.Elem)
	}
}

// clustered refuses what needs other blocks in a kernel that has no cluster.
func (c *checker) clustered(o *Op) {
	if c.k.Contract.Cluster == [3]int{} {
		switch {
		case o.Info.Name == "mapa", o.Info.Name == "cluster_arrive", o.Info.Name == "cluster_wait", o.Flag("multicast"):
			c.at(o, CodeClusterMissing, "set Cluster in the contract", "%s needs a cluster, and the contract has none", o.Info.Name)
		}
		return
	}
	n := c.k.Contract.clusterBlocks()
	if mask := o.Arg("multicast"); mask != nil && mask.IsConst() && (mask.Bits() == 0 || mask.Bits()>>n != 0) {
		c.at(o, CodeClusterMissing, "set the bits of blocks of the cluster", "multicast mask %#x in a cluster of %d blocks", mask.Bits(), n)
	}
	if rank := o.Arg("rank"); rank != nil && rank.IsConst() && rank.Bits() >= uint64(n) {
		c.at(o, CodeClusterMissing, "ranks count from 0", "rank %d in a cluster of %d blocks", rank.Bits(), n)
	}
}

func (c Contract) clusterBlocks() int {
	return max(1, c.Cluster[0]) * max(1, c.Cluster[1]) * max(1, c.Cluster[2])
}
