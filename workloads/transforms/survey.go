package transforms

import (
	"fmt"

	"overlapsim/nodes/programs"
)

// survey is what reading a program once tells about it.
type survey struct {
	ranks    int
	requests int32 // the largest number of one
	ops      int64
	steps    int // most of a rank
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
func look(p programs.Program, c *Changes) (*survey, error) {
	s := &survey{ranks: p.Ranks(), channels: map[channel]*agreement{}}
	var do programs.Ops
	for rank := range s.ranks {
		for step := 0; ; step++ {
			do.Reset()
			if !p.Step(rank, step, &do) {
				s.steps = max(s.steps, step)
				break
			}
			for i := range do.List() {
				if err := s.op(rank, &do.List()[i], c); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, s.agreed()
}

func (s *survey) op(rank int, op *programs.Op, c *Changes) error {
	s.ops++
	s.requests = max(s.requests, op.Request)
	switch {
	case op.Kind == programs.OpWaitAny || op.Kind == programs.OpAwait:
		return fmt.Errorf("rank %d waits for whatever comes first: its operations have no order in which they could move", rank)
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
	for at, a := range s.channels {
		if a.sent == a.received {
			continue
		}
		if worst == nil || at.less(*worst) {
			one := at
			worst = &one
		}
	}
	s.channels = nil
	if worst == nil {
		return nil
	}
	return fmt.Errorf("the receives of rank %d from rank %d with tag %d do not name the sizes of their messages, so that both ends would "+
		"cut them differently; a puts' signals are not cut", worst.to, worst.from, worst.tag)
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

// join is how many steps a window has; all, if the program cannot be cut.
func (s *survey) join(windowed bool) int {
	if !windowed {
		return s.steps + 1
	}
	perStep := max(1, s.ops/int64(s.ranks)/int64(max(1, s.steps)))
	ops := min(windowOps, max(64, heldOps/int64(s.ranks)))
	return int(max(1, ops/perStep))
}
