package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/workloads"
)

var units = []struct {
	seconds float64
	name    string
}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {1e-12, "ps"}}

// partOf writes a part of a time in the unit of the time, with three digits: "13.2 of 28.2 ms".
func partOf(part, whole float64) string {
	for _, u := range units {
		if whole >= 0.9995*u.seconds {
			return fmt.Sprintf("%s of %s %s", three(part/u.seconds, whole/u.seconds), three(whole/u.seconds, whole/u.seconds), u.name)
		}
	}
	return fmt.Sprintf("%g of %g s", part, whole)
}

// three writes x with as many digits after the point as the whole has if it is written with three digits.
func three(x, whole float64) string {
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(whole)+1e-9))), 64)
}

// sentence says what communication costs, how much of it hides, why the rest does not, and what would help.
func (s *subject) sentence(a *outcomes.Answer) string {
	var all []string
	for _, part := range []string{s.cost(a), s.traced(), s.hides(a), s.best(a)} {
		if part != "" {
			all = append(all, part)
		}
	}
	return strings.Join(all, " ")
}

// cost says what communication costs.
func (s *subject) cost(a *outcomes.Answer) string {
	makespan := s.Result.Makespan().Seconds()
	switch {
	case a.Exposed == nil:
		return "The cost of communication is not known, as the run without it does not end."
	case s.Result.On == results.Processes && s.Result.Messages == 0 && *a.Exposed == 0:
		return "The run communicates nothing."
	case *a.Computation == 0:
		return "All " + one(makespan) + " are communication" + s.byChance(a) + "."
	case report.ExposedInPlace(makespan, a) != "":
		return fmt.Sprintf("The cost of communication, of %s, is %s: that much depends on %s.",
			one(makespan), report.Below(*s.noise), report.Chance(a.Paused, a.Late, a.Near))
	case s.exposed < report.LeastShare/2:
		return "Communication costs less than 0.5 % of " + one(makespan) + "."
	}
	return "Communication costs " + partOf(*a.Exposed, makespan) + " (" + report.Share(s.exposed) + ")" + s.byChance(a) + "."
}

// byChance says that the makespan depends on the order of equals so much that it hardly counts as a number; "": it does not.
func (s *subject) byChance(a *outcomes.Answer) string {
	if zero(s.noise) < muchNoise {
		return ""
	}
	if a.MakespanIn == nil {
		return "; " + report.Chance(a.Paused, a.Late, a.Near) + " changes the makespan by " + report.Share(*s.noise)
	}
	in := "; in other orders of what happens at the same moment"
	switch {
	case a.Paused:
		in = "; with noise of the system at other moments"
	case a.Late:
		in = "; with ranks that come late by a message"
	}
	return in + " the run takes " + report.Between(a.MakespanIn)
}

// muchNoise is the smallest noise of a run that its first sentence says.
const muchNoise = 0.1

func one(seconds float64) string {
	_, text, _ := strings.Cut(partOf(0, seconds), " of ")
	return text
}

// mayHide tells whether the sentence says how much of communication hides.
func (s *subject) mayHide(a *outcomes.Answer) bool {
	makespan, least := s.Result.Makespan().Seconds(), report.LeastShare/2
	if a.HiddenIn == nil {
		least = max(least, zero(s.noise))
	}
	return a.Overlap != nil && *a.Communication >= least*makespan && report.ExposedInPlace(makespan, a) == "" && *a.Computation > 0
}

// overlapCosts tells whether the sentence says that overlap costs more than it hides.
func (s *subject) overlapCosts(a *outcomes.Answer) bool {
	return s.mayHide(a) && report.HiddenInPlace(s.Result.Makespan().Seconds(), a) == "" && *a.Overlap < -report.LeastShare
}

