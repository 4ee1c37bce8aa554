package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/traces"
)

// cause is one that a run may have. Package nodes/without says what its absence is.
type cause struct {
	name  string
	apart bool // it costs time without communication too
	when  func(*subject) bool
	noun  string // what costs the time
	verb  string // "costs", or "cost"
	shown shown
}

// shown is where a cause shows before it is taken away.
type shown struct {
	as        []results.Term         // terms of the time breakdown; none: that is not known
	computing bool                   // as computation too, if there is any and NICs do not make progress beside it
	times     func(*subject) float64 // how many times the events of the run a re-run without it has; nil: as many
}

// as is where a cause shows that shows in some terms only.
func as(terms ...results.Term) shown { return shown{as: terms} }

func always(*subject) bool { return true }

// causes are those that are taken away. If a run is long, those that show most are tried first, else in this order.
var causes = [results.NumWorkers][]cause{
	results.Processes: {
		{"progress", false, (*subject).moved, "messages without progress", "cost", shown{as: []results.Term{results.Progress}, computing: true}},
		{"links", false, (*subject).contended, "the links of the network", "cost",
			shown{as: []results.Term{results.Contention, results.Transfer}, times: (*subject).apart}},
		{ofBytes, false, always, "bytes in the NICs", "cost", as(results.Transfer, results.Contention)},
		{uneven, true, (*subject).uneven, "uneven computation", "costs", as(results.Partner, results.BarrierTime, results.Idle)},
		{"overhead", false, always, "the processors' work on messages", "costs", as(results.Overhead)},
		{"latency", false, always, "latency", "costs", as(results.Latency)},
		{"stalls", false, (*subject).limited, "full queues and buffers", "cost", as(results.NICStall)},
		{"gap", false, (*subject).spaced, "the NICs' time for each message", "costs", as(results.NICStall)},
		{"interference", true, (*subject).shared, "processes and threads that slow each other down", "cost", as(results.Interference)},
		{"noise", true, disturbed, "the system's noise", "costs", as(results.Interference)},
		{"synchronisation", true, (*subject).meets, "barriers", "cost", as(results.BarrierTime)},
	},
	results.GPUs: {
		{slowGPU, true, (*subject).slowed, "a slow GPU", "costs", shown{}},
		{jitter, true, func(s *subject) bool { return s.steady() != nil }, "jitter of kernels", "costs", shown{}},
		{byHosts, true, always, "launches by the hosts", "cost", shown{}},
		{"noise", true, (*subject).paused, "pauses of the hosts, in which they launch nothing,", "cost", shown{}},
		{"collectives", false, always, "collectives", "cost", shown{}},
		{"bubbles", true, always, "the bubbles of the pipeline", "cost", shown{}},
		{"progress", false, (*subject).called, "messages without progress", "cost", shown{}},
		{"links", false, (*subject).contended, "the links of the network", "cost", shown{}},
		{"bandwidth", false, always, "bytes between GPUs", "cost", shown{}},
		{"latency", false, always, "the latency of operations", "costs", shown{}},
		{slowing, true, always, "kernels that slow each other down", "cost", shown{}},
		{uneven, true, (*subject).uneven, "uneven kernels", "cost", shown{}},
	},
}

// byHosts is the cause that hosts take time for launches.
const byHosts = "launches"

// uneven is the cause that ranks compute unequally long in a step.
const uneven = "imbalance"

// slowing is the cause that operations of a GPU slow each other down.
const slowing = "interference"

// slowGPU is the cause that a scenario slows the kernels of one GPU down: a straggler.
const slowGPU = "slow GPU"

func (s *subject) slowed() bool { return !slices.Contains([]string{"", "1"}, s.value("slow")) }

// jitter is the cause that the times of kernels are drawn.
const jitter = "jitter"

// steady are the settings without jitter; nil: there is none. Steps without it are equal, unless documents are drawn for each.
func (s *subject) steady() (set []string) {
	for _, r := range files.WorkloadRows(s.Workload) {
		if spread, ok := r.To.(*float64); ok && *spread > 0 && (r.Path == "jitter" || strings.HasSuffix(r.Path, "_jitter")) {
			set = append(set, "workload."+r.Path+"=0")
		}
	}
	if set != nil && s.value("documents") == "0" && s.value("steps") != "1" {
		set = append(set, "workload.steps=1")
	}
	return set
}

