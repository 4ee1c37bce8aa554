package packet

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// lone is all that determines the time of a transfer alone in the network.
type lone struct {
	way
	kind   network.TransferKind
	bytes  int64
	length sim.Time
}

// solo finds how long a transfer takes alone where buffers are small. It sends each transfer
// through a separate empty network.
type solo struct {
	network *Fabric
	took    map[lone]sim.Time
}

// Alone implements network.Contended. If buffers are too small for packets to follow each other
// without pauses, it simulates the transfer in an empty network.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	if f.covers() {
		return max(t.Length, f.onLink(&t), f.inNIC(&t))
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

// covers tells whether a FIFO has room for all packets that leave until its first slot is free
// again.
func (f *Fabric) covers() bool {
	room := f.params.Slots - f.params.Bubble
	return sim.Time(room)*f.data >= f.params.HopLatency+f.data
}

// twin returns an empty copy of the network.
func (f *Fabric) twin() *Fabric {
	twin := &Fabric{
		geometry: f.geometry, params: f.params, data: f.data, control: f.control,
		channels: f.channels, feeds: f.feeds, under: f.under,
	}
	twin.build(sim.NewKernel(), nil)
	return twin
}

// leave sends a transfer through an empty network, at time 0. It returns when its bytes have
// left. Earlier transfers make no difference.
func (f *Fabric) leave(t network.Transfer) sim.Time {
	left := new(departure)
	f.kernel, f.sink = sim.NewKernel(), left
	f.me = f.kernel.Register(f)
	for i := range f.wires {
		f.wires[i].last = 0
	}
	clear(f.nics)
	f.Start(t)
	f.kernel.Run()
	return left.at
}

// departure is a sink that remembers when a transfer left.
type departure struct{ at sim.Time }

func (d *departure) Sent(_ uint32, now, _ sim.Time) { d.at = now }
func (d *departure) Arrived(uint32, sim.Time)       {}
