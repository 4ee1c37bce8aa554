package main

import (
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/report"
)

// gradient prints the critical path of a run and the slopes along it.
func (p *printer) gradient(o outcome, named bool) {
	p.print("\n")
	if named {
		p.print("%s\n", o.Name)
	}
	p.path(o.Outcome)
	p.print("\nMakespan by parameter, along this path\n")
	rows := [][]string{{"  parameter", "value", "derivative", "elasticity"}}
	for _, s := range o.Slopes() {
		if !gradient.Nothing(s) {
			rows = append(rows, slopeRow(s))
		}
	}
	p.grid(rows, 1)
}

// path prints what a critical path is made of.
func (p *printer) path(o *scenarios.Outcome) {
	shares, ties := o.PathShares()
	p.print("Critical path\n")
	var rows [][]string
	for _, s := range shares {
		rows = append(rows, []string{"  " + s.Part + " (" + s.Resource + ")", report.Seconds(s.Time), report.Percent(s.Time, o.Result.Makespan().Seconds()), report.Count(s.Count) + " x"})
	}
	p.grid(rows, 1)
	switch {
	case ties == 1:
		p.print("  1 tie: another path is as long there, so that a change may gain less\n")
	case ties > 1:
		p.print("  %s ties: another path is as long there, so that a change may gain less\n", report.Count(ties))
	}
	if caution := gradient.Caution(o.Slopes()); caution != "" {
		p.print("\n%s\n", caution)
	}
}

// sensitivities prints slopes and how far they hold.
func (p *printer) sensitivities(o *scenarios.Outcome, all []scenarios.Sensitivity) {
	p.print("%s\n%s\n\nmakespan %s\n\n", title(o.Scenario), subtitle(o.Scenario), report.Seconds(o.Result.Makespan().Seconds()))
	p.path(o)
	p.print("\nMakespan by parameter, and how far that holds\n")
	rows := [][]string{{"  parameter", "value", "derivative", "elasticity", "from", "before", "to", "beyond", "where counts"}}
	for _, s := range all {
		if gradient.Nothing(s.Slope) {
			continue
		}
		row := slopeRow(s.Slope)
		row = append(row, change(s.Down), then(s.Down), change(s.Up), then(s.Up), s.Up.Takes)
		rows = append(rows, row)
	}
	p.grid(rows, 1)
	p.print("  before, beyond: the elasticity outside the range, of today's makespan and value\n")
}

// slopeRow writes a slope.
func slopeRow(s nodes.Slope) []string {
	return []string{"  " + s.Parameter, gradient.Value(s), gradient.Derivative(s), gradient.Elasticity(s.Elasticity)}
}

// change writes the end of a range as a change of the parameter.
func change(b scenarios.Bound) string {
	return strings.ReplaceAll(gradient.Change(&b), "\u00a0", " ")
}

// then writes the elasticity outside a range.
func then(b scenarios.Bound) string {
	if b.Runs == 0 || b.Open {
		return report.Dash
	}
	return gradient.Elasticity(b.Then)
}
