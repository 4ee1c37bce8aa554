package streams

import "overlapsim/sim"

// Late is the error of a run that takes longer than the Within of its graph.
type Late struct{ Events uint64 } // that the run had

func (Late) Error() string { return "the run takes longer than is of interest" }

// earliest is a time at which the run has not ended before: the longest chain of operations that wait for each other, if nothing slows
// one down and each host launches without waiting. 0: some wait for each other.
func (e *engine) earliest() (end sim.Time) {
	starts, pending := make([]sim.Time, len(e.ops)), make([]int32, len(e.ops))
	missing, latest := make([]int32, len(e.groups)), make([]sim.Time, len(e.groups))
	for i := range e.groups {
		missing[i] = e.groups[i].missing
	}
	ready, left := make([]int32, 0, len(e.ops)), len(e.ops)
	for i := range e.devices {
		d := &e.devices[i]
		host := d.Begins
		for at := range d.queue {
			n := d.queued(at)
			host = sim.Later(host, e.op(n).Launch)
			starts[n], pending[n] = sim.Later(host, d.Delay), e.ops[n].pending-1+e.ops[n].holds
			if pending[n] == 0 {
				ready = append(ready, n)
			}
		}
	}
	after := func(n int32, at sim.Time) {
		starts[n] = max(starts[n], at)
		if pending[n]--; pending[n] == 0 {
			ready = append(ready, n)
		}
	}
	over := func(n int32, at sim.Time) {
		end = max(end, at)
		left--
		behind := e.behind[e.laid.devices[n]]
		if next := e.next[n-behind]; next >= 0 {
			after(next+behind, at)
		}
		for _, other := range e.after.of(n - behind) {
			after(other+behind, at)
		}
		for _, other := range e.wait.of(n - behind) {
			after(other+behind, at)
		}
	}
	for i := 0; i < len(ready); i++ { // the list grows meanwhile
		n := ready[i]
		if e.joins[n] == 0 {
			over(n, sim.Later(starts[n], e.op(n).least(e.devices[e.laid.devices[n]].SMs)))
			continue
		}
		k := e.joins[n] - 1
		latest[k] = max(latest[k], starts[n])
		if missing[k]--; missing[k] == 0 {
			at := sim.Later(sim.Later(latest[k], e.Collectives[k].Latency), e.Collectives[k].Transfer)
			for _, member := range e.members.of(k) {
				over(member, at)
			}
		}
	}
	if left > 0 {
		return 0
	}
	return end
}

// least is the time of an operation that is no member of a collective, if it has all SMs and all memory that it asks for.
func (o *Op) least(sms int32) sim.Time {
	if o.Blocks == 0 {
		return o.Work
	}
	return o.Work.Times(int64((o.Blocks + sms - 1) / sms))
}
