package outcomes

import (
	"slices"

	"overlapsim/scenarios/keys"
)

// Answer says what communication costs a run, how much of it hides, why the rest does not, and what
// would change that. Every makespan in it is the makespan of a run of the scenario with the settings next to it.
// Shares are fractions of the makespan of the run itself. Numbers that are not known are nil.
type Answer struct {
	Sentence      string      `json:"sentence"`
	Computation   *float64    `json:"computation_alone_s"`                 // makespan without communication
	Communication *float64    `json:"communication_alone_s"`               // makespan without computation
	Exposed       *float64    `json:"exposed_s"`                           // makespan - makespan without communication
	Hidden        *float64    `json:"hidden_s"`                            // makespan without computation - exposed
	Overlap       *float64    `json:"overlap"`                             // hidden / makespan without computation
	Replayed      bool        `json:"replayed,omitempty"`                  // of a trace: these are of its simulation; traced has what profilers count
	Launched      *float64    `json:"overlap_without_launches,omitempty"`  // the overlap of the run without launches by hosts, if it is less
	Even          *float64    `json:"overlap_without_imbalance,omitempty"` // if overlap costs: of the run without imbalance, if that is most of the cost
	Efficiency    *Efficiency `json:"efficiency"`
	Without       []Change    `json:"without"`                        // what the absence of each cause saves, the largest first
	ByKind        []Change    `json:"by_kind,omitempty"`              // what the absence of each kind of communication saves, the largest first
	Shared        *float64    `json:"by_kind_shared_s,omitempty"`     // exposed, less what the absence of each kind saves: several were under way at once
	Help          []Change    `json:"help"`                           // by group, the largest first in each
	InVain        []InVain    `json:"tried_in_vain,omitempty"`        // changes that were run and do not make it shorter, apart from chance
	Untried       bool        `json:"help_not_tried,omitempty"`       // no change was run to the end, as that would take too long
	Placed        []Change    `json:"placements,omitempty"`           // of one of several runs on shared links: its placement, then others that were run
	MadeOf        []Share     `json:"made_of"`                        // the critical path, the largest share first
	Ties          int         `json:"ties"`                           // moments of it at which another chain of events was as late
	Noise         *float64    `json:"noise"`                          // by how much the makespan differs if what happens at the same moment is ordered otherwise
	MakespanIn    *Range      `json:"makespan_in_orders_s,omitempty"` // of a noisy run: of the run in other orders
	ExposedIn     *Range      `json:"exposed_in_orders_s,omitempty"`  // and what is exposed, in its own order, too
	HiddenIn      *Range      `json:"hidden_in_orders_s,omitempty"`   // and hidden
	Paused        bool        `json:"noise_of_system,omitempty"`      // or if pauses of the system come at other moments
	Late          bool        `json:"noise_of_late_ranks,omitempty"`  // or if ranks of a program that tests come late by a message
	Near          bool        `json:"noise_of_bandwidth,omitempty"`   // or, most of it, if the bandwidth is 0.04 % more or less
	NoNoise       string      `json:"noise_left_out,omitempty"`       // why that is not known
	Medians       *float64    `json:"with_medians_s,omitempty"`       // of a recorded program: makespan with each computation at the median of its repetitions, if it was run
	Away          *float64    `json:"ranks_did_not_run,omitempty"`    // of a recorded program: the part of the time between calls, if it is much
	Contended     *Contended  `json:"contended,omitempty"`            // of processes on the ideal network: on one with contention
	NotContended  string      `json:"contended_left_out,omitempty"`   // why that is not known
	Notes         []string    `json:"notes,omitempty"`
	Runs          int         `json:"runs"`               // re-runs that count
	LeftOut       string      `json:"left_out,omitempty"` // why it is not the whole answer
	Patient       bool        `json:"-"`                  // changes were tried against small causes, too
}

// Overlaps is the answer if its numbers are how much communication hides, and an empty one if not: without communication the replay of a trace
// still waits until the hosts launch, and what the trace itself overlaps is in Traced.
func (a *Answer) Overlaps() *Answer {
	if a == nil || a.Replayed {
		return new(Answer)
	}
	return a
}

// Efficiency is how much of the processors' time is computation, and the three factors of it, as the POP
// Centre of Excellence defines them: parallel = load balance x serialisation x transfer.
type Efficiency struct {
	Parallel      float64 `json:"parallel"`      // mean computation of the ranks / makespan
	LoadBalance   float64 `json:"load_balance"`  // mean computation / longest computation
	Serialisation float64 `json:"serialisation"` // longest computation / makespan without communication
	Transfer      float64 `json:"transfer"`      // makespan without communication / makespan
}

// Range is the least and the most of a number in several orders of what happens at the same moment.
type Range [2]float64

// RangeOf is the range of some numbers, of which there is one at least.
func RangeOf(all []float64) *Range { return &Range{slices.Min(all), slices.Max(all)} }

// AtLeast tells whether all of a range is at least x, or none of it is more than -x.
func (r *Range) AtLeast(x float64) bool { return r[0] >= x || r[1] <= -x }

// Share is a part of the makespan.
type Share struct {
	Part  string  `json:"part"`
	Share float64 `json:"share"`
}

// Change is a change to a scenario, and what a run with it takes. A cause that is taken away is one, too.
type Change struct {
	Cause    string    `json:"cause,omitempty"`                // of without: that is absent
	Change   string    `json:"change,omitempty"`               // of help: in words
	Costs    string    `json:"costs,omitempty"`                // of without: what costs the time, where the name of the cause does not say it
	Of       string    `json:"of,omitempty"`                   // of help: "program", "library", "placement", "routes", or "machine"
	Set      []string  `json:"set"`                            // path=value, as for --set
	Makespan float64   `json:"makespan_s"`                     // of the re-run
	Saves    float64   `json:"saves"`                          // the fraction of the makespan that it saves
	SavesIn  *Range    `json:"saves_in_orders,omitempty"`      // of a noisy run: in its own order and in others, of the makespan in that order; of places at random: with several seeds
	Draws    []float64 `json:"makespans_in_draws_s,omitempty"` // of placements, at random: of each seed that was run; makespan_s is their median, for the placement of the run its own draw
	Price    string    `json:"price,omitempty"`                // of help: what it costs
}

// InVain is a change that was tried and does not help. How long its run takes is not known: it ended once it was no shorter.
type InVain struct {
	Change string   `json:"change"`
	Of     string   `json:"of"`
	Set    []string `json:"set"`
}

// Contended is the run of a scenario on a network with contention in place of the ideal network.
type Contended struct {
	Change
	Overlap *float64 `json:"overlap,omitempty"` // hidden / makespan without computation there, where the run takes another time
}

// Flags writes the change as command-line flags, quoted for a shell.
func (c *Change) Flags() string { return keys.Flags(c.Set) }

// Of returns the change that takes a cause away; nil if that was not tried.
func (a *Answer) Absence(cause string) *Change {
	for i := range a.Without {
		if a.Without[i].Cause == cause {
			return &a.Without[i]
		}
	}
	return nil
}
