package op

// Programmatic dependent launch (PTX ISA 9.7.13.13): a grid may start before its predecessor has ended.
var dependent = []Info{
	{Name: "griddep_wait", On: OnKernel, Method: "GridDependencyWait", Sig: "", Arch: SM90,
		Effects: Effects{Order: true, Reads: In(Global), Writes: In(Global)},
		Doc:     "waits until the grids that this launch depends on have ended and their writes are visible", PTX: "griddepcontrol.wait", Section: "9.7.13.13"},
	{Name: "griddep_launch", On: OnKernel, Method: "GridDependencyLaunch", Sig: "", Arch: SM90,
		Effects: Effects{Order: true},
		Doc:     "lets the dependent grids start once every block has said so or ended", PTX: "griddepcontrol.launch_dependents", Section: "9.7.13.13"},
}
