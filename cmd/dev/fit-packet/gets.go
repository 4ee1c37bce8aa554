package main

import (
	"fmt"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
)

// gets simulates gets of all nodes by displacement under each rule of arbitration among
// data on adaptive routes. No measurement of them is among the rows.
func gets(s study) error {
	displacements := [][]int{{1, 1, 1}, {3, 1, 1}, {1, 3, 1}, {1, 1, 3}, {3, 3, 1}, {3, 1, 3}, {1, 3, 3}, {3, 3, 3}}
	lines := []string{"# MiB/s of gets of all nodes, by the rule among data on adaptive routes", "rule,bytes"}
	for _, d := range displacements {
		lines[1] += fmt.Sprintf(",%d %d %d", d[0], d[1], d[2])
	}
	for rule := packet.RoundRobin; rule <= packet.LongestOrAny; rule++ {
		for _, bytes := range []int64{16 << 10, 64 << 10} {
			var rows []row
			for _, d := range displacements {
				rows = append(rows, row{op: ospri.Get, displacement: d, bytes: bytes})
			}
			b := ospri.BlueGeneP()
			b.AdaptiveArbitration = rule
			values, err := simulate(b, rows)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%v,%d", rule, bytes)
			for _, x := range values {
				line += fmt.Sprintf(",%.0f", x)
			}
			lines = append(lines, line)
		}
	}
	return s.write("gets.csv", lines)
}
