package potential

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/forecast"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
)

// Ladder is what overlap could make of a run, as plain data.
type Ladder struct {
	Scenario string   `json:"scenario"`
	Assumed  []string `json:"assumed,omitempty"` // as of a run
	points.Noise
	Steps []Step `json:"steps"` // the first is the run as it is
	ideal bool   // NICs send one message after another
}

// Step is the run with a change.
type Step struct {
	Change string   `json:"change"`            // in words
	Case   string   `json:"case,omitempty"`    // how much a computation uses the messages that are in flight: at worst, between, at best
	Set    []string `json:"set"`               // path=value, as for --set
	None   string   `json:"none,omitempty"`    // why there is no such run
	Moved  float64  `json:"moved_s,omitempty"` // at best, if fewer or other moves make the run shorter: its makespan with all of them
	numbers
	// Contended is the change of the makespan where messages share NICs and links, as a fraction saved of the makespan as it is there; nil: not run
	// there.
	Contended *float64 `json:"gain_contended,omitempty"`
}

// numbers are the numbers of the run of a step; none if there is no such run.
type numbers struct {
	Makespan float64  `json:"makespan_s,omitempty"`
	Gain     *float64 `json:"gain,omitempty"` // the fraction of the makespan as it is that is saved
	// Terms are the terms of the ledger, and "ended", by how much their mean over the ranks grows,
	// as fractions of the first makespan. They add up to the growth of the makespan: -Gain.
	Terms   map[string]float64 `json:"terms,omitempty"`
	Bound   float64            `json:"bound_s,omitempty"` // no run of the program as this step has it is shorter
	BoundOf string             `json:"bound_of,omitempty"`
	work    float64            // about how many events the run has where no rank stands for others
}

// rung is a step that is to be run. Its settings depend on the run as it is.
type rung struct {
	change, of string
	set        func(s *subject) (set []string, says, none string)
}

// subject is the run as it is.
type subject struct {
	*outcomes.Outcome
	load points.Load
}

// able tells whether the scenario with some settings can be loaded.
func (s *subject) able(set []string) bool {
	_, err := s.load(set)
	return err == nil
}

// The cases.
const (
	atWorst = "at worst"
	between = "between"
	atBest  = "at best"
)

// moves are settings that move messages.
func moves(set ...string) func(*subject) ([]string, string, string) {
	return func(s *subject) ([]string, string, string) {
		if !s.Result.Uses.Does(programs.OpSend) && !s.Result.Uses.Does(programs.OpReceive) {
			return nil, "", "the program has no two-sided message, and only these are moved"
		}
		return set, "", ""
	}
}

// inPieces are settings that cut messages, and others. Where pieces are sent at once, unlike the messages, their copies are charged.
func inPieces(pieces int, more ...string) func(*subject) ([]string, string, string) {
	return func(s *subject) ([]string, string, string) {
		copies, price := answer.Copies(s.Outcome, pieces)
		set, says, none := moves(slices.Concat([]string{cut(pieces)}, more, copies)...)(s)
		if price != "" && len(more) == 0 {
			says = fmt.Sprintf("messages in %d pieces (eager: %s)", pieces, price)
		}
		return set, says, none
	}
}

// change is one of the library.
type change func(o *outcomes.Outcome) (c *outcomes.Change, none string)

// library makes a change of the library.
func library(of change) func(*subject) ([]string, string, string) {
	return func(s *subject) ([]string, string, string) {
		c, none := of(s.Outcome)
		if c == nil {
			return nil, "", none
		}
		return c.Set, c.Change, ""
	}
}

// together are messages in pieces (0: whole), moves, and a NIC that moves messages on, or else a
// thread on its own core, or else one on the core of its process: each if the scenario can have it next to those before.
func together(pieces int, sets ...string) func(*subject) ([]string, string, string) {
	return func(s *subject) (set []string, _, _ string) {
		add := func(more ...string) bool {
			both := slices.Concat(set, more)
			if len(more) == 0 || !s.able(both) {
				return false
			}
			set = both
			return true
		}
		if pieces > 0 {
			copies, _ := answer.Copies(s.Outcome, pieces)
			add(append(copies, cut(pieces))...)
		}
		for _, one := range sets {
			add(one)
		}
		for _, one := range []change{answer.Offload, answer.ThreadApart, answer.ThreadBeside} {
			if add(settingsOf(one, s)...) {
				break
			}
		}
		return set, "", ""
	}
}

