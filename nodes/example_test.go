package nodes_test

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// cluster is a machine in Go: nodes of one core, LogGP with L = 5us, o = 1us and
// links of 1 GB/s.
func cluster() *machines.Machine {
	return &machines.Machine{Name: "cluster", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency:         5 * sim.Microsecond,
		SendOverhead:    network.Constant(sim.Microsecond),
		ReceiveOverhead: network.Constant(sim.Microsecond),
		Transfer:        network.PerByte(1000), // ps per byte
	}}
}

// ring is a compiled program: in each step a rank passes a block on to the next one
// while it computes on the block that it has.
type ring struct {
	ranks int
	bytes int64
	work  sim.Time // on a block
}

func (p *ring) Ranks() int       { return p.ranks }
func (p *ring) Phases() []string { return []string{"ring"} }

func (p *ring) Step(rank, step int, do *programs.Ops) bool {
	if step == p.ranks {
		return false
	}
	const in, out = 0, 1 // requests
	do.Irecv((rank+p.ranks-1)%p.ranks, p.bytes, step, in)
	do.Isend((rank+1)%p.ranks, p.bytes, step, out)
	do.Compute(machines.Task{Time: p.work}, 1)
	do.Wait(in)
	do.Wait(out)
	return true
}

// A compiled program on a machine, and where its time goes.
func ExampleRun() {
	program := &ring{ranks: 4, bytes: 100_000, work: 80 * sim.Microsecond}
	result, err := nodes.Run(cluster(), program, 1, nodes.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("makespan", result.Makespan(), "in", result.Messages, "messages")
	ledger := result.OfRank(0)
	for term, time := range ledger {
		if time > 0 {
			fmt.Printf("%-9v %v\n", results.Term(term), time)
		}
	}
	// Output:
	// makespan 428us in 16 messages
	// compute   320us
	// overhead  8us
	// transfer  80us
	// latency   20us
}

// A live program: rank 0 waits for the answer of each other rank, but at most 50us. What
// it does next depends on what happened.
func ExampleRunLive() {
	master := func(p *nodes.Process) {
		for worker := 1; worker < p.Ranks(); worker++ {
			p.Irecv(worker, 1000, 0, worker)
		}
		for worker := 1; worker < p.Ranks(); worker++ {
			answer := p.Done(worker) // a signal, as of simgo
			p.Await(p.Env().AnyOf(answer, p.Env().Timeout(50*sim.Microsecond)))
			if answer.Processed() {
				fmt.Println(p.Now(), "worker", worker, "has answered")
			} else {
				fmt.Println(p.Now(), "worker", worker, "is late")
			}
		}
		for worker := 1; worker < p.Ranks(); worker++ {
			p.Wait(worker)
		}
	}
	body := func(p *nodes.Process) {
		if p.Rank() == 0 {
			master(p)
			return
		}
		p.Compute(machines.Task{Time: 30 * sim.Microsecond}, p.Rank()*p.Rank())
		p.Send(0, 1000, 0)
	}
	result, err := nodes.RunLive(cluster(), 5, nil, body, 1, nodes.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Makespan(), "all have ended")
	// Output:
	// 37us worker 1 has answered
	// 87us worker 2 is late
	// 137us worker 3 is late
	// 187us worker 4 is late
	// 488us all have ended
}
