package traces

import (
	"errors"
	"fmt"
	"math"

	"overlapsim/sim"
)

// Limits of a trace.
const (
	maxRanks    = 1 << 24
	maxComms    = 1 << 20
	maxRequests = 1 << 24 // numbers of requests are below this
	maxTime     = sim.Forever / 4
)

// check returns an error if a header has mistakes.
func (h *Header) check() error {
	switch {
	case h.Ranks < 1 || h.Ranks > maxRanks:
		return fmt.Errorf("ranks must be 1 to %d, got %d", maxRanks, h.Ranks)
	case len(h.Comms) < 1 || len(h.Comms) > maxComms:
		return fmt.Errorf("there must be 1 to %d communicators, got %d", maxComms, len(h.Comms))
	case h.Comms[0].Ranks != nil:
		return fmt.Errorf("the first communicator must have all ranks")
	case len(h.Phases) > math.MaxUint8:
		return fmt.Errorf("there must be at most %d phases, got %d", math.MaxUint8, len(h.Phases))
	}
	for i := range h.Comms {
		if err := h.Comms[i].check(h.Ranks); err != nil {
			return fmt.Errorf("communicator %d: %w", i, err)
		}
	}
	return nil
}

func (c *Comm) check(ranks int) error {
	if c.Ranks != nil && len(c.Ranks) == 0 {
		return errors.New("has no member")
	}
	seen := make(map[int32]bool, len(c.Ranks))
	for _, rank := range c.Ranks {
		if rank < 0 || int(rank) >= ranks || seen[rank] {
			return fmt.Errorf("has the member %d, which must be a rank, 0 to %d, and a member once", rank, ranks-1)
		}
		seen[rank] = true
	}
	return nil
}

// Check returns an error if a call of a rank has mistakes that can be seen in the call alone.
func (h *Header) Check(c *Call) error {
	if c.Kind >= kinds {
		return fmt.Errorf("no kind of call has the number %d", c.Kind)
	}
	for _, one := range []struct {
		wrong bool
		name  string
		got   any
	}{
		{c.Phase > 0 && int(c.Phase) >= len(h.Phases), "phase", c.Phase},
		{c.Comm < 0 || int(c.Comm) >= len(h.Comms), "communicator", c.Comm},
		{c.Before < 0 || c.Before > maxTime || c.Away < 0 || c.Away > maxTime || c.Took < 0 || c.Took > maxTime, "time",
			fmt.Sprint(c.Before, ", ", c.Away, ", ", c.Took)},
		{c.Peer < Nobody || int(c.Peer) >= h.Ranks || c.Peer == AnySource && (c.Kind == Put || c.Kind == Get), "peer", c.Peer},
		{c.From < Nobody || int(c.From) >= h.Ranks, "peer of the receive", c.From},
		{c.Tag < AnyTag || c.FromTag < AnyTag, "tag", min(c.Tag, c.FromTag)},
		{c.Bytes < 0 || c.In < 0, "number of bytes", min(c.Bytes, c.In)},
		{c.Request < NoRequest || c.Request >= maxRequests, "request", c.Request},
		{c.Among < 0 || c.Tries < 0, "count", min(int64(c.Among), c.Tries)},
	} {
		if one.wrong {
			return fmt.Errorf("%s: %s %v is not possible", c.Kind, one.name, one.got)
		}
	}
	return h.checkLists(c)
}

func (h *Header) checkLists(c *Call) error {
	for _, request := range c.Requests {
		if request < 0 || request >= maxRequests {
			return fmt.Errorf("%s: request %d is not possible", c.Kind, request)
		}
	}
	for _, list := range [][]int32{c.Sinks, c.Sources} {
		for _, rank := range list {
			if rank < Nobody || int(rank) >= h.Ranks {
				return fmt.Errorf("%s: neighbour %d is not possible", c.Kind, rank)
			}
		}
	}
	sinks, sources := h.Comms[c.Comm].Size(h.Ranks), h.Comms[c.Comm].Size(h.Ranks)
	if c.Kind == NeighbourGather || c.Kind == NeighbourExchange {
		if sinks, sources = len(c.Sinks), len(c.Sources); len(c.Out) != sinks || len(c.Into) != sources || sinks+sources > requestsOf(h.Ranks) {
			return fmt.Errorf("%s: %d and %d sizes for %d and %d neighbours", c.Kind, len(c.Out), len(c.Into), sinks, sources)
		}
	}
	if c.Out != nil && len(c.Out) != sinks || c.Into != nil && len(c.Into) != sources {
		return fmt.Errorf("%s: %d and %d sizes for %d and %d members", c.Kind, len(c.Out), len(c.Into), sinks, sources)
	}
	for _, sizes := range [][]int64{c.Out, c.Into} {
		total := int64(0)
		for _, bytes := range sizes {
			if total += bytes; bytes < 0 || total < 0 {
				return fmt.Errorf("%s: sizes are negative or too large", c.Kind)
			}
		}
	}
	return nil
}
