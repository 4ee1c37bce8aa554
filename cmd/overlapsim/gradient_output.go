package main

import (
	"math"
	"strconv"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/gradient"
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
		rows = append(rows, []string{"  " + s.Part + " (" + s.Resource + ")", seconds(s.Time), percent(s.Time, o.Result.Makespan().Seconds()), count(uint64(s.Count)) + " x"})
	}
	p.grid(rows, 1)
	if ties > 0 {
		p.print("  %s ties: another path is as long there, so that a change may gain less\n", count(uint64(ties)))
	}
}

// sensitivities prints slopes and how far they hold.
func (p *printer) sensitivities(o *scenarios.Outcome, all []scenarios.Sensitivity) {
	p.print("%s\n%s\n\nmakespan %s\n\n", title(o.Scenario), subtitle(o.Scenario), seconds(o.Result.Makespan().Seconds()))
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
	return []string{"  " + s.Parameter, parameterValue(s), derivative(s), elasticity(s.Elasticity)}
}

func elasticity(e float64) string { return strconv.FormatFloat(e, 'f', 4, 64) }

// change writes the end of a range as a change of the parameter.
func change(b scenarios.Bound) string {
	switch {
	case b.Runs == 0:
		return "-"
	case b.Open && b.Factor < 1:
		return "below"
	case b.Open:
		return "above"
	}
	return strconv.FormatFloat(100*(b.Factor-1), 'f', 1, 64) + " %"
}

// then writes the elasticity outside a range.
func then(b scenarios.Bound) string {
	if b.Runs == 0 || b.Open {
		return "-"
	}
	return elasticity(b.Then)
}

// parameterValue writes the value of a parameter with its unit.
func parameterValue(s nodes.Slope) string {
	switch {
	case math.IsNaN(s.Value):
		return "by size"
	case s.Unit == nodes.WorkPerSecond:
		return digits(s.Value/1e9) + " G/s"
	case s.Unit == nodes.SecondPerByte:
		return digits(s.Value/1e-12) + " ps/B"
	}
	return seconds(s.Value)
}

// derivative writes by how much the makespan grows with a parameter: how often it
// counts, for how many bytes, or time for each work per second.
func derivative(s nodes.Slope) string {
	switch {
	case math.IsNaN(s.Derivative):
		return "-"
	case s.Unit == nodes.WorkPerSecond:
		return seconds(s.Derivative*1e9) + " per G/s"
	case s.Unit == nodes.SecondPerByte:
		return size(int64(math.Round(s.Derivative)))
	}
	return digits(s.Derivative) + " x"
}
