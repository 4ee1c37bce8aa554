package packet

import (
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// passage is a sink that notes both times.
type passage struct{ sent, arrived sim.Time }

func (p *passage) Sent(_ uint32, now, _ sim.Time) { p.sent = now }
func (p *passage) Arrived(_ uint32, now sim.Time) { p.arrived = now }

// A transfer on an empty network leaves in the time that it takes alone, however small
// the buffers are. It arrives the latency later; its last packets may wait for its
// first ones only where buffers are small.
func TestAlone(t *testing.T) {
	covered, small := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		p := BlueGeneP()
		p.Bubble = n("bubble", 1, 3)
		p.Slots, p.AdaptiveChannels = p.Bubble+n("slots", 1, 3), n("channels", 0, 2)
		p.HopLatency = sim.Time(n("hop latency", 0, 3000)) * sim.Nanosecond
		p.Put = Routing(n("put", 0, 1))
		grid := topology.Grid{Sizes: []int{n("x", 1, 5), n("y", 1, 4)},
			Open: []bool{rapid.Bool().Draw(t, "mesh x"), rapid.Bool().Draw(t, "mesh y")}}
		shape := must.Get(topology.NewTorus(grid))(t)
		kernel, times := sim.NewKernel(), new(passage)
		f := must.Get(New(kernel, times, shape, p))(t)
		if f.covers() {
			covered++
		} else {
			small++
		}
		transfer := network.Transfer{ID: 3, From: int32(n("from", 0, shape.Nodes()-1)), To: int32(n("to", 0, shape.Nodes()-1)),
			Bytes: int64(n("bytes", 0, 5000)), Length: sim.Time(n("length", 0, 9)) * sim.Microsecond}
		f.Start(transfer)
		kernel.Run()
		for range n("asked before", 0, 3) {
			other := transfer
			other.From, other.To = int32(n("other from", 0, shape.Nodes()-1)), int32(n("other to", 0, shape.Nodes()-1))
			other.Bytes = int64(n("other bytes", 0, 5000))
			f.Alone(other)
		}
		alone := f.Alone(transfer)
		late := times.arrived - alone - f.Latency(transfer.From, transfer.To, transfer.Kind)
		if times.sent != alone || late < 0 || late > 0 && f.covers() {
			t.Fatalf("alone it takes %v, and left at %v, arrived at %v", alone, times.sent, times.arrived)
		}
	})
	if covered == 0 || small == 0 {
		t.Errorf("%d networks with enough room, %d without", covered, small)
	}
}
