package isa

// Control flow (manual 9.7.12).
var controlRows = []Row{
	{Syntax: "bra{.uni} tgt", PTX: 10, SM: 10, Sec: "9.7.12.3", Flow: "branch", Doc: "Jumps to a label; .uni promises that all active threads do."},
	{Syntax: "ret{.uni}", PTX: 10, SM: 10, Sec: "9.7.12.6", Flow: "ret", Doc: "Returns from a function, or ends the thread in a kernel."},
	{Syntax: "exit", PTX: 10, SM: 10, Sec: "9.7.12.7", Flow: "exit", Doc: "Ends the thread."},
}
