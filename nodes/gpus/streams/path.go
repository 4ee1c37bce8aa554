package streams

import (
	"cmp"
	"slices"

	"overlapsim/sim"
)

// Why says what the start of an operation waited for.
type Why uint8

// The reasons.
const (
	Launched Why = iota // its launch
	Before              // the operation before it in its stream
	After               // an operation that it comes after
	SMs                 // an operation that held SMs
	Arrived             // the last member of its collective
	Held                // the host waited for an operation before it launched this one
)

var whyNames = [...]string{"launch", "stream", "event", "SMs", "arrival", "host"}

func (w Why) String() string { return whyNames[w] }

// cause is the last operation that another one waited for; -1: none.
type cause struct {
	op   int32
	why  Why
	tied bool // something else that it waited for came at the same time
}

// Piece is a stretch of the critical path.
type Piece struct {
	Op         int32 // the operation that ran, or that was launched
	Start, End sim.Time
	Launch     bool // the host launched the operation
	Tied       bool // something else that it waited for came at the same time
	Why        Why  // why it began at that time
}

// Critical returns the critical path: pieces without gaps from 0 to the makespan. Each piece
// could not begin before the previous one had ended.
func (r *Result) Critical() (path []Piece) {
	n := int32(0)
	for i, end := range r.Ends {
		if end > r.Ends[n] {
			n = int32(i)
		}
	}
	for end := r.Makespan; end > 0; {
		at, by := r.causeOf(n, end)
		if at < end {
			path = append(path, Piece{Op: n, Start: at, End: end, Why: by.why, Tied: r.causes[n].tied && by.why != SMs})
		}
		if end = at; by.op >= 0 {
			n = by.op
			continue
		}
		launch, held := r.launches(n)
		if launch.Start < launch.End {
			path = append(path, launch)
		}
		n, end = held, launch.Start
	}
	slices.Reverse(path)
	return path
}

// causeOf returns when an operation with a given end could begin, and what it waited for. A
// collective begins with the last arrival.
func (r *Result) causeOf(n int32, end sim.Time) (sim.Time, cause) {
	if k := r.graph.joins[n]; k > 0 && r.last[k-1] != n {
		return end, cause{op: r.last[k-1], why: Arrived}
	}
	if at, ok := r.waited[n]; ok {
		return at, r.causes[n]
	}
	return r.Starts[n], r.causes[n]
}

// launches returns the consecutive launches up to the launch of an operation, and the operation for
// which the host waited before them.
func (r *Result) launches(n int32) (Piece, int32) {
	d := r.graph.devices[n]
	all := Piece{Op: n, Start: r.launched[n] - r.graph.Devices[d].Delay, End: r.launched[n], Launch: true, Why: Launched}
	for place := r.graph.places[n-r.graph.behind[d]]; place >= 0; place-- {
		one := r.graph.queues[d][place] + r.graph.behind[d]
		all.Start -= r.graph.op(one).Launch
		if by, ok := r.held[one]; ok {
			all.Why = Held
			return all, by
		}
	}
	all.Start -= r.graph.Devices[d].Begins
	return all, -1
}

// Of returns what a piece of the critical path consists of: what the stream of its operation did,
// if the run recorded that.
func (r *Result) Of(p *Piece) (all []Span) {
	o := r.graph.op(p.Op)
	if p.Launch {
		return []Span{{p.Start, p.End, o.Kind, LaunchWait}}
	}
	spans := r.Spans[r.graph.devices[p.Op]][o.Stream]
	i, _ := slices.BinarySearchFunc(spans, p.Start+1, func(s Span, t sim.Time) int { return cmp.Compare(s.End, t) })
	for ; i < len(spans) && spans[i].Start < p.End; i++ {
		s := spans[i]
		s.Start, s.End = max(s.Start, p.Start), min(s.End, p.End)
		all = append(all, s)
	}
	return all
}

// On returns the device and the stream of an operation, and whether it is a member of a collective.
func (r *Result) On(op int32) (device, stream int, collective bool) {
	o := r.graph.op(op)
	return int(r.graph.devices[op]), int(o.Stream), o.Collective > 0
}
