package workloads_test

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// Rank 0 computes an array and sends it to rank 1 in pieces, each as soon as it is
// computed. It looks for the best number of pieces while it runs: it doubles the number
// as long as that makes an iteration shorter.
func Example_adaptiveOverlap() {
	machine := &machines.Machine{Name: "two nodes", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 5 * sim.Microsecond, SendOverhead: network.Constant(2 * sim.Microsecond), Transfer: network.PerByte(1000), // 1 GB/s
	}}
	const bytes, work = 1 << 20, sim.Millisecond

	sender := func(p *nodes.Process) {
		best := sim.Forever
		for pieces := 1; ; pieces *= 2 {
			start := p.Now()
			for i := range pieces {
				p.Compute(machines.Task{Time: work / sim.Time(pieces)}, 1)
				p.Put(1, bytes/int64(pieces), i)
			}
			for i := range pieces {
				p.Wait(i)
			}
			took := p.Now() - start
			fmt.Printf("%4d pieces: %v\n", pieces, took)
			if took >= best {
				return
			}
			best = took
		}
	}
	body := func(p *nodes.Process) {
		if p.Rank() == 0 {
			sender(p)
		}
		p.Barrier()
	}
	if _, err := nodes.RunLive(machine, 2, nil, body, 1, nodes.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	//    1 pieces: 2.060576ms
	//    2 pieces: 1.560576ms
	//    4 pieces: 1.310576ms
	//    8 pieces: 1.185576ms
	//   16 pieces: 1.123076ms
	//   32 pieces: 1.106768ms
	//   64 pieces: 1.154384ms
}
