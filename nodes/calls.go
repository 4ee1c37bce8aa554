package nodes

import (
	"cmp"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Calls of the NIC's interface, for the timeline: where messages are handed over, and where the
// library notices that something has arrived.

// polls tells whether a job is done because something has arrived.
func (j *job) polls() bool {
	return j.step != copyOut && j.step != ask && j.step != protocolWork && !(j.step == roundPart && j.more)
}

// posts tells whether something is handed to the NIC at the end of a job for a message.
func (c *cluster) posts(j *job, m *message) bool {
	switch j.step {
	case copyOut, ask, end:
		return true
	case begin:
		return m.way == machines.Write
	case copyIn:
		return m.tells && c.stagings.at(m.staging).undelivered == j.bytes
	}
	return false
}

// showsCalls tells whether calls are recorded.
func (rec *recorder) showsCalls() bool { return rec.calls }

// recordPost records that a rank, or its agent, hands a message to the NIC.
func (c *cluster) recordPost(m *message, now sim.Time) {
	if !c.recorder.showsCalls() {
		return
	}
	kind := callNote
	if m.byJob {
		kind = c.caller()
	}
	c.recorder.add(note{kind: kind, lane: m.poster(), at: now, call: results.Post})
}

// recordJobPoll records what the agent of a rank finds when it begins a job.
func (c *cluster) recordJobPoll(r int32, j *job, at sim.Time) {
	if c.recorder.showsCalls() && j.polls() {
		c.recorder.add(note{kind: c.caller(), lane: r, at: at, call: results.Poll})
	}
}

// recordJobPost records what the agent of a rank hands to the NIC at the end of a job.
func (c *cluster) recordJobPost(r int32, j *job, now sim.Time) {
	if c.recorder.showsCalls() && j.message != nobody && c.posts(j, c.messages.at(j.message)) {
		c.recorder.add(note{kind: c.caller(), lane: r, at: now, call: results.Post})
	}
}

// caller returns the kind of note for calls of the worker that does the jobs.
func (p *cpuSide) caller() noteKind {
	if p.agent.cpu == helperCPU {
		return helperCallNote
	}
	return callNote
}

// called draws a call on a lane.
func called(lane *results.Lane, n *note) {
	lane.Calls = doubled(lane.Calls, results.Call{At: n.at, Kind: n.call})
}

// callsInOrder returns a lane with its calls sorted. The beginning of a job is noted ahead of
// time, so calls are not noted in order.
func callsInOrder(lane results.Lane) results.Lane {
	slices.SortStableFunc(lane.Calls, func(a, b results.Call) int { return cmp.Compare(a.At, b.At) })
	return lane
}
