package cli

import (
	"fmt"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// gradient prints the critical path of a run and the slopes along it.
func (p *printer) gradient(o outcome, named bool) {
	p.print("\n")
	if named {
		p.print("%s\n", o.Name)
	}
	p.path(o.Outcome)
	if o.Result.On == results.GPUs {
		p.print("%s\n", outcomes.OnGPUs)
		return
	}
	if o.Unstable() {
		p.print("\n%s\n%s\n", o.WhyUnstable(), outcomes.Instead)
		return
	}
	p.slopes(o.Outcome.Slopes())
}

// path prints what a critical path is made of.
func (p *printer) path(o *outcomes.Outcome) {
	shares, ties := o.PathShares()
	p.print("Critical path\n")
	var rows [][]string
	for _, s := range shares {
		rows = append(rows, []string{"  " + s.Name(), report.Seconds(s.Time),
			report.Percent(s.Time, o.Result.Makespan().Seconds()), report.Count(s.Count) + " x"})
	}
	p.grid(rows, 1)
	p.onEach(o.PathGPUs())
	switch {
	case ties == 1:
		p.print("  1 tie: another path is as long there, so that a change may gain less\n")
	case ties > 1:
		p.print("  %s ties: another path is as long there, so that a change may gain less\n", report.Count(ties))
	}
}

// mostGPUs is how many GPUs of a path are named; JSON has all.
const mostGPUs = 8

// onEach prints how much of a path is on each GPU, if it is on several.
func (p *printer) onEach(all []outcomes.PathGPU) {
	if len(all) < 2 {
		return
	}
	var words []string
	for _, on := range all[:min(len(all), mostGPUs)] {
		words = append(words, fmt.Sprintf("%d %s", on.GPU, report.Seconds(on.Time)))
	}
	if more := len(all) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	p.print("  on GPU %s\n", strings.Join(words, ", "))
}

// slopes prints the derivatives along the path.
func (p *printer) slopes(all []results.Slope) {
	p.print("\nMakespan by parameter, along this path\n")
	rows := [][]string{{"  parameter", "value", "derivative", "elasticity"}}
	for _, s := range all {
		if !gradient.Nothing(s) {
			rows = append(rows, []string{"  " + s.Parameter, gradient.Value(s), gradient.Derivative(s), gradient.Elasticity(s.Elasticity)})
		}
	}
	p.grid(rows, 1)
}

// noise prints by how much a makespan is chance.
func (p *printer) noise(makespan float64, n points.Noise) {
	p.print("makespan  %s\nnoise     %s\n\n", report.Seconds(makespan), n.Note())
}

// before prints the results of the run itself, before the re-runs. In a noisy run they show which derivatives mean something.
func (p *printer) before(o *outcomes.Outcome, n points.Noise) {
	p.header(outcome{Outcome: o, record: o.Record()})
	p.noise(o.Result.Makespan().Seconds(), n)
	p.path(o)
	switch {
	case o.Unstable():
		p.print("\n%s\n", o.WhyUnstable())
	case !report.Noisy(n.Part):
		p.slopes(o.Slopes())
	}
}

// after prints the results of the re-runs.
func (p *printer) after(o *outcomes.Outcome, n points.Noise, all []sensitivity.Sensitivity) {
	told, below, leftOut := gradient.Split(all, n.Part)
	switch {
	case o.Unstable():
		p.differences(o, n.Part, told)
	case report.Noisy(n.Part):
		var slopes []results.Slope
		for _, s := range told {
			slopes = append(slopes, s.Slope)
		}
		p.slopes(slopes)
		fallthrough
	default:
		p.sides(told, n.Part)
		p.ranges(told)
	}
	p.below(n.Part, below)
	if leftOut != nil {
		p.print("\n%s\n", gradient.LeftOut(leftOut))
	}
}

// below names the parameters that do less than the noise of the run.
func (p *printer) below(noise *float64, names []string) {
	if len(names) > 0 {
		p.print("\nTheir effect is %s: %s\n", report.Below(*noise), strings.Join(names, ", "))
	}
}

// sides prints changes on both sides of the values today, where derivatives do not hold on both.
func (p *printer) sides(all []sensitivity.Sensitivity, noise *float64) {
	head, rows := gradient.Sides(all, noise)
	if rows == nil {
		return
	}
	p.print("\nMakespan on both sides, from re-runs\n")
	p.rowsOf(head, rows)
	p.print("  %s\n", gradient.SidesNote)
}

// rowsOf prints a table of the page, indented.
func (p *printer) rowsOf(head []string, rows [][]string) {
	lines := append([][]string{head}, rows...)
	for _, cells := range lines {
		for i := range cells {
			cells[i] = plain(cells[i])
		}
		cells[0] = "  " + cells[0]
	}
	p.grid(lines, 1)
}

// ranges prints how far slopes hold.
func (p *printer) ranges(all []sensitivity.Sensitivity) {
	open, ends := gradient.Open(all)
	if open == "" && ends == nil {
		return
	}
	p.print("\nHow far that holds\n")
	if open != "" {
		p.print("  %s\n", plain(open))
	}
	if ends == nil {
		return
	}
	rows, noise := [][]string{{"  parameter", "from", "before", "to", "beyond", "where counts"}}, ""
	for _, s := range ends {
		if s.Down.Noise || s.Up.Noise {
			noise = "  " + gradient.NoiseNote + "\n"
		}
		rows = append(rows, []string{"  " + s.Parameter, change(s.Down), then(s.Down), change(s.Up), then(s.Up), s.Up.Takes})
	}
	p.grid(rows, 1)
	p.print("  before, beyond: the elasticity outside the range, of today's makespan and value\n%s", noise)
}

// differences prints finite differences.
func (p *printer) differences(o *outcomes.Outcome, noise *float64, all []sensitivity.Sensitivity) {
	p.print("\nMakespan by parameter, from re-runs\n")
	p.rowsOf(gradient.Differences(o, noise, all))
	p.print("  %s\n", gradient.DifferencesNote)
}

// change writes the end of a range as a change of the parameter.
func change(b sensitivity.Bound) string {
	return plain(gradient.Change(&b))
}

// plain adapts a text of the page to a terminal.
func plain(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// then writes the elasticity outside a range.
func then(b sensitivity.Bound) string {
	if b.Runs == 0 || b.Open {
		return report.Dash
	}
	return gradient.Elasticity(b.Then)
}