// settingsOf are the settings of a change of the library; none if there is nothing to change.
func settingsOf(of change, s *subject) []string {
	if c, _ := of(s.Outcome); c != nil {
		return c.Set
	}
	return nil
}

// nonblocking is the change of blocking collectives.
const nonblocking = "collectives made non-blocking"

// cut is the setting that cuts messages, as this many of the rungs do.
func cut(pieces int) string { return fmt.Sprintf("moves.pieces=%d", pieces) }

const cuts = 3

// rungs are the steps; messages are cut into pieces.
func rungs(pieces int) []rung {
	return []rung{
		{"receives as early as the data allow", atWorst, moves("moves.receives=worst")},
		{"receives as early as the data allow", atBest, moves("moves.receives=best")},
		{"sends as soon as data are computed", atWorst, moves("moves.sends=worst")},
		{"sends as soon as data are computed", atBest, moves("moves.sends=best")},
		{"waits as late as the first use", atWorst, moves("moves.waits=worst")},
		{"waits as late as the first use", atBest, moves("moves.waits=best")},
		{"exchanges made non-blocking", atBest, moves(supposes)},
		{nonblocking, atWorst, moves("moves.collectives=worst")},
		{nonblocking, between, moves("moves.collectives=spread")},
		{nonblocking, atBest, moves("moves.collectives=best")},
		{fmt.Sprintf("messages in %d pieces", pieces), "", inPieces(pieces)},
		{fmt.Sprintf("%d pieces as computation goes on", pieces), between,
			inPieces(pieces, "moves.sends=spread", "moves.waits=spread")},
		{"messages sent at once (eager)", "", library(answer.Eager)},
		{"a progress thread, on the core of its process", "", library(answer.ThreadBeside)},
		{"a progress thread, on its own core", "", library(answer.ThreadApart)},
		{"a NIC that moves messages on", "", library(answer.Offload)},
		{"all", atWorst, together(0, "moves.receives=worst", "moves.sends=worst", "moves.waits=worst", "moves.collectives=worst")},
		{"all", between, together(pieces, "moves.receives=best", "moves.sends=spread", "moves.waits=spread", "moves.collectives=spread")},
		{"all", atBest, together(0, "moves.receives=best", "moves.sends=best", "moves.waits=best", "moves.collectives=best")},
	}
}

// Steps is how many runs a ladder takes at most.
func Steps() int { return 2*len(rungs(1)) + points.MostOrders + 2 }

// onIdeal is how many of them the network of the scenario has.
func onIdeal() int { return len(rungs(1)) + points.MostOrders + 1 }

// Effort is what a ladder simulates, its messages in pieces where it cuts them.
func Effort(o *outcomes.Outcome, load points.Load, pieces int) forecast.Effort {
	all := o.Effort(nodes.Options{}).Times(float64(onIdeal()))
	if cut, err := load([]string{cut(pieces)}); err == nil {
		all = all.Plus(cut.Effort(nodes.Options{}).Times(cuts))
	}
	return all
}

// Of returns the ladder of a run. Step is called for each re-run, from several goroutines. Stopped is asked before each whether it
// may not begin; nil: all may.
func Of(o *outcomes.Outcome, load points.Load, pieces int, step func(change string), stopped func() bool) *Ladder {
	l := &Ladder{Scenario: o.Name, Assumed: o.Assumptions(), Steps: []Step{{Change: "as it is", Set: []string{}}}}
	l.Steps[0].numbers = numbersOf(o, o)
	subject := &subject{o, load}
	var again []points.Point
	for _, r := range rungs(pieces) {
		set, says, none := r.set(subject)
		s := Step{Change: cmp.Or(says, r.change), Case: r.of, Set: append([]string{}, set...), None: none}
		if none == "" {
			again = append(again, points.Point{Says: s.Change, Set: s.Set, Number: len(l.Steps)})
		}
		l.Steps = append(l.Steps, s)
	}
	pool := &points.Pool{Load: load, Started: func(p *points.Point) { step(p.Says) }, Stopped: stopped,
		OneByOne: points.Heavy()}
	l.Noise = points.NoiseOf(pool, o, nodes.Options{})
	for k, t := range points.Run(pool, again, func(is *outcomes.Outcome) (numbers, error) { return numbersOf(o, is), nil }) {
		if s := &l.Steps[again[k].Number]; t.Err != nil {
			s.None = points.Reason(t.Err)
		} else {
			s.numbers = t.Value
		}
	}
	l.atBest()
	if l.ideal = !o.Contended() && o.Calibration == nil && o.Result.On == results.Processes; l.ideal {
		l.contend(pool)
	}
	return l
}

