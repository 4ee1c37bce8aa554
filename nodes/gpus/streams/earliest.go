package streams

import "overlapsim/sim"

// Late is the error of a run that takes longer than the Within of its graph.
type Late struct{ Events uint64 } // that the run had

func (Late) Error() string { return "the run takes longer than is of interest" }

// earliest is a time at which the run has not ended before: the longest chain of operations that wait for each other, if nothing slows
// one down and each host launches without waiting. 0: some wait for each other.
func (e *engine) earliest() (end sim.Time) {
	starts, pending := make([]sim.Time, len(e.Ops)), make([]int32, len(e.Ops))
	missing, latest := make([]int, len(e.groups)), make([]sim.Time, len(e.groups))
	for i := range e.groups {
		missing[i] = e.groups[i].missing
	}
	ready, left := make([]int32, 0, len(e.Ops)), len(e.Ops)
	for i := range e.devices {
		d, host := &e.devices[i], sim.Time(0)
		for _, n := range d.queue {
			host = sim.Later(host, e.Ops[n].Launch)
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
		if next := e.ops[n].next; next >= 0 {
			after(next, at)
		}
		for _, other := range e.after.of(n) {
			after(other, at)
		}
		for _, other := range e.wait.of(n) {
			after(other, at)
		}
	}
	for i := 0; i < len(ready); i++ { // the list grows meanwhile
		n := ready[i]
		o := &e.Ops[n]
		if o.Collective == 0 {
			over(n, sim.Later(starts[n], o.least(e.devices[o.Device].SMs)))
			continue
		}
		k := o.Collective - 1
		latest[k] = max(latest[k], starts[n])
		if missing[k]--; missing[k] == 0 {
			at := sim.Later(sim.Later(latest[k], e.Collectives[k].Latency), e.Collectives[k].Transfer)
			for _, member := range e.groups[k].members {
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
