package oxrt

// Artifact is one assembled kernel: a value that oxidegen writes into gen/<family>. It is immutable.
type Artifact struct {
	// Algorithm is the stable name of the strategy, for example "OxideSm90SimtRmsNorm".
	Algorithm string
	// Variant tells the artifacts of one algorithm apart, for example "bf16_h4096".
	Variant string
	// Target is the exact ptxas target, for example "sm_90a".
	Target string
	// Entry is the kernel's symbol in the cubin.
	Entry string

	// Cubin is the ELF image; CubinSHA256 its digest in lower-case hexadecimal.
	Cubin       []byte
	CubinSHA256 string
	// PTXSHA256 is the digest of the canonical PTX that the cubin was assembled from.
	PTXSHA256 string

	Launch    LaunchContract
	Resources Resources
}

// Name returns "algorithm/variant", the name used in errors.
func (a *Artifact) Name() string {
	if a.Variant == "" {
		return a.Algorithm
	}
	return a.Algorithm + "/" + a.Variant
}

// LaunchContract is what every launch of an artifact must satisfy; [Scope.Launch] refuses the others.
type LaunchContract struct {
	// Block is the exact block. If it is zero, any block of at most MaxThreads threads may be launched.
	Block      Dim3
	MaxThreads uint32
	// Cluster is the exact cluster in blocks; zero means no cluster. Grid sizes must be multiples of it.
	Cluster Dim3
	// StaticSharedBytes is declared by the kernel. DynamicSharedBytes is the default of a launch that does not say
	// otherwise; MaxDynamicSharedBytes is the most that a launch may ask for.
	StaticSharedBytes     uint32
	DynamicSharedBytes    uint32
	MaxDynamicSharedBytes uint32
	// ProgrammaticLaunch is true for kernels that take part in programmatic dependent launch: they wait for the
	// launches before them on the device (griddepcontrol.wait), so they may be started early.
	ProgrammaticLaunch bool
	// Params are the kernel's parameters in declaration order; ParamBytes is the size of the flat buffer.
	Params     []ParamInfo
	ParamBytes uint32
}

// ParamInfo places one kernel parameter in the flat parameter buffer.
type ParamInfo struct {
	Name   string
	Offset uint32
	Size   uint32
	// Pointer is true for a global address; DType is then the element it points to, else the parameter's own type.
	Pointer bool
	DType   DType
	// Box is what a tensor map must say, nil for other parameters.
	Box *TensorBox
}

// Resources is what ptxas reported for the entry. Spills and stack are zero unless the kernel declares them.
type Resources struct {
	Registers       uint32
	SpillStoreBytes uint32
	SpillLoadBytes  uint32
	StackBytes      uint32
	Barriers        uint32
}

// Dim3 is a grid, block or cluster size. A zero component counts as 1 unless the whole value is zero.
type Dim3 struct{ X, Y, Z uint32 }

// IsZero reports whether no component was set.
func (d Dim3) IsZero() bool { return d == Dim3{} }

// Fill replaces zero components by 1.
func (d Dim3) Fill() Dim3 { return Dim3{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// Count returns the product of the components, zeros counted as 1.
func (d Dim3) Count() uint64 {
	d = d.Fill()
	return uint64(d.X) * uint64(d.Y) * uint64(d.Z)
}

// DevicePtr is an address in device memory.
type DevicePtr uint64
