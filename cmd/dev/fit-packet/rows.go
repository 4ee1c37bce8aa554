package main

import (
	"fmt"

	"overlapsim/network/packet/ospri"
)

// rows simulates every measured row.
func rows(s study) error {
	all, err := s.measured()
	if err != nil {
		return err
	}
	values, err := simulate(ospri.BlueGeneP(), all)
	if err != nil {
		return err
	}
	lines := []string{"# measured and simulated: MiB/s of displacements, us per operation of diagonals",
		"experiment,op,bytes,measured,simulated,error_percent"}
	for i, r := range all {
		lines = append(lines, fmt.Sprintf("%s,%s,%d,%g,%.2f,%+.1f", r.name(), r.op, r.bytes, r.measured, values[i], 100*(values[i]/r.measured-1)))
	}
	_, median, most := quality(all, values)
	fmt.Printf("%d rows: |ln(simulated/measured)| median %.3f, max %.3f\n", len(all), median, most)
	return s.write("rows.csv", lines)
}
