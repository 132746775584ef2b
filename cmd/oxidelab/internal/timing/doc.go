// Package timing measures plans on a device: in replays of a graph, and eagerly from the host.
//
// Every call of a measurement has operands of its own, several times what L2 holds in all, so that no input is found in
// cache; small calls stay below that with the most copies allowed, and are then warm. Weights are shared by all calls, as
// in the peers' harnesses. A graph holds about four milliseconds of calls; one sample is a replay between two events,
// divided by its calls. Back-to-back calls overlap where kernels use programmatic launch, so a sample is throughput per
// call, as an engine's decode step sees it, and not the latency of one call by itself. All samples are kept.
package timing
