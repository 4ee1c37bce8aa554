package laws

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// Times are compared at two scales, so that rounding to picoseconds does not count: 1 ps
// may change which of two comes first, and so change everything, but not at both scales.
var scales = []int64{64, 192}

// factors doubles a time of the machine, once by a factor and once by its value.
func factors(t *trial) error {
	c, err := t.spelled()
	if err != nil {
		return err
	}
	at, path, ok := t.anyTimed(c, "machine")
	if !ok {
		return errNotFor
	}
	if strings.HasSuffix(path, "gpu.switch.bandwidth") || strings.HasSuffix(path, "gpu.link_bandwidth") {
		return errNotFor // a setting changes what was measured with these links; a file gives both
	}
	by, factor := big.NewRat(2, 1), "x2"
	if halved(path, at.text) {
		factor = "x0.5"
	}
	byFactor := c.clone()
	byFactor.Settings = []string{path + "=" + factor}
	at.text, ok = slower(at.text, by)
	if !ok {
		return errNotFor
	}
	a, err := t.variant(c)
	if err != nil {
		return err
	}
	b, err := t.lab.run(byFactor, nodes.Options{})
	if err != nil {
		return err
	}
	return sameRun("by a factor", a.Result, b.Result, 0)
}

// Keys whose quantities are halved, or doubled, to make things take twice as long,
// however they are written: rates and gaps.
var (
	inverse = []string{"bandwidth", "rate", "rates", "demand", "injection", "ejection", "duplex", "exchange", "peak"}
	gaps    = []string{"gap_per_byte", "per_byte"}
)

// halved tells whether the quantity at a path is halved to make things take twice as
// long.
func halved(path, text string) bool {
	s := steps(path)
	last := s[len(s)-1]
	if _, err := strconv.Atoi(last); err == nil {
		last = s[len(s)-2]
	}
	_, bytes := keys.Parse(keys.Bandwidth, text)
	_, flops := keys.Parse(keys.Rate, text)
	return slices.Contains(inverse, last) || flops == nil || bytes == nil && !slices.Contains(gaps, last)
}

// anyTimed returns a quantity that involves time from a part of a spelled case.
func (t *trial) anyTimed(c Case, parts ...string) (at *Tree, path string, ok bool) {
	type place struct {
		path string
		at   *Tree
	}
	var all []place
	for _, part := range parts {
		c.Scenario.at(part).timed(part, func(path string, at *Tree) { all = append(all, place{path, at}) })
	}
	if len(all) == 0 {
		return nil, "", false
	}
	found := one(t.draw, all)
	return found.at, found.path, true
}

