package cubin

import "fmt"

// Limits are the sizes of one SM (CUDA C++ Programming Guide, technical specifications per compute capability).
type Limits struct {
	Registers     int // 32-bit registers per SM
	RegisterUnit  int // allocation granularity per warp
	Warps         int // resident warps
	Blocks        int // resident blocks
	SharedBytes   int // per SM
	SharedUnit    int // allocation granularity
	ReservedBytes int // shared memory the system takes per block
}

// LimitsOf returns the limits of a target's SM.
func LimitsOf(target string) (Limits, error) {
	switch target {
	case "sm_90", "sm_90a":
		return Limits{65536, 256, 64, 32, 228 << 10, 128, 1024}, nil
	case "sm_80", "sm_87":
		return Limits{65536, 256, 64, 32, 164 << 10, 128, 1024}, nil
	case "sm_86", "sm_89":
		return Limits{65536, 256, 48, 24, 100 << 10, 128, 1024}, nil
	case "sm_100", "sm_100a":
		return Limits{65536, 256, 64, 32, 228 << 10, 128, 1024}, nil
	case "sm_120", "sm_120a":
		return Limits{65536, 256, 48, 24, 100 << 10, 128, 1024}, nil
	}
	return Limits{}, fmt.Errorf("occupancy: the limits of %s are not known here", target)
}

// Occupancy is how many blocks of one kernel fit on an SM at a time.
type Occupancy struct {
	Blocks, Warps, MaxWarps int
	LimitedBy               string // registers, shared memory, warps or blocks
}

// Percent is the share of the SM's warp slots.
func (o Occupancy) Percent() float64 { return 100 * float64(o.Warps) / float64(o.MaxWarps) }

func (o Occupancy) String() string {
	return fmt.Sprintf("%d blocks per SM, %d of %d warps (%.0f %%), limited by %s",
		o.Blocks, o.Warps, o.MaxWarps, o.Percent(), o.LimitedBy)
}

// Occupy computes the occupancy for blocks of threads threads that use sharedBytes of shared memory in all.
func Occupy(target string, registers, threads, sharedBytes int) (Occupancy, error) {
	l, err := LimitsOf(target)
	if err != nil {
		return Occupancy{}, err
	}
	if threads <= 0 || threads > 1024 {
		return Occupancy{}, fmt.Errorf("occupancy: %d threads per block", threads)
	}
	warps := (threads + 31) / 32
	perWarp := roundUp(max(registers, 1)*32, l.RegisterUnit)
	shared := roundUp(sharedBytes+l.ReservedBytes, l.SharedUnit)
	o := Occupancy{Blocks: l.Blocks, MaxWarps: l.Warps, LimitedBy: "blocks"}
	for _, c := range []struct {
		blocks int
		by     string
	}{
		{l.Warps / warps, "warps"},
		{l.Registers / partitions / perWarp * partitions / warps, "registers"},
		{l.SharedBytes / shared, "shared memory"},
	} {
		if c.blocks < o.Blocks {
			o.Blocks, o.LimitedBy = c.blocks, c.by
		}
	}
	o.Warps = o.Blocks * warps
	return o, nil
}

// partitions is how many sub-cores share an SM's registers; a warp's registers lie in one of them.
const partitions = 4

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
