package main

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
)

// linksRow says in a line how loaded the links were.
func linksRow(l *scenarios.Links) []string {
	busiest := l.Busiest(1)
	if len(busiest) == 0 {
		return []string{"links", report.Percent(0, 1), "no link carried anything"}
	}
	most := busiest[0]
	return []string{"links", report.Percent(l.Used(most), 1),
		fmt.Sprintf("of the capacity of the most used link, %s; mean %s", l.Name(most), report.Percent(l.Mean(), 1))}
}

// peaks say what the peaks of links are, by their unit.
var peaks = map[string]string{
	"flows": "Most flows at once", "packets": "Most packets in a FIFO", "ns": "Longest work ahead, ns",
}

// linksOf returns the links for a report.
func linksOf(l *scenarios.Links) *report.Links {
	if l == nil {
		return nil
	}
	out := &report.Links{Peaks: peaks[l.Unit]}
	out.Note = fmt.Sprintf("%s of %s links carried something, %s in all (bytes times links passed); a link carried %s of its capacity on "+
		"average.",
		report.Count(len(l.Busiest(len(l.Loads)))), report.Count(len(l.Loads)), report.Bytes(l.ByteHops()), report.Percent(l.Mean(), 1))
	if l.Unit == "packets" {
		out.Note += " Bytes are those of packets with their overhead."
	}
	for _, i := range l.Busiest(scenarios.BusiestListed) {
		a := &l.Loads[i]
		out.Busiest = append(out.Busiest, report.LinkRow{Name: l.Name(i), Bytes: a.Bytes, Used: l.Used(i), Busy: l.BusyShare(i), Peak: a.Peak})
	}
	most := 0.0
	for i := range l.Shape.Links() {
		most = max(most, l.Used(i))
	}
	for _, m := range l.Map() {
		out.Map = append(out.Map, heatMap(m, most))
	}
	return out
}

// heatMap draws the links of a dimension; most is the value of the last colour.
func heatMap(m network.LinkMap, most float64) *report.HeatMap {
	h := &report.HeatMap{Title: "Links along " + m.Dimension, X: m.Columns, XEvery: m.Plane, Y: m.Rows, Unit: "%", Max: 100 * most}
	for _, row := range m.Used {
		line := make([]float64, len(row))
		for i, used := range row {
			line[i] = 100 * used
		}
		h.Values = append(h.Values, line)
	}
	return h
}
