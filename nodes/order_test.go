package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// twoMessages sends a rendezvous and then a short message with the same tag. The receiver waits for the second receive only, and
// afterwards for the first one.
type twoMessages struct{ first, second int64 }

func (twoMessages) Ranks() int       { return 2 }
func (twoMessages) Phases() []string { return []string{"second", "first"} }

func (p twoMessages) Step(rank, step int, do *programs.Ops) bool {
	if rank == 0 {
		do.Isend(1, p.first, 0, 0)
		do.Isend(1, p.second, 0, 1)
	} else {
		do.Irecv(0, p.first, 0, 0)
		do.Irecv(0, p.second, 0, 1)
	}
	do.Wait(1)
	do.Phase(1)
	do.Wait(0)
	return false
}

// However long a request is held back, no later message of the same pair takes its receive.
func TestRequestsAreNotOvertaken(t *testing.T) {
	const threshold, delay = 1000, 50_000
	for _, runtime := range []*machines.Runtime{nil, {}, {Progress: machines.Progression{By: machines.Thread}},
		{Progress: machines.Progression{By: machines.Offload}}, {Rendezvous: machines.Write}, {Rendezvous: machines.Pipelined}} {
		for _, copying := range []*machines.Copying{nil, {Chunk: 1 << 20, Buffer: 1 << 20}} {
			if copying != nil && runtime != nil && runtime.Progress.By.OfNIC() {
				continue
			}
			for _, second := range []int64{8, threshold} {
				m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Runtime: runtime, Copying: copying, Network: network.LogGOPS{
					Latency: 1000, SendOverhead: network.Constant(100), ReceiveOverhead: network.Constant(100), Transfer: network.PerByte(1),
					Rendezvous: threshold, Asking: network.Constant(delay)}}
				r := must.Get(Run(m, twoMessages{threshold + 1, second}, 1, Options{Critical: true}))(t)
				var waited sim.Time
				for _, spent := range r.Ledgers[1][0] {
					waited += spent
				}
				held := delay
				if copying != nil && runtime == nil { // all messages are eager
					held = 0
				}
				if waited >= delay || r.Finish[1] < sim.Time(held) {
					t.Errorf("library %+v, copying %v, %d B: the second receive ends at %v, both at %v", runtime, copying != nil, second, waited, r.Finish[1])
				}
			}
		}
	}
}

// A rendezvous that rank 2 begins so late that its bytes come to rank 0 just before the finish of rank 0's own.
type finishBehindBytes struct{ late sim.Time }

func (finishBehindBytes) Ranks() int       { return 3 }
func (finishBehindBytes) Phases() []string { return []string{"own", "other"} }

func (p finishBehindBytes) Step(rank, step int, do *programs.Ops) bool {
	switch rank {
	case 0:
		do.Irecv(2, 7, 0, 0)
		do.Isend(1, 7, 0, 1)
		do.Wait(1)
		do.Phase(1)
		do.Wait(0)
	case 1:
		do.Irecv(0, 7, 0, 1)
		do.Wait(1)
	case 2:
		do.Compute(machines.Task{Time: p.late}, 1)
		do.Isend(0, 7, 0, 0)
		do.Wait(0)
	}
	return false
}

// A finish passes what another rank sends: after the request, the read and the bytes, the finish of rank 0's message comes at 3o + 4L + d.
// The bytes of rank 2 are in memory at late + 2o + 3L + d, and if that is before, rank 0 says so first (o). They do not hold the finish up if
// they came in before it and are in memory later.
func TestFinishPassesOthers(t *testing.T) {
	const o, latency, delivery = 13, 10, 5
	m := &machines.Machine{Name: "test", Cores: 1, Processes: 1, Runtime: &machines.Runtime{}, Network: network.LogGOPS{
		Latency: latency, SendOverhead: network.Constant(o), Rendezvous: 1, Delivery: network.Constant(delivery)}}
	finish := sim.Time(3*o + 4*latency + delivery)
	var before, passed int
	for late := sim.Time(0); late+2*o+latency < finish; late++ { // rank 0 has asked for the bytes by then
		r := must.Get(Run(m, finishBehindBytes{late}, 1, Options{}))(t)
		came := late + 2*o + 3*latency
		memory := came + delivery
		if memory == finish || memory < finish-o { // either order, or the two have nothing to do with each other
			continue
		}
		want := finish
		switch {
		case memory < finish:
			before++
			want = memory + o
		case came < finish:
			passed++
		}
		var got sim.Time
		for _, spent := range r.Ledgers[0][0] {
			got += spent
		}
		if got != want {
			t.Errorf("late by %v: rank 0's own send is complete at %v, not at %v", late, got, want)
		}
	}
	if before == 0 || passed == 0 {
		t.Errorf("%d cases in which bytes come first, %d in which the finish passes them", before, passed)
	}
}