// contended is the network on which messages share links and the rate of NICs. A run there takes some times as long as its events do on the ideal one.
const contended, slower = "fabric.kind=flow", 2

// contend runs the steps that change the makespan by a part that counts on a network with contention, too: those that change it most, as many as
// a budget of events allows.
func (l *Ladder) contend(pool *points.Pool) {
	steps := []int{0}
	for i := range l.Steps {
		if s := &l.Steps[i]; s.None == "" && math.Abs(*s.Gain) >= report.LeastCause {
			steps = append(steps, i)
		}
	}
	gain := func(i int) float64 { return math.Abs(*l.Steps[i].Gain) }
	slices.SortStableFunc(steps[1:], func(a, b int) int { return cmp.Compare(gain(b), gain(a)) })
	left := float64(answer.ForAll)
	var again []points.Point
	for _, i := range steps {
		if left -= slower * l.Steps[i].work; left < 0 {
			break
		}
		again = append(again, points.Point{Says: l.Steps[i].Change + ", with contention", Set: append([]string{contended}, l.Steps[i].Set...), Number: i})
	}
	if len(again) < 2 {
		return
	}
	all := points.Run(pool, again, points.Makespan)
	for k, t := range all[1:] {
		if t.Err == nil && all[0].Err == nil && all[0].Value > 0 {
			l.Steps[again[k+1].Number].Contended = new(1 - t.Value/all[0].Value)
		}
	}
}

// atBest lets the steps at best make only moves that help: each becomes the shortest run that makes some of its moves, or none, and all
// at best, the last one, the shortest of all.
func (l *Ladder) atBest() {
	all := slices.Clone(l.Steps)
	for i := range l.Steps {
		s := &l.Steps[i]
		if s.Case != atBest || s.None != "" {
			continue
		}
		best := &all[i]
		for k := range all {
			if c := &all[k]; c.None == "" && c.Makespan < best.Makespan && (i == len(all)-1 || within(c.Set, s.Set)) {
				best = c
			}
		}
		if best != &all[i] {
			s.Set, s.numbers, s.Moved = best.Set, best.numbers, s.Makespan
		}
	}
}

// within tells whether some settings change no more than others do. What an exchange supposes must be supposed by both.
func within(some, others []string) bool {
	for _, one := range some {
		path, _, _ := strings.Cut(one, "=")
		if !slices.ContainsFunc(others, func(other string) bool {
			return other == one || one != supposes && strings.HasPrefix(other, path+"=") && other != supposes
		}) {
			return false
		}
	}
	return true
}

// supposes is the setting of moves that suppose more than that data are used as late as possible.
const supposes = "moves.waits=exchange"

// eventsOfMessage is how many events a message of a program has, with the operations around it: 5 to 8.
const eventsOfMessage = 8

// numbersOf takes the numbers of a run compared with the numbers of the run as it was.
func numbersOf(was, is *outcomes.Outcome) numbers {
	n := numbers{Makespan: is.Result.Makespan().Seconds(), Gain: new(float64), Bound: is.Bound(), BoundOf: is.Result.Bound.Of(),
		Terms: map[string]float64{}, work: max(float64(is.Result.Work()), eventsOfMessage*float64(is.Result.Messages))}
	all := was.Result.Makespan().Seconds()
	if all > 0 {
		*n.Gain = 1 - n.Makespan/all
	}
	for _, c := range difference.Between(difference.Of(was), difference.Of(is)).Terms {
		n.Terms[name(c.Term)] = c.Change.Seconds() / all
	}
	return n
}

// name is the name of a term, or of the time after the end of a rank.
func name(t results.Term) string { return strings.ReplaceAll(difference.TermName(t), " ", "_") }

// leastTerm is the smallest part of the makespan that is worth a word.
const leastTerm = 0.001

// Why names the terms of the ledger that a step changes most, the largest first: those that it changes by some part of the makespan.
func (s *Step) Why(least float64) (terms []Term) {
	for t := range difference.Ended + 1 {
		if d := s.Terms[name(t)]; d >= least || d <= -least {
			terms = append(terms, Term{t, d})
		}
	}
	slices.SortStableFunc(terms, func(a, b Term) int {
		switch x, y := max(a.Grows, -a.Grows), max(b.Grows, -b.Grows); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return terms
}

// Term is a term of the ledger that a step changes, and by how much: see Step.Terms.
type Term struct {
	Term  results.Term
	Grows float64
}
