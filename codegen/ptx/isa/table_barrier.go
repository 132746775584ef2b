package isa

// Barriers of a CTA, a warp and a cluster, and programmatic launch (manual 9.7.13).
var barrierRows = []Row{
	{Syntax: "barrier{.cta}.sync{.aligned} a{, b}", Args: "a: u32 either; b: u32 either", PTX: 60, SM: 30, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "Waits at barrier a until b threads (all) have arrived."},
	{Syntax: "barrier{.cta}.arrive{.aligned} a, b", Args: "a: u32 either; b: u32 either", PTX: 60, SM: 30, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "Arrives at barrier a without waiting."},
	{Syntax: "bar{.cta}.sync a{, b}", Args: "a: u32 either; b: u32 either", PTX: 10, SM: 10, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "barrier.sync.aligned."},
	{Syntax: "bar{.cta}.arrive a, b", Args: "a: u32 either; b: u32 either", PTX: 10, SM: 10, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "barrier.arrive.aligned."},
	{Syntax: "griddepcontrol.action", Alt: A{"action", "launch_dependents wait"}, PTX: 78, SM: 90, Sec: "9.7.13.13", Sync: true, Volatile: true,
		Doc: "Lets dependent grids start, or waits until the grids this one depends on have finished and flushed."},
}
