package points

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// Noise is by how much the makespan of a run differs by chance: if what happens at the same moment happens in another order, if the bandwidth
// is a little other, if pauses of the system come at other moments, and if ranks of a program that tests come late. What is smaller may be chance.
type Noise struct {
	Part *float64 `json:"noise"`                    // as a part of the makespan; nil: it is not known
	Why  string   `json:"noise_left_out,omitempty"` // why it is not known

	Shortest, Longest float64 `json:"-"` // makespans in the orders that ran, the run's own among them, in seconds
	Paused            bool    `json:"-"` // pauses came at other moments, too
	Late              bool    `json:"-"` // ranks came late, too
	Near              bool    `json:"-"` // most of it comes from a bandwidth that is a little other
}

// NoiseOf runs a scenario in other orders of equals. Outcome is its run, with these options.
func NoiseOf(p *Pool, o *outcomes.Outcome, options nodes.Options) (n Noise) {
	if n.Why = TooLong(p, o, options); n.Why != "" {
		return n
	}
	own := o.Result.Makespan().Seconds()
	if Formula(o) {
		return Noise{Part: new(0.0), Shortest: own, Longest: own}
	}
	var others, near []float64
	n.Paused, n.Late = Paused(o), Late(o)
	for _, order := range Orders(o) {
		other, err := One(p, order, Makespan)
		if err != nil {
			return Noise{Why: Reason(err)}
		}
		if others = append(others, other); Steady(o, ByChance(o, others)) {
			break
		}
	}
	for _, point := range Nearly(o) {
		other, err := One(p, point, Makespan)
		if err != nil {
			return Noise{Why: Reason(err)}
		}
		near = append(near, other)
	}
	n.Part, n.Near = InAll(o, others, near)
	all := append(append(others, near...), own)
	n.Shortest, n.Longest = slices.Min(all), slices.Max(all)
	return n
}

// Note says what the noise of a run is.
func (n *Noise) Note() string {
	value, note := n.Says()
	if report.Noisy(n.Part) {
		return value + " " + note
	}
	return value + ": " + note
}

// Says is the noise as a number, and what that is of.
func (n *Noise) Says() (value, note string) {
	switch {
	case n.Part == nil:
		return "not known", n.Why
	case !report.Noisy(n.Part):
		return "none", "the makespan does not depend on " + report.Chance(n.Paused, n.Late, n.Near)
	}
	return report.Share(*n.Part), fmt.Sprintf("%s: it is between %s and %s", report.DependsOn(n.Paused, n.Late, n.Near), report.Seconds(n.Shortest),
		report.Seconds(n.Longest))
}

// steady is the part of the makespan by which one other order changes it at most where no further one is tried. Where messages share links,
// one order can change little by chance where the next ones change a lot.
const steady = report.LeastShare / 20

// Steady tells whether the first of the other orders changes a makespan too little for a second one to be tried.
// Where there are pauses, one other run does not tell.
func Steady(o *outcomes.Outcome, noise *float64) bool {
	return noise != nil && *noise < steady && !Paused(o)
}

// MostOrders is the number of Orders: a few runs decide a makespan that depends on chance, so that one more does not tell by how much.
const MostOrders = 4

// Orders are points at which a run differs by chance alone: what happens at the same moment happens in another order, pauses of the
// system come at other moments, and ranks that test come late. Those after the first are for runs that it changes.
func Orders(o *outcomes.Outcome) (all []Point) {
	for seed := range MostOrders {
		p := Point{Says: "with simultaneous events in another order", Set: []string{fmt.Sprint("ties=", seed+1)}}
		if Paused(o) || Late(o) {
			p = Point{Says: "with noise of the system at other moments", Set: append(p.Set, fmt.Sprint("seed=", otherSeed+seed))}
		}
		if Late(o) {
			rate := late / lateness(o).Seconds() / float64(o.Result.Ranks)
			p.Says = "with ranks that come late by a message"
			p.Set = append(p.Set, "machine.noise.rate="+keys.Format(keys.Frequency, rate), fmt.Sprint("machine.noise.length=", lateness(o)))
		}
		all = append(all, p)
	}
	return all
}

// Nearly are points at which bytes take a little longer than in the run, and a little less: what just comes in time comes too late. Where
// ranks do the same they stay in step, which another order does not let them.
func Nearly(o *outcomes.Outcome) (all []Point) {
	if o.Result.On != results.Processes || Paused(o) || Late(o) {
		return nil
	}
	for _, part := range []float64{1 - near, 1 + near} {
		all = append(all, Point{Says: "with a bandwidth that is a little other", Set: []string{fmt.Sprint("machine.network.bandwidth=x", part)}})
	}
	return all
}

