package nodes

import (
	"pgregory.net/rapid"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// conserves checks the invariants of every run, independently of the rules.
func (in *instance) conserves(t *rapid.T, r *results.Result) {
	var messages uint64
	var bytes int64
	computes := make([]sim.Time, len(in.script.ops))
	for rank, ops := range in.script.ops {
		jobs := inJobs(ops)
		for i, op := range ops {
			switch op.Kind {
			case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
				messages++
				bytes += op.Amount
			case programs.OpCompute:
				if !jobs[i] {
					computes[rank] += sim.Time(op.Amount)
				}
			}
		}
	}
	if r.Messages != messages || r.Bytes != bytes {
		t.Fatalf("%v%d messages of %d bytes were sent, want %d of %d", in, r.Messages, r.Bytes, messages, bytes)
	}
	for rank := range r.Ledgers {
		all := r.OfRank(rank)
		if all.Sum() != r.Finish[rank] || all[results.Compute] != computes[rank] || all[results.Idle] != 0 ||
			all[results.Interference] != 0 && in.machine.Noise == nil {
			t.Fatalf("%vrank %d ends at %v, computes %v: ledger %v", in, rank, r.Finish[rank], computes[rank], all)
		}
		if r.Hidden[rank] < 0 || r.Hidden[rank] > all[results.Compute] {
			t.Fatalf("%vrank %d: hidden %v: ledger %v", in, rank, r.Hidden[rank], all)
		}
	}
	for _, lane := range r.Timeline.Lanes {
		if lane.Kind == results.CPULane {
			in.tiles(t, r, lane)
		} else {
			in.serves(t, r, lane)
		}
	}
	in.stages(t, r)
}

// inJobs tells which operations belong to rounds of schedules that jobs begin.
func inJobs(ops []programs.Op) []bool {
	jobs, within, later := make([]bool, len(ops)), false, false
	for i, op := range ops {
		switch op.Kind {
		case programs.OpStart:
			within = true
		case programs.OpStarted:
			within, later = false, false
		case programs.OpWait:
			later = within
		}
		jobs[i] = later
	}
	return jobs
}

// starts tells whether the program has schedules.
func (in *instance) starts() bool {
	return slices.ContainsFunc(in.script.ops, func(ops []programs.Op) bool {
		return slices.ContainsFunc(ops, func(op programs.Op) bool { return op.Kind == programs.OpStart })
	})
}

// tiles checks that the spans of a CPU lane follow each other without gaps and
// agree with the ledger.
func (in *instance) tiles(t *rapid.T, r *results.Result, lane results.Lane) {
	sums := make([]results.Ledger, len(r.Ledgers[lane.Index]))
	var at sim.Time
	for _, s := range lane.Spans {
		if s.Start != at || s.End <= s.Start {
			t.Fatalf("%v%s: span %+v after %v", in, lane.Name, s, at)
		}
		at = s.End
		sums[s.Phase][s.Term] += s.End - s.Start
	}
	if at != r.Finish[lane.Index] {
		t.Fatalf("%v%s ends at %v, its rank at %v", in, lane.Name, at, r.Finish[lane.Index])
	}
	for i := range sums {
		if sums[i] != r.Ledgers[lane.Index][i] {
			t.Fatalf("%v%s, phase %d: spans %v, ledger %v", in, lane.Name, i, sums[i], r.Ledgers[lane.Index][i])
		}
	}
}

// serves checks that a lane of a NIC serves one transfer after the other, each for as long as it
// should; a descriptor of a message that a job sends, at most that long.
func (in *instance) serves(t *rapid.T, r *results.Result, lane results.Lane) {
	var end, sum, want, atMost sim.Time
	rules := in.newReference(inOrder)
	for _, s := range lane.Spans {
		if s.Start < end || s.End < s.Start {
			t.Fatalf("%v%s: span %+v after %v", in, lane.Name, s, end)
		}
		end = s.End
		sum += s.End - s.Start
	}
	for rank, ops := range in.script.ops {
		jobs := inJobs(ops)
		for i, op := range ops {
			if op.Kind < programs.OpPut || op.Kind > programs.OpSend || in.local(rank, op) {
				continue
			}
			switch mine := rules.rail(int32(rank)) == lane.Index; {
			case mine && jobs[i] && lane.Kind == results.InsertLane:
				atMost += in.service(lane.Kind, op)
			case mine:
				want += in.service(lane.Kind, op)
			}
			if rules.rail(op.Peer) == lane.Index && op.Kind == programs.OpGet && lane.Kind == results.SendLane {
				op.Kind = programs.OpPut
				want += in.service(lane.Kind, op)
			}
		}
	}
	if (sum < want || sum > want+atMost) && in.machine.Runtime == nil {
		t.Fatalf("%v%s: %v, want %v and at most %v more", in, lane.Name, sum, want, atMost)
	}
}

// local tells whether a message does not use the NIC.
func (in *instance) local(rank int, op programs.Op) bool {
	to := int(op.Peer)
	return to == rank || in.machine.IntraNode != nil && to/in.perNode == rank/in.perNode
}

// service returns how long a message occupies a stage of the NIC.
func (in *instance) service(kind results.LaneKind, op programs.Op) sim.Time {
	n, c, rules := &in.machine.Network, in.machine.Copying, &reference{machine: in.machine}
	switch {
	case kind == results.InsertLane:
		return n.Gap
	case op.Kind == programs.OpGet:
		return 0 // its request occupies no NIC
	case c == nil || op.Amount == 0:
		return n.Startup + rules.passing(op.Amount)
	}
	sum := n.Startup
	for left := op.Amount; left > 0; left -= c.Chunk {
		sum += rules.passing(min(left, c.Chunk))
	}
	return sum
}

// stages checks that messages go through their stages in order.
func (in *instance) stages(t *rapid.T, r *results.Result) {
	for _, m := range r.Timeline.Messages {
		inserted := m.Insert + in.machine.Network.Gap
		if in.machine.Copying != nil || in.machine.Runtime != nil || in.starts() {
			inserted = m.Posted // neither messages of jobs nor chunks wait for the descriptor
		}
		latency := in.machine.Network.Latency
		if rt := in.machine.Runtime; rt != nil && rt.Rendezvous == machines.Copy && m.Bytes > in.machine.Network.Rendezvous {
			latency = 0 // the target's CPU may have copied it
		}
		if m.Posted > m.Insert || inserted > m.Start || m.Start > m.Sent || m.Sent+latency > m.Delivered {
			t.Fatalf("%vmessage %+v", in, m)
		}
	}
}
