package files

import (
	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/keys"
)

// affordable reports a problem if the parts of a run need more memory than there is.
func affordable(at keys.Place, problems *keys.Problems, needs ...forecast.Need) bool {
	err := forecast.Check(needs...)
	if err != nil {
		problems.Add(at, "", "%s", err)
	}
	return err == nil
}

// Work returns what the program of the scenario does; false: it has none, or that is not
// known before it runs.
func (s *Scenario) Work() (*forecast.Work, bool) {
	if s.Program == nil {
		return nil, false
	}
	return s.foreseen.Of(s.Program)
}

// Effort returns the effort of a run with these options, of few ranks where they may stand for all; none where it is not
// known before.
func (s *Scenario) Effort(o nodes.Options) forecast.Effort {
	if s.load != nil {
		return forecast.Streamed(s.load.Operations)
	}
	work, ok := s.Work()
	if !ok {
		return forecast.Effort{}
	}
	if few, ok := s.few(o); ok {
		work = work.Few(few)
	}
	all := work.Effort(s.Machine.Machine).Plus(s.pieces(work)).Plus(s.contention(work))
	if !s.moves.Nothing() {
		all = all.Plus(forecast.Moved(work.Operations))
	}
	return all
}

// node returns the node of a rank.
func (s *Scenario) node(rank int) int {
	if s.Nodes != nil {
		return int(s.Nodes[rank])
	}
	return rank / s.Processes
}

// inside tells whether a message stays on the node of a rank.
func (s *Scenario) inside(from int, op *programs.Op) bool {
	return s.node(from) == s.node(int(op.Peer))
}

// pieces is the effort of the pieces in which messages travel between nodes, and of what goes there and back before.
func (s *Scenario) pieces(work *forecast.Work) forecast.Effort {
	m := s.Machine.Machine
	return forecast.Processed(work.Messaged * forecast.PerMessage(s.Program, func(from int, op *programs.Op) float64 {
		if m.IntraNode != nil && s.inside(from, op) {
			return 0
		}
		return float64(nodes.Pieces(m, op))
	}))
}

// contention is the effort of messages, or of their packets, on the links of a fabric on which they contend.
func (s *Scenario) contention(work *forecast.Work) forecast.Effort {
	if s.Contention == nil || s.shape == nil || s.kind.PassesPerSecond == 0 {
		return forecast.Effort{}
	}
	packets := func(int64) int64 { return 1 }
	if s.kind.Payload != nil {
		own := s.kind.New()
		s.Machine.wiring.fill(own)
		payload := s.kind.Payload(own)
		packets = func(bytes int64) int64 { return max(1, (bytes-1)/payload+1) }
	}
	passes := work.Messaged * forecast.PerMessage(s.Program, func(from int, op *programs.Op) float64 {
		if s.inside(from, op) {
			return 0
		}
		return float64(packets(op.Amount)) * float64(1+s.shape.Hops(s.node(from), s.node(int(op.Peer))))
	})
	return forecast.Effort{Operations: passes, Seconds: passes / s.kind.PassesPerSecond}
}

// Bytes returns the memory in bytes that a run with these options will take, where there is
// enough.
func (s *Scenario) Bytes(o nodes.Options) float64 { return forecast.Taken(s.needs(o)...) }

// Fits returns an error of type keys.Problems if a run with these options needs more memory
// than there is.
func (s *Scenario) Fits(o nodes.Options) error {
	var problems keys.Problems
	affordable(s.tree.PlaceOf("ranks"), &problems, s.needs(o)...)
	return problems.Err()
}

// simulated returns what simulated ranks need, with their nodes.
func (s *Scenario) simulated(ranks, phases int) []forecast.Need {
	used := (ranks + s.Processes - 1) / max(1, s.Processes)
	return append(forecast.Ranks(ranks, used, phases), forecast.Cores(s.Machine.Machine, used))
}

// needs returns what the parts of a run need, if few ranks tell the time of all where they
// may; nothing if its work is not known.
func (s *Scenario) needs(o nodes.Options) []forecast.Need {
	if s.load != nil {
		return append(forecast.Streams(*s.load, o.Timeline || o.Critical), forecast.Results(s.Ranks))
	}
	work, ok := s.Work()
	if !ok {
		return nil
	}
	ranks, phases := s.Ranks, len(s.Program.Phases())
	if few, ok := s.few(o); ok {
		ranks = few
		work = work.Few(few)
	}
	needs := append(work.Messages(s.Machine.Machine), s.simulated(ranks, phases)...)
	needs = append(needs, forecast.Results(s.Ranks-ranks))
	if o.Cores > 1 {
		needs = append(needs, forecast.Regions(ranks))
	}
	if s.Contention == nil && s.Machine.Copying == nil {
		needs = append(needs, work.Queues(s.Machine.Network.Limit(s.Ranks)))
	}
	if s.shape != nil {
		needs = append(needs, linked(s.shape, s.kind)...)
	}
	if o.Critical {
		needs = append(needs, work.Path())
	}
	if o.Timeline {
		needs = append(needs, work.Timeline(o.Spill != nil)...)
	}
	return needs
}

// linked returns what a fabric needs for a topology. If there is no memory for the links alone, its
// nodes are not looked at.
func linked(shape topology.Topology, kind fabrics.Kind) []forecast.Need {
	links := forecast.Links(shape.Links(), kind.PerLink)
	if kind.PerNode == nil || forecast.Check(links) != nil {
		return []forecast.Need{links}
	}
	return []forecast.Need{links, forecast.Nodes(shape.Nodes(), kind.PerNode(shape))}
}
