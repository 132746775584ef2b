package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
)

// worker is a child of qualify: it runs the job in a file and tells outcomes on standard output.
func (l *lab) worker(args []string) error {
	if len(args) != 1 {
		return errors.New("worker needs a job file; qualify starts it")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var job qualify.Job
	if err := json.Unmarshal(data, &job); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return qualify.Work(l.ctx, levels.Library{Bindings: bindings(), Artifacts: artifacts()}, job, device.Open, l.data)
}
