package report

import (
	"fmt"

	"overlapsim/scenarios/outcomes"
)

// Of returns the outcome of a scenario as a run of a page.
func Of(o *outcomes.Outcome) Run {
	run := Run{
		Name: o.Name, Machine: o.Machine.Title, Workload: o.Kind, Scenario: o.Text,
		Result: o.Result, Metrics: o.Metrics, Links: linksOf(o),
	}
	for _, bar := range o.Phases() {
		run.Bars = append(run.Bars, Bar{Name: bar.Name, Seconds: bar.Value})
	}
	return run
}

// OfSaved returns a saved record as a run of a page.
func OfSaved(r *outcomes.RunRecord) Run {
	run := Run{Name: r.Scenario, Machine: r.Machine, Workload: r.Workload, Saved: r, Answer: r.Answer, Step: r.Step, Metrics: r.Metrics}
	for _, p := range r.Phases {
		run.Bars = append(run.Bars, Bar{Name: p.Name, Seconds: p.Ledger.Sum()})
	}
	return run
}

// peaks say what the peaks of links are, by their unit.
var peaks = map[string]string{
	"flows": "Most flows at once", "packets": "Most packets in a FIFO", "ns": "Longest work ahead, ns",
}

// queuesOf describes a network without its own links, where transfers wait only at NICs;
// nil: nothing was recorded.
func queuesOf(o *outcomes.Outcome) *Links {
	parts := partsOf(o.Result.Traffic)
	if parts == nil {
		return nil
	}
	return &Links{Note: "The network has no links that could be full. Transfers wait at the NICs.",
		Over: &OverTime{Starts: parts.starts(), Charts: []Chart{{OfQueues, parts.queues(parts.Waiting.Rows())}}}}
}

// linksOf is what a page shows of links.
func linksOf(o *outcomes.Outcome) *Links {
	l := o.Links
	if l == nil {
		return queuesOf(o)
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
	var parts *runParts
	if t := o.Result.Traffic; t != nil && t.Carried != nil {
		parts = partsOf(t)
	}
	for _, m := range l.Maps() {
		out.Map = append(out.Map, linkMap(&m, l, parts))
	}
	if most := hottest(out.Map); parts != nil {
		out.Over = overTime(l, parts)
		for _, m := range out.Map {
			m.Max = most
		}
	}
	return out
}