// hides says how much of communication hides, and what keeps the rest from it.
func (s *subject) hides(a *outcomes.Answer) string {
	if !s.mayHide(a) {
		return s.dominant(a)
	}
	makespan := s.Result.Makespan().Seconds()
	alone := "the " + one(*a.Communication) + " that it takes alone" + s.atOnce(a)
	of := "of " + alone
	switch overlap := *a.Overlap; {
	case report.HiddenInPlace(makespan, a) == report.InCell:
		return "What of it is hidden is below the noise of this run (" + report.Share(*s.noise) + ")" + s.because(a)
	case report.HiddenInPlace(makespan, a) == report.None:
		return "Nothing of it is hidden" + s.because(a)
	case a.Even != nil:
		return fmt.Sprintf("Beyond %s, messages make ranks wait for those that compute longer in a step: %s; without that, "+
			"%s of communication is hidden.", alone, s.costs(a.Absence(uneven)), report.EvenHides(a))
	case s.overlapCosts(a):
		lost := report.Share(-overlap) + " " + of + " are lost"
		if overlap < -2 {
			lost = timesOf(-overlap) + " " + alone + " are lost"
		}
		if there := a.Contended; otherwise(a) && there.Overlap != nil && *there.Overlap > -report.LeastShare {
			return "Whether overlap costs hangs on how a NIC sends several messages: one after another, " + lost + ", at shared rates nothing" + s.because(a)
		}
		return "Overlapping costs more than it hides: " + lost + s.because(a)
	case overlap < report.LeastShare:
		return "Nothing of it is hidden" + s.because(a)
	case overlap > 1-report.LeastShare && s.Result.Traced != nil:
		return s.spared(a) + s.beside(a)
	case overlap > 1-report.LeastShare:
		return "All of it is hidden" + report.LessHides(a) + "." + s.beside(a)
	default:
		in := report.FromOrder(*a.Hidden, a.HiddenIn)
		if in != "" {
			in = " (" + in + ")"
		}
		return fmt.Sprintf("%s %s are hidden%s%s%s", report.Share(overlap), of, in, report.LessHides(a), s.because(a))
	}
}

// atOnce says that kinds of communication of a step run at the same time without computation, where they take much longer with it, one
// after another; "": they do not.
func (s *subject) atOnce(a *outcomes.Answer) string {
	var runs float64
	all := s.kinds()
	for i, phase := range s.Result.Phases {
		if len(all) > 1 && without.OfKind(phase) != "" {
			runs += s.Result.Running[i].Mean(s.Ranks)
		}
	}
	if runs < severalAtOnce**a.Communication {
		return ""
	}
	return ", where its kinds run at the same time,"
}

// severalAtOnce is how many times as long as alone kinds of communication run together, from which on that is said.
const severalAtOnce = 1.5

// traced says how much of communication ran alongside kernels in the traces that are replayed, as profilers count overlap; "": there are none.
func (s *subject) traced() string {
	if s.Result.Traced == nil {
		return ""
	}
	sum := s.Result.Traced.Sum()
	if sum.Communication == 0 {
		return ""
	}
	beside := sum.Overlapped / sum.Communication
	return fmt.Sprintf("As traced, %s of communication ran alongside kernels, %s did not.", report.Share(beside), report.Share(1-beside))
}

// spared says of a trace all of whose communication hides that the trace is no shorter without it, and whether that is because the hosts
// launch as they did.
func (s *subject) spared(a *outcomes.Answer) string {
	switch {
	case a.Launched == nil:
		return "Without it the trace is no shorter."
	case *a.Launched < report.LeastShare:
		return "Without it the trace is no shorter, as the hosts launch when they did; without launches nothing of it is hidden."
	}
	return fmt.Sprintf("Without it the trace is no shorter, as the hosts launch when they did; without launches %s of it is hidden.",
		report.Share(*a.Launched))
}

