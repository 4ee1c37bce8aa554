package cli

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
)

// remarks are what a reader must know of the runs before their numbers: what was assumed, what of a
// recorded program runs, and which keys have no effect.
func remarks(made []outcome) (lines []string) {
	all, in := inRuns(made, outcome.assumptions)
	for _, text := range all {
		if assumed, ok := strings.CutPrefix(text, "assumed:"); ok {
			text = "assumed" + in[text] + ":" + assumed
		}
		lines = append(lines, text)
	}
	var compared []outcomes.Compared
	for _, o := range made {
		compared = append(compared, o.record.Compared())
	}
	return slices.Concat(lines, outcomes.Comparable(compared), noEffects(made))
}

// inRuns are remarks about runs, each once, and where: " in" and the names of the runs if it is not all of them.
func inRuns[T comparable](outcomes []outcome, of func(outcome) []T) (all []T, in map[T]string) {
	runs := map[T][]string{}
	for _, o := range outcomes {
		for _, said := range of(o) {
			if runs[said] == nil {
				all = append(all, said)
			}
			runs[said] = append(runs[said], o.name())
		}
	}
	in = map[T]string{}
	for said, names := range runs {
		if len(names) < len(outcomes) {
			in[said] = " in " + some(names)
		}
	}
	return all, in
}

// name is the name of a run, or that which was saved with it.
func (o outcome) name() string {
	if o.Outcome == nil {
		return o.record.Scenario
	}
	return o.Name
}

// assumptions are the assumptions of a run, or those that were saved with it.
func (o outcome) assumptions() []string {
	if o.Outcome == nil {
		return o.record.Assumed
	}
	return o.Assumptions()
}

// noEffect are the keys of a run that have no effect, or those that were saved with it.
func (o outcome) noEffect() []files.NoEffect {
	if o.Outcome == nil {
		return o.record.NoEffect
	}
	return o.NoEffect()
}

// noEffects says of the keys that have no effect in some of the runs why, in a line for each reason.
func noEffects(outcomes []outcome) (lines []string) {
	all, in := inRuns(outcomes, outcome.noEffect)
	for i, n := range all {
		alike := func(other files.NoEffect) bool {
			return other.Because == all[i].Because && other.Bound == n.Bound && in[other] == in[all[i]]
		}
		if slices.ContainsFunc(all[:i], alike) {
			continue
		}
		for _, other := range all[i+1:] {
			if alike(other) {
				n.Key += ", " + other.Key
			}
		}
		lines = append(lines, fmt.Sprintf("no effect here%s: %s", in[all[i]], n))
	}
	return lines
}