// slowMotion compares a case in which times are long with one in which they are
// twice as long.
func slowMotion(t *trial) (err error) {
	if _, err := t.runs(); err != nil || !t.fixed() || t.scenario().Background > 0 || t.said("ties") != nil {
		return errNotFor // turns of background threads begin at moments drawn from the seed, and ties take up to 1 ns
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	for _, scale := range scales {
		if err = t.twice(c, scale); err == nil || err == errNotFor {
			return err
		}
	}
	return err
}

// twice compares a case slowed down by a factor with one slowed down by twice the factor.
// Each part of a time is rounded to a picosecond.
func (t *trial) twice(c Case, scale int64) error {
	once, ok1 := c.slow(scale)
	twice, ok2 := c.slow(2 * scale)
	if !ok1 || !ok2 {
		return errNotFor
	}
	a, err := t.variant(once)
	if err != nil {
		return err
	}
	b, err := t.variant(twice)
	if err != nil {
		return err
	}
	room := sim.Time(4 * (a.Result.Events + a.Result.Messages))
	if a.Machine.Sharing != nil { // which has bandwidths in whole bytes per second
		room += sim.Time(1e-6 * float64(b.Result.Makespan()))
	}
	return sameRun("in slow motion", doubled(a.Result), b.Result, room)
}

// doubled returns a result with every time twice as long.
func doubled(r *results.Result) *results.Result {
	d := &results.Result{Ranks: r.Ranks, Finish: twofold(r.Finish), Hidden: twofold(r.Hidden)}
	d.Bound = results.Bound{Work: 2 * r.Bound.Work, Messages: 2 * r.Bound.Messages, Bytes: 2 * r.Bound.Bytes, Chain: 2 * r.Bound.Chain}
	for _, phases := range r.Ledgers {
		var all []results.Ledger
		for _, ledger := range phases {
			all = append(all, results.Ledger(twofold(ledger[:])))
		}
		d.Ledgers = append(d.Ledgers, all)
	}
	return d
}

func twofold(times []sim.Time) (all []sim.Time) {
	for _, t := range times {
		all = append(all, 2*t)
	}
	return all
}

// longRun is the makespan, in ps, up to which totals makes runs longer: two years
// of 9 ranks do not fit into 64 bits.
const longRun = 2e18

// totals makes the times of a case so long that the sum over the ranks is large,
// and compares means with those in floating point.
func totals(t *trial) error {
	o, err := t.runs()
	if err != nil || o.Result.Makespan() == 0 || o.Machine.Noise != nil {
		return errNotFor // noise has moments throughout
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	room := math.Log2(longRun / float64(o.Result.Makespan()))
	long, ok := c.lengthen(int64(1) << int(min(room, 40)))
	if !ok {
		return errNotFor
	}
	if o, err = t.variant(long); err != nil {
		return err
	}
	return meansHold(o)
}

// lengthen multiplies the times of a spelled case by a factor, but not the rates.
func (c Case) lengthen(factor int64) (Case, bool) {
	c, any := c.clone(), false
	for _, part := range []string{"machine", "workload"} {
		c.Scenario.at(part).timed(part, func(path string, at *Tree) {
			time, err := keys.ParseTime(at.text)
			if err == nil && time > 0 && float64(time)*float64(factor) < longRun {
				at.text, any = fmt.Sprintf("%dps", int64(time)*factor), true
			}
		})
	}
	return c, any
}

// meansHold compares the means of an outcome with sums in floating point.
func meansHold(o *outcomes.Outcome) error {
	var ledger [results.NumTerms]float64
	var hidden float64
	for rank := range o.Result.Ranks {
		for term, time := range o.Result.OfRank(rank) {
			ledger[term] += time.Seconds() / float64(o.Result.Ranks)
		}
		if o.Result.Hidden != nil {
			hidden += o.Result.Hidden[rank].Seconds() / float64(o.Result.Ranks)
		}
	}
	record := o.Record()
	exposed := 0.0
	for term, want := range ledger {
		if got := record.Ledger[term].Value; unequal(got, want) {
			return fmt.Errorf("the ranks have %g s of a term (%q), the record says %g s", want, results.Term(term), got)
		}
		if results.Term(term) >= results.Overhead && results.Term(term) <= results.Latency {
			exposed += want
		}
	}
	if unequal(*record.InFlight, hidden) || unequal(*record.Communicating, exposed) {
		return fmt.Errorf("the ranks have %g s hidden and %g s exposed, the record says %g s and %g s",
			hidden, exposed, *record.InFlight, *record.Communicating)
	}
	return nil
}

func unequal(a, b float64) bool { return math.Abs(a-b) > 1e-9*(math.Abs(a)+math.Abs(b)) }

// nodesPermuted gives the nodes of a crossbar other numbers.
func nodesPermuted(t *trial) error {
	if t.scenario() == nil || !t.fixed() || t.few() || t.scenario().Fabric == "packet" {
		return errNotFor
	}
	c, err := t.spelled()
	if err != nil {
		return err
	}
	c.Scenario.drop("machine", "topology")
	c.Scenario.drop("mapping_first")
	places := numbered(t.places())
	a, err := t.variant(c.mapped(places))
	if err != nil {
		return err
	}
	b, err := t.variant(c.mapped(permuted(places, t.Perm(1+slices.Max(places)))))
	if err != nil {
		return err
	}
	room := sim.Time(0)
	if t.scenario().Fabric != "ideal" {
		room = sim.Time(2 * a.Result.Messages)
	}
	return sameRun("with other numbers for the nodes", a.Result, b.Result, room)
}

// places are the nodes of the ranks.
func (t *trial) places() (all []int) {
	s := t.scenario()
	for rank := range s.Ranks {
		node := rank / s.Processes
		if s.Nodes != nil {
			node = int(s.Nodes[rank])
		}
		all = append(all, node)
	}
	return all
}

// numbered gives nodes numbers from 0 on, in the order of their first ranks.
func numbered(places []int) (all []int) {
	number := map[int]int{}
	for _, node := range places {
		if _, ok := number[node]; !ok {
			number[node] = len(number)
		}
		all = append(all, number[node])
	}
	return all
}

// permuted gives nodes other numbers.
func permuted(places, order []int) (all []int) {
	for _, node := range places {
		all = append(all, order[node])
	}
	return all
}

// mapped places the ranks of a spelled case by a file.
func (c Case) mapped(places []int) Case {
	c = c.clone()
	var out strings.Builder
	for rank, node := range places {
		fmt.Fprintf(&out, "%d %d\n", rank, node)
	}
	const file = "places.map"
	c.Files[file] = out.String()
	c.Scenario.put("mapping", scalar("file"))
	c.Scenario.put("mapping_file", scalar(file))
	return c
}
