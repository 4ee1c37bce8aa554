package points

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// Noise is by how much the makespan of a run differs by chance: if what happens at the same moment happens in another order, and if
// pauses of the system come at other moments. What is smaller may be chance.
type Noise struct {
	Part *float64 `json:"noise"`                    // as a part of the makespan; nil: it is not known
	Why  string   `json:"noise_left_out,omitempty"` // why it is not known

	Shortest, Longest float64 `json:"-"` // makespans in the orders that ran, the run's own among them, in seconds
	Paused            bool    `json:"-"` // pauses came at other moments, too
}

// NoiseOf runs a scenario in other orders of equals. Outcome is its run, with these options.
func NoiseOf(p *Pool, o *outcomes.Outcome, options nodes.Options) (n Noise) {
	if n.Why = TooLong(o, options); n.Why != "" {
		return n
	}
	own := o.Result.Makespan().Seconds()
	if Formula(o) {
		return Noise{Part: new(0.0), Shortest: own, Longest: own}
	}
	all := []float64{own}
	n.Paused = Paused(o)
	for _, order := range Orders(o) {
		other, err := One(p, order, Makespan)
		if err != nil {
			return Noise{Why: Reason(err)}
		}
		all = append(all, other)
		n.Part, n.Shortest, n.Longest = ByChance(o, all), slices.Min(all), slices.Max(all)
		if Steady(o, n.Part) {
			break
		}
	}
	return n
}

// Note says what the noise of a run is.
func (n *Noise) Note() string {
	switch {
	case n.Part == nil:
		return "not known: " + n.Why
	case !report.Noisy(n.Part):
		return "none: the makespan does not depend on the order of what happens at the same moment"
	}
	with := ""
	if n.Paused {
		with = ", and with noise of the system at other moments"
	}
	return fmt.Sprintf("%s: the makespan is between %s and %s in other orders of what happens at the same moment%s",
		report.Share(*n.Part), report.Seconds(n.Shortest), report.Seconds(n.Longest), with)
}

// steady is the part of the makespan by which one other order changes it at most where no further one is tried.
const steady = report.LeastShare / 2

// Steady tells whether the first of the other orders changes a makespan too little for a second one to be tried.
// Where there are pauses, one other run does not tell.
func Steady(o *outcomes.Outcome, noise *float64) bool {
	return noise != nil && *noise < steady && !Paused(o)
}

// MostOrders is the number of Orders of a run without pauses. Where there are pauses, a few decide, so that more runs tell by how much.
const (
	MostOrders = 2
	paused     = 4
)

// Orders are points at which a run differs by chance alone: what happens at the same moment happens in another order, and pauses of the
// system come at other moments. Those after the first are for runs that it changes.
func Orders(o *outcomes.Outcome) (all []Point) {
	if Paused(o) {
		for seed := range paused {
			all = append(all, Point{Says: "with noise of the system at other moments",
				Set: []string{fmt.Sprint("ties=", seed+1), fmt.Sprint("seed=", otherSeed+seed)}})
		}
		return all
	}
	for seed := range MostOrders {
		all = append(all, Point{Says: "with simultaneous events in another order", Set: []string{fmt.Sprint("ties=", seed+1)}})
	}
	return all
}

// otherSeed is a seed that few runs have.
const otherSeed = 1_000_001

// ByChance is the noise of a run whose makespan is another one, in seconds, in some runs that differ by chance: where there are pauses, at
// least one pause.
func ByChance(o *outcomes.Outcome, others []float64) *float64 {
	own := o.Result.Makespan().Seconds()
	most := farthest(own, others)
	if most != nil && Paused(o) {
		*most = max(*most, o.Machine.Noise.Length.Seconds()/own)
	}
	return most
}

// Paused tells whether pauses of the system come at random moments of a run.
func Paused(o *outcomes.Outcome) bool {
	return o.Machine != nil && o.Machine.Noise != nil && o.Machine.Noise.Rate > 0 && o.Machine.Noise.Length > 0
}

// begins is how much later a rank begins at most with simultaneous events in another order, in seconds: a difference that small is none.
const begins = 2e-9

// farthest is the largest difference of a makespan and others, as a part of it; nil: there are no others.
func farthest(makespan float64, others []float64) (most *float64) {
	for _, other := range others {
		differs := max(0, math.Abs(other-makespan)-begins) / makespan
		if most == nil || differs > *most {
			most = &differs
		}
	}
	return most
}

// Formula tells whether a formula gives the time of a run of GPUs: nothing happens at the same moment, so there is no other order.
func Formula(o *outcomes.Outcome) bool { return o.Result.On == results.GPUs && !o.Timed() }

// fewEvents is the largest number of events of a run of all nodes in place of two that is not asked for.
const fewEvents = 5_000_000

// TooLong says why a run is not run in other orders; "": it is.
func TooLong(o *outcomes.Outcome, options nodes.Options) string {
	if o.Symmetric(options) && o.Result.Events > fewEvents {
		return fmt.Sprintf("with simultaneous events in another order all %d nodes would be simulated, in more than %d million events",
			o.NodesTaken(), fewEvents/1_000_000)
	}
	return ""
}

// Reason is an error in a line, without the place of a setting.
func Reason(err error) string {
	var problems keys.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		return problems[0].Message
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
