package cli

import (
	"fmt"
	"strings"

	"overlapsim/scenarios/files"
)

// remarks are what a reader must know of the runs before their numbers: what was assumed, what of a
// recorded program runs, and which keys have no effect.
func remarks(outcomes []outcome) (lines []string) {
	all, in := inRuns(outcomes, outcome.assumptions)
	for _, text := range all {
		if assumed, ok := strings.CutPrefix(text, "assumed:"); ok {
			text = "assumed" + in[text] + ":" + assumed
		}
		lines = append(lines, text)
	}
	return append(lines, noEffects(outcomes)...)
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

// noEffects says of each key that has no effect in some of the runs why.
func noEffects(outcomes []outcome) (lines []string) {
	all, in := inRuns(outcomes, outcome.noEffect)
	for _, n := range all {
		lines = append(lines, fmt.Sprintf("no effect here%s: %s", in[n], n))
	}
	return lines
}
