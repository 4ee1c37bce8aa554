package answer

import (
	"cmp"
	"fmt"
	"slices"

	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// MostEvents is the largest work of a run, in events, that is run again without being asked.
const MostEvents = 20_000_000

// Part says how much of the answer is wanted.
type Part uint8

// The parts. Each has those before it.
const (
	Exposed Part = iota // how much: communication and computation alone, and the noise of the run unless two nodes stand for all
	Causes              // why: what the absence of each cause saves, and the noise of the run
	Shared              // what it takes, and how much hides, on a network with contention, and without the noise of a recording
	Whole               // what would help
	Patient             // what would help, however long re-runs take
)

// For returns the answer for a run of a scenario; nil if it ran neither a program nor on GPUs, as then nothing can be
// taken away. Load is the scenario of the run, with more settings. Step is called for each re-run, from several
// goroutines, with the share that is done of all that re-runs may take.
func For(o *outcomes.Outcome, load points.Load, wanted Part, step func(change string, share float64)) *outcomes.Answer {
	if o.Program == nil && o.Result.On != results.GPUs || o.Result.Makespan() == 0 {
		return nil
	}
	s := newSubject(o, load)
	if s.patient = wanted == Patient; s.patient {
		s.most, s.events = patient*s.most, patient*s.events
	}
	s.pool = &points.Pool{Load: load, Started: func(p *points.Point) { step(p.Says, s.begin(p)) }, OneByOne: points.Heavy()}
	a := &outcomes.Answer{Without: []outcomes.Change{}, Help: []outcomes.Change{}, MadeOf: []outcomes.Share{}, Replayed: o.Result.Traced != nil, Away: s.away()}
	s.alone(a, wanted)
	s.listen()
	a.Noise, a.Near = s.noise, s.near
	if wanted >= Whole {
		s.byKind(a) // first, as it says which causes and changes matter
	}
	if wanted >= Causes {
		s.why(a)
		s.behindLaunches(a)
		s.behindSteps(a)
		s.besideMessages(a)
	}
	switch {
	case wanted >= Whole:
		queue, most := s.queue(a), s.mostTries()
		if a.Patient = s.patient; s.patient {
			most = len(queue)
		}
		s.help(a, queue, most)
	case wanted >= Causes:
		all := s.elsewhere()
		s.help(a, all, len(all))
		a.Placed = s.placements(all)
		s.tried = nil // too few to say that nothing helps
	default:
		a.Placed = s.placements(nil)
	}
	s.contend(a, wanted)
	if wanted == Shared {
		s.medians(a)
	}
	if wanted >= Whole {
		a.Notes = s.notes(a)
	}
	a.Notes, a.Runs = append(a.Notes, s.short...), s.counted
	a.Sentence = s.sentence(a)
	return a
}

// TooLong is the answer for a run that is too long to be run again without being asked, alone or one of several.
func TooLong(o *outcomes.Outcome, several bool) *outcomes.Answer {
	why := fmt.Sprintf("not run again, as the run takes longer than %d million events do; --advice runs it all the same", MostEvents/1_000_000)
	a := &outcomes.Answer{Sentence: "The cost of communication is not known: " + why + ".", Without: []outcomes.Change{}, Help: []outcomes.Change{},
		MadeOf: []outcomes.Share{}, LeftOut: why}
	if several {
		a.Placed = (&subject{Outcome: o}).placements(nil)
	}
	return a
}

// alone runs the scenario without communication, without computation, and with simultaneous events in another order.
func (s *subject) alone(a *outcomes.Answer, wanted Part) {
	communication, computation := s.absence("communication"), s.absence("computation")
	s.orders, s.nearly = s.inOrders()
	s.absences = [2]*trial{communication, computation}
	path := &trial{change: change{says: "with its critical path"}, cause: "path", critical: true}
	all := []*trial{communication}
	if s.computes() {
		all = append(all, computation)
	} else { // it is the run itself
		computation.counts, computation.makespan = true, s.Result.Makespan()
	}
	if wanted >= Causes || !s.represented {
		all = append(append(all, s.orders[:min(1, len(s.orders))]...), s.nearly...)
		for _, t := range s.nearly { // in addition to what causes and changes need
			s.add(t.expected(s))
		}
	}
	if wanted >= Whole && s.Result.Critical == nil && (s.patient || s.tooLong() == "") {
		all = append(all, path)
	}
	s.explore(all, len(all), s.events*(AllTimes-helpTimes)/AllTimes)
	if wanted >= Whole && s.Result.Critical != nil { // the run itself has it
		path.taken = s.take(s.Outcome)
		s.counted++
		s.events -= path.events
	}
	a.MadeOf, a.Ties = append(a.MadeOf, path.shares...), path.ties
	s.path = path.onPath
	makespan := s.Result.Makespan().Seconds()
	exposed := s.Result.Makespan() - communication.makespan // in picoseconds: floating point would make 8e-22 s of nothing
	if communication.counts {
		without := communication.makespan.Seconds()
		a.Computation, a.Exposed = &without, new(exposed.Seconds())
		a.Efficiency = s.efficiency(without)
	}
	if computation.counts {
		a.Communication = new(computation.makespan.Seconds())
	}
	if communication.counts && computation.counts {
		a.Hidden = new((computation.makespan - exposed).Seconds())
		if *a.Communication > 0 {
			a.Overlap = new(*a.Hidden / *a.Communication)
		}
	}
	s.exposed = 1.0
	if a.Exposed != nil {
		s.exposed = *a.Exposed / makespan
	}
}

// inOrders are re-runs in which what happens at the same moment happens in another order. Where two nodes stand for all, all are
// simulated then; there are none if that takes long, and one where the run is long. Others have a bandwidth that is a little other.
func (s *subject) inOrders() (orders, nearly []*trial) {
	if s.tooLong() != "" || points.Formula(s.Outcome) {
		return nil, nil
	}
	others := points.Orders(s.Outcome)
	if s.long() {
		others = others[:1]
	}
	for _, p := range others {
		orders = append(orders, &trial{change: change{says: p.Says, set: p.Set}, cause: ties})
	}
	for _, p := range points.Nearly(s.Outcome) {
		nearly = append(nearly, &trial{change: change{says: p.Says, set: p.Set}, cause: "bandwidth"})
	}
	return orders, nearly
}

// refused is why the scenario cannot be run with some settings; "": it can.
func (s *subject) refused(set []string) string {
	if _, err := s.load(set); err != nil {
		return points.Reason(err)
	}
	return ""
}

// listen finds the noise of the run by the re-runs that differ by chance and count.
func (s *subject) listen() {
	if s.noise = new(0.0); !points.Formula(s.Outcome) {
		s.noise, s.near = points.InAll(s.Outcome, makespans(s.orders), makespans(s.nearly))
	}
}

// makespans are those of re-runs that count, in seconds.
func makespans(all []*trial) (seconds []float64) {
	for _, t := range all {
		if t.counts {
			seconds = append(seconds, t.makespan.Seconds())
		}
	}
	return seconds
}

func zero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// absence is a re-run without a cause.
func (s *subject) absence(cause string) *trial {
	return &trial{change: change{says: "without " + cause, set: s.without(cause)}, cause: cause}
}

// efficiency splits the part of the processors' time that is computation, given the makespan without communication; nil: the ledgers, which
// are those of the first stream of a GPU, lack computation of another one.
func (s *subject) efficiency(without float64) *outcomes.Efficiency {
	if s.Result.Aside.Seconds() >= report.LeastShare*s.wall {
		return nil
	}
	ranks := make([]float64, 0, s.Result.Ranks)
	for rank := range s.Result.Ledgers {
		if ledger := s.Result.OfRank(rank); !programs.Helps(s.Program, rank) {
			ranks = append(ranks, ledger[results.Compute].Seconds())
		}
	}
	longest, mean := slices.Max(ranks), s.share(results.Compute)*s.wall/float64(len(ranks))
	if makespan := s.Result.Makespan().Seconds(); longest > 0 && without > 0 {
		return &outcomes.Efficiency{Parallel: mean / makespan, LoadBalance: mean / longest, Serialisation: longest / without,
			Transfer: without / makespan}
	}
	return nil
}

// why takes each cause away that the run may have. No cause of communication costs anything if communication does not.
func (s *subject) why(a *outcomes.Answer) {
	var all, orders []*trial
	for _, c := range causes[s.Result.On] {
		if !c.apart && s.exposed < report.LeastShare/2 || !c.when(s) {
			continue
		}
		t := s.absence(c.name)
		if t.shows = s.shows(&c); c.shown.times != nil {
			t.times = c.shown.times(s)
		}
		all = append(all, t)
	}
	if one := points.ByChance(s.Outcome, makespans(s.orders)); s.noisy() || one != nil && !points.Steady(s.Outcome, one) {
		orders = s.orders[min(1, len(s.orders)):]
	}
	a.Without = append(a.Without, s.takeAway(all, orders...)...)
	if s.unmatched(a) {
		s.short = append(s.short, "Uneven computation of single steps is not known: ranks compute a different number of times, "+
			"so that only their sums are made equal without imbalance.")
	}
	s.unfinished("cause", "not taken away", all, func(t *trial) string { return t.cause })
	a.Noise, a.Paused, a.Late, a.Near = s.noise, points.Paused(s.Outcome), points.Late(s.Outcome), s.near
	if s.noise == nil {
		a.NoNoise = cmp.Or(s.tooLong(), s.refused(points.Orders(s.Outcome)[0].Set),
			"a run with simultaneous events in another order does not end in time")
	}
	s.costIn(a)
	a.Without = append(a.Without, hidden(a, s.takeAway(s.pairs(a)))...)
	slices.SortStableFunc(a.Without, mostFirst)
}

// behindLaunches finds how much the run without the hosts' launches hides, if these cost anything and it is less.
func (s *subject) behindLaunches(a *outcomes.Answer) {
	if absent := a.Absence(byHosts); a.Overlap == nil || *a.Overlap <= 0 || absent == nil || !s.told(absent) {
		return
	}
	if overlap := s.overlapWithout(a, byHosts); overlap != nil && *a.Overlap-*overlap >= report.LeastShare {
		a.Launched = overlap
	}
}

// behindSteps finds how much the run without imbalance hides, if the sentence says that overlap costs more than it hides, and most of that is
// gone there: messages make ranks wait for those that compute longer in a step, which they would not without communication.
func (s *subject) behindSteps(a *outcomes.Answer) {
	if !s.overlapCosts(a) {
		return
	}
	if a.Absence(uneven) == nil && s.Result.On == results.Processes && s.stepsOf().Longer > rounded { // too little to cost much, but maybe all that is lost
		a.Without = append(a.Without, s.takeAway([]*trial{s.absence(uneven)})...)
		slices.SortStableFunc(a.Without, mostFirst)
	}
	if a.Absence(uneven) == nil {
		return
	}
	if overlap := s.overlapWithout(a, uneven); overlap != nil && *overlap > *a.Overlap/2 {
		a.Even = overlap
	}
}

// besideMessages finds whether communication alone slows kernels down: whether they do not slow each other down without it.
func (s *subject) besideMessages(a *outcomes.Answer) {
	c, alone := a.Absence(slowing), s.absences[0]
	if c == nil || s.Result.On != results.GPUs || !s.told(c) || !alone.counts || s.exposed < report.LeastShare {
		return
	}
	both := s.absence(slowing + and + "communication")
	s.explore([]*trial{both}, 1, s.events-s.forHelp())
	if both.counts && (alone.makespan-both.makespan).Seconds() < report.LeastShare*s.Result.Makespan().Seconds() {
		c.Costs = "kernels that communication slows down"
	}
}

// overlapWithout is the overlap of the run without a cause that was taken away; nil: that is not known.
func (s *subject) overlapWithout(a *outcomes.Answer, cause string) *float64 {
	communication, computation := s.absence(cause+and+"communication"), s.absence(cause+and+"computation")
	s.explore([]*trial{communication, computation}, 2, s.events-s.forHelp())
	if !communication.counts || !computation.counts || computation.makespan == 0 {
		return nil
	}
	exposed := sim.Seconds(a.Absence(cause).Makespan) - communication.makespan // in picoseconds, as in alone
	return new((computation.makespan - exposed).Seconds() / computation.makespan.Seconds())
}

// mostFirst is the order of changes by what they save.
func mostFirst(x, y outcomes.Change) int { return -cmp.Compare(x.Saves, y.Saves) }

// kinds takes each kind of communication of a step of training away.
func (s *subject) kinds() (all []*trial) {
	for i, phase := range s.Result.Phases {
		ledger := s.Result.OfPhase(i)
		if cause := without.OfKind(phase); cause != "" && s.Result.On == results.GPUs && !ledger.Sum().Zero() {
			all = append(all, s.absence(cause))
		}
	}
	return all
}

// byKind takes each kind of communication of a step away. What communication costs beyond the sum is exposed as long as one of several
// kinds remains.
func (s *subject) byKind(a *outcomes.Answer) {
	kinds := s.kinds()
	for _, t := range kinds { // in addition to what the answer of a run of one kind takes
		s.add(t.expected(s))
	}
	a.ByKind = s.takeAway(kinds)
	s.unfinished("kind of communication", "not taken away", kinds, func(t *trial) string { return t.cause })
	if len(kinds) < 2 || len(a.ByKind) < len(kinds) || a.Exposed == nil {
		return
	}
	rest := *a.Exposed
	for _, c := range a.ByKind {
		rest -= s.Result.Makespan().Seconds() - c.Makespan
	}
	a.Shared = &rest
}

// shownMost is how many causes, of those that show most, are taken away before the noise is looked at more closely: a long run has few re-runs.
const shownMost = 2

// takeAway runs without causes, those that show most first, and returns what the absence of each saves, the largest first. Others are
// re-runs that go after the first causes.
func (s *subject) takeAway(all []*trial, others ...*trial) (saved []outcomes.Change) {
	queue := slices.Clone(all)
	slices.SortStableFunc(queue, func(x, y *trial) int { return cmp.Compare(y.shows, x.shows) })
	queue = slices.Insert(queue, min(shownMost, len(queue)), others...)
	s.exploreAll(queue, len(queue), s.events-s.forHelp())
	s.listen()
	s.inOthers(all, s.forHelp())
	for _, t := range all {
		if t.counts {
			saved = append(saved, outcomes.Change{
				Cause: t.cause, Costs: s.here(t.cause), Set: t.set, Makespan: t.makespan.Seconds(), Saves: t.gain(s), SavesIn: t.gains(s)})
		}
	}
	slices.SortStableFunc(saved, mostFirst)
	return saved
}

// elsewhere places the ranks in other orders, and in no other way, where messages share links: between runs on several networks the placement
// may decide more than these do. Each runs to its end, as it may be the longer one on one network only.
func (s *subject) elsewhere() (all []*trial) {
	if !s.onSharedLinks() {
		return nil
	}
	for _, c := range mapped(s) {
		all = append(all, &trial{change: c, of: placement, whole: true})
	}
	return all
}

// onSharedLinks tells whether it matters which links are between the ranks.
func (s *subject) onSharedLinks() bool {
	return s.Result.On == results.Processes && s.contended() && s.placeable()
}

// placements are the placement of the run and those that were tried to their ends, where it matters which links are between the ranks. Places
// at random are drawn several times, those of the run too, where that takes as long as a few plain runs.
func (s *subject) placements(tried []*trial) (all []outcomes.Change) {
	if !s.onSharedLinks() {
		return nil
	}
	own := &trial{change: change{says: "ranks placed " + s.Mapping, set: []string{ofPlaces + "=" + s.Mapping}}, of: placement, whole: true}
	own.makespan = s.Result.Makespan()
	if s.Mapping == atRandom && tried != nil {
		own.drawn, own.set, own.events = true, append(own.set, fmt.Sprint("seed=", s.Seed)), s.work()
	}
	for _, t := range append([]*trial{own}, tried...) {
		run := t
		if t == own {
			run = new(*own) // it stays its own draw
		}
		if t.drawn && t.makespan > 0 && t.draws == nil {
			t.draws = s.draws(t, max(helpTimes*s.work(), fewEvents[s.Result.On]))
		}
		if t == own || t.counts || len(t.draws) > 0 {
			c := outcomes.Change{Change: run.says, Set: run.set, Makespan: run.makespan.Seconds(), Saves: run.gain(s)}
			for _, d := range t.draws {
				c.Draws = append(c.Draws, d.makespan.Seconds())
			}
			all = append(all, c)
		}
	}
	return all
}

// help tries the first changes of a queue that load, up to a number.
func (s *subject) help(a *outcomes.Answer, queue []*trial, most int) {
	s.queued = queue
	s.exploreAll(queue, most, s.events)
	a.Untried = len(s.tried) == 0 && slices.ContainsFunc(queue, func(t *trial) bool { return t.short })
	s.goFurther()
	best := s.bestOfGroups()
	for s.draw(best) || s.inOthers(best, 0) { // until all of them are told apart from chance
		best = s.bestOfGroups()
	}
	s.unfinished("change", "not tried, or not to the end", queue, func(t *trial) string { return t.says })
	for _, t := range best {
		a.Help = append(a.Help, outcomes.Change{Change: t.does(s), Of: t.of.String(), Set: t.set, Makespan: t.makespan.Seconds(),
			Saves: t.gain(s), SavesIn: t.gains(s), Price: t.costs(s)})
	}
	helps := map[string]bool{} // kinds of changes: a value that is worse than the best one of its kind was not run to its end
	for _, t := range s.tried {
		helps[t.kind()] = helps[t.kind()] || t.saves(s)
	}
	for _, t := range s.tried {
		if !helps[t.kind()] {
			a.InVain = append(a.InVain, outcomes.InVain{Change: t.does(s), Of: t.of.String(), Set: t.set})
		}
	}
}

// mostFurther is how many values are tried beyond the first ones.
const mostFurther = 8

// goFurther tries values beyond the best value of a change as long as they gain, else between it and today's.
func (s *subject) goFurther() {
	best := map[string]*trial{}
	for _, t := range s.tried {
		if other := best[t.kind()]; other == nil || t.makespan < other.makespan {
			best[t.kind()] = t
		}
	}
	left := mostFurther
	for _, t := range slices.Clone(s.tried) {
		if best[t.kind()] != t || t.gain(s) <= 0 {
			continue
		}
		for _, to := range []func(*change) func() *change{outwards, inwards} {
			now := t
			for next := s.next(now, to, &left); next != nil; next = s.next(now, to, &left) {
				now = next
			}
			if now != t {
				break
			}
		}
	}
}

func outwards(c *change) func() *change { return c.further }

func inwards(c *change) func() *change { return c.nearer }

// next is the next value in a direction, if it gains more and tries are left.
func (s *subject) next(t *trial, to func(*change) func() *change, left *int) *trial {
	step := to(&t.change)
	if step == nil || *left == 0 {
		return nil
	}
	c := step()
	if c == nil {
		return nil
	}
	*left--
	next := &trial{change: *c, of: t.of}
	if len(s.explore([]*trial{next}, 1, s.events)) == 0 || next.makespan >= t.makespan {
		return nil
	}
	return next
}

// bestOfGroups are the best changes of each group; all that save, if the answer may take its time. One that a seed decides is among them if it
// saves more than the best one of its kind that does not depend on chance.
func (s *subject) bestOfGroups() (all []*trial) {
	slices.SortStableFunc(s.tried, func(x, y *trial) int { return -cmp.Compare(x.certain(s), y.certain(s)) })
	most := mostOfGroup[s.Result.On]
	if s.patient {
		most = len(s.tried)
	}
	told := map[string]bool{} // kinds of changes, each with its best value
	s.more = 0
	for of := range groups {
		shown := 0
		for _, t := range s.tried {
			switch {
			case t.of != of || !t.saves(s) || told[t.kind()] || t.drawn && told[ofPlaces] || s.partDoes(t):
				continue
			case t.drawn:
				all = append(all, t)
			case shown < most:
				shown++
				all = append(all, t)
			default:
				s.more++
			}
			told[t.kind()] = true
		}
	}
	return all
}

// partDoes tells whether a part of a change that was tried alone saves as much, apart from chance.
func (s *subject) partDoes(t *trial) bool {
	return slices.ContainsFunc(s.tried, func(part *trial) bool {
		return len(part.set) < len(t.set) && part.gain(s) > t.gain(s)-s.least() &&
			!slices.ContainsFunc(part.set, func(set string) bool { return !slices.Contains(t.set, set) })
	})
}

// least is the smallest saving in one order of equals that is told apart from chance.
func (s *subject) least() float64 { return max(report.LeastShare, zero(s.noise)) }
