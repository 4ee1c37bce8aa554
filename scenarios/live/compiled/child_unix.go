//go:build unix

package compiled

import (
	"os"
	"os/exec"
	"syscall"
)

// apart gives a process that has not started a group of its own, with all that it starts.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt does what ^C does: go removes its temporary files then.
func interrupt(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGINT) }
