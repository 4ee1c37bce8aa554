package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// Comparisons of several runs with the ranks at other places.

// times are how long a run takes with a placement, in s: once, or of each draw of places at random.
type times []float64

// placedAs is how long a run takes with a placement; nil: that was not run.
func placedAs(r *outcomes.RunRecord, set string) times {
	for _, c := range r.Answer.Placed {
		if c.Set[0] == set && c.Draws != nil {
			return c.Draws
		} else if c.Set[0] == set {
			return times{c.Makespan}
		}
	}
	return nil
}

func (t times) median() float64 { return slices.Sorted(slices.Values(t))[len(t)/2] }

// told tells whether times at a placement rank runs: they do not depend on chance, or there are draws enough.
func (t times) told(set string) bool { return set != ofPlaces+"="+atRandom || len(t) >= fewestDraws }

// longer is by how much of the other times these are longer, from the least to the most that any two of them say.
func (t times) longer(than times) outcomes.Range {
	return outcomes.Range{slices.Min(t)/slices.Max(than) - 1, slices.Max(t)/slices.Min(than) - 1}
}

// paired is by how much of the other times these are longer, from the least to the most of draws of one seed.
func (t times) paired(than times) outcomes.Range {
	var all []float64
	for i := range min(len(t), len(than)) {
		all = append(all, t[i]/than[i]-1)
	}
	return *outcomes.RangeOf(all)
}

// nearest are the two values of two ranges that differ least.
func nearest(a, b outcomes.Range) (float64, float64) {
	switch {
	case a[1] < b[0]:
		return a[1], b[0]
	case b[1] < a[0]:
		return a[0], b[1]
	}
	return 0, 0
}

// replaced says what another placement of the ranks does to a comparison: the one that changes most by how much runs differ, or that draws of
// places at random differ more than the runs do, or that none changes it much, or that none was tried; "": the runs are not of one placement
// on shared links.
func replaced(runs []*outcomes.RunRecord) string {
	own, noise := "", zero(noisier(runs...))
	for i, r := range runs {
		if r.Answer == nil || len(r.Answer.Placed) == 0 || i > 0 && r.Answer.Placed[0].Set[0] != own {
			return ""
		}
		own = r.Answer.Placed[0].Set[0]
	}
	least := max(leastCause, noise)
	var little, unclear []string
	decisive, most := "", 0.0
	for _, c := range runs[0].Answer.Placed {
		set := c.Set[0]
		if slices.ContainsFunc(runs, func(r *outcomes.RunRecord) bool { return placedAs(r, set) == nil }) || set == own && len(c.Draws) < 2 {
			continue
		}
		change, differ, told := 0.0, false, true
		for _, r := range runs {
			there, best, today := placedAs(r, set), placedAs(runs[0], set), r.Makespan/runs[0].Makespan-1
			told = told && there.told(set)
			now, then := nearest(placedAs(r, own).longer(placedAs(runs[0], own)), there.longer(best))
			if x := math.Abs(then - now); x >= least && (then < -report.LeastShare || then <= now/2 || then >= 2*now) {
				change = max(change, x)
			}
			in := there.paired(best)
			differ = differ || len(there) > 1 && in[1]-in[0] >= max(least, today/2) || len(there) == 1 && change > 0
		}
		switch name := strings.TrimPrefix(set, ofPlaces+"="); {
		case told && change > most:
			decisive, most = set, change
		case told && change > 0:
		case (!told || change == 0) && differ:
			unclear = append(unclear, set)
		case set != own:
			little = append(little, name)
		}
	}
	text := ""
	for _, set := range unclear {
		if decisive != "" && set != own {
			continue
		}
		if text += " With " + set + " " + inOrder(runs, set); !placedAs(runs[0], set).told(set) {
			text += ": so few draws tell no order"
		}
		text += "."
	}
	if decisive != "" {
		return text + " With " + decisive + " " + inOrder(runs, decisive) + decides(runs, decisive)
	}
	if len(unclear)+len(little) == 0 {
		return text + onlyOwn(own)
	}
	text += slower(runs, &little)
	if len(little) > 0 {
		text += " Other placements change little of that: " + ofPlaces + "=" + strings.Join(little, ", ") + "."
	}
	if own != ofPlaces+"="+atRandom && placedAs(runs[0], ofPlaces+"="+atRandom) == nil {
		text += " One at random was not tried, as that takes too long: --set " + ofPlaces + "=" + atRandom + "."
	}
	return text
}

