package packet

import "overlapsim/sim"

// Load is what a link has carried.
type Load struct {
	Packets int64
	Bytes   int64    // overhead included
	Busy    sim.Time // in all
	Peak    int      // most slots taken at once in one FIFO at its end
}

// Load returns what a link of the topology has carried, packets under way
// included.
func (f *Fabric) Load(link int) Load { return f.loads[f.links[link]] }

// note books a packet that starts on a link into a FIFO in which so many slots
// are taken now.
func (f *Fabric) note(li int, p *packet, taken int) {
	bytes := f.params.PacketBytes
	if p.control {
		bytes = f.params.ControlBytes
	}
	l := &f.loads[li]
	l.Packets++
	l.Bytes += int64(bytes)
	l.Busy += f.length(p)
	l.Peak = max(l.Peak, taken)
}