// because says which cause of communication costs most.
func (s *subject) because(a *outcomes.Answer) string {
	most := s.first(a, func(c *cause) bool { return !c.apart })
	switch {
	case most == nil:
		return "." + s.beside(a)
	case most.Cause == "progress" && slices.Contains([]machines.Agent{machines.InCalls, machines.InWaits}, s.library().Progress.By):
		return ": " + s.moves() + " only inside calls." + s.beside(a)
	}
	return ": " + s.costs(most) + "." + s.beside(a)
}

// costs says what a cause costs: "latency costs 12 %".
func (s *subject) costs(c *outcomes.Change) string {
	if c.Cause == uneven {
		return costing(s.Result.On, c) + " " + report.Saving(c) + s.longest()
	}
	return costing(s.Result.On, c) + " " + report.Saving(c)
}

// fewRanks is how many ranks that compute longest are named, and muchLonger from how many times the mean on.
const (
	fewRanks   = 3
	muchLonger = 1.05
)

// longest names the processes that compute longest, if they are few and compute much longer than the mean.
func (s *subject) longest() string {
	if s.Result.On == results.GPUs {
		return ""
	}
	var most, sum sim.Time
	of := make([]sim.Time, len(s.Result.Ledgers))
	for r := range of {
		ledger := s.Result.OfRank(r)
		of[r] = ledger[results.Compute]
		most, sum = max(most, of[r]), sum+of[r]
	}
	var ranks []string
	for r, t := range of {
		if float64(t) >= float64(most)*(1-report.LeastShare) {
			ranks = append(ranks, strconv.Itoa(r))
		}
	}
	times := float64(most) / float64(sum) * float64(len(of))
	if len(ranks) > fewRanks || !(times >= muchLonger) {
		return ""
	}
	who := "rank " + ranks[0] + " computes"
	if last := len(ranks) - 1; last > 0 {
		who = "ranks " + strings.Join(ranks[:last], ", ") + " and " + ranks[last] + " compute"
	}
	return fmt.Sprintf(" (%s %s as long as the mean rank)", who, timesOf(times))
}

// dominant names the cause that costs most.
func (s *subject) dominant(a *outcomes.Answer) string {
	if most := s.first(a, func(*cause) bool { return true }); most != nil {
		return upper(s.costs(most)) + "."
	}
	return ""
}