// onlyOwn says that no placement but that of the runs was tried, and which to try.
func onlyOwn(own string) string {
	if own == ofPlaces+"="+atRandom {
		return " Only " + own + " was tried, in one draw: --set " + ofPlaces + "=block, or --set seed=2."
	}
	return " Only " + own + " was tried: --set " + ofPlaces + "=" + atRandom + "."
}

// decides says what a placement that changes by how much runs differ decides: which is the shortest, or by how much the one that is.
func decides(runs []*outcomes.RunRecord, set string) string {
	best := placedAs(runs[0], set)
	for _, r := range runs[1:] {
		if placedAs(r, set).longer(best)[0] < report.LeastShare/2 || r.Makespan < runs[0].Makespan*(1+report.LeastShare/2) {
			return ": the placement decides."
		}
	}
	return ": " + runs[0].Scenario + " stays the shortest, by how much depends on the placement."
}

// slower says by how much all runs are longer or shorter with placements that change little of what they differ by, and keeps the others.
func slower(runs []*outcomes.RunRecord, little *[]string) (text string) {
	names, all := map[string][]string{}, []string{}
	*little = slices.DeleteFunc(*little, func(name string) bool {
		set := ofPlaces + "=" + name
		var factors, there []float64
		for _, r := range runs {
			there = append(there, placedAs(r, set).median())
			factors = append(factors, there[len(there)-1]/r.Makespan)
		}
		in := outcomes.RangeOf(factors)
		if in[0] < 1+leastCause && in[1] > 1-leastCause {
			return false
		}
		least, many, draws := strings.TrimSuffix(timesOf(in[0]), " times"), timesOf(in[1]), ""
		if least+" times" != many {
			many = least + " to " + many
		}
		if n := len(placedAs(runs[0], set)); set == ofPlaces+"="+atRandom {
			draws = " (" + inDraws(n) + ")"
		}
		says := " all take " + many + " as long" + draws
		if slices.IsSortedFunc(there, func(x, y float64) int {
			return cmp.Compare(math.Round((x/y-1)/report.LeastShare), 0)
		}) {
			says += "; their order stays"
		}
		if names[says] == nil {
			all = append(all, says)
		}
		names[says] = append(names[says], name)
		return true
	})
	for _, says := range all {
		text += " With " + ofPlaces + "=" + strings.Join(names[says], " or ") + says + "."
	}
	return text
}

// inDraws says of how many draws a time is the median.
func inDraws(n int) string {
	if n < fewestDraws {
		return "in " + strings.Replace(keys.Plural(n, "draw"), "1 ", "one ", 1)
	}
	return fmt.Sprintf("median of %d draws", n)
}

// inOrder says how long runs take with a placement, the shortest first; at random, where there are too few draws to rank them, in their own
// order.
func inOrder(runs []*outcomes.RunRecord, set string) string {
	order := slices.Clone(runs)
	if placedAs(runs[0], set).told(set) {
		slices.SortStableFunc(order, func(a, b *outcomes.RunRecord) int {
			return cmp.Compare(placedAs(a, set).median(), placedAs(b, set).median())
		})
	}
	var all []string
	best := placedAs(order[0], set)
	for i, r := range order[:min(len(order), 1+mostNamed)] {
		there := placedAs(r, set)
		text, in, longer := r.Scenario, "", there.longer(best)[0]
		if i == 0 {
			text += " takes"
		}
		text += " " + one(there.median())
		if least, most := one(slices.Min(there)), one(slices.Max(there)); least != most {
			if number, unit, _ := strings.Cut(least, " "); strings.HasSuffix(most, " "+unit) {
				least = number
			}
			in = least + " to " + most
		}
		if i == 0 && len(there) > 1 {
			in = strings.TrimSpace(in + " in " + keys.Plural(len(there), "draw"))
		}
		switch drawn := set == ofPlaces+"="+atRandom; {
		case i > 0 && there.told(set) && longer >= report.LeastShare/2 && len(there) > 1:
			in += ", " + report.Share(there.median()/best.median()-1) + " longer"
		case i > 0 && there.told(set) && longer >= report.LeastShare/2:
			in = report.Share(longer) + " longer"
		case i > 0 && there.told(set) && drawn:
			in += ", too near to rank"
		case drawn && len(there) == 1:
			in = "in one draw"
		}
		if in = strings.TrimPrefix(in, ", "); in != "" {
			text += " (" + in + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
