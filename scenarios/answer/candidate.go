package answer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/workloads"
)

// candidate is a kind of change that may help.
type candidate struct {
	of      of
	attacks []string                // causes; the first is what it is meant for
	when    func(s *subject) bool   // whether it makes sense for the run; nil: always
	changes func(*subject) []change // the possible changes
}

// of says what a change is made to.
type of uint8

// The groups of changes, in the order in which they are told.
const (
	program of = iota
	library
	placement
	routes
	machine
	groups
)

func (o of) String() string {
	return [groups]string{"program", "library", "placement", "routes", "machine"}[o]
}

// change is a change to the scenario, in words and as settings.
type change struct {
	says      string
	price     string // what it costs; "": nothing that the simulation does not charge
	set       []string
	moreNodes bool   // its price says that it takes more nodes
	otherWork bool   // it does the same by other messages, such as another algorithm
	drawn     bool   // a seed decides, so that one run of it is one draw of many
	like      string // what it is a value of, such as the agent that moves messages on; "": the paths of its settings

	// values further from today's and nearer to it, tried if this one gains; nil: there is none
	further, nearer func() *change

	// For changes to the program: the scenario, already loaded, and its messages relative to
	// those of the run.
	scenario *scenarios.Scenario
	times    float64
}

// trial is a change that is run.
type trial struct {
	change
	of         of
	attacks    []string
	cause      string // that it takes away; "": it is a change that may help
	nodes      int
	mostEvents float64
	critical   bool    // with the critical path
	whole      bool    // to its end, though it is no shorter than the run
	shows      float64 // part of the run in which its cause shows

	counts bool  // it ran, within its events, and did the same work
	short  bool  // it did not end within the events that were left
	failed error // of a change
	taken

	settled bool      // it has been run in other orders, as far as it goes
	in      []float64 // gains in other orders
	draws   []*trial  // with several seeds, this one among them; nil: not drawn again
}

// gain is the part of the makespan that a re-run saves.
func (t *trial) gain(s *subject) float64 {
	return 1 - t.makespan.Seconds()/s.Result.Makespan().Seconds()
}

// gains is the range of what a re-run saves in its own and in other orders of equals, and with other seeds; nil: it ran once only.
func (t *trial) gains(s *subject) *outcomes.Range {
	if len(t.in)+len(t.draws) == 0 {
		return nil
	}
	all := append(slices.Clone(t.in), t.gain(s))
	for _, d := range t.draws {
		all = append(all, d.gain(s))
	}
	return outcomes.RangeOf(all)
}

// worst is the least that a re-run saves in all that it ran in.
func (t *trial) worst(s *subject) float64 {
	if in := t.gains(s); in != nil {
		return in[0]
	}
	return t.gain(s)
}

// certain is what a re-run saves; of one that a seed decides as much less as is told from chance.
func (t *trial) certain(s *subject) float64 {
	if t.drawn {
		return t.gain(s) - s.least()
	}
	return t.gain(s)
}

// saves tells whether what a re-run saves is told apart from chance, or is to be run in other orders to tell.
func (t *trial) saves(s *subject) bool {
	if len(t.in) > 0 || !t.settled && s.noisy() {
		return t.worst(s) >= report.LeastShare
	}
	return t.worst(s) >= s.least()
}

// needs is the memory of a GPU that a change needs in place of that of the run; "": as much, or it is not known.
func (t *trial) needs(s *subject) string {
	before, of := s.Memory()
	if before == 0 || math.Abs(t.memory-before) < report.LeastShare*before {
		return ""
	}
	return fmt.Sprintf("%s instead of %s GB of each GPU's memory%s", report.Significant(t.memory), report.Significant(before), report.Full(t.memory, of))
}

// does says in words what a change is, and how much memory it spares.
func (t *trial) does(s *subject) string {
	if spared := memory(s.Outcome) - t.memory; spared > 0 && t.needs(s) != "" {
		return t.says + ", sparing " + report.Significant(spared) + " GB a GPU"
	}
	return t.says
}

// costs is the price of a change: in words, in memory, or in nodes and the hours of them.
func (t *trial) costs(s *subject) string {
	if text := t.needs(s); text != "" && t.memory > memory(s.Outcome) {
		return strings.TrimPrefix(t.price+", "+text, ", ")
	}
	if !t.moreNodes || t.nodes == s.NodesTaken() {
		return t.price
	}
	hours := float64(t.nodes) / float64(s.NodesTaken()) * (1 - t.gain(s))
	times := strconv.FormatFloat(hours, 'g', 3, 64) + " times the"
	if times == "1 times the" {
		times = "as many"
	}
	return fmt.Sprintf("%d instead of %d nodes, %s %s", t.nodes, s.NodesTaken(), times, nodeHours)
}

// leastCause is the smallest part of the makespan that a cause must cost for changes that attack it to be tried, unless all are.
const leastCause = report.LeastCause

// attacked is that part for a run.
func (s *subject) attacked() float64 {
	if s.patient {
		return report.LeastShare
	}
	return leastCause
}