// beside names the most expensive cause that is not one of communication alone.
func (s *subject) beside(a *outcomes.Answer) string {
	if most := s.first(a, func(c *cause) bool { return c.apart }); most != nil {
		return " " + upper(s.costs(most)) + "."
	}
	return ""
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// first is the most expensive cause of a kind that is told apart from chance; nil: there is none.
func (s *subject) first(a *outcomes.Answer, kind func(*cause) bool) *outcomes.Change {
	for i := range a.Without {
		if c := &a.Without[i]; s.told(c) && kind(named(s.Result.On, c.Cause)) {
			return c
		}
	}
	return nil
}

// moves says who moves large messages, or if none waits for its receive, what else calls do.
func (s *subject) moves() string {
	what, it := "large messages", "move"
	switch large := s.rendezvous(); {
	case !large && s.beginsRounds():
		what, it = "the later rounds of non-blocking collectives", "begin"
	case !large:
		what = "messages"
	}
	switch rt := s.Machine.Runtime; {
	case rt == nil:
		return what + " " + it
	case rt.Name == "":
		return "the library " + it + "s " + what
	default:
		return rt.Name + " " + it + "s " + what
	}
}

// best says which change helps most.
func (s *subject) best(a *outcomes.Answer) string {
	// here: with as many nodes, the first that saves as much as any, as the cheapest to follow come first; free: without other hardware too
	var most, here, free *outcomes.Change
	for i := range a.Help {
		c := &a.Help[i]
		if most == nil || c.Saves > most.Saves {
			most = c
		}
		if !moreNodes(c) && (here == nil || c.Saves >= here.Saves+s.least()) {
			here = c
		}
		if !moreNodes(c) && c.Of != machine.String() && (free == nil || c.Saves >= free.Saves+s.least()) {
			free = c
		}
	}
	if most == nil {
		if len(s.tried) > 0 && s.exposed >= leastCause {
			all := "None of " + keys.Plural(len(s.tried), "change") + " that were tried makes"
			if len(s.tried) == 1 {
				all = "The one change that was tried does not make"
			}
			return fmt.Sprintf("%s it shorter%s: %s.", all, s.beyond(),
				firstOf(s.tried, func(t *trial) string { return t.says }))
		}
		return ""
	}
	if s.tried == nil { // nothing else was tried
		return "With " + most.Change + " it is " + report.Saving(most) + " shorter."
	}
	text := "Best change: " + most.Change
	untried := 0
	for _, t := range s.queued {
		if t.short {
			untried++
		}
	}
	if untried > 0 {
		text = fmt.Sprintf("Best change of %d tried: %s", len(s.tried), most.Change)
	}
	if missed := s.missed(a, most); missed != "" {
		text = fmt.Sprintf("Without a try of %s, the best change is %s", missed, most.Change)
	}
	if (most.Of == placement.String() || s.Result.On == results.GPUs) && most.Price != "" { // more nodes, or memory
		text += " (" + most.Price + ")"
	}
	text += ", " + report.Saving(most) + " shorter"
	if a.Computation != nil && *a.Computation > 0 && most.Of == library.String() &&
		most.Makespan <= max(*a.Computation, s.Bound())*(1+report.LeastShare) {
		text += "; no library or fabric can give more"
	}
	if here != nil && moreNodes(most) {
		text += "; with as many nodes: " + here.Change + ", " + report.Saving(here) + " shorter"
	}
	if free != nil && free != here && (most.Of == machine.String() || here.Of == machine.String()) {
		text += "; without other hardware: " + free.Change + ", " + report.Saving(free) + " shorter"
	}
	return text + "."
}

// missed names a change against a cause that costs more than the best change saves, where none against that cause was tried to the end; "":
// there is none. Changes against all that communication costs are against no other cause in particular.
func (s *subject) missed(a *outcomes.Answer, best *outcomes.Change) string {
	for _, c := range s.costly(a) {
		attacks := func(t *trial) bool {
			i := slices.Index(t.attacks, c.Cause)
			return i == 0 || i > 0 && t.attacks[0] != anything[0]
		}
		i := slices.IndexFunc(s.queued, func(t *trial) bool { return t.short && attacks(t) })
		if i >= 0 && c.Saves >= best.Saves+s.least() && !slices.ContainsFunc(s.tried, attacks) {
			return s.queued[i].says
		}
	}
	return ""
}

// moreNodes tells whether the price of a change is more nodes.
func moreNodes(c *outcomes.Change) bool { return strings.Contains(c.Price, nodeHours) }

// nodeHours is what a price in nodes is told in.
const nodeHours = "node hours"

// beyond says by what a change must make the run shorter to be told apart from chance.
func (s *subject) beyond() string {
	if s.noisy() && !slices.ContainsFunc(s.tried, func(t *trial) bool { return t.gain(s) >= report.LeastShare && len(t.in) == 0 }) {
		return " in each order of what happens at the same moment"
	}
	return " by more than " + report.Share(s.least())
}

// nearby says that only layouts near the layout of the run were tried, and how to try all; nil: no layout is offered.
func (s *subject) nearby(a *outcomes.Answer) []string {
	const path = "workload.layout"
	ofLayout := func(set []string) bool { return strings.HasPrefix(set[0], path+"=") }
	if !slices.ContainsFunc(a.Help, func(c outcomes.Change) bool { return ofLayout(c.Set) }) {
		return nil
	}
	tried := 0
	for _, t := range s.tried {
		if ofLayout(t.set) {
			tried++
		}
	}
	return []string{fmt.Sprintf("Layouts: %d near that of the run were tried; optimize --over %s tries all.", tried, path)}
}

// larger are steps of more sequences, if their number is open: one micro-batch of each replica.
func (s *subject) larger() (all []*trial) {
	batch := s.openBatch()
	micro, _ := strconv.ParseInt(s.value("micro_batch"), 10, 64)
	for _, times := range []int64{4, 2} {
		if batch > 0 && s.value("layout") == "" {
			all = append(all, &trial{cause: "batch", change: change{set: []string{fmt.Sprintf("workload.micro_batch=%d", times*micro)}}})
		}
		if batch > 0 {
			all = append(all, &trial{cause: "batch", change: change{set: []string{ofBatch(times * batch)}, times: float64(times)}})
		}
	}
	return all
}

// ofMore says how much more a larger step does in the same time; nil: the batch is given, or it is hardly more.
func (s *subject) ofMore() []string {
	var best *trial
	most := leastCause
	all := s.larger()
	for _, t := range s.explore(all, len(all), s.events) {
		if gain := t.rate/metric(s.Outcome, perGPU) - 1; gain >= most {
			best, most = t, gain
		}
	}
	if best == nil {
		return nil
	}
	text := fmt.Sprintf("Steps of more sequences compute %s more tokens a second: --set %s", report.Share(most), best.set[0])
	if memory := best.needs(s); memory != "" {
		text += ", with " + memory
	}
	return []string{text + "."}
}

// asFitted says what the run does in a time on machines of its GPU that were fitted to whole steps, where its own was not and no step was
// measured; nil: there are none.
func (s *subject) asFitted() []string {
	rate := metric(s.Outcome, perGPU)
	if rate == 0 || s.AloneProducts() == "" || s.Result.Scaled != nil {
		return nil
	}
	var said []string
	for _, m := range s.FittedToSteps() {
		t := &trial{cause: "fitted", change: change{set: []string{"machine=" + m.Name}}}
		s.add(roomy * t.expected(s)) // beyond the re-runs of the answer, which is the same without it
		if s.explore([]*trial{t}, 1, s.events); t.counts && t.rate > 0 {
			said = append(said, fmt.Sprintf("%.0f (%s)", t.rate, m.Name))
		}
	}
	if said == nil {
		return nil
	}
	return []string{fmt.Sprintf("On machines of this GPU that were fitted to whole steps, tokens per s and GPU are not %.0f but %s.", rate,
		strings.Join(said, ", "))}
}

// firstOf names the first of some trials or runs, and counts the others.
func firstOf[T any](all []T, name func(T) string) string {
	var names []string
	for _, t := range all[:min(len(all), mostNamed)] {
		names = append(names, name(t))
	}
	text := strings.Join(names, ", ")
	if left := len(all) - len(names); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// notes are what else must be known before the numbers are believed.
func (s *subject) notes(a *outcomes.Answer) (all []string) {
	if c := s.first(a, func(*cause) bool { return true }); c != nil && c.Saves >= leastCause && len(s.tried) > 0 {
		got := 0.0
		for _, h := range a.Help {
			got = max(got, h.Saves)
		}
		if got < c.Saves/2-report.LeastShare {
			best := "the best one saves " + report.Share(got)
			if got == 0 {
				best = "none makes the run shorter" + s.beyond()
			}
			all = append(all, fmt.Sprintf("No change that was tried saves half of what %s: %s.", costing(s.Result.On, c), best))
		}
	}
	all = append(all, s.unsupported(a)...)
	if c := a.Absence("progress"); c != nil && c.Saves >= leastCause && s.told(c) && s.Result.On == results.Processes {
		ledger, where, other := s.Ledger(), "for a place in a NIC", results.NICStall
		if s.Contended() {
			where, other = "while other bytes pass", results.Contention
		}
		part := func(terms ...results.Term) (sum float64) {
			for _, t := range terms {
				sum += ledger[t].Seconds()
			}
			return sum / ledger.Sum().Seconds()
		}
		if s.computes() && part(results.Progress) < c.Saves/2 && part(results.Transfer, other) >= c.Saves/2 {
			all = append(all, "Messages that computation holds up are waited for in calls: the time is listed below as waiting while bytes leave, or "+where+".")
		}
	}
	if c := a.Absence("progress"); c != nil && c.Saves >= leastCause && s.told(c) && s.Machine.Sharing != nil && untested(s) {
		all = append(all, "MPI_Test during computation was not tried: it is not modelled where processes slow each other down (machine.smt, machine.memory).")
	}
	for _, h := range a.Help {
		if strings.HasPrefix(h.Set[0], ofPlaces+"=") && h.Saves >= 2*leastCause && s.Mapping == "block" && !moreNodes(&h) {
			all = append(all, fmt.Sprintf("The default placement is far from the best one that was tried: %s is %s shorter.",
				h.Flags(), report.Saving(&h)))
			break
		}
	}
	if s.more > 0 {
		all = append(all, fmt.Sprintf("%s would help, too: --advice lists all.",
			keys.Plural(s.more, "other change")))
	}
	if s.movable() && s.exposed >= leastCause {
		all = append(all, "What sends, receives and waits at other places of the program could give: overlapsim potential.")
	}
	all = slices.Concat(all, s.asMedians(a), s.beyondPath(a), s.nearby(a), s.ofMore(), s.asFitted())
	if t := s.raised(); t != nil {
		s.events += t.expected(s) // beyond the re-runs of the answer, which is the same without it
		s.explore([]*trial{t}, 1, s.events)
		all = append(all, t.inVain(s)...)
	}
	return append(s.withContention(a), all...)
}

// numbers are those of a machine that a cause is made of, by what runs on it.
var numbers = [results.NumWorkers]map[string][]string{
	results.Processes: {"gap": {"network.gap"}, "latency": {"network.latency"}, "bandwidth": {"network.bandwidth"},
		"overhead": {"network.send_overhead", "network.receive_overhead"}},
	results.GPUs: {byHosts: {"gpu_kernels.launch"}},
}

// unsupported says which numbers of the machine cost much although its file found no source for them.
func (s *subject) unsupported(a *outcomes.Answer) (all []string) {
	if w, filed := s.Workload.(workloads.Filed); filed && s.Result.On == results.GPUs {
		if key, _ := w.Filename(); key == "file" {
			return nil // launches are those of the trace
		}
	}
	for _, f := range s.Machine.Facts {
		for _, c := range a.Without {
			if c.Saves >= leastCause && s.told(&c) && slices.Contains(numbers[s.Result.On][c.Cause], f.Path) && strings.Contains(f.Source, "nothing found") {
				all = append(all, fmt.Sprintf("%s, and %s of %s has no source (%s): try others, --set machine.%[2]s=x0.1.", upper(s.costs(&c)), f.Path,
					s.Machine.Name, f.Source))
			}
		}
	}
	return all
}

// beyondPath says that the absence of latency saves much more than latency takes on the critical path: then it decides when messages meet.
func (s *subject) beyondPath(a *outcomes.Answer) []string {
	c, part := a.Absence("latency"), s.path[results.Latency]
	if c == nil || !s.told(c) || s.Result.On != results.Processes || part == 0 || c.Saves < part+2*leastCause {
		return nil
	}
	return []string{fmt.Sprintf("Latency is %s of the critical path, and its absence saves %s: it decides which messages meet in NICs and on links, and "+
		"which are there when a call looks for them. Small changes may change such a run much.", report.Share(part), report.Share(c.Saves))}
}

// mostNamed is how many runs a sentence names next to the best one.
const mostNamed = 3

// Among says which of several runs is the shortest, by how much, and what the others lose; "": it is one run, or
// they are of the same length.
func Among(runs []*outcomes.RunRecord) string {
	if len(runs) < 2 {
		return ""
	}
	order := slices.Clone(runs)
	slices.SortStableFunc(order, func(a, b *outcomes.RunRecord) int { return cmp.Compare(a.Makespan, b.Makespan) })
	best := order[0]
	if best.Makespan == 0 || order[len(order)-1].Makespan <= best.Makespan*(1+report.LeastShare/2) {
		return unlike(order) + "All runs are of the same length, " + one(best.Makespan) + "." + contending(order) +
			spreadOver(order) + replaced(order)
	}
	var others []string
	for _, r := range order[1:min(len(order), 1+mostNamed)] {
		others = append(others, r.Scenario+" takes "+more(best, r))
	}
	switch left, last := len(order)-1-len(others), order[len(order)-1]; {
	case left == 1:
		others = append(others, last.Scenario+" takes "+more(best, last))
	case left > 1:
		others = append(others, fmt.Sprintf("the longest of %d more, %s, takes %s", left, last.Scenario, more(best, last)))
	}
	return unlike(order) + best.Scenario + " is the shortest, " + one(best.Makespan) + "; " + strings.Join(others, "; ") + "." + cmp.Or(recorded(order), away(order)) + contending(order) +
		spreadOver(order) + replaced(order)
}

// recorded says that the runs next to the best one may differ by the noise of their recordings: by no more than medians of computation change
// them. Runs that compute for the same time are of one recording.
func recorded(order []*outcomes.RunRecord) string {
	best := order[0]
	if best.Answer == nil || best.Answer.Medians == nil {
		return ""
	}
	noise := func(r *outcomes.RunRecord) float64 { return math.Abs(r.Makespan - *r.Answer.Medians) }
	as := []string{best.Scenario + " takes " + one(*best.Answer.Medians)}
	for _, r := range order[1:min(len(order), 1+mostNamed)] {
		if r.Answer != nil && r.Answer.Medians != nil && r.Answer.Computation != nil && best.Answer.Computation != nil && *r.Answer.Computation != *best.Answer.Computation && r.Makespan-best.Makespan <= max(noise(r), noise(best)) {
			as = append(as, r.Scenario+" "+one(*r.Answer.Medians))
		}
	}
	if len(as) == 1 {
		return ""
	}
	return " That may be noise of the recordings: with each computation at the median of its repetitions " + strings.Join(as, ", ") +
		" (" + keys.Flags([]string{asMedian}) + ")."
}

// away says of two recordings that differ in computation, where that is most of what they differ by, how long their ranks did not run; "": they
// differ in something else, by more than that may be, or ranks ran.
func away(order []*outcomes.RunRecord) string {
	best := order[0]
	for _, r := range order[1:] {
		if r.Answer.Overlaps().Exposed == nil || best.Answer.Overlaps().Exposed == nil {
			continue
		}
		here, there, x := zero(best.Answer.Away), zero(r.Answer.Away), math.Abs(alone(r)-alone(best))
		if here == there || x < max((r.Makespan-best.Makespan)/2, report.LeastShare/2*best.Makespan) || x > max(here, there)*alone(best) {
			continue // one recording, for example
		}
		text := fmt.Sprintf(" That may be noise of the recordings: between calls ranks did not run for %s of the time in %s, %s in %s.",
			report.Share(here), best.Scenario, report.Share(there), r.Scenario)
		if unlike(order) == "" {
			text += fmt.Sprintf(" Compare what communication exposes: %s, %s.", one(max(0, *best.Answer.Exposed)), one(max(0, *r.Answer.Exposed)))
		}
		return text
	}
	return ""
}

// unlike says of runs that compute for different times, where that is most of what they differ by, how much communication each of them exposes;
// "": they compute for the same time, or their answers do not know.
func unlike(order []*outcomes.RunRecord) string {
	var programs, exposed []string
	differ := false
	for i, r := range order {
		if r.Answer.Overlaps().Exposed == nil {
			return ""
		}
		differ = differ || math.Abs(alone(r)-alone(order[0])) >= max((r.Makespan-order[0].Makespan)/2, leastCause*order[0].Makespan)
		if i <= mostNamed {
			exposed = append(exposed, r.Scenario+" "+one(max(0, *r.Answer.Exposed)))
			programs = append(programs, fmt.Sprintf("%s on %s", r.Workload, keys.Plural(r.Ranks, "rank")))
		}
	}
	if !differ {
		return ""
	}
	what := "The runs compute"
	if slices.ContainsFunc(order, func(r *outcomes.RunRecord) bool { return r.Workload != order[0].Workload }) {
		what = "The programs differ (" + strings.Join(slices.Compact(programs), ", ") + ") and compute"
	}
	return what + " for different times; of communication they expose: " + strings.Join(exposed, ", ") + ". "
}

// alone is the makespan of a run without communication.
func alone(r *outcomes.RunRecord) float64 { return r.Makespan - *r.Answer.Exposed }

// spreadOver says on how many nodes the ranks are, where runs of as many ranks differ in that.
func spreadOver(runs []*outcomes.RunRecord) string {
	var all []string
	nodes := map[int]bool{}
	for i, r := range runs {
		if r.Ranks != runs[0].Ranks || r.Nodes == 0 {
			return ""
		}
		if nodes[r.Nodes] = true; i <= mostNamed {
			all = append(all, fmt.Sprintf("%s in %s", keys.Plural(r.Nodes, "node"), r.Scenario))
		}
	}
	if len(nodes) < 2 {
		return ""
	}
	return fmt.Sprintf(" The %d ranks take %s.", runs[0].Ranks, strings.Join(all, ", "))
}

// more writes by how much a run is longer than the best one, and what it loses.
func more(best, r *outcomes.RunRecord) string {
	switch x, noise := r.Makespan/best.Makespan-1, noisier(best, r); {
	case x < report.LeastShare/2:
		return "as long"
	case report.BelowNoise(x, noise):
		return "as long, to the noise of these runs (" + report.Share(*noise) + ")"
	case x < 2:
		return report.Share(x) + " longer" + lost(best, r)
	default:
		return timesOf(1+x) + " as long" + lost(best, r)
	}
}

// timesOf writes how many times as much something is.
func timesOf(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) + " times" }

// noisier is the larger noise of two runs; nil: neither is known.
func noisier(runs ...*outcomes.RunRecord) (most *float64) {
	for _, r := range runs {
		if a := r.Answer; a != nil && a.Noise != nil && *a.Noise >= zero(most) {
			most = a.Noise
		}
	}
	return most
}

// lost says what costs a run so much more than the best one that it is most of the difference, if their answers know.
func lost(best, r *outcomes.RunRecord) string {
	if best.Answer.Overlaps().Exposed == nil || r.Answer.Overlaps().Exposed == nil {
		return ""
	}
	on := ranOn(r)
	text, most := "", (r.Makespan-best.Makespan)/2
	if more := alone(r) - alone(best); more >= most {
		return " (computation takes " + one(more) + " more)"
	}
	for _, c := range r.Answer.Without {
		less := *best.Answer.Exposed // at most, if it was not taken away there
		if there := best.Answer.Absence(c.Cause); there != nil {
			less = best.Makespan - there.Makespan
		}
		if more := r.Makespan - c.Makespan - less; more >= most {
			text, most = fmt.Sprintf(" (%s %s more)", costing(on, &c), one(more)), more
		}
	}
	return text
}

// ranOn tells what a run was on: streams, or causes that processes do not have, are those of GPUs.
func ranOn(r *outcomes.RunRecord) results.Workers {
	ofProcesses := func(c outcomes.Change) bool {
		first, _, _ := strings.Cut(c.Cause, and)
		return slices.ContainsFunc(causes[results.Processes], func(known cause) bool { return known.name == first })
	}
	if r.Streams != nil || slices.ContainsFunc(r.Answer.Without, func(c outcomes.Change) bool { return !ofProcesses(c) }) {
		return results.GPUs
	}
	return results.Processes
}
