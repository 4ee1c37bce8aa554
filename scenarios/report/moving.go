package report

import (
	"io"

	"overlapsim/nodes/results"
)

// Moving is what a page with a simulator shows of its only run, and draws again when the run is changed: all that stands
// above the timeline.
type Moving struct {
	Lead     string        `json:"lead"` // "": why the run takes as long was not asked for
	Notes    []string      `json:"notes,omitempty"`
	Makespan string        `json:"makespan"` // in words
	Bars     *makespans    `json:"bars"`
	Facts    []Fact        `json:"facts"`
	Tried    bool          `json:"tried"` // changes were tried
	Why      []changeView  `json:"why"`
	Help     []changeGroup `json:"help"`
	Unhelped string        `json:"unhelped"`
}

// MovingOf returns what a page shows of a run that a command makes.
func MovingOf(r *Run, command string) *Moving {
	m := &Moving{Makespan: kept(Seconds(r.Result.Makespan().Seconds())), Bars: makespansOf([]Run{*r}), Facts: facts(r)}
	if a := (&Page{Runs: []Run{*r}}).answer(); a != nil {
		m.Lead, m.Notes = kept(a.Sentence), a.Notes
		m.Tried, m.Why, m.Help, m.Unhelped = true, whyOf(a, command), helpOf(a, command), unhelped(a)
	}
	return m
}

// EncodeTimeline writes the timeline of a result as pages have it, not compressed.
func EncodeTimeline(w io.Writer, r *results.Result) error {
	if err := checkTimeline(r); err != nil {
		return err
	}
	return encodePlain(w, r)
}
