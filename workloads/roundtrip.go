package workloads

import (
	"errors"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// The latency microbenchmark of Nishtala et al., IPDPS 2009, section 3.3.1: the time
// until the initiator of a message knows that it has arrived.
func init() {
	Register(Kind{"round-trip", "rank 0 puts to, gets from, or sends to rank 1 and waits for the answer, again and again (ping-pong)",
		func() Workload { return &roundTrip{Call: "put", Bytes: 8, Repeat: 10} }})
}

type roundTrip struct {
	Call   string `key:"call" unit:"text" doc:"put, until it is in the target's memory; get; or mpi: MPI_Send, and a message of 0 bytes back"`
	Bytes  int64  `key:"bytes" unit:"bytes" doc:"size of a message"`
	Repeat int64  `key:"repeat" unit:"times" doc:"round trips, one after the other"`
}

func (w *roundTrip) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	call, err := callOf(w.Call)
	errs := []error{err}
	if ranks < 2 {
		errs = append(errs, errors.New("a round trip needs two ranks"))
	}
	return &roundTripProgram{*w, call, ranks}, errors.Join(errs...)
}

type roundTripProgram struct {
	roundTrip
	call  call
	ranks int
}

func (p *roundTripProgram) Ranks() int       { return p.ranks }
func (p *roundTripProgram) Phases() []string { return []string{"round trips"} }

func (p *roundTripProgram) Step(me, step int, do *programs.Ops) bool {
	if step >= int(p.Repeat) || me > 1 || me == 1 && !p.call.twoSided {
		return false
	}
	switch {
	case !p.call.twoSided:
		p.call.begin(do, 1, p.Bytes, 0)
		do.Wait(0)
	case me == 0:
		do.Irecv(1, 0, step, 1)
		do.Send(1, p.Bytes, step)
		do.Wait(1)
	default:
		do.Recv(0, p.Bytes, step)
		do.Send(0, 0, step)
	}
	return true
}

// Metrics are the time of a round trip, and its part until the bytes have left rank 0,
// which is the local completion of a put.
func (w *roundTrip) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	each := func(t sim.Time) float64 { return t.Seconds() / float64(w.Repeat) }
	return metrics(
		Metric{"round_trip_s", each(r.Finish[0])},
		Metric{"local_s", each(r.Finish[0] - r.Ledgers[0][0][results.Latency])},
	)
}
