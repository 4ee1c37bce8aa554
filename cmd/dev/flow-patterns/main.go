// Command flow-patterns runs one of the patterns on which simulators of flows are compared, and
// prints the number of messages, the seconds that the simulation took, and the simulated us. It is
// the peer of SimGrid's program docs/simgrid/patterns.cpp, which prints the same:
//
//	flow-patterns stencil|pencil64|paced64|bulk64|alltoall crossbar|tree|torus RANKS
//
// The links have 12.5 GB/s and 200 ns, latency comes first, and messages have 64 KiB.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

const usage = `usage: go run ./cmd/dev/flow-patterns PATTERN PLATFORM RANKS

Runs a pattern of 64 KiB messages on the flow model, over links of 12.5 GB/s and
200 ns, and prints messages, seconds of the simulation and simulated us.

  PATTERN    stencil, pencil64, paced64, bulk64 or alltoall
  PLATFORM   crossbar, tree or torus
  RANKS      a multiple of 64
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errUsage = fmt.Errorf("%s", usage)

func run(args []string) error {
	if len(args) != 3 {
		return errUsage
	}
	ranks, err := strconv.ParseInt(args[2], 10, 32)
	if err != nil || ranks < 64 || ranks%64 != 0 {
		return errUsage
	}
	start := time.Now()
	o, err := simulate(args[0], args[1], int32(ranks))
	if err != nil {
		return err
	}
	fmt.Printf("%d %.6f %.3f\n", o.messages, time.Since(start).Seconds(), 1e6*o.end.Seconds())
	return nil
}

// outcome is what a run gives.
type outcome struct {
	messages int
	events   uint64
	end      sim.Time
}

// simulate runs a pattern on a platform.
func simulate(name, shape string, ranks int32) (o outcome, err error) {
	build, known := patterns[name]
	if !known {
		return o, errUsage
	}
	p, err := build(ranks)
	if err != nil {
		return o, err
	}
	t, params, err := platform(shape, int(ranks))
	if err != nil {
		return o, err
	}
	k := sim.NewKernel()
	f, err := flow.New(k, p, t, params)
	if err != nil {
		return o, err
	}
	p.start(k, f)
	k.Run()
	ended, all := p.messages()
	if ended != all {
		return o, fmt.Errorf("%d of %d messages ended", ended, all)
	}
	return outcome{all, k.Processed(), k.Now()}, nil
}

// platform returns a network of 64 x n ranks.
func platform(name string, ranks int) (t topology.Topology, p flow.Params, err error) {
	p = flow.Params{LatencyFirst: true, HopLatency: 200 * sim.Nanosecond}
	switch name {
	case "crossbar":
		t, err = topology.NewCrossbar(ranks)
	case "tree":
		t, err = topology.NewFatTree(topology.Tree{Down: []int{8, 8, ranks / 64}, Up: []int{8, 8}})
	case "torus":
		t, err = topology.NewTorus(topology.Grid{Sizes: []int{8, ranks / 64, 8}})
	default:
		return nil, p, errUsage
	}
	if name != "torus" { // there, nodes have cables
		p.Injection, p.Ejection, p.Latency = 12.5e9, 12.5e9, 2*p.HopLatency
	}
	if err == nil {
		for range t.Classes() {
			p.Capacity = append(p.Capacity, 12.5e9)
		}
	}
	return t, p, err
}
