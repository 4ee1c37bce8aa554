package packet

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// Alone implements network.Contended. If buffers are too small for packets to follow each
// other without pause, it sends the transfer through a network of its own.
func (f *Fabric) Alone(t network.Transfer) sim.Time {
	if f.covers() {
		return max(t.Length, f.onLink(&t))
	}
	t.ID = 0
	if took, ok := f.alone[t]; ok {
		return took
	}
	took := f.sendAlone(t)
	if f.alone == nil {
		f.alone = map[network.Transfer]sim.Time{}
	}
	f.alone[t] = took
	return took
}

// covers tells whether a FIFO has room for what leaves until its first slot is free again.
func (f *Fabric) covers() bool {
	room := f.params.Slots - f.params.Bubble
	return sim.Time(room)*f.data >= f.params.HopLatency+f.data
}

// sendAlone returns when the bytes of a transfer have left through a network without others.
func (f *Fabric) sendAlone(t network.Transfer) sim.Time {
	kernel, left := sim.NewKernel(), new(departure)
	empty := &Fabric{
		geometry: f.geometry, params: f.params, data: f.data, control: f.control,
		channels: f.channels, feeds: f.feeds, sources: f.sources, inputs: f.inputs,
	}
	empty.build(kernel, left)
	empty.Start(t)
	kernel.Run()
	return left.at
}

// departure is a sink that remembers when a transfer left.
type departure struct{ at sim.Time }

func (d *departure) Sent(_ uint32, now, _ sim.Time) { d.at = now }
func (d *departure) Arrived(uint32, sim.Time)       {}
