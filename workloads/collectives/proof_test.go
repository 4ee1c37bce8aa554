package collectives

import (
	"flag"
	"slices"
	"testing"

	"overlapsim/nodes/machines"
)

var everySize = flag.Bool("every-size", false, "prove every algorithm for all numbers of ranks from 1 to 70, not for some of the larger ones")

// holdings tell what the caller has before an operation, or must have after it.
var holdings = map[*Operation]func(g *Group, after bool, yield func(place) bool){
	Barrier: func(*Group, bool, func(place) bool) {},
	Broadcast: func(g *Group, after bool, yield func(place) bool) {
		if g.Me == g.Root || after {
			hold(g.whole(), g.Root, yield)
		}
	},
	Reduce:        sumOf(func(g *Group) (Span, bool) { return g.whole(), g.Me == g.Root }),
	Allreduce:     sumOf(func(g *Group) (Span, bool) { return g.whole(), true }),
	ReduceScatter: sumOf(func(g *Group) (Span, bool) { return g.block(g.Me), true }),
	Scan: func(g *Group, after bool, yield func(place) bool) {
		who := of(g.Me, 0).who
		if after {
			who = everyone(g.Me + 1)
		}
		for at := range g.Bytes {
			yield(place{at, content{who, at}})
		}
	},
	Allgather: blocksOf(func(*Group) bool { return true }),
	Gather:    blocksOf(func(g *Group) bool { return g.Me == g.Root }),
	Scatter: func(g *Group, after bool, yield func(place) bool) {
		switch {
		case after:
			hold(g.block(g.Me), g.Root, yield)
		case g.Me == g.Root:
			hold(g.whole(), g.Root, yield)
		}
	},
	Alltoall: func(g *Group, after bool, yield func(place) bool) {
		for other := range g.Ranks {
			from := *g
			from.Me = other
			if !after {
				hold(g.outgoing(other), g.Me, yield)
				continue
			}
			out := from.outgoing(g.Me)
			for i := range out.Bytes {
				yield(place{g.incoming(other).From + i, of(other, out.From+i)})
			}
		}
	},
	NeighbourGather: func(g *Group, after bool, yield func(place) bool) {
		if !after {
			hold(g.whole(), g.Me, yield)
			return
		}
		for i := range 2 * len(g.Dims) {
			for at := range g.Bytes {
				yield(place{int64(i+1)*g.Bytes + at, of(g.neighbour(i), at)})
			}
		}
	},
	NeighbourExchange: func(g *Group, after bool, yield func(place) bool) {
		if !after {
			hold(g.whole(), g.Me, yield)
			return
		}
		for i := range 2 * len(g.Dims) {
			from, into := g.toNeighbour(i^1), g.toNeighbour(i)
			for at := range from.Bytes {
				yield(place{g.Bytes + into.From + at, of(g.neighbour(i), from.From+at)})
			}
		}
	},
}

// hold yields a span that has the data of a member.
func hold(s Span, whose int, yield func(place) bool) {
	for at := s.From; at < s.From+s.Bytes; at++ {
		yield(place{at, of(whose, at)})
	}
}

// sumOf has the own vector at first, and the sum over a span at the end if the member is to
// have it.
func sumOf(has func(g *Group) (Span, bool)) func(g *Group, after bool, yield func(place) bool) {
	return func(g *Group, after bool, yield func(place) bool) {
		if !after {
			hold(g.whole(), g.Me, yield)
			return
		}
		s, ok := has(g)
		for at := s.From; ok && at < s.From+s.Bytes; at++ {
			yield(place{at, content{everyone(g.Ranks), at}})
		}
	}
}

// blocksOf has the own block at first, and those of all at the end if the member is to have
// them.
func blocksOf(has func(g *Group) bool) func(g *Group, after bool, yield func(place) bool) {
	return func(g *Group, after bool, yield func(place) bool) {
		for member := range g.Ranks {
			if member == g.Me || after && has(g) {
				hold(g.block(member), member, yield)
			}
		}
	}
}