// queue returns the changes that attack the causes of a run in the order of trial. First comes the change that gives
// more of what costs most, or one of each that is meant for the kind of communication that does: a long run has few tries. Then each cause has tries in proportion to what it costs, the
// next one the cause that costs most by its number of tries and one (D'Hondt).
func (s *subject) queue(a *outcomes.Answer) (all []*trial) {
	found, causes := s.found(), s.costly(a)
	lists, tried := make([][]*trial, len(causes)), make([]float64, len(causes))
	for i, c := range causes {
		lists[i] = against(c.Cause, found)
		if len(all) == 0 {
			all = s.certain(a, c.Cause, found)
			tried[i] = float64(len(all))
		}
	}
	for {
		next := -1
		for i := range causes {
			lists[i] = slices.DeleteFunc(lists[i], func(t *trial) bool { return slices.Contains(all, t) })
			if len(lists[i]) > 0 && (next < 0 || causes[i].Saves/(tried[i]+1) > causes[next].Saves/(tried[next]+1)) {
				next = i
			}
		}
		if next < 0 {
			return all
		}
		all, tried[next] = append(all, lists[next][0]), tried[next]+1
	}
}

// certain returns the change that gives more of what costs the time; of a kind of communication, those that are meant for it.
func (s *subject) certain(a *outcomes.Answer, cause string, found []tries) []*trial {
	var meant [][]*trial
	for _, t := range found {
		switch {
		case len(t.all) == 0 || t.attacks[0] != cause:
		case slices.ContainsFunc(a.ByKind, func(c outcomes.Change) bool { return c.Cause == cause }):
			meant = append(meant, t.all)
		case len(t.attacks) == 1:
			return t.all[:1]
		}
	}
	return inTurns(meant)
}

// adapts tells whether the run computes as long as what it measures takes, so that each change makes it compute for another time.
func (s *subject) adapts() bool {
	w, ok := s.Workload.(workloads.Adaptive)
	return ok && w.Adapts()
}

// tries are the changes of a candidate.
type tries struct {
	candidate
	all []*trial
}

// found returns the changes that make sense for the run.
func (s *subject) found() (found []tries) {
	for _, c := range tables[s.Result.On] {
		t := tries{candidate: c}
		if c.when == nil || c.when(s) {
			for _, one := range c.changes(s) {
				t.all = append(t.all, &trial{change: one, of: c.of, attacks: c.attacks})
			}
		}
		found = append(found, t)
	}
	return found
}

// against returns the changes that attack a cause, those of the program and those that are meant for it first.
func against(cause string, found []tries) []*trial {
	var meant, others [][]*trial
	for _, t := range found {
		switch at := slices.Index(t.attacks, cause); {
		case at < 0:
		case at == 0 || t.of == program:
			meant = append(meant, t.all)
		default:
			others = append(others, t.all)
		}
	}
	return append(inTurns(meant), inTurns(others)...)
}

// inTurns takes the first of each list, then the second of each, and so on, each once.
func inTurns(lists [][]*trial) (all []*trial) {
	for round, left := 0, true; left; round++ {
		left = false
		for _, list := range lists {
			if round < len(list) {
				left = true
				if !slices.Contains(all, list[round]) {
					all = append(all, list[round])
				}
			}
		}
	}
	return all
}

// costly returns the causes that cost enough to be attacked, the most expensive first. Communication as a whole is one, as
// two causes may hide each other. Where any cause costs enough, those that the sentence names are attacked too, however little they cost.
func (s *subject) costly(a *outcomes.Answer) (costly []outcomes.Change) {
	add := func(cause string, saves float64) {
		if !slices.ContainsFunc(costly, func(c outcomes.Change) bool { return c.Cause == cause }) {
			costly = append(costly, outcomes.Change{Cause: cause, Saves: saves})
		}
	}
	attack := func(c outcomes.Change) {
		for _, cause := range append([]string{c.Cause}, strings.Split(c.Cause, and)...) { // two together first
			add(cause, c.Saves)
		}
	}
	all := slices.Concat(a.Without, a.ByKind)
	if a.Exposed != nil {
		all = append(all, outcomes.Change{Cause: "communication", Saves: s.exposed, SavesIn: s.exposedIn})
	}
	slices.SortStableFunc(all, mostFirst)
	for _, c := range all {
		if c.Saves >= s.attacked() && s.told(&c) {
			attack(c)
		}
	}
	for _, apart := range []bool{false, true} {
		if c := s.first(a, func(c *cause) bool { return c.apart == apart }); c != nil && len(costly) > 0 {
			attack(*c)
		}
	}
	if s.Result.On == results.GPUs {
		add("computation", 1-s.exposed) // kernels can be chosen too
	}
	return costly
}

// makesSense loads the scenario of a trial, and tells whether it makes sense: it takes more nodes only if its price says so.
func (t *trial) makesSense(s *subject) bool {
	var err error
	if t.scenario == nil {
		t.scenario, err = s.load(t.set)
	}
	if err != nil {
		return false
	}
	t.nodes = t.scenario.NodesTaken()
	return t.moreNodes || t.nodes <= s.NodesTaken()
}

// starts tells whether a trial makes sense, and starts to run within a number of events. One that needs all ranks, where a few stand for
// them, may need too many.
func (t *trial) starts(s *subject, most float64) bool {
	if !t.makesSense(s) {
		return false
	}
	if p := t.scenario.Program; p != nil {
		work := s.work()
		if !t.scenario.Symmetric(nodes.Options{}) {
			work = unfolded(s.Result)
		}
		if float64(p.Ranks())/float64(s.Program.Ranks())*work > most {
			t.short = true
			return false
		}
	}
	if s.Result.On == results.GPUs {
		return true // it is checked as it is loaded
	}
	_, err := t.scenario.Run(nodes.Options{MostEvents: 1})
	return err == nil || errors.Is(err, nodes.ErrMostEvents)
}
