package qualify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
)

const (
	maxLine  = 8 << 20          // of a child's messages
	lastWait = 10 * time.Second // for a child that was told to end
)

// child is one process that runs a job.
type child struct {
	device  *evidence.Device
	name    string
	unable  string
	begun   string // the task that is running
	tool    toolReport
	noise   string // the end of what it wrote besides messages
	timeout bool
	exit    error
}

// start runs a job in a new process, under a tool of compute-sanitizer where tool is not empty, and hands over outcomes as
// they come. It returns when the process has ended.
func (q *Qualification) start(ctx context.Context, job Job, tool string, take func(levels.Outcome) error) (*child, error) {
	dir, err := os.MkdirTemp("", "oxidelab-job-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "job.json")
	data, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := filepath.Join(dir, "tool.log")
	cmd := exec.CommandContext(ctx, q.Program[0], append(append([]string(nil), q.Program[1:]...), "worker", path)...)
	if tool != "" {
		cmd = underTool(ctx, q.sanitizer, tool, log, cmd)
	}
	c, err := follow(cmd, cancel, q.Timeout, take)
	if err == nil && tool != "" {
		c.tool = readToolLog(log)
	}
	return c, err
}

// follow starts a process and reads its messages to the end. A process that says nothing for the time of timeout is ended.
func follow(cmd *exec.Cmd, cancel context.CancelFunc, timeout time.Duration, take func(levels.Outcome) error) (*child, error) {
	c, errOut := &child{}, &tail{limit: 4 << 10}
	cmd.Stderr, cmd.WaitDelay = errOut, lastWait
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	expired := make(chan struct{})
	watch := time.AfterFunc(timeout, sync.OnceFunc(func() { close(expired); cancel() }))
	failed := c.listen(out, errOut, func() { watch.Reset(timeout) }, take)
	if failed != nil {
		cancel()
	}
	c.exit = cmd.Wait()
	watch.Stop()
	select {
	case <-expired:
		c.timeout = true
	default:
	}
	c.noise = errOut.String()
	return c, failed
}

// listen reads messages until the pipe ends. Lines that are none are kept as noise.
func (c *child) listen(out io.Reader, noise io.Writer, alive func(), take func(levels.Outcome) error) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		alive()
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			_, _ = noise.Write(append(bytes.Clone(lines.Bytes()), '\n'))
			continue
		}
		switch {
		case l.Device != nil:
			c.device, c.name = l.Device, l.Name
		case l.Unable != "":
			c.unable = l.Unable
		case l.Begin != "":
			c.begun = l.Begin
		case l.Outcome != nil:
			c.begun = ""
			if err := take(*l.Outcome); err != nil {
				return err
			}
		}
	}
	return nil // an error of the pipe shows as an early end
}

// how says in one line how a process ended early.
func (c *child) how(timeout time.Duration) string {
	if c.timeout {
		return fmt.Sprintf("nothing came from the process for %v, so it was ended", timeout)
	}
	s := "the process ended early"
	if c.exit != nil {
		s += ": " + c.exit.Error()
	}
	if text := strings.TrimSpace(c.noise); text != "" {
		s += "; it said: " + text
	}
	return s
}

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	data  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if n := len(t.data) - t.limit; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.data) }
