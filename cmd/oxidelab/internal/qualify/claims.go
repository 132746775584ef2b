package qualify

import "github.com/oxideinfer/oxide/evidence"

// claims are what the passed cases of a level show.
func claims(l evidence.Level) []string {
	switch l {
	case evidence.Contract:
		return []string{"Descriptions agree with the Specs; declared Specs survive being written and read; values outside the declared ranges, and operands that break the contract, are refused with a typed error that names them, before anything is submitted."}
	case evidence.Emulator:
		return []string{"The PTX gives results within the bounds of the float64 reference, writes nothing but its outputs, and the emulator's memcheck, initcheck, racecheck and synccheck find nothing."}
	case evidence.Correctness:
		return []string{"The cubin gives results within the bounds of the float64 reference on this device and leaves sentinels, gaps and inputs as they were."}
	case evidence.Lifecycle:
		return []string{"Scopes, leases, completions and streams keep the promises that the cases name, with this operator as the work."}
	case evidence.Sanitizer:
		return []string{"The tool named by each case saw the kernel named by it run once and reported nothing."}
	case evidence.Graph:
		return []string{"Captured and replayed calls give results within the bounds of the float64 reference on this device."}
	}
	return []string{"The medians, with their 95 % intervals, of the samples that are kept here, on this device in the state that was seen.",
		"Where there is a ranking: that order, in one process, on one stream, over the same operands, in both orders."}
}

// excludes are what the cases of a level do not show.
func excludes(l evidence.Level) []string {
	const others = "Anything about other devices, drivers or kernels than those named here."
	switch l {
	case evidence.Contract:
		return []string{"Anything about results.", "Contracts that are not in the operator's description."}
	case evidence.Emulator:
		return []string{"Results of the cubin on a GPU.", "Time.", "Sizes that are not among the cases."}
	case evidence.Correctness:
		return []string{others, "Speed.", "Races that did not show in these runs.", "Sizes that are not among the cases."}
	case evidence.Lifecycle:
		return []string{others, "Every interleaving: what ran is what the scheduler chose.", "Speed."}
	case evidence.Sanitizer:
		return []string{others, "Cases other than the one by which each kernel was launched.", "The other tools."}
	case evidence.Graph:
		return []string{others, "Capture by somebody else's stream.", "Speed."}
	}
	return []string{others, "The latency of one call by itself: calls of a graph overlap where kernels use programmatic launch.",
		"A faster model: engines are measured on their own.", "Calls whose operands the kernel before has left in cache.",
		"That a peer could not be configured to run faster."}
}
