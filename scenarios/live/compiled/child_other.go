//go:build !unix

package compiled

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

func interrupt(p *os.Process) { p.Kill() }
