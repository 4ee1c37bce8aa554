package report

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/scenarios/outcomes"
)

// Of returns the run of a page that an outcome of a scenario is.
func Of(o *outcomes.Outcome) Run {
	run := Run{
		Name: o.Name, Machine: o.Machine.Title, Workload: o.Kind, Scenario: o.Text,
		Result: o.Result, Metrics: o.Metrics, Links: linksOf(o.Links),
	}
	for _, bar := range o.Phases() {
		run.Bars = append(run.Bars, Bar{Name: bar.Name, Seconds: bar.Value})
	}
	return run
}

// OfSaved returns the run of a page that a saved record is.
func OfSaved(r *outcomes.Record) Run {
	run := Run{Name: r.Scenario, Machine: r.Machine, Workload: r.Workload, Saved: r, Metrics: r.Metrics}
	for _, p := range r.Phases {
		run.Bars = append(run.Bars, Bar{Name: p.Name, Seconds: p.Ledger.Sum()})
	}
	return run
}

// peaks say what the peaks of links are, by their unit.
var peaks = map[string]string{
	"flows": "Most flows at once", "packets": "Most packets in a FIFO", "ns": "Longest work ahead, ns",
}

// linksOf is what a page shows of links.
func linksOf(l *network.Links) *Links {
	if l == nil {
		return nil
	}
	out := &Links{Peaks: peaks[l.Unit]}
	which := "those between routers"
	if l.Shape.Links() == 0 {
		which = "they"
	}
	out.Note = fmt.Sprintf("%s of %s links carried something, %s in all (bytes times links passed); in the mean %s carried %s of what they could.",
		Count(len(l.Busiest(len(l.Loads)))), Count(len(l.Loads)), Bytes(l.ByteHops()), which, Percent(l.Mean(), 1))
	if l.Unit == "packets" {
		out.Note += " Bytes are those of packets with their overhead."
	}
	for _, i := range l.Busiest(outcomes.BusiestListed) {
		a := &l.Loads[i]
		out.Busiest = append(out.Busiest, LinkRow{Name: l.Name(i), Bytes: a.Bytes, Used: l.Used(i), Busy: l.BusyShare(i), Peak: a.Peak})
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

// heatMap draws the links of a dimension; most is what the last colour means.
func heatMap(m network.LinkMap, most float64) *HeatMap {
	h := &HeatMap{Title: "Links along " + m.Dimension, X: m.Columns, XEvery: m.Plane, Y: m.Rows, Unit: "%", Max: 100 * most}
	for _, row := range m.Used {
		line := make([]float64, len(row))
		for i, used := range row {
			line[i] = 100 * used
		}
		h.Values = append(h.Values, line)
	}
	return h
}
