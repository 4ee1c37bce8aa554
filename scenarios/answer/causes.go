package answer

import (
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// cause is one that a run may have. Package nodes/without says what its absence is.
type cause struct {
	name  string
	apart bool // it costs time without communication too
	when  func(*subject) bool
	noun  string // what costs the time
	verb  string // "costs", or "cost"
	terms terms  // where it shows; nil: that is not known
}

// terms are terms of the time breakdown.
type terms []results.Term

func always(*subject) bool { return true }

// causes are those that are taken away. If a run is long, those that show most are tried first, else in this order.
var causes = [results.NumWorkers][]cause{
	results.Processes: {
		{"progress", false, (*subject).moved, "messages that nobody moves on", "cost", terms{results.Progress}},
		{"links", false, (*subject).contended, "links that messages share", "cost", terms{results.Contention, results.Transfer}},
		{"bandwidth", false, always, "bytes in the NICs", "cost", terms{results.Transfer}},
		{"imbalance", true, (*subject).uneven, "uneven computation", "costs", terms{results.Partner, results.BarrierTime, results.Idle}},
		{"overhead", false, always, "the processors' work on messages", "costs", terms{results.Overhead}},
		{"latency", false, always, "latency", "costs", terms{results.Latency}},
		{"stalls", false, (*subject).limited, "full queues and buffers", "cost", terms{results.NICStall}},
		{"gap", false, (*subject).spaced, "the NICs' time for each message", "costs", terms{results.NICStall}},
		{"interference", true, (*subject).shared, "what a node's activities share", "costs", terms{results.Interference}},
		{"noise", true, disturbed, "the system's noise", "costs", terms{results.Interference}},
		{"synchronisation", true, (*subject).meets, "barriers", "cost", terms{results.BarrierTime}},
	},
	results.GPUs: {
		{"launches", true, always, "launches by the hosts", "cost", nil},
		{"collectives", false, always, "collectives", "cost", nil},
		{"bubbles", true, always, "the bubbles of the pipeline", "cost", nil},
		{"links", false, (*subject).contended, "links that operations share", "cost", nil},
		{"bandwidth", false, always, "bytes between GPUs", "cost", nil},
		{"latency", false, always, "the steps of operations", "cost", nil},
		{"interference", true, always, "what kernels and collectives share", "costs", nil},
		{"imbalance", true, (*subject).uneven, "uneven kernels", "cost", nil},
	},
}

// and joins the names of two causes that are taken away together.
const and = " and "

// named returns the cause of a name, or what two causes together are.
func named(on results.Workers, name string) *cause {
	if first, second, both := strings.Cut(name, and); both {
		a, b := named(on, first), named(on, second)
		return &cause{name, a.apart || b.apart, always, a.noun + and + b.noun + ", each behind the other one,", "cost", nil}
	}
	all := causes[on]
	return &all[slices.IndexFunc(all, func(c cause) bool { return c.name == name })]
}

// mostPaired is how many causes are taken away two at a time.
const mostPaired = 4

// pairs are the absences of two causes, of those that save most alone. They are tried if none alone saves a fifth of what communication
// costs: one resource is as busy as another then, and each hides what the other one costs.
func (s *subject) pairs(a *outcomes.Answer) (all []*trial) {
	if s.exposed < 2*report.LeastShare || len(a.Without) == 0 || a.Without[0].Saves >= s.exposed/5 {
		return nil
	}
	var names []string
	for _, c := range a.Without {
		if !named(s.Result.On, c.Cause).apart && len(names) < mostPaired {
			names = append(names, c.Cause)
		}
	}
	for i, first := range names {
		for _, second := range names[:i] {
			all = append(all, s.absence(second+and+first))
		}
	}
	return all
}

// without is the setting that takes a cause away, with those that the scenario takes away already.
func (s *subject) without(cause string) string {
	names := s.Without.Names()
	for _, name := range strings.Split(cause, and) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return "without=" + names[0]
	}
	return "without=[" + strings.Join(names, ", ") + "]"
}

// contended tells whether messages of several ranks share links, or are slowed as if they did.
func (s *subject) contended() bool { return s.Contended() || s.Calibration != nil }

// uneven tells whether some rank computes longer than the mean.
func (s *subject) uneven() bool {
	mean := s.share(results.Compute) * s.wall / float64(s.Result.Ranks)
	for rank := range s.Result.Ledgers {
		ledger := s.Result.OfRank(rank)
		if ledger[results.Compute].Seconds() > mean*(1+report.LeastShare/2) {
			return true
		}
	}
	return s.share(results.Partner, results.BarrierTime, results.Idle) > report.LeastShare && mean > 0
}

// limited tells whether a NIC, or a send buffer, takes only so many messages or bytes.
func (s *subject) limited() bool {
	n := &s.Machine.Network
	return n.QueueDepth > 0 || n.Outstanding > 0 || n.PerPeer > 0 || s.Machine.Copying != nil
}

// spaced tells whether a NIC takes time for each message.
func (s *subject) spaced() bool { return s.Machine.Network.Gap > 0 }

// shared tells whether activities of a node may slow each other down.
func (s *subject) shared() bool { return s.Machine.Sharing != nil || s.Background > 0 }

// meets tells whether barriers take time.
func (s *subject) meets() bool { return s.share(results.BarrierTime) > report.LeastShare }

// shows is the part of the run in which a cause shows: of its critical path, or of the ranks' time, whichever is larger.
func (s *subject) shows(c *cause) float64 {
	var onPath float64
	for _, t := range c.terms {
		onPath += s.path[t]
	}
	return max(onPath, s.share(c.terms...))
}
