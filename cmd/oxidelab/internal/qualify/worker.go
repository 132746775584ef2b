package qualify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
)

// Job is what one child process is asked to do.
type Job struct {
	Level    evidence.Level  `json:"level"`
	Device   string          `json:"device"`
	Tasks    []levels.Task   `json:"tasks"`
	Versions levels.Versions `json:"versions"`
}

// line is one message of a child: exactly one member is set.
type line struct {
	Device  *evidence.Device `json:"device,omitempty"`
	Name    string           `json:"name,omitempty"` // beside Device: what opens it again
	Unable  string           `json:"unable,omitempty"`
	Begin   string           `json:"begin,omitempty"` // a task's ID
	Outcome *levels.Outcome  `json:"outcome,omitempty"`
}

// Work is a child process: it runs the tasks of a job one after the other and says on out when each begins and how it ended.
// It stops early when the device's context is lost; the parent starts another child for the rest. open is device.Open but for
// tests.
func Work(ctx context.Context, lib levels.Library, job Job, open func(string) (*device.Device, error), out io.Writer) error {
	say := json.NewEncoder(out)
	d, err := open(job.Device)
	if err != nil {
		return say.Encode(line{Unable: err.Error()})
	}
	facts, name := Facts(d), d.Name()
	if err := say.Encode(line{Device: &facts, Name: name}); err != nil {
		return err
	}
	runner := levels.NewRunner(lib, job.Level, d)
	runner.SetVersions(job.Versions)
	for i, t := range job.Tasks {
		if err := say.Encode(line{Begin: t.ID()}); err != nil {
			return err
		}
		o := runner.Run(ctx, t)
		if i == len(job.Tasks)-1 && !o.Lost {
			o = closing(o, d)
		}
		if err := say.Encode(line{Outcome: &o}); err != nil {
			return err
		}
		if o.Lost {
			return nil // what is open cannot be closed any more
		}
	}
	return nil
}

// closing closes the device before the last outcome is told, so that a failure to close is somebody's.
func closing(o levels.Outcome, d *device.Device) levels.Outcome {
	if err := d.Close(); err != nil && o.Case.Status == evidence.Passed {
		o.Case.Status, o.Case.Reason, o.Case.Timings = evidence.Failed, "closing the device: "+err.Error(), nil
	}
	return o
}

// Facts says what a device is. The driver's own version is not known to the runtime.
func Facts(d *device.Device) evidence.Device {
	info := d.Dev.Info()
	out := evidence.Device{Kind: "cuda", Name: info.Name, ComputeCapability: fmt.Sprintf("%d.%d", info.Major, info.Minor), CUDA: d.Dev.DriverVersion(),
		SMs: info.SMs, MemoryBytes: info.MemoryBytes, L2Bytes: uint64(max(info.L2Bytes, 0))}
	if d.IsEmulated() {
		out.Kind = "emulated"
		return out
	}
	u := info.UUID
	out.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
	return out
}
