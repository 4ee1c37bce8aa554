package sim_test

import (
	"fmt"

	"overlapsim/sim"
)

// pingPong sends a ball to and fro: each event schedules the next.
type pingPong struct {
	kernel  *sim.Kernel
	latency sim.Time
}

const (
	ping uint32 = iota
	pong
)

func (g *pingPong) Handle(e sim.Event) {
	fmt.Println(e.At, [...]string{"ping", "pong"}[e.Kind], e.Arg)
	if e.Arg > 1 {
		g.kernel.Schedule(e.At+g.latency, e.To, 1-e.Kind, e.Arg-1)
	}
}

// A handler on the bare kernel: the handler defines what an event's kind and argument
// mean.
func ExampleKernel() {
	k := sim.NewKernel()
	id := k.Register(&pingPong{k, 4500 * sim.Nanosecond})
	k.Schedule(0, id, ping, 4)
	k.Run()
	fmt.Println(k.Processed(), "events until", k.Now())
	// Output:
	// 0s ping 4
	// 4.5us pong 3
	// 9us ping 2
	// 13.5us pong 1
	// 4 events until 13.5us
}

// Live processes: two ranks compute and then share one link; a third process waits for
// both, with a time limit.
func ExampleEnv() {
	env := sim.NewEnv(sim.NewKernel())
	defer env.Shutdown()
	link := env.Resource(1)
	var ranks []*sim.Process
	for i, compute := range []sim.Time{30 * sim.Microsecond, 40 * sim.Microsecond} {
		ranks = append(ranks, env.Process(fmt.Sprint("rank ", i), func(p *sim.Process) {
			p.Sleep(compute)
			link.Acquire(p)
			p.Sleep(sim.PerByte(64<<10, 400)) // 2.5 GB/s
			link.Release()
			fmt.Println(p.Name(), "done at", p.Now())
		}))
	}
	env.Process("impatient", func(p *sim.Process) {
		both := env.AllOf(ranks[0], ranks[1])
		if !p.AwaitFor(both, 60*sim.Microsecond) {
			fmt.Println("still waiting at", p.Now())
		}
		p.Await(both)
		fmt.Println("both done at", p.Now())
	})
	if err := env.Run(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 0 done at 56.2144us
	// still waiting at 60us
	// rank 1 done at 82.4288us
	// both done at 82.4288us
}
