package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// A job script runs the program regardless of what its path contains, and no command in that path.
func TestJobScriptQuotes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	for _, name := range []string{"plain", "a b", "it's", "$(touch pwned)", "`touch pwned`", "x;touch pwned;", "x\ntouch pwned\n", `\"$HOME"&`,
		"-n"} {
		folder := t.TempDir()
		program := filepath.Join(folder, name)
		must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\necho ran \"$@\"\n"), 0o777))
		c := limited.Command(t, sh)
		c.Dir, c.Env = folder, append(os.Environ(), "SLURM_ARRAY_TASK_ID=3;touch pwned", "SLURM_ARRAY_TASK_COUNT=4")
		c.Stdin = strings.NewReader((&Slurm{Program: program}).script())
		out, err := c.CombinedOutput()
		if want := "ran sweep . --jobs 1 --part 3;touch pwned/4\n"; err != nil || string(out) != want {
			t.Errorf("%q: %v, %s", name, err, out)
		}
		if _, err := os.Stat(filepath.Join(folder, "pwned")); err == nil {
			t.Errorf("%q was run", name)
		}
	}
}
