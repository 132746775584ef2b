package emulate

import (
	"fmt"
	"runtime"
	"sync"
)

// LaunchConfig is the shape of a launch. A zero dimension counts as 1.
type LaunchConfig struct {
	Grid, Block, Cluster [3]uint32
	HasCluster           bool   // launched with the cluster attribute, or the kernel requires one
	Dynamic              uint32 // bytes of dynamic shared memory
	// Dependent: launched with programmatic stream serialisation. LaunchAll may start it before the launch in front of it has
	// ended; alone it changes nothing.
	Dependent bool
}

// Result is what a launch did.
type Result struct {
	Findings           []Finding
	WarpInstructions   uint64
	ThreadInstructions uint64
	CTAs               int
	Workers            int // goroutines that ran CTAs
}

// Err returns the first finding of severity error as an error, or nil.
func (r *Result) Err() error {
	for i := range r.Findings {
		if r.Findings[i].Severity == Error {
			return &FindingError{r.Findings[i]}
		}
	}
	return nil
}

// FindingError is a finding as an error.
type FindingError struct{ Finding Finding }

// Error implements error.
func (e *FindingError) Error() string { return "emulate: " + e.Finding.String() }

// LaunchError says that a launch was refused before it ran anything.
type LaunchError struct {
	Kernel string
	Field  string
	Reason string
}

// Error implements error.
func (e *LaunchError) Error() string {
	return fmt.Sprintf("emulate: launch of %s: %s: %s", e.Kernel, e.Field, e.Reason)
}

// launch is one launch in progress.
type launch struct {
	LaunchConfig
	dev      *Device
	k        *Kernel
	params   []byte
	mem      *moduleMemory
	threads  int
	warps    int
	shared   uint32 // end of the CTA's shared memory in its window
	ctas     int
	resident int // CTAs that fit on the device at once
}

// Launch runs a kernel to its end. params is the parameter block: each value at its Param.Offset, little-endian. The
// error is about the launch itself; what the kernel did wrong is in the findings.
func (d *Device) Launch(k *Kernel, cfg LaunchConfig, params []byte) (*Result, error) {
	l, err := d.prepare(k, cfg, params)
	if err != nil {
		return nil, err
	}
	n := 1
	if size := int(volume(l.Cluster)); k.private {
		if n = d.cfg.Workers; n <= 0 {
			n = runtime.GOMAXPROCS(0)
		}
		n = max(1, min(n, l.ctas/size, l.resident/size))
	}
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(l, i, n)
	}
	var wg sync.WaitGroup
	for _, w := range workers[1:] {
		wg.Go(w.loop)
	}
	workers[0].loop()
	wg.Wait()
	for _, w := range workers {
		w.explainStop()
	}
	mergeRaces(workers)
	res := &Result{CTAs: l.running(), Workers: n}
	reps := make([]*reporter, n)
	for i, w := range workers {
		reps[i] = &w.rep
		res.WarpInstructions += w.steps
		res.ThreadInstructions += w.threads
	}
	res.Findings = merge(reps)
	return res, nil
}

func ones(v [3]uint32) [3]uint32 {
	for i := range v {
		if v[i] == 0 {
			v[i] = 1
		}
	}
	return v
}

func volume(v [3]uint32) uint64 { return uint64(v[0]) * uint64(v[1]) * uint64(v[2]) }

// prepare checks a launch as the driver does and computes its resources.
func (d *Device) prepare(k *Kernel, cfg LaunchConfig, params []byte) (*launch, error) {
	fail := func(field, format string, args ...any) (*launch, error) {
		return nil, &LaunchError{k.Name, field, fmt.Sprintf(format, args...)}
	}
	if d.cfg.Ring && !k.prog.ring {
		r, err := k.ringForm()
		if err != nil {
			return nil, err
		}
		k = r
	}
	cfg.Grid, cfg.Block, cfg.Cluster = ones(cfg.Grid), ones(cfg.Block), ones(cfg.Cluster)
	dir := k.fn.Directives
	if need := dir.ReqNCTAPerCluster; need[0] > 0 {
		want := dims(need)
		if !cfg.HasCluster {
			cfg.Cluster, cfg.HasCluster = want, true
		}
		if cfg.Cluster != want {
			return fail("cluster", "%v, but the kernel requires %v", cfg.Cluster, want)
		}
	}
	if volume(cfg.Grid) > 1<<31-1 || cfg.Grid[1] > 65535 || cfg.Grid[2] > 65535 {
		return fail("grid", "%v is out of range", cfg.Grid)
	}
	threads := volume(cfg.Block)
	if threads > MaxThreadsPerCTA || cfg.Block[2] > 64 {
		return fail("block", "%v has %d threads; at most %d, and 64 in z", cfg.Block, threads, MaxThreadsPerCTA)
	}
	if dir.ReqNTID[0] > 0 && cfg.Block != dims(dir.ReqNTID) {
		return fail("block", "%v, but the kernel requires %v", cfg.Block, dims(dir.ReqNTID))
	}
	if dir.MaxNTID[0] > 0 && threads > volume(dims(dir.MaxNTID)) {
		return fail("block", "%d threads, but the kernel allows %v", threads, dims(dir.MaxNTID))
	}
	if volume(cfg.Cluster) > 16 {
		return fail("cluster", "%v has more than 16 blocks", cfg.Cluster)
	}
	for i := range 3 {
		if cfg.Grid[i]%cfg.Cluster[i] != 0 {
			return fail("grid", "%v is no multiple of the cluster %v", cfg.Grid, cfg.Cluster)
		}
	}
	if len(params) != k.paramBytes {
		return fail("params", "%d bytes, the kernel takes %d", len(params), k.paramBytes)
	}
	end := uint64(k.dynamicStart()) + uint64(cfg.Dynamic)
	if used := end - sharedUserStart; used > MaxSharedPerCTA {
		return fail("shared memory", "%d bytes, at most %d", used, MaxSharedPerCTA)
	}
	mem, err := d.moduleMemory(k.prog)
	if err != nil {
		return nil, err
	}
	l := &launch{LaunchConfig: cfg, dev: d, k: k, params: params, mem: mem, threads: int(threads),
		warps: (int(threads) + warpSize - 1) / warpSize, shared: uint32(end), ctas: int(volume(cfg.Grid))}
	perSM := min(MaxThreadsPerSM/(l.warps*warpSize), MaxCTAsPerSM, sharedPerSM/(int(l.shared)-sharedUserStart+sharedReservedCTA))
	l.resident = max(1, perSM) * d.cfg.SMs
	return l, nil
}

// dynamicStart is where dynamic shared memory begins in the window.
func (k *Kernel) dynamicStart() uint32 {
	return (k.sharedStatic + k.dynamicAlign - 1) &^ (k.dynamicAlign - 1)
}

func dims(v [3]int) [3]uint32 { return [3]uint32{uint32(v[0]), uint32(v[1]), uint32(v[2])} }

// Occupancy returns how many CTAs of the launch shape one multiprocessor holds, registers aside.
func (k *Kernel) Occupancy(threads int, dynamic uint32) int {
	warps := (threads + warpSize - 1) / warpSize
	if warps == 0 {
		return 0
	}
	used := int(k.dynamicStart()) + int(dynamic) - sharedUserStart + sharedReservedCTA
	return min(MaxThreadsPerSM/(warps*warpSize), MaxCTAsPerSM, sharedPerSM/used)
}
