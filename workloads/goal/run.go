package goal

import (
	"fmt"

	"overlapsim/sim"
)

// Result holds the results of a run.
type Result struct {
	Finish    []sim.Time  // of each rank: when its last operation ended
	Events    uint64      // operations begun, plus messages, including handshakes
	Messages  uint64      // of the schedule
	Unmatched int         // messages and receives left over
	Hidden    []sim.Total // by rank: computation of its CPUs while messages that it sent were in flight

	schedule *Schedule
	params   Params
}

// Makespan returns the latest finish, and the lowest rank that has it.
func (r *Result) Makespan() (t sim.Time, rank int) {
	for i, f := range r.Finish {
		if f > t {
			t, rank = f, i
		}
	}
	return t, rank
}

// Ledger splits the time of all CPUs of a rank together until the rank finishes. The
// terms sum to the number of CPUs times the finish.
type Ledger struct {
	Compute  sim.Total // calcs
	Overhead sim.Total // o + k·O of sends and receptions
	Transfer sim.Total // CPU held by arriving bytes, beyond Overhead
	Wait     sim.Total // the rest
}

// Ledgers returns the ledger of each rank, for a run without error.
func (r *Result) Ledgers() []Ledger { return r.schedule.Ledgers(r.params, r.Finish) }

// Ledgers returns the ledger of each rank; finish is the time at which each rank
// finishes.
func (s *Schedule) Ledgers(p Params, finish []sim.Time) []Ledger {
	last := lastSize{}
	return s.ledgers(finish, func(size uint64) (send, receive, transfer sim.Time) {
		kO, kG := last.perByte(&p, size)
		if p.ReceiveOverlap {
			kG = 0
		}
		return p.Overhead + kO, p.Overhead + kO, max(0, kG-kO)
	})
}

// ledgers takes the CPU times of messages by size: of sending, of receiving, and beyond that of
// arriving bytes.
func (s *Schedule) ledgers(finish []sim.Time, times func(size uint64) (send, receive, transfer sim.Time)) []Ledger {
	list := make([]Ledger, s.Ranks())
	for rank := range list {
		l := &list[rank]
		ops, _ := s.Rank(rank)
		for i := range ops {
			switch op := &ops[i]; op.Kind {
			case Calc:
				l.Compute.Add(op.duration())
			case Send:
				send, receive, transfer := times(op.Size)
				l.Overhead.Add(send)
				to := &list[op.Peer]
				to.Overhead.Add(receive)
				to.Transfer.Add(transfer)
			}
		}
	}
	for rank := range list {
		l := &list[rank]
		l.Wait = sim.TotalOf(finish[rank]).Times(s.cpus).Minus(l.Compute).Minus(l.Overhead).Minus(l.Transfer)
	}
	return list
}

// Run simulates the schedule by the rules of the package's comment. A schedule that
// cannot finish gives an *Unfinished error, and the result up to that point.
func Run(s *Schedule, p Params) (*Result, error) {
	if err := runnable(s, p); err != nil {
		return nil, err
	}
	e := newEngine(s, p)
	e.run()
	if e.err != nil {
		return nil, e.err
	}
	r := e.result()
	if e.open > 0 || r.Unmatched > 0 {
		return r, e.unfinished()
	}
	return r, nil
}

// runnable reports what is too long or too large to be simulated.
func runnable(s *Schedule, p Params) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := p.fits(s); err != nil {
		return err
	}
	return s.fitsMemory()
}

// fitsMemory returns an error if the hosts of a schedule have more CPUs and NICs than fit
// in memory.
func (s *Schedule) fitsMemory() error {
	const most = 1 << 29
	if n := s.Ranks() * (s.cpus + 2*s.nics); n > most {
		return fmt.Errorf("%d ranks with %d CPUs and %d NICs each: want at most %d of all together", s.Ranks(), s.cpus, s.nics, most)
	}
	return nil
}
