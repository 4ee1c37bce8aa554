package flow

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// pacer receives the rates of flows.
type pacer[T instant] interface {
	// paces says that a flow has another rate from now on.
	paces(flow int32, rate float64, now T)
	// ends says that a flow has sent all its bytes.
	ends(flow int32, now T)
}

// record notes what the links of a network carry in a series.
type record struct {
	series  *network.Series
	network *Network
	flows   []progress // by slot
}

// progress is what a flow has sent.
type progress struct {
	since sim.Time
	rate  float64 // since the last change, in bytes per ps
	sent  float64 // until the last change
	noted int64   // the part of sent that is in the series, in parts of bytes
}

// Record implements network.Contended.
func (f *Fabric) Record(s *network.Series) {
	f.network.sharing.record = &record{series: s, network: f.network}
}

func (r *record) paces(flow int32, rate float64, now sim.Time) {
	for int(flow) >= len(r.flows) {
		r.flows = append(r.flows, progress{})
	}
	p := &r.flows[flow]
	p.sent += float64(p.rate * float64(now-p.since))
	r.note(flow, min(int64(p.sent*network.ByteParts), r.parts(flow)), now)
	p.since, p.rate = now, rate
}

func (r *record) ends(flow int32, now sim.Time) {
	r.note(flow, r.parts(flow), now)
	r.flows[flow] = progress{}
}

// parts are the parts of all bytes of a flow.
func (r *record) parts(flow int32) int64 { return r.network.slots[flow].bytes * network.ByteParts }

// note notes what a flow has sent since the last note on all its links. The argument sent is its
// total, in parts of bytes.
func (r *record) note(flow int32, sent int64, now sim.Time) {
	p := &r.flows[flow]
	if sent == p.noted {
		return
	}
	for _, l := range r.network.sharing.route(flow) {
		if int(l) < r.series.Rows() { // not a link of one flow or of two nodes
			r.series.Add(int(l), p.since, now, sent-p.noted)
		}
	}
	p.noted = sent
}
