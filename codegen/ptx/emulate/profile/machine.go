package profile

// Machine is a GPU as the time model sees it. Clocks are those of an SM.
type Machine struct {
	Name string
	SMs  int
	// Hz is the clock of the SMs; TensorHz what a full tensor load leaves of it under the board's power limit.
	Hz, TensorHz float64

	ReadRate  float64 // bytes/s of device memory, reads alone
	CopyRate  float64 // bytes/s, as much written as read
	L2Bytes   float64
	L2Rate    float64 // bytes/s of all SMs together
	PortBytes float64 // bytes a clock between L2 and one SM

	LatencyL2     float64 // clocks of a dependent load that hits
	LatencyMemory float64 // and of one that misses
	LatencyDSMEM  float64

	SharedPhase float64 // phases a clock
	Issue       float64 // warp instructions a clock
	FMA         float64 // warp instructions a clock of each unit
	ALU         float64
	MUFU        float64
	Convert     float64
	Shuffle     float64
	LSU         float64

	MatrixFlop float64 // operations a clock of wgmma on 16-bit factors; twice that on 8-bit ones
	SyncShare  float64 // share of it that mma.sync reaches

	BulkLatency float64 // clocks of a bulk copy that hits in L2, without its bytes
	BulkRate    float64 // bytes a clock that add to it

	BarrierLatency float64 // clocks of a CTA barrier, and more for each warp
	BarrierWarp    float64
	ClusterLatency float64 // of a cluster barrier

	BlockRate     float64 // blocks that all SMs together start in a second
	NodeTime      float64 // seconds from one graph node's end to the next one's start
	DependentTime float64 // likewise between programmatic launches
}

// H200 is an H200 of 132 SMs. None of these numbers belongs to a kernel:
//
//   - Hz is what the SMs ran at in all records of evidence/; TensorHz is the clock at which 790 TFLOP/s, the most that a bf16
//     product of random data reached under the 700 W of the board, are all operations of the tensor cores.
//   - ReadRate and CopyRate are the measured ceilings of bench/NOTES.md; L2Bytes is what the driver says; PortBytes
//     is the width of the port. L2Rate is what a product of 64×128 tiles moves: 2048×4096×4096 brings 1.61 GB to the SMs in 114 µs
//     (cmd/oxidegen/internal/trial/testdata/products).
//   - Latencies are those of chains of dependent loads by one thread: of L2, of device memory, of a peer's shared memory.
//     Barriers and bulk copies (281 clocks up to 256 bytes, 464 of 16 KB, 613 of 32 KB) likewise.
//   - Rates of units are those of the CUDA C++ Programming Guide's table of arithmetic throughput for compute capability 9.0,
//     which microbenchmarks agree with; SyncShare is what the literature reports (Luo et al. 2024).
//   - NodeTime and DependentTime are the periods of empty kernels in a graph. BlockRate is the slope between the recorded times
//     of SwiGLU by single elements at 71,680 and 114,688 blocks, which nothing else bounds.
var H200 = Machine{
	Name: "NVIDIA H200", SMs: 132, Hz: 1.98e9, TensorHz: 1.46e9,
	ReadRate: 4.55e12, CopyRate: 4.2e12, L2Bytes: 60 << 20, L2Rate: 14e12, PortBytes: 64,
	LatencyL2: 294, LatencyMemory: 712, LatencyDSMEM: 198,
	SharedPhase: 1, Issue: 4, FMA: 4, ALU: 2, MUFU: 0.5, Convert: 0.5, Shuffle: 1, LSU: 1,
	MatrixFlop: 4096, SyncShare: 0.62,
	BulkLatency: 281, BulkRate: 96,
	BarrierLatency: 25, BarrierWarp: 2, ClusterLatency: 357,
	BlockRate: 8.25e8, NodeTime: 0.55e-6, DependentTime: 0.49e-6,
}
