//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command and what it starts into a group that ends with it: a tool leaves its application running.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
