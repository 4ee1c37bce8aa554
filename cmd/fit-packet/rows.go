package main

import (
	"fmt"

	"overlapsim/network/packet/ospri"
)

// rows simulates every measured row.
func rows(s set) error {
	all, err := ospri.Rows(s.data)
	if err != nil {
		return err
	}
	values, err := s.simulate(ospri.BlueGeneP(), all)
	if err != nil {
		return err
	}
	lines := []string{"# measured and simulated: MiB/s of displacements, us per operation of diagonals",
		"experiment,op,bytes,measured,simulated,error_percent"}
	for i, r := range all {
		lines = append(lines, fmt.Sprintf("%s,%s,%d,%g,%.2f,%+.1f", r.Name(), r.Op, r.Bytes, r.Measured, values[i], 100*(values[i]/r.Measured-1)))
	}
	_, median, most := quality(all, values)
	fmt.Printf("%d rows: |ln(simulated/measured)| median %.3f, max %.3f\n", len(all), median, most)
	return s.write("rows.csv", lines)
}
