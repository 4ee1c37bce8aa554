package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes"
)

// gradient prints the critical path of a run and the slopes along it.
func (p *printer) gradient(o outcome, named bool) {
	p.print("\n")
	if named {
		p.print("%s\n", o.Name)
	}
	shares, ties := o.PathShares()
	makespan := o.Result.Makespan().Seconds()
	p.print("Critical path\n")
	var rows [][]string
	for _, s := range shares {
		rows = append(rows, []string{"  " + s.Part + " (" + s.Resource + ")", seconds(s.Time), percent(s.Time, makespan), count(uint64(s.Count)) + " times"})
	}
	p.grid(rows, 1)
	p.print("\nMakespan by parameter, along this path\n")
	rows = [][]string{{"  parameter", "value", "derivative", "elasticity"}}
	for _, s := range o.Slopes() {
		rows = append(rows, []string{"  " + s.Parameter, parameterValue(s), derivative(s), strconv.FormatFloat(s.Elasticity, 'f', 4, 64)})
	}
	p.grid(rows, 1)
	if ties > 0 {
		p.print("  %s ties: other paths are as long, so that less of one parameter may gain less than this\n", count(uint64(ties)))
	}
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

// derivative writes by how much the makespan grows with a parameter.
func derivative(s nodes.Slope) string {
	switch {
	case math.IsNaN(s.Derivative):
		return "-"
	case s.Unit == nodes.WorkPerSecond:
		return seconds(s.Derivative*1e9) + " per G/s"
	case s.Unit == nodes.SecondPerByte:
		return strings.TrimSpace(size(int64(math.Round(s.Derivative))))
	}
	return fmt.Sprintf("%s times", digits(s.Derivative))
}
