package isa

// Control flow (manual 9.7.12).
var controlRows = []Row{
	{Syntax: "bra{.uni} tgt", PTX: 10, SM: 10, Sec: "9.7.12.3", Flow: "branch", Doc: "Jumps to a label; .uni promises that all active threads do."},
	{Op: "brx.idx", Syntax: "brx.idx{.uni} index, tlist", Args: "index: u32 reg; tlist: table", PTX: 60, SM: 30, Sec: "9.7.12.4", Flow: "indirect",
		Doc: "Jumps to an entry of a .branchtargets list."},
	{Syntax: "call{.uni} {(ret-param), }func{, (param-list)}{, flist}", Args: "ret-param: list def; func: func; param-list: list; flist: proto",
		PTX: 10, SM: 10, Sec: "9.7.12.5", Flow: "call", Doc: "Calls a function by name, or through a register with a list or prototype."},
	{Syntax: "ret{.uni}", PTX: 10, SM: 10, Sec: "9.7.12.6", Flow: "ret", Doc: "Returns from a function, or ends the thread in a kernel."},
	{Syntax: "exit", PTX: 10, SM: 10, Sec: "9.7.12.7", Flow: "exit", Doc: "Ends the thread."},
}

// Miscellaneous (manual 9.7.19).
var miscRows = []Row{
	{Syntax: "brkpt", PTX: 10, SM: 11, Sec: "9.7.19.1", Volatile: true, Doc: "Suspends execution for a debugger."},
	{Syntax: "nanosleep.u32 t", Args: "t: u32 either", PTX: 63, SM: 70, Sec: "9.7.19.2", Volatile: true, Doc: "Suspends the thread for about t ns."},
	{Syntax: "pmevent a", Args: "a: u32 imm=0", PTX: 14, SM: 10, Sec: "9.7.19.3", Volatile: true, Doc: "Triggers a performance monitor event."},
	{Syntax: "pmevent.mask a", Args: "a: u32 imm=1", PTX: 30, SM: 20, Sec: "9.7.19.3", Volatile: true, Doc: "Triggers the events of a mask."},
	{Syntax: "trap", PTX: 10, SM: 10, Sec: "9.7.19.4", Flow: "trap", Doc: "Aborts the kernel with an error."},
	{Syntax: "setmaxnreg.action.sync.aligned.u32 imm-reg-count", Alt: A{"action", "inc dec"}, Args: "imm-reg-count: u32 imm=" + regCounts,
		PTX: 80, SM: 90, Arch: true, Sec: "9.7.19.5", Convergent: true, Sync: true, Volatile: true, Doc: "Changes the warpgroup's registers per thread."},
}

const regCounts = "24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256"
