package traces

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/workloads/collectives"
)

// choose asks the libraries for the algorithms of all collectives of the trace.
func (p *Program) choose() error {
	var wrong []error
	seen := map[string]bool{}
	for _, one := range slices.SortedFunc(maps.Keys(p.s.lists), func(a, b collective) int { return int(a.kind) - int(b.kind) }) {
		c := Call{Kind: one.kind, Comm: one.comm, Start: one.start, Uneven: one.uneven}
		if _, err := p.algorithm(&c, &collectives.Group{Ranks: p.size(one.comm), Bytes: 1}); err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func (p *Program) size(comm int32) int { return p.s.h.Comms[comm].Size(p.s.h.Ranks) }

// algorithm returns the algorithm of a collective. All members find the same one, because it
// depends on sizes only if all members know them.
func (p *Program) algorithm(c *Call, g *collectives.Group) (*collectives.Algorithm, error) {
	of := c.Kind.Collective()
	library := p.o.Blocking
	if c.Start || p.o.Unblocked && c.Kind != Barrier && c.Kind != Make {
		library = p.o.Started
	}
	switch {
	case c.Kind == Make:
		of = collectives.Allreduce
	case c.Kind == NeighbourGather || c.Kind == NeighbourExchange:
		return nil, nil
	case c.Uneven && c.Kind == Gather:
		return collectives.GatherLinear, nil
	case c.Uneven && c.Kind == Scatter:
		return collectives.ScatterLinearAtOnce, nil
	case c.Uneven && c.Kind == Alltoall:
		return collectives.AlltoallAtOnce, nil
	case library == nil:
		return nil, fmt.Errorf("%s: no library chooses its algorithm", c.Kind)
	}
	by, err := library.Choose(of, g)
	if err != nil {
		return nil, err
	}
	if c.Uneven && by.Needs != nil && by.Needs(g) != "" {
		return nil, fmt.Errorf("%s of unequal sizes: %s %s", c.Kind, by.Name, by.Needs(g))
	}
	return by, nil
}

// makeBytes is the number of bytes that members exchange when they make a communicator.
const makeBytes = 8

// collective does a collective, or starts it.
func (x *player) collective(c *Call, do *programs.Ops) {
	g := x.group(c)
	by := x.chosen(c, &g)
	g.Request = int(owned + x.s.requests[x.me])
	if !c.Start {
		x.blocking = &blocking{group: g, by: by, closed: c.Kind == Make}
		return
	}
	number := x.number()
	g.Request += (x.place(number) + 1) * requestsOf(x.s.h.Ranks)
	x.assign(c, slot{request: true, number: number})
	collectives.Start(by, g, int(number), do)
}

// place finds requests for the messages of a non-blocking collective, whose own request has a number.
func (x *player) place(number int32) int {
	at := slices.Index(x.places, noNumber)
	if at < 0 {
		at = len(x.places)
		x.places = append(x.places, noNumber)
	}
	x.places[at] = number
	return at
}

// noNumber marks a place that is free.
const noNumber = -1

// requestsOf is the largest number of requests of a collective of n ranks: one message to each
// rank and one from each, or to and from a neighbourhood.
func requestsOf(ranks int) int { return 2*ranks + 64 }

// group are the members of a collective and what it does.
func (x *player) group(c *Call) collectives.Group {
	comm := &x.s.h.Comms[c.Comm]
	bytes := c.Bytes
	if c.Kind == Make {
		bytes = makeBytes
	}
	g := collectives.Group{}
	if x.o.Group != nil {
		g = x.o.Group(bytes)
	}
	g.Ranks, g.Bytes = comm.Size(x.s.h.Ranks), bytes
	g.Me, _ = x.s.member(c.Comm, int32(x.me))
	if c.Kind.uses(fieldPeer) {
		g.Root, _ = x.s.member(c.Comm, c.Peer)
	}
	if comm.Ranks != nil {
		g.Rank = comm.Rank
		if len(g.Levels) > 0 && g.Levels[0] > 1 {
			g.Offload = nil // several of its members may share a node
		}
		g.Levels = nil // its neighbours need not share a node
	}
	g.Tag = x.s.collectiveTag(c.Comm, x.counts[c.Comm])
	x.counts[c.Comm]++
	x.uneven(c, &g)
	return g
}

// uneven gives a group the sizes of its blocks.
func (x *player) uneven(c *Call, g *collectives.Group) {
	if !c.Uneven {
		return
	}
	out, into := slices.Clone(c.Out), slices.Clone(c.Into)
	me := g.Me
	switch {
	case c.Kind == Alltoall:
		g.Between = func(from, to int) int64 {
			if from == me {
				return out[to]
			}
			return into[from]
		}
	case into != nil:
		g.Sizes = func(member int) int64 { return into[member] }
	case out != nil:
		g.Sizes = func(member int) int64 { return out[member] }
	default: // only the root knows the sizes of the others
		own := c.Bytes
		g.Sizes = func(member int) int64 {
			if member == me {
				return own
			}
			return 0
		}
	}
}

// chosen is the algorithm of a call.
func (x *player) chosen(c *Call, g *collectives.Group) *collectives.Algorithm {
	if c.Kind == NeighbourGather || c.Kind == NeighbourExchange {
		g.Rank = nil
		return neighbourhood(c)
	}
	by, err := x.algorithm(c, g)
	if err != nil {
		panic(err) // algorithms for all groups were chosen before
	}
	return by
}

// neighbourhood is the exchange with a rank's neighbours: all messages at once, as MPICH
// and Open MPI do it.
func neighbourhood(c *Call) *collectives.Algorithm {
	out, into := slices.Clone(c.Out), slices.Clone(c.Into)
	sinks, sources := slices.Clone(c.Sinks), slices.Clone(c.Sources)
	return &collectives.Algorithm{Of: c.Kind.Collective(), Name: "neighbours", Source: "Open MPI, coll_basic_neighbor_alltoall.c; MPICH, linear",
		Schedule: collectives.Schedule{
			Rounds: func(*collectives.Group) int { return 1 },
			Round: func(_ *collectives.Group, _ int, r *collectives.Round) {
				for i, from := range sources {
					if from != Nobody {
						r.Recv(int(from), collectives.Span{Bytes: into[i]})
					}
				}
				for i, to := range sinks {
					if to != Nobody {
						r.Send(int(to), collectives.Span{Bytes: out[i]})
					}
				}
			},
		}}
}
