//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// apart gives a process that has not started its own group, with all that it starts, unless it reads from a terminal: a terminal
// lets only the group in front read, and tells the whole of it of ^C.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: !readsTerminal(c)} }

func readsTerminal(c *exec.Cmd) bool {
	f, ok := c.Stdin.(*os.File)
	if !ok {
		return false
	}
	in, err := f.Stat()
	if err != nil || in.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(in, null)
}

// interrupt does what ^C does: go removes its temporary files then, and MPI's launchers end their ranks.
func interrupt(c *exec.Cmd) { tell(c, syscall.SIGINT) }

func kill(c *exec.Cmd) { tell(c, syscall.SIGKILL) }

func tell(c *exec.Cmd, s syscall.Signal) {
	if c.SysProcAttr.Setpgid {
		syscall.Kill(-c.Process.Pid, s)
	} else {
		c.Process.Signal(s)
	}
}
