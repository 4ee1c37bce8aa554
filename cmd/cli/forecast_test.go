package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios"
)

// What TestForecastOfTime draws from. Of a workload the first number is how often, the second is bytes.
var (
	timedFabrics = []string{
		"ideal", "calibrated, calibration: hopper", "flow", "backlog", "packet, payload: 240B, packet: 256B, slots: 8",
		"packet, payload: 4KiB, packet: 4KiB, slots: 16",
	}
	timedTopologies = []string{
		"torus, dims: [16, 16, 8]", "torus, dims: [64, 32]", "fat-tree, children: [16, 16, 8], parents: [8, 8]",
		"hyperx, dims: [16, 16], nodes_per_router: 8", "dragonfly, groups: 33, routers: 8, nodes_per_router: 8, global: 8", "crossbar",
	}
	timedWorkloads = []string{
		"halo, iterations: %d, bytes: %dB, compute: 10us", "shift, repeat: %d, bytes: %dB, distance: 5", "alltoall-linear, repeat: %d, bytes: %dB",
		"token-ring, repeat: %d, bytes: %dB", "collective, operation: allreduce, repeat: %d, bytes: %dB",
		"collective, operation: alltoall, repeat: %d, bytes: %dB",
	}
	timedMachines = []string{"jacquard", "william", "jacquard, runtime: none",
		"jacquard, runtime: none, copying: {chunk: 2KiB, send: 1GB/s, receive: 1GB/s, buffer: 64KiB}"}
)

// The forecast of time is compared with the processor time of random runs on every fabric: three of four are within a factor of 3. The
// processor should have nothing else to do.
func TestForecastOfTime(t *testing.T) {
	if !*forecasts {
		t.Skip("-forecasts runs it: it takes minutes, and other load on the machine shows")
	}
	const (
		runs   = 60
		least  = 2.0 // told of a run, in seconds
		factor = 3
		start  = 0.03 // s, of the program
	)
	t.Chdir(t.TempDir())
	far := 0
	for i := range runs {
		d := rand.New(rand.NewPCG(uint64(i), 2))
		one := func(of []string) string { return of[d.IntN(len(of))] }
		fabric, topologies := timedFabrics[i%len(timedFabrics)], timedTopologies
		if strings.HasPrefix(fabric, "packet") {
			topologies = topologies[:len(topologies)-2] // not on a dragonfly, nor through one router with thousands of nodes
		}
		topology, workload, machine := one(topologies), one(timedWorkloads), one(timedMachines)
		ranks, bytes := 1<<(3+d.IntN(9)), int64(1)<<d.IntN(21)
		var s *scenarios.Scenario
		text, told := "", 0.0
		for n := 1; told < least; n *= 2 {
			text = fmt.Sprintf("machine: {base: %s, nodes: 4096}\nfabric: {kind: %s}\ntopology: {kind: %s}\nworkload: {name: %s}\nranks: %d\n"+
				"processes_per_node: %d\n", machine, fabric, topology, fmt.Sprintf(workload, n, bytes), ranks, 1+d.IntN(2))
			writeText(t, many, text)
			study, err := scenarios.Load(many, nil)
			if err != nil {
				t.Fatalf("%s%v", text, err)
			}
			s = study.Runs[0]
			told = s.Effort(nodes.Options{NoSymmetry: true}).Seconds
		}
		c := program(t, ".", "run", many, "--no-advice", "--no-symmetry", "--json")
		c.Env = append(os.Environ(), "GOMAXPROCS=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s%v %s", text, err, out[:min(1000, len(out))])
		}
		took := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() - start
		said := ""
		if told > factor*took || took > factor*told {
			far++
			said = text
		}
		t.Logf("%5.2f of %5.2f s: factor %4.2f  %s, %s %s", told, took, told/took, fabric, workload, said)
	}
	if far > runs/4 {
		t.Errorf("%d of %d forecasts are wrong by more than a factor of %d", far, runs, factor)
	}
}
