package flow_test

import (
	"fmt"
	"strings"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

type printer struct{}

func (printer) Sent(uint32, sim.Time, sim.Time) {}
func (printer) Arrived(id uint32, now sim.Time) { fmt.Println("message", id, "arrives at", now) }

// Three messages on a ring of 8 with links of 1 GB/s and 100 ns: two of them
// share the link from 1 to 2.
func Example() {
	ring, err := topology.NewTorus(topology.Grid{Sizes: []int{8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	k := sim.NewKernel()
	f, err := flow.New(k, printer{}, ring, flow.Params{Capacity: []sim.Rate{1e9}, HopLatency: 100 * sim.Nanosecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Start(network.Transfer{ID: 1, From: 0, To: 2, Bytes: 50_000})
	f.Start(network.Transfer{ID: 2, From: 1, To: 3, Bytes: 100_000})
	f.Start(network.Transfer{ID: 3, From: 5, To: 4, Bytes: 20_000})
	k.Run()
	// Output:
	// message 3 arrives at 20.1us
	// message 1 arrives at 100.2us
	// message 2 arrives at 150.2us
}

// A case with its own routes.
func ExampleReadCase() {
	c, err := flow.ReadCase(strings.NewReader(`{
		"link_bandwidth_Bps": {"leaf": 1e9, "spine": 2e9},
		"flows": [
			{"bytes": 1e9, "route": ["leaf", "spine"]},
			{"bytes": 3e9, "route": ["spine"], "start": 0.5}
		]}`), "example.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	finish, _, err := c.Run()
	fmt.Println(finish, err)
	// Output: [1 2.25] <nil>
}
