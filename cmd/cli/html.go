package cli

import (
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/gradient"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/points"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
)

// page makes one report of the outcomes of a study.
func page(study *scenarios.Study, made []outcome) *report.Page {
	p := &report.Page{Title: study.Title}
	if p.Title == "" {
		p.Title = study.Name
	}
	p.Subtitle = about(made)
	p.Notes = remarks(made)
	for _, o := range made {
		if o.Outcome == nil {
			p.Runs = append(p.Runs, report.OfSaved(o.record))
			continue
		}
		run := report.Of(o.Outcome)
		run.Sections = append(run.Sections, gpuTables(o)...)
		run.Answer, run.Step = o.record.Answer, o.record.Step
		if o.Result.Critical != nil {
			run.Sections = append(run.Sections, gradient.Slopes(o.Outcome))
		} else {
			run.Sections = append(run.Sections, report.MadeOf(run.Answer)...)
		}
		p.Runs = append(p.Runs, run)
	}
	if len(made) == 1 {
		p.Lead = strings.Join(answerLines(made[0]), " ")
	}
	if len(made) > 1 {
		p.Lead = among(made)
		p.First = []report.Section{differenceSection(differencesOf(made))}
	}
	return p
}

// gradientPage makes a report of a gradient with its ranges.
func gradientPage(study *scenarios.Study, o *outcomes.Outcome, noise points.Noise, all []sensitivity.Sensitivity) *report.Page {
	p := page(study, []outcome{{Outcome: o, record: o.Record()}})
	p.Runs[0].Sections = nil
	p.Lead, p.Facts = gradient.Lead(o, noise.Part, all), gradient.Facts(o, noise, all)
	p.Sections = []report.Section{gradient.Ranges(o, noise.Part, all)}
	return p
}

// comparison draws the makespans in three parts: computation with its slow-downs, what no overlap hides, and the rest. Perfect overlap takes
// as long as computation or communication alone, whichever is longer. Where an answer does not know both, all runs are drawn up to the bounds
// of their programs, which leave out links and waiting.
func comparison(made []outcome) *report.Bars {
	b := &report.Bars{
		Title: "Makespan, and what overlap could hide of it",
		Unit:  "s", Members: []string{""}, Horizontal: true,
		Parts: []report.Part{
			{Name: "computation", Color: report.TermColor(results.Compute)},
			{Name: "interference", Color: report.TermColor(results.Interference)},
			{Name: "communication or imbalance that no overlap hides", Color: report.Mixed},
			{Name: "communication that overlap could hide", Color: report.PaleMixed},
		},
	}
	least := leastByOverlap
	if slices.ContainsFunc(made, func(o outcome) bool { return leastByOverlap(o.record) == nil }) {
		least = func(r *outcomes.RunRecord) *float64 { return r.Bound }
		b.Title, b.Parts[2].Name, b.Parts[3].Name = "Makespan against the bound of the program", "more, up to the bound", "above the bound (links, waiting)"
	}
	slowed := false
	for _, o := range made {
		makespan := o.record.Makespan
		mean := func(t results.Term) float64 { return o.record.Ledger.Number(t.String() + "_s") }
		compute, interference := mean(results.Compute), mean(results.Interference)
		no := compute + interference
		if l := least(o.record); l != nil {
			no = max(no, *l)
		}
		no = min(makespan, no)
		b.Groups = append(b.Groups, o.record.Scenario)
		for i, part := range []float64{compute, interference, no - compute - interference, makespan - no} {
			b.Parts[i].Values = append(b.Parts[i].Values, []float64{part})
		}
		slowed = slowed || interference > 0
	}
	if !slowed {
		b.Parts = slices.Delete(b.Parts, 1, 2)
	}
	return b
}

// leastByOverlap is how long a run takes if overlap is perfect: computation or communication alone; nil: they are not known.
func leastByOverlap(r *outcomes.RunRecord) *float64 {
	a := r.Answer.Overlaps()
	if a.Computation == nil || a.Communication == nil {
		return nil
	}
	return new(max(*a.Computation, *a.Communication))
}
