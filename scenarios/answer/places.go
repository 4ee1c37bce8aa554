package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/scenarios/keys"
)

// Changes of the number of messages that a NIC takes, and of the placement of ranks.

// deeper allows the NIC, and each process, four times as many messages.
func deeper(s *subject) (all []change) {
	net := &s.Machine.Network
	for _, limit := range []struct {
		today     int
		key, says string
	}{
		{net.QueueDepth, "queue_depth", "messages in the queue of a NIC"},
		{net.Outstanding, "outstanding", "messages of a process under way"},
		{net.PerPeer, "outstanding_per_peer", "messages of a process under way for each peer"},
	} {
		if limit.today > 0 {
			says := fmt.Sprintf("%d %s instead of %d", 4*limit.today, limit.says, limit.today)
			all = append(all, only(says, fmt.Sprintf("machine.network.%s=%d", limit.key, 4*limit.today))...)
		}
	}
	return all
}

// throughNIC tells whether messages inside a node use its NIC.
func throughNIC(s *subject) bool {
	return s.Machine.IntraNode == nil && s.Processes > 1 && s.Ranks > 1
}

// Cost of a message that a processor copies inside a node, if the machine does not state
// it: two cache misses, and a copy at the bandwidth of one core, or at its share of the
// memory's bandwidth, which counts twice: reading and writing.
const insideLatency = "0.5us"

func inMemory(s *subject) []change {
	rate := s.CopyRate()
	if m := s.Machine.Sharing; m != nil && m.Bandwidth > 0 {
		rate = min(rate, m.Bandwidth/float64(2*s.Processes))
	}
	text := keys.Format(keys.Bandwidth, math.Floor(rate/1e6)*1e6)
	return only("messages inside a node through its memory, at "+text, "machine.intra_node={latency: "+insideLatency+", per_byte: "+text+"}")
}

// placeable tells whether it matters where the ranks are.
func (s *subject) placeable() bool {
	return s.NodesTaken() > 1 && (s.Processes > 1 || s.contended()) && s.Mapping != "file" && s.Mapping != "consecutive"
}

// mapped places the ranks in another order: one for each node where there are several, and far from each other or at random
// where they share links.
func mapped(s *subject) (all []change) {
	orders := []string{"block"}
	if s.Processes > 1 {
		orders = append(orders, "cyclic")
	}
	if s.contended() {
		orders = append(orders, "spread", atRandom)
	}
	for _, other := range orders {
		if other != s.Mapping {
			all = append(all, placed(s, other))
		}
	}
	return all
}

// atRandom is a mapping that a seed decides.
const atRandom = "random-all"

// placed places the ranks in another order, which may take other nodes.
func placed(s *subject, other string) change {
	c := change{says: fmt.Sprintf("ranks placed %s instead of %s", other, s.Mapping), set: []string{ofPlaces + "=" + other}, moreNodes: true}
	if other == atRandom {
		c.drawn, c.like = true, ofPlaces+" "+atRandom
		c.set = append(c.set, "seed=1")
	}
	return c
}

// ofPlaces is the key of the placement of ranks.
const ofPlaces = "mapping"

// mostDraws is how many seeds a change that a seed decides is run with, and fewestDraws with how many it is told.
const mostDraws, fewestDraws = 5, 3

// draw runs changes that a seed decides with other seeds. Each becomes its median draw, or the next worse one. Where too few end, it does not
// count. It tells whether it ran any.
func (s *subject) draw(all []*trial) (ran bool) {
	for _, t := range all {
		if !t.drawn || t.draws != nil {
			continue
		}
		ran = true
		if t.draws = s.draws(t, s.events); len(t.draws) < fewestDraws {
			t.counts, t.short = false, true
			s.tried = slices.DeleteFunc(s.tried, func(other *trial) bool { return other == t })
		}
	}
	return ran
}

// draws runs a change that a seed decides with other seeds, within a number of events, and makes it its median draw, or the next worse one. It
// returns the draws in the order of their seeds, up to the first that does not end, with its own first.
func (s *subject) draws(t *trial, events float64) []*trial {
	own, last := *t, len(t.set)-1
	var others []*trial
	for seed := 1; len(others) < mostDraws-1; seed++ {
		c := t.change
		c.set, c.times = append(slices.Clone(c.set[:last]), fmt.Sprint("seed=", seed)), t.events/s.work()
		if c.set[last] != t.set[last] {
			others = append(others, &trial{change: c, of: t.of, cause: "draw"})
		}
	}
	s.explore(others, len(others), events)
	draws := []*trial{&own}
	for _, d := range others {
		if !d.counts {
			break
		}
		draws = append(draws, d)
	}
	order := slices.Clone(draws)
	slices.SortStableFunc(order, func(x, y *trial) int { return cmp.Compare(x.makespan, y.makespan) })
	median := order[len(order)/2]
	if len(draws) >= fewestDraws {
		t.set, t.nodes, t.taken = median.set, median.nodes, median.taken
		t.says += fmt.Sprintf(" (median of %d draws)", len(draws))
	}
	return draws
}

// copiesInside tells whether processors copy messages inside nodes, at a rate that the machine states.
func (s *subject) copiesInside() bool { return s.Processes > 1 && s.States("intra_node.per_byte") }

// fasterInside halves the time of such copies, between sockets too.
func fasterInside(s *subject) []change {
	set := []string{"machine.intra_node.per_byte=x0.5"}
	if s.States("intra_node.across.per_byte") {
		set = append(set, "machine.intra_node.across.per_byte=x0.5")
	}
	return only("copies inside a node twice as fast", set...)
}

// spread gives each process a larger share of its node: half as many processes on each, and one on each if all are on one. First of all one
// for each core, if there are more.
func spread(s *subject) (all []change) {
	fewer := []int{s.Processes / 2}
	switch {
	case s.Processes > s.Machine.Cores:
		fewer = []int{s.Machine.Cores}
	case s.NodesTaken() == 1 && s.Processes > 2:
		fewer = []int{1, s.Processes / 2}
	}
	for _, n := range fewer {
		if n > 0 {
			all = append(all, only(fmt.Sprintf("%d instead of %d processes on a node", n, s.Processes), fmt.Sprintf("processes_per_node=%d", n))...)
			all[len(all)-1].moreNodes = true
		}
	}
	return all
}
