package main

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

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

// Latency implements network.Contended.
func (b *bus) Latency(_, _ int32, _ network.TransferKind) sim.Time { return b.latency }

// Links implements network.Contended: the links of the topology carry nothing.
func (b *bus) Links() *network.Links { return nil }