// paused tells whether hosts of a trace paused while their GPUs had nothing to do.
func (s *subject) paused() bool { return unpaused(s) != nil }

// called tells whether messages of GPUs wait for calls of hosts.
func (s *subject) called() bool {
	w, ok := s.Workload.(experiments.Takes)
	return ok && without.Progress.In(w.Takes(s.Machine.Machine))
}

// and joins the names of two causes that are taken away together.
const and = " and "

// named returns the cause of a name, or what two causes together are.
func named(on results.Workers, name string) *cause {
	if first, second, both := strings.Cut(name, and); both {
		a, b := named(on, first), named(on, second)
		return &cause{name, a.apart || b.apart, always, a.noun + and + b.noun + ", each hidden by the other,", "cost", shown{}}
	}
	all := causes[on]
	return &all[slices.IndexFunc(all, func(c cause) bool { return c.name == name })]
}

// ofBytes is the cause that bytes take time in what a node sends them through.
const ofBytes = "bandwidth"

// here says what a cause is in this run, if not what it is in others: traffic shapers are before the NICs.
func (s *subject) here(cause string) string {
	if cause == ofBytes && s.shaped() {
		return "bytes in the NICs and their traffic shapers"
	}
	return ""
}

// costing says what costs the time of a change that takes a cause away, and that it costs.
func costing(on results.Workers, c *outcomes.Change) string {
	known := named(on, c.Cause)
	return cmp.Or(c.Costs, known.noun) + " " + known.verb
}

// mostPaired is how many causes are taken away two at a time.
const mostPaired = 4

// bytesBoth is the absence of links and of bytes in NICs, if bytes show much and the absence of both, one by one, saves less than half of that.
func (s *subject) bytesBoth(a *outcomes.Answer) []*trial {
	links, nics := a.Absence("links"), a.Absence(ofBytes)
	if links == nil || nics == nil || s.Result.On != results.Processes {
		return nil
	}
	if shown := s.shows(named(s.Result.On, ofBytes)); shown < leastCause || max(0, links.Saves)+max(0, nics.Saves) >= shown/2 {
		return nil
	}
	return []*trial{s.absence("links" + and + ofBytes)}
}

// pairs are the absences of two causes, of those that show most or save most alone. They are tried if none alone saves a fifth of what
// communication costs: one resource is as busy as another then, and each hides what the other one costs, so that neither saves anything.
// Links and NICs often are, as links have the bandwidth of NICs by default: what another cause saves does not tell.
func (s *subject) pairs(a *outcomes.Answer) (all []*trial) {
	if s.exposed < 2*report.LeastShare || len(a.Without) == 0 {
		return nil
	}
	if a.Without[0].Saves >= s.exposed/5 {
		return s.bytesBoth(a)
	}
	costs := map[string]float64{} // the larger of both, by cause
	var names []string
	for _, c := range a.Without {
		if known := named(s.Result.On, c.Cause); !known.apart {
			names, costs[c.Cause] = append(names, c.Cause), max(c.Saves, s.shows(known))
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(costs[y], costs[x]) })
	names = names[:min(len(names), mostPaired)]
	for i, first := range names {
		for _, second := range names[:i] {
			all = append(all, s.absence(second+and+first))
		}
	}
	return all
}

// hidden are the absences of two causes that save noticeably more than both alone.
func hidden(a *outcomes.Answer, pairs []outcomes.Change) (all []outcomes.Change) {
	for _, p := range pairs {
		first, second, _ := strings.Cut(p.Cause, and)
		if p.Saves-max(0, a.Absence(first).Saves)-max(0, a.Absence(second).Saves) >= report.LeastShare {
			all = append(all, p)
		}
	}
	return all
}

// without is the settings that take a cause away, with those that the scenario takes away already.
func (s *subject) without(cause string) []string {
	switch cause {
	case slowGPU:
		return []string{"workload.slow=1"}
	case jitter:
		return s.steady()
	}
	names := s.Without.Names()
	for _, name := range strings.Split(cause, and) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return []string{"without=" + names[0]}
	}
	return []string{"without=[" + strings.Join(names, ", ") + "]"}
}

