package packet

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// load is what a link has carried.
type load struct {
	packets int64
	bytes   int64    // overhead included
	busy    sim.Time // in total
	peak    int      // most slots taken at once in one FIFO at its far end
}

// Links implements network.Contended. Packets in flight are included.
func (f *Fabric) Links() *network.Links {
	all := &network.Links{Shape: f.shape, Unit: "packets", Loads: make([]network.LinkLoad, 0, len(f.links))}
	if f.switched {
		all.Ends = []string{"ejection"}
	}
	for _, n := range f.links {
		l := &f.loads[n]
		all.Loads = append(all.Loads, network.LinkLoad{
			Capacity: f.params.Bandwidth, Bytes: float64(l.bytes), Busy: l.busy, Count: l.packets, Peak: l.peak})
	}
	if len(all.Loads) == 0 {
		return nil
	}
	return all
}

// note books a packet that starts on a link. The argument taken is the number of slots in use in
// the FIFO at the end of the link.
func (f *Fabric) note(li int, p *packet, taken int) {
	bytes := f.params.PacketBytes
	if p.control {
		bytes = f.params.ControlBytes
	}
	l := &f.loads[li]
	l.packets++
	l.bytes += int64(bytes)
	l.busy += f.length(p)
	l.peak = max(l.peak, taken)
	if f.record != nil {
		now := f.kernel.Now()
		f.record.Add(int(f.record.number[li]), now, now+f.length(p), int64(bytes)*network.ByteParts)
	}
}

// notes is where links record what they carry over time.
type notes struct {
	*network.Series
	number []int32 // by link: its number in the topology
}

// Record implements network.Contended.
func (f *Fabric) Record(s *network.Series) {
	f.record = &notes{s, make([]int32, len(f.loads))}
	for number, li := range f.links {
		f.record.number[li] = int32(number)
	}
}