// near is the part by which a bandwidth is another one there: less than that of one machine differs by from day to day, and no noise by itself.
const near = 0.0004

// InAll is the noise of a run by its makespans in other orders, and with bandwidths that are a little other, in seconds: no more than these
// change the time of bytes is none. It tells whether most of it comes from these.
func InAll(o *outcomes.Outcome, others, nearly []float64) (part *float64, most bool) {
	inOrders := ByChance(o, others)
	if inOrders == nil {
		return nil, false
	}
	own := o.Result.Makespan().Seconds()
	all := slices.Clone(others)
	for _, other := range nearly {
		all = append(all, own+math.Copysign(max(0, math.Abs(other-own)-near/(1-near)*own), other-own))
	}
	part = ByChance(o, all)
	return part, report.Noisy(part) && *part > 2**inOrders
}

// late is the part of the makespan for which ranks pause that come late, all together: no noise by itself.
const late = 0.0004

// Late tells whether the other orders of a run have ranks that come late: a test that just finds a message, or just misses it, may decide
// what overlaps, and real ranks differ by more than the nanosecond of an order.
func Late(o *outcomes.Outcome) bool {
	return o.Machine != nil && !Paused(o) && o.Result.Uses.Does(programs.OpTest) && lateness(o) > 0
}

// lateness is how late these ranks come each time: as long as an empty message takes.
func lateness(o *outcomes.Outcome) sim.Time {
	n := &o.Machine.Network
	return n.SendOverhead.Of(0) + n.Startup + n.Latency + n.ReceiveOverhead.Of(0)
}

// otherSeed is a seed that few runs have.
const otherSeed = 1_000_001

// ByChance is the noise of a run whose makespan is another one, in seconds, in some runs that differ by chance: the range of all of them, as
// each of two runs that are compared may be any of them. Where there are pauses, it is at least one pause. nil: there are no others.
func ByChance(o *outcomes.Outcome, others []float64) *float64 {
	if len(others) == 0 {
		return nil
	}
	own := o.Result.Makespan().Seconds()
	most := spread(own, others)
	if Paused(o) {
		most = max(most, o.Machine.Noise.Length.Seconds()/own)
	}
	return &most
}

// Paused tells whether pauses of the system come at random moments of a run.
func Paused(o *outcomes.Outcome) bool {
	return o.Machine != nil && o.Machine.Noise != nil && o.Machine.Noise.Rate > 0 && o.Machine.Noise.Length > 0
}

// begins is how much later a rank begins at most with simultaneous events in another order, in seconds: a difference that small is none.
const begins = 2e-9

// spread is the range of a makespan and others, as a part of it.
func spread(makespan float64, others []float64) float64 {
	shortest, longest := min(makespan, slices.Min(others)), max(makespan, slices.Max(others))
	return max(0, longest-shortest-begins) / makespan
}

// Formula tells whether a formula gives the time of a run of GPUs: nothing happens at the same moment, so there is no other order.
func Formula(o *outcomes.Outcome) bool { return o.Result.On == results.GPUs && !o.Timed() }

// fewEvents is the largest number of events of a run of all nodes in place of two that is not asked for.
const fewEvents = 5_000_000

// TooLong says why a run is not run in other orders; "": it is.
func TooLong(p *Pool, o *outcomes.Outcome, options nodes.Options) string {
	if o.Result.Events > fewEvents && Represented(p, o, options) {
		return fmt.Sprintf("with simultaneous events in another order all %d nodes would be simulated, in more than %d million events",
			o.NodesTaken(), fewEvents/1_000_000)
	}
	return ""
}

// ErrAll is the error of a run that would need all ranks, and may not simulate them.
var ErrAll = fmt.Errorf("all ranks: %w", nodes.ErrMostEvents)

// Represented tells whether two nodes stand for all in runs with these options. Whether they may is known before a run, and whether they do
// from it, unless it was one of all ranks for another reason, such as its timeline.
func Represented(p *Pool, o *outcomes.Outcome, options nodes.Options) bool {
	if o.Result.Folded > 0 || !o.Symmetric(options) {
		return o.Result.Folded > 0
	}
	options.All = func() error { return ErrAll }
	_, err := One(&Pool{Load: p.Load}, Point{Options: options}, Makespan)
	return !errors.Is(err, ErrAll)
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
