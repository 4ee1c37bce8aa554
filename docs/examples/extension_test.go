// Package examples_test shows how another module adds a workload, a topology and a
// fabric, which its scenarios then name like the built-in ones.
package examples_test

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/sim"
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

// gather is a workload: its tagged fields are the keys of workload: in a scenario.
type gather struct {
	Bytes int64 `key:"bytes" unit:"bytes" doc:"size of a message"`
}

// Program implements workloads.Workload.
func (w *gather) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	if w.Bytes < 1 {
		return nil, &workloads.KeyError{Key: "bytes", Message: "must be at least 1"}
	}
	return &gatherProgram{ranks, w.Bytes}, nil
}

// Metrics implements workloads.Workload.
func (w *gather) Metrics(_ *machines.Machine, r *results.Result) (m workloads.Metrics) {
	m.Add("bandwidth_Bps", float64(r.Bytes)/r.Makespan().Seconds())
	return m
}

type gatherProgram struct {
	ranks int
	bytes int64
}

func (p *gatherProgram) Ranks() int       { return p.ranks }
func (p *gatherProgram) Phases() []string { return []string{"gather"} }

func (p *gatherProgram) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	if rank > 0 {
		do.Send(0, p.bytes, 0)
		return true
	}
	for from := 1; from < p.ranks; from++ {
		do.Recv(from, p.bytes, 0)
	}
	return true
}

// ringKeys are the keys of a topology: a torus of one dimension, with one number.
type ringKeys struct {
	Routers int `key:"topology.routers" unit:"count" in:"positive" doc:"routers of the ring"`
}

// Build implements topology.Keys.
func (k *ringKeys) Build(int) (topology.Topology, error) {
	return topology.NewTorus(topology.Grid{Sizes: []int{k.Routers}})
}

// busKeys are the keys of a fabric.
type busKeys struct {
	Bandwidth sim.Rate `key:"links.my_bus" unit:"bandwidth" in:"positive" doc:"bandwidth of the bus"`
}

// Maker implements fabrics.Keys.
func (k *busKeys) Maker(nic *network.LogGOPS, _ topology.Topology) (network.Maker, error) {
	if !k.Bandwidth.Positive() {
		return nil, fmt.Errorf("links.my_bus: must be positive, such as 2GB/s")
	}
	return func(kernel *sim.Kernel, sink network.Sink) (network.Contended, error) {
		b := &bus{kernel: kernel, sink: sink, rate: k.Bandwidth, latency: nic.Latency}
		b.me = kernel.Register(b)
		return b, nil
	}, nil
}

// Reads implements fabrics.Keys.
func (k *busKeys) Reads(*network.LogGOPS, topology.Topology) []string {
	return []string{"links.my_bus"}
}

// bus carries one message after the other.
type bus struct {
	network.Unexplained
	network.Unrecorded
	kernel  *sim.Kernel
	me      sim.HandlerID
	sink    network.Sink
	rate    sim.Rate
	latency sim.Time
	free    sim.Time // from then on
}

// What becomes of a message.
const (
	sent uint32 = iota
	arrived
)

// Start implements network.Contended.
func (b *bus) Start(t network.Transfer) {
	b.free = max(b.free, b.kernel.Now()) + b.Alone(t)
	b.kernel.Schedule(b.free, b.me, sent, uint64(t.ID))
	b.kernel.Schedule(b.free+b.latency, b.me, arrived, uint64(t.ID))
}

// Handle implements sim.Handler.
func (b *bus) Handle(e sim.Event) {
	if e.Kind == sent {
		b.sink.Sent(uint32(e.Arg), e.At, e.At+b.latency)
	} else {
		b.sink.Arrived(uint32(e.Arg), e.At)
	}
}

// Injection implements network.Contended. A bus serves one transfer after the other.
func (b *bus) Injection() sim.Rate { return 0 }

// Ejection implements network.Contended.
func (b *bus) Ejection() sim.Rate { return 0 }

// Alone implements network.Contended.
func (b *bus) Alone(t network.Transfer) sim.Time { return max(t.Length, b.rate.Time(t.Bytes)) }

// Latency implements network.Fabric.
func (b *bus) Latency(_, _ int32, _ network.TransferKind) sim.Time { return b.latency }

// Links implements network.Contended: the links of the topology carry nothing.
func (b *bus) Links() *network.Links { return nil }

const scenario = `
machine:
  cores: 1
  network: {latency: 1us, send_overhead: 0.5us, receive_overhead: 0.5us, gap: 0s, gap_per_byte: 1GB/s}
  topology: {kind: my-ring, routers: 5}
  links: {my_bus: 500MB/s}
workload: {name: gather, bytes: 50kB}
fabric: {kind: my-bus}
ranks: 5
`

// A scenario with a workload, a topology and a fabric of one's own.
func Example() {
	for _, fabric := range []string{"ideal", "flow", "my-bus"} {
		study, err := scenarios.Read("gather.yaml", []byte(scenario), []string{"fabric.kind=" + fabric})
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome, err := study.Runs[0].Run(nodes.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-5s %9v  %v\n", fabric, outcome.Result.Makespan(), outcome.Metrics)
	}
	// Output:
	// ideal     202us  [{bandwidth_Bps 9.900990099009901e+08}]
	// flow    203.5us  [{bandwidth_Bps 9.828009828009827e+08}]
	// my-bus     402us  [{bandwidth_Bps 4.975124378109453e+08}]
}
