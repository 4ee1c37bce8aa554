package packet

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// lone is what the time of a transfer alone in the network depends on.
type lone struct {
	way
	kind   network.Kind
	bytes  int64
	length sim.Time
}

// solo finds how long transfers take alone where buffers are small: it sends them through
// a network of its own, which is empty between two of them.
type solo struct {
	network *Fabric
	took    map[lone]sim.Time
}

// Alone implements network.Contended. If buffers are too small for packets to follow each
// other without pause, it sends the transfer through a network without others.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	if f.covers() {
		return max(t.Length, f.onLink(&t))
	}
	key := lone{f.way(t.From, t.To), t.Kind, t.Bytes, t.Length}
	if took, ok := f.solo.took[key]; ok {
		return took
	}
	if f.solo.network == nil {
		f.solo = solo{f.twin(), map[lone]sim.Time{}}
	}
	took := f.solo.network.leave(t)
	f.solo.took[key] = took
	return took
}

// covers tells whether a FIFO has room for what leaves until its first slot is free again.
func (f *Fabric) covers() bool {
	room := f.params.Slots - f.params.Bubble
	return sim.Time(room)*f.data >= f.params.HopLatency+f.data
}

// twin returns the same network without messages.
func (f *Fabric) twin() *Fabric {
	twin := &Fabric{
		geometry: f.geometry, params: f.params, data: f.data, control: f.control,
		channels: f.channels, feeds: f.feeds, sources: f.sources, inputs: f.inputs,
	}
	twin.build(sim.NewKernel(), nil)
	return twin
}

// leave sends a transfer through an empty network, from time 0. It returns when its bytes
// have left. Which transfers came before makes no difference.
func (f *Fabric) leave(t network.Transfer) sim.Time {
	left := new(departure)
	f.kernel, f.sink = sim.NewKernel(), left
	f.me = f.kernel.Register(f)
	for i := range f.wires {
		f.wires[i].last = 0
	}
	f.Start(t)
	f.kernel.Run()
	return left.at
}

// departure is a sink that remembers when a transfer left.
type departure struct{ at sim.Time }

func (d *departure) Sent(_ uint32, now, _ sim.Time) { d.at = now }
func (d *departure) Arrived(uint32, sim.Time)       {}
