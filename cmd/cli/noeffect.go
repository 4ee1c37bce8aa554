package cli

import (
	"fmt"
	"slices"

	"overlapsim/scenarios/files"
)

// remarks are what a reader must know of the runs before their numbers: what was assumed, what of a
// recorded program runs, and which keys have no effect.
func remarks(outcomes []outcome) (lines []string) {
	for _, o := range outcomes {
		for _, text := range o.assumptions() {
			if !slices.Contains(lines, text) {
				lines = append(lines, text)
			}
		}
	}
	return append(lines, noEffects(outcomes)...)
}

// assumptions are those of a run, or those that were saved with it.
func (o outcome) assumptions() []string {
	if o.Outcome == nil {
		return o.record.Assumed
	}
	return o.Assumptions()
}

// noEffect is the name of a run and its keys that have no effect, or those that were saved with it.
func (o outcome) noEffect() (name string, given []files.NoEffect) {
	if o.Outcome == nil {
		return o.record.Scenario, o.record.NoEffect
	}
	return o.Name, o.NoEffect()
}

// noEffects says of each key that has no effect in some of the runs why, once, with the
// names of the runs if it is not all of them.
func noEffects(outcomes []outcome) (lines []string) {
	var all []files.NoEffect
	runs := map[files.NoEffect][]string{}
	for _, o := range outcomes {
		name, given := o.noEffect()
		for _, n := range given {
			if runs[n] == nil {
				all = append(all, n)
			}
			runs[n] = append(runs[n], name)
		}
	}
	for _, n := range all {
		of := ""
		if names := runs[n]; len(names) < len(outcomes) {
			of = " in " + some(names)
		}
		lines = append(lines, fmt.Sprintf("no effect here%s: %s", of, n))
	}
	return lines
}