// contended tells whether messages of several ranks share links, or are slowed as if they did.
func (s *subject) contended() bool { return s.Contended() || s.Calibration != nil }

// uneven tells whether some rank computes longer than the mean, in all or in a step. A wait for a message that makes no progress may be for
// a rank that computes.
func (s *subject) uneven() bool {
	mean := s.share(results.Compute) * s.wall / float64(s.Result.Ranks)
	for rank := range s.Result.Ledgers {
		ledger := s.Result.OfRank(rank)
		if ledger[results.Compute].Seconds() > mean*(1+report.LeastShare/2) {
			return true
		}
	}
	if mean > 0 && s.share(results.Partner, results.BarrierTime, results.Idle) > report.LeastShare {
		return true
	}
	return mean > 0 && s.share(results.Progress) > report.LeastShare && s.Result.On == results.Processes &&
		s.stepsOf().Longer > report.LeastShare/2
}

// unmatched tells whether imbalance was taken away, here or in the run, from ranks whose steps do not match.
func (s *subject) unmatched(a *outcomes.Answer) bool {
	_, unknown := s.Program.(programs.Reactive)
	return unknown && (a.Absence(uneven) != nil || slices.Contains(s.Without.Names(), uneven)) &&
		s.stepsOf().Whole
}

// asMedians is a note where uneven computation costs time: on what the run takes if each recorded computation takes the median of its
// repetitions, as the difference may be noise of the recording, or else on the time in which ranks did not run, as medians may have that noise.
func (s *subject) asMedians(a *outcomes.Answer) []string {
	c := a.Absence(uneven)
	if c == nil || c.Saves < leastCause || !s.told(c) {
		return nil
	}
	if t := s.medians(a); t != nil && t.saves(s) {
		return []string{fmt.Sprintf("Part of uneven computation may be noise of the recording: with each computation at the median of its "+
			"repetitions the run takes %s: %s.", report.Seconds(t.makespan.Seconds()), keys.Flags(t.set))}
	}
	if a.Away != nil {
		return []string{fmt.Sprintf("Uneven computation may be noise of the recording: between calls ranks did not run for %.1f %% of the time, "+
			"as where they share cores.", 100**a.Away)}
	}
	return nil
}

// away is the part of the time between the calls of a recorded program in which ranks did not run; nil: it is little, or not known.
func (s *subject) away() *float64 {
	if w, ok := s.Workload.(workloads.Paused); ok && w.Away() > traces.MuchAway {
		return new(w.Away())
	}
	return nil
}

// medians runs what was recorded with each computation at the median of its repetitions; nil: nothing repeats, or nothing was recorded.
func (s *subject) medians(a *outcomes.Answer) *trial {
	for _, row := range files.WorkloadRows(s.Workload) {
		if median, ok := row.To.(*bool); ok && !*median && row.Path == "median" {
			t := &trial{change: change{says: "with medians of computation", set: []string{asMedian}}, cause: "median"}
			s.add(t.expected(s))
			if s.explore([]*trial{t}, 1, s.events); t.counts {
				a.Medians = new(t.makespan.Seconds())
				return t
			}
		}
	}
	return nil
}

// asMedian is the setting by which each recorded computation takes the median of its repetitions.
const asMedian = "workload.median=true"

// limited tells whether a NIC, or a send buffer, limits how many messages or bytes it takes.
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

// mostOfMessage is how many events a message takes at most where it shares no link. On some networks with shared links it takes fewer.
const mostOfMessage = 5

// apart is how many times the events of the run one has in which messages share no links.
func (s *subject) apart() float64 {
	return max(s.outOfStep(), mostOfMessage*float64(s.Result.Messages)/float64(s.Result.Events))
}

// computes tells whether the program computes.
func (s *subject) computes() bool {
	return s.Result.On != results.Processes || s.Result.Uses.Does(programs.OpCompute)
}

// shows is the part of the run in which a cause shows: of its critical path or of the ranks' time, the larger of the
// two.
func (s *subject) shows(c *cause) float64 {
	if len(c.shown.as) == 0 || c.shown.computing && s.computes() && s.callsMatter() {
		return 1
	}
	var onPath float64
	for _, t := range c.shown.as {
		onPath += s.path[t]
	}
	return max(onPath, s.share(c.shown.as...))
}
