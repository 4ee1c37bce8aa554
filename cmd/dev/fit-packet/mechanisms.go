package main

import (
	"fmt"
	"strings"

	"overlapsim/network/packet"
	"overlapsim/network/packet/ospri"
	"overlapsim/network/topology"
	"overlapsim/sim"
)

// variants are the model with one part changed.
var variants = []struct {
	name   string
	change func(*ospri.Benchmark)
}{
	{"the model", func(*ospri.Benchmark) {}},
	{"buffers of 127 packets", func(b *ospri.Benchmark) { b.Slots = 127 }},
	{"buffers of 8 packets", func(b *ospri.Benchmark) { b.Slots = 8 }},
	{"buffers of 2 packets", func(b *ospri.Benchmark) { b.Slots = 2 }},
	{"bubble of 2", func(b *ospri.Benchmark) { b.Bubble = 2 }},
	{"round robin", func(b *ospri.Benchmark) { b.Arbitration = packet.RoundRobin }},
	{"longest queue first", func(b *ospri.Benchmark) { b.Arbitration = packet.LongestQueue }},
	{"adaptive data oldest first too", func(b *ospri.Benchmark) { b.AdaptiveArbitration = packet.OldestFirst }},
	{"injection not last", func(b *ospri.Benchmark) { b.NetworkFirst = false }},
	{"round robin, injection not last", func(b *ospri.Benchmark) { b.NetworkFirst, b.Arbitration = false, packet.RoundRobin }},
	{"answers in their own FIFO", func(b *ospri.Benchmark) { b.AnswerFIFOs = 1 }},
	{"no acknowledgements", func(b *ospri.Benchmark) { b.Unacknowledged = true }},
	{"one injection FIFO", func(b *ospri.Benchmark) { b.InjectionFIFOs = 1 }},
	{"window of 1 operation", func(b *ospri.Benchmark) { b.Window = 1 }},
	{"window of 2 operations", func(b *ospri.Benchmark) { b.Window = 2 }},
	{"puts adaptive", func(b *ospri.Benchmark) { b.Put = packet.Adaptive }},
	{"gets static", func(b *ospri.Benchmark) { b.Get = packet.Static }},
	{"one adaptive channel", func(b *ospri.Benchmark) { b.AdaptiveChannels = 1 }},
	{"ties all one way", func(b *ospri.Benchmark) { b.Grid.Tie = topology.TiePlus }},
	{"hop latency 50 ns", func(b *ospri.Benchmark) { b.HopLatency = 50 * sim.Nanosecond }},
	{"hop latency 200 ns", func(b *ospri.Benchmark) { b.HopLatency = 200 * sim.Nanosecond }},
	{"all start together", func(b *ospri.Benchmark) { b.Skew = 0 }},
	{"start skew 10 us", func(b *ospri.Benchmark) { b.Skew = 10 * sim.Microsecond }},
	{"seed 2", func(b *ospri.Benchmark) { b.Seed = 2 }},
	{"seed 3", func(b *ospri.Benchmark) { b.Seed = 3 }},
}

// mechanisms simulates the rows of the fit with each variant.
func mechanisms(s study) error {
	rows, err := s.fitted()
	if err != nil {
		return err
	}
	head, measured := []string{"variant"}, []string{"measured"}
	for _, r := range rows {
		head = append(head, r.op.String()+" "+r.name())
		measured = append(measured, fmt.Sprint(r.measured))
	}
	lines := []string{"# rows of 16 KiB: MiB/s of displacements, us per operation of diagonals; |ln(simulated/measured)|",
		strings.Join(append(head, "median", "max"), ","), strings.Join(measured, ",") + ",,"}
	for _, v := range variants {
		b := ospri.BlueGeneP()
		v.change(&b)
		values, err := simulate(b, rows)
		if err != nil {
			return err
		}
		line := strings.ReplaceAll(v.name, ",", " and")
		for _, x := range values {
			line += fmt.Sprintf(",%.1f", x)
		}
		_, median, most := quality(rows, values)
		lines = append(lines, fmt.Sprintf("%s,%.3f,%.3f", line, median, most))
	}
	return s.write("mechanisms.csv", lines)
}
