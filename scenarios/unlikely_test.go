package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim/must"
)

// What a run takes for true that no machine has is said, as long as something comes of it, and so is a cost that nothing has.
func TestUnlikely(t *testing.T) {
	const halo, alltoall = "{name: halo, bytes: 64KiB, iterations: 2, compute: 100us}", "{name: collective, operation: alltoall, bytes: 64KiB}"
	for _, c := range []struct {
		workload, progress string
		processes          int
		assumed, idle      string // the beginning of what is said; "": nothing is
	}{
		{halo, "{by: thread, cost: 1us}", 120, "assumed: 240 cores for the processes of a node and their helper threads, where the machine has 120: " +
			"--set processes_per_node=60", ""},
		{halo, "{by: thread, cost: 1us}", 60, "", ""},
		{halo, "{by: thread}", 60, "assumed: a helper thread that acts at once and costs nothing", ""},
		{halo, "{by: interrupts}", 8, "assumed: interrupts that cost nothing", ""},
		{halo, "{by: interrupts, cost: 5us}", 8, "", ""},
		{alltoall, "{by: interrupts, cost: 5us}", 8, "", "machine.runtime.progress.cost"},
		{alltoall, "{by: interrupts}", 8, "", ""},
		{halo, "{by: test, every: 3us}", 8, "assumed: tests that cost nothing", ""},
		{halo, "{by: test, every: 3us, test: 0.3us}", 8, "", ""},
		{halo, "{by: calls}", 120, "", ""},
		{halo, "{by: calls}; machine.runtime.rendezvous.threshold=1MiB", 8, "assumed: eager messages are not copied, however long", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: triggered}", 8, "assumed: the NIC that begins rounds of collectives also combines", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: nic}", 8, "", ""},
		{"{name: osu-nbc, operation: allreduce, bytes: 8B}", "{by: calls}", 8, "", ""},
	} {
		text := fmt.Sprintf("machine: hdr-infiniband\nworkload: %s\nprocesses_per_node: %d\nranks: %d\n", c.workload, c.processes, 2*c.processes)
		study := must.Get(Read("unlikely.yaml", []byte(text), strings.Split("machine.runtime.progress="+c.progress, "; ")))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		lines := slices.DeleteFunc(o.Assumptions(), func(line string) bool { return !strings.HasPrefix(line, "assumed:") })
		if assumed := strings.Join(lines, "\n"); !strings.HasPrefix(assumed, c.assumed) || c.assumed == "" && assumed != "" {
			t.Errorf("%+v: %q", c, assumed)
		}
		idle := ""
		for _, n := range o.NoEffect() {
			idle += n.Key
		}
		if idle != c.idle {
			t.Errorf("%+v: no effect of %q", c, idle)
		}
	}
}