// groups are the groups of a number of ranks on which an algorithm is proved: roots at the
// ends and inside, sizes below and above the number of ranks, segments that divide them and
// that do not, and the parameters that the algorithm reads.
func groups(a *Algorithm, ranks int) (all []Group) {
	p := int64(ranks)
	g := Group{Ranks: ranks, Bytes: 2*p + 1, Offload: &machines.Combining{FanIn: 2}}
	if a.Of == Alltoall {
		g.Bytes = 2 * p
	}
	if a.Of == NeighbourExchange || a.Of == NeighbourGather {
		g.Dims = []int{ranks}
		if ranks%2 == 0 {
			g.Dims = []int{2, ranks / 2}
		}
		g.Bytes = 9
	}
	all = append(all, g)
	small := g
	small.Root, small.Bytes = ranks/2, p*int64(ranks%3)/2 // from none to as many bytes as ranks
	if a.Of == Alltoall {
		small.Bytes = 0
	}
	all = append(all, small)
	more := g
	more.Root = ranks - 1
	more.Bytes = 4 * p
	more.Segment, more.Radix, more.Window, more.Levels = int64(1+ranks%5), 3, 3, []int{1 + ranks%9, 1 + ranks%2}
	if a.Uses != (Uses{}) {
		all = append(all, more)
	}
	if usual := more; a.Uses.Levels && a.Uses.Segment {
		usual.Radix, usual.Window = 0, 0
		all = append(all, usual)
	}
	return all
}

// Every algorithm, for every number of ranks: each member ends with exactly the right data, no
// request or message is left, and no data are overwritten while they are being sent.
func TestEveryMemberEndsWithTheRightData(t *testing.T) {
	for _, o := range Operations {
		for _, a := range o.Algorithms() {
			for ranks := 1; ranks <= 70; ranks++ {
				if !*everySize && ranks > 17 && !slices.Contains([]int{24, 32, 33}, ranks) {
					continue
				}
				for _, g := range groups(a, ranks) {
					if a.Needs == nil || a.Needs(&g) == "" {
						proof(t, a, g)
					}
				}
			}
		}
	}
}

// Blocks of different sizes, some of them empty: the v-variants.
func TestBlocksOfDifferentSizes(t *testing.T) {
	for _, o := range []*Operation{Allgather, Gather, Scatter, ReduceScatter, Alltoall} {
		for _, a := range o.Algorithms() {
			for ranks := 1; ranks < 12; ranks++ {
				g := Group{Ranks: ranks, Root: ranks / 2, Sizes: func(member int) int64 { return int64(member % 4) }}
				if o == Alltoall {
					g.Between = func(from, to int) int64 { return int64((from + 2*to) % 4) }
				}
				for member := range ranks {
					g.Bytes += g.Sizes(member)
				}
				if o == Alltoall {
					g.Bytes = int64(4 * ranks)
				}
				if a.Needs == nil || a.Needs(&g) == "" {
					proof(t, a, g)
				}
			}
		}
	}
}

// The proof notices what is wrong: data that is missing, combined twice, or overwritten while
// it is being sent, and requests that are left.
func TestTheProofNotices(t *testing.T) {
	for name, round := range map[string]func(g *Group, round int, r *Round){
		"missing": func(g *Group, round int, r *Round) {},
		"twice": func(g *Group, round int, r *Round) {
			r.Add(1-g.Me, g.whole())
			r.Send(1-g.Me, g.whole())
		},
	} {
		rounds := map[string]int{"missing": 1, "twice": 2}[name]
		a := &Algorithm{Of: Allreduce, Name: name, Schedule: Schedule{func(*Group) int { return rounds }, round}}
		if !fails(func(inner *testing.T) { proof(inner, a, Group{Ranks: 2, Bytes: 3}) }) {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// fails tells whether a test fails.
func fails(test func(t *testing.T)) bool {
	inner := new(testing.T)
	done := make(chan bool)
	go func() {
		defer close(done)
		test(inner)
	}()
	<-done
	return inner.Failed()
}
