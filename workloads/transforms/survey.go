package transforms

import (
	"fmt"
	"math"

	"overlapsim/nodes/programs"
)

// survey is what reading a program once tells about it.
type survey struct {
	ranks    int
	requests int32 // the largest number of one
	ops      int64
	steps    int   // most of a rank
	pieces   int   // most of a message
	widest   int64 // most operations of a step, all in pieces
	longest  int64 // most operations of a rank, all in pieces
	channels map[channel]*agreement
}

// channel is where messages keep their order.
type channel struct {
	from, to, tag int32
}

// agreement says whether both ends of a channel cut its messages into the same pieces: the
// sequences of numbers of pieces are compared by two sums.
type agreement struct{ sent, received sequence }

type sequence struct {
	messages int64
	sum      uint64
}

func (s *sequence) add(pieces int) {
	s.messages++
	s.sum = s.sum*0x9e3779b97f4a7c15 + uint64(pieces)
}

// look reads a program.
func (p *changed) look() (*survey, error) {
	s := &survey{ranks: p.Ranks(), channels: map[channel]*agreement{}}
	for rank := range s.ranks {
		if err := s.rank(rank, p); err != nil {
			return nil, err
		}
	}
	return s, s.agreed()
}

// rank reads a rank step by step.
func (s *survey) rank(rank int, p *changed) error {
	steps := 0
	next := func(do *programs.Ops) bool { return p.Program.Step(rank, steps, do) }
	if p.order != nil {
		next = p.order(rank)
	}
	var do programs.Ops
	longest := int64(0)
	for ; next(&do); steps++ {
		cut := int64(0)
		ops, schedules := together(do.List())
		for i := range ops {
			if err := s.op(rank, &ops[i], &p.c); err != nil {
				return err
			}
			cut += s.cut(&ops[i], &p.c)
		}
		for _, schedule := range schedules {
			cut += int64(len(schedule))
			for i := range schedule {
				s.requests = max(s.requests, schedule[i].Request)
			}
		}
		s.widest = max(s.widest, cut)
		longest += cut
		do.Reset()
	}
	s.steps, s.longest = max(s.steps, steps), max(s.longest, longest)
	return nil
}

func (s *survey) op(rank int, op *programs.Op, c *Changes) error {
	s.ops++
	s.requests = max(s.requests, op.Request)
	switch {
	case op.Kind == programs.OpWaitAny || op.Kind == programs.OpAwait:
		return fmt.Errorf("rank %d waits for the first message that comes: its operations have no order in which they could move", rank)
	case c.Pieces <= 1:
	case op.Kind == programs.OpReceive && (op.Peer == programs.AnySource || op.Tag == programs.AnyTag):
		return fmt.Errorf("rank %d receives from any source or of any tag: such messages cannot be cut", rank)
	case op.Kind == programs.OpReceive:
		s.channel(op.Peer, int32(rank), op.Tag).received.add(c.pieces(op.Amount))
	case op.Kind == programs.OpSend:
		s.channel(int32(rank), op.Peer, op.Tag).sent.add(c.pieces(op.Amount))
	case op.Kind == programs.OpSignal:
		s.channel(int32(rank), op.Peer, op.Tag).sent.add(1)
	}
	return nil
}

// cut returns how many operations one becomes: a message counts with its waits.
func (s *survey) cut(op *programs.Op, c *Changes) int64 {
	if !twoSided(op) {
		return 1
	}
	n := c.pieces(op.Amount)
	s.pieces = max(s.pieces, n)
	return 2 * int64(n)
}

// fits returns an error if the pieces of a window are more than a run may hold, or have more
// requests than there are numbers.
func (s *survey) fits(join int) error {
	items := min(s.widest*int64(join), s.longest)
	if items <= heldOps && (int64(s.requests)+2)*int64(s.pieces)+items <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("messages in up to %d pieces make %d operations of those that are moved together, with %d requests at a time: too many to hold",
		s.pieces, items, s.requests+1)
}

func (s *survey) channel(from, to, tag int32) *agreement {
	at := channel{from, to, tag}
	if s.channels[at] == nil {
		s.channels[at] = new(agreement)
	}
	return s.channels[at]
}

// agreed tells of a channel whose ends do not agree on the pieces of its messages.
func (s *survey) agreed() error {
	var worst *channel
	byLibrary := false
	for at, a := range s.channels {
		if a.sent == a.received {
			continue
		}
		if worst == nil || at.less(*worst) {
			one := at
			worst, byLibrary = &one, a.sent.messages == 0 || a.received.messages == 0
		}
	}
	s.channels = nil
	switch {
	case worst == nil:
		return nil
	case byLibrary: // in a schedule
		return fmt.Errorf("messages cannot be cut: the library does one end of those from rank %d to rank %d with tag %d by itself, as of messages "+
			"in partitions that it sends whole (machine.runtime.partitioned=whole)", worst.from, worst.to, worst.tag)
	}
	return fmt.Errorf("messages cannot be cut: rank %d receives from rank %d with tag %d what the two cut differently: signals of puts, or "+
		"messages whose receives do not name their sizes", worst.to, worst.from, worst.tag)
}

func (a channel) less(b channel) bool {
	if a.from != b.from {
		return a.from < b.from
	}
	if a.to != b.to {
		return a.to < b.to
	}
	return a.tag < b.tag
}

// Sizes of windows: as many operations as moves may pass, and as a run may hold of all ranks.
const (
	windowOps = 4096
	heldOps   = 1 << 24
)

// join is how many steps a window has.
func (s *survey) join() int {
	perStep := max(1, s.ops/int64(max(1, s.ranks))/int64(max(1, s.steps)))
	ops := min(windowOps, max(64, heldOps/int64(max(1, s.ranks))))
	return int(max(1, ops/perStep))
}
