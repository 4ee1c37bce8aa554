package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

// greed is a command, with what may become of it if memory is short.
type greed struct {
	args     []string
	statuses []int
	says     string // "LIMIT": what the forecast calls the limit
}

// greedy are commands. All but the first need more than a GiB.
var greedy = []greed{
	{[]string{"run", "fig22-initiation", "--no-advice"}, []int{done}, ""},
	{[]string{"run", many, "--no-advice", "--set", "ranks=20000000"}, []int{wrong}, "LIMIT"},
	{[]string{"run", many, "--no-advice", "--set", "topology={kind: torus, dims: [400, 400, 400]}", "--set", "fabric.kind=flow"}, []int{wrong},
		"LIMIT"},
	{[]string{"run", many, "--no-advice", "--set", "workload={name: alltoall-linear, bytes: 8B}", "--set", "ranks=20000", "--no-symmetry"},
		[]int{wrong}, "LIMIT"},
	{[]string{"run", many, "--no-advice", "--html", "out", "--set", "workload={name: halo, iterations: 1}", "--set", "ranks=262144"},
		[]int{wrong, crashed}, ""}, // a file holds most of the timeline
	{[]string{"run", "gpt-18b", "--no-advice", "--set", "workload.global_batch=524288"}, []int{wrong}, "LIMIT"},
	{[]string{"gradient", many, "--set", "workload={name: halo, iterations: 5}", "--set", "ranks=65536"}, []int{wrong, crashed}, ""},
}

// greedyLater are commands that no forecast refuses, and that need some 100 MiB.
var greedyLater = []greed{
	{[]string{"run", many, "--no-advice", "--html", "out", "--set", "workload={name: halo, iterations: 20}", "--set", "ranks=4096"},
		[]int{wrong, crashed}, ""},
	{[]string{"gradient", many, "--set", "workload={name: halo, iterations: 20}", "--set", "ranks=4096"}, []int{wrong, crashed}, ""},
}

// endsInWords runs commands by a shell line that limits memory and then runs its arguments. Each
// ends with a status and a message.
func endsInWords(t *testing.T, limit, called string, commands []greed) {
	t.Helper()
	folder := t.TempDir()
	text := "machine: {base: jacquard, nodes: 100000000}\nworkload: {name: token-ring, bytes: 8B}\nranks: 16\n"
	if err := os.WriteFile(filepath.Join(folder, many), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		status, said := runWithin(t, folder, limit, c.args)
		t.Logf("%v: status %d, %s", c.args, status, said)
		want := strings.ReplaceAll(c.says, "LIMIT", called)
		if !slices.Contains(c.statuses, status) || !strings.Contains(said, want) || status != done && said == "" {
			t.Errorf("%v: status %d, want one of %d, and %q in %q", c.args, status, c.statuses, want, said)
		}
	}
}

// runWithin runs the program by a shell line, and returns its status, -1 if a signal ended it, and
// the start of its output.
func runWithin(t *testing.T, folder, limit string, args []string) (status int, said string) {
	t.Helper()
	p := program(t, folder, args...)
	c := limited.Command(t, "sh", append([]string{"-c", limit + `; exec "$@"`, "sh", p.Path}, args...)...)
	c.Dir = folder
	var errs bytes.Buffer
	c.Stderr = &errs
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return status, strings.TrimSpace(errs.String()[:min(errs.Len(), 300)])
}

// Under ulimit -v a command that needs too much memory ends with a message and a documented
// status.
func TestLittleAddressSpace(t *testing.T) {
	must.Long(t)
	const step, most = 256 << 10, 16 << 20 // KiB
	for size := step; size < most; size += step {
		limit := fmt.Sprintf("ulimit -v %d", size)
		if status, _ := runWithin(t, t.TempDir(), limit, greedy[0].args); status == done {
			endsInWords(t, fmt.Sprintf("ulimit -v %d", size+4*step), "left of ulimit -v", greedy)
			return
		}
	}
	t.Skip("ulimit -v sets no limit here")
}

// In a control group with little memory a command ends with a message too: it never asks for more
// memory than there is, for which the system would kill it.
func TestLittleControlGroup(t *testing.T) {
	must.Long(t)
	group, limit := controlGroup(t)
	if err := os.WriteFile(filepath.Join(group, limit), []byte("100000000"), 0o644); err != nil {
		t.Skipf("no control group can limit memory here: %v", err)
	}
	endsInWords(t, fmt.Sprintf("echo $$ > %s/cgroup.procs", group), "the limit of the control group", slices.Concat(greedy, greedyLater))
}

// controlGroup makes a control group below that of this process, and names the file of its
// limit.
func controlGroup(t *testing.T) (folder, limit string) {
	t.Helper()
	const mounted = "/sys/fs/cgroup"
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skipf("no control group can limit memory here: %v", err)
	}
	folder, limit = mounted, "memory.max"
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && parts[1] == "memory" {
			folder, limit = filepath.Join(mounted, "memory", parts[2]), "memory.limit_in_bytes"
			break
		} else if len(parts) == 3 && parts[1] == "" {
			folder = filepath.Join(mounted, parts[2])
		}
	}
	folder = filepath.Join(folder, fmt.Sprintf("overlapsim-test-%d", os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skipf("no control group can limit memory here: %v", err)
	}
	t.Cleanup(func() { os.Remove(folder) })
	return folder, limit
}
