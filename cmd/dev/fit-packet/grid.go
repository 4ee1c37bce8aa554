package main

import (
	"fmt"
	"slices"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
	"overlapsim/sim"
)

// grid tries all combinations of the parameters that are not published.
func grid(s study) error {
	rows, err := s.fitted()
	if err != nil {
		return err
	}
	type point struct {
		mean float64
		line string
	}
	var points []point
	for _, b := range combinations() {
		values, err := simulate(b, rows)
		if err != nil {
			return err
		}
		mean, median, most := quality(rows, values)
		line := fmt.Sprintf("%v,%v,%d,%d,%d,%.3f,%.3f,%.3f", b.Arbitration, b.NetworkFirst, b.AnswerFIFOs, b.Slots,
			b.HopLatency/sim.Nanosecond, mean, median, most)
		points = append(points, point{mean, line})
	}
	slices.SortStableFunc(points, func(a, b point) int {
		if a.mean < b.mean {
			return -1
		}
		return 1
	})
	lines := []string{"# |ln(simulated/measured)| over the 11 rows of 16 KiB, best mean first",
		"arbitration,network_first,answer_fifos,slots,hop_ns,mean,median,max"}
	for _, p := range points {
		lines = append(lines, p.line)
	}
	return s.write("grid.csv", lines)
}

func combinations() (all []ospri.Benchmark) {
	for _, arbitration := range []packet.Arbitration{packet.RoundRobin, packet.OldestFirst, packet.LongestQueue} {
		for _, first := range []bool{false, true} {
			for _, answers := range []int{0, 1} {
				for _, slots := range []int{3, 4} {
					for _, hop := range []sim.Time{50, 100} {
						b := ospri.BlueGeneP()
						b.Arbitration, b.NetworkFirst, b.AnswerFIFOs, b.Slots = arbitration, first, answers, slots
						b.HopLatency = hop * sim.Nanosecond
						all = append(all, b)
					}
				}
			}
		}
	}
	return all
}
