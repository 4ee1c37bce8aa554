//go:build !unix

package child

import "os/exec"

func apart(*exec.Cmd) {}

func interrupt(c *exec.Cmd) { c.Process.Kill() }

func kill(c *exec.Cmd) { c.Process.Kill() }
