// Command examples shows how another module adds a workload, a topology and a fabric, which its
// scenarios then name like the built-in ones, and has all commands with them.
package main

import (
	"overlapsim/cmd/cli"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/workloads"
)

func init() {
	workloads.Register(workloads.Kind{
		Name: "gather", Title: "all ranks send to rank 0", New: func() workloads.Workload { return &gather{Bytes: 4096} },
	})
	topology.Register(topology.Kind{
		Name: "my-ring", Doc: "nodes in a circle", New: func() topology.Keys { return new(ringKeys) },
	})
	fabrics.Register(fabrics.Kind{
		Name: "my-bus", Doc: "one message at a time in the whole machine", Places: true, New: func() fabrics.Keys { return new(busKeys) },
	})
}

func main() { cli.Main() }
