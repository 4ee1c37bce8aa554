package collectives_test

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/workloads/collectives"
)

// A live program on 8 ranks: a step of an iterative solver that combines a vector of 1 MB
// at all ranks, by two algorithms. Combining takes 0.1 ns per byte.
func Example() {
	cluster := &machines.Machine{Name: "cluster", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 2500 * sim.Nanosecond, Gap: sim.Microsecond, Transfer: network.PerByte(600), // ps
		SendOverhead: network.Constant(1500 * sim.Nanosecond), ReceiveOverhead: network.Constant(1200 * sim.Nanosecond),
	}}
	for _, way := range []struct {
		name string
		by   *collectives.Algorithm
	}{
		{"doubling", collectives.AllreduceDoubling},
		{"ring", collectives.AllreduceRing},
	} {
		body := func(p *nodes.Process) {
			p.Compute(machines.Task{Time: sim.Millisecond}, 1)
			way.by.Call(collectives.Group{
				Ranks: p.Ranks(), Me: p.Rank(), Bytes: 1_000_000,
				Combine: func(bytes int64) machines.Task { return machines.Task{Time: sim.Time(100 * bytes)} },
			}, p)
		}
		result, err := nodes.RunLive(cluster, 8, nil, body, 1, nodes.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(way.name, result.Makespan())
	}
	// Output:
	// doubling 3.1156ms
	// ring 2.2103ms
}
