package nodes

import (
	"overlapsim/nodes/results"
)

// observers own what a run tells: the ledgers, sums, the timeline, and why each time is what it is.
// None of them changes a time.
type observers struct {
	phases    int
	ledgers   []results.Ledger // rank-major, by phase
	sent      uint64           // messages
	bytes     int64            // of them
	uses      results.Uses
	elsewhere uint64 // events that regions dispatched
	recorder  recorder
	causes    *causes // its methods do nothing on nil, when the run has no critical path
}

func newObservers(ranks, phases int) observers {
	phases = max(1, phases)
	return observers{phases: phases, ledgers: make([]results.Ledger, ranks*phases)}
}

// observe begins what the options ask for.
func (c *cluster) observe(o *Options) {
	if o.Timeline {
		c.recorder.begin(c, o)
	}
	if o.Critical {
		c.causes = newCauses(c, o)
	}
}
