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

// comparison draws the makespans in three parts: computation with its slow-downs, the
// communication that remains in the shortest possible run, and the rest.
func comparison(made []outcome) *report.Bars {
	b := &report.Bars{
		Title: "Makespan against the bound of the program",
		Unit:  "s", Members: []string{""}, Horizontal: true,
		Parts: []report.Part{
			{Name: "computation", Color: report.TermColor(results.Compute)},
			{Name: "interference", Color: report.TermColor(results.Interference)},
			{Name: "communication that no overlap hides", Color: report.Mixed},
			{Name: "communication that overlap could hide", Color: report.PaleMixed},
		},
	}
	slowed := false
	for _, o := range made {
		makespan := o.record.Makespan
		mean := func(t results.Term) float64 { return o.record.Ledger.Number(t.String() + "_s") }
		compute, interference := mean(results.Compute), mean(results.Interference)
		least := min(makespan, max(boundOf(o.record), compute+interference))
		b.Groups = append(b.Groups, o.record.Scenario)
		for i, part := range []float64{compute, interference, least - compute - interference, makespan - least} {
			b.Parts[i].Values = append(b.Parts[i].Values, []float64{part})
		}
		slowed = slowed || interference > 0
	}
	if !slowed {
		b.Parts = slices.Delete(b.Parts, 1, 2)
	}
	return b
}

// boundOf is the bound of a run, 0 if it is not known.
func boundOf(r *outcomes.RunRecord) float64 {
	if r.Bound == nil {
		return 0
	}
	return *r.Bound
}
