package main

import (
	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
)

// page puts the outcomes of a study on one report.
func page(study *scenarios.Study, outcomes []outcome) *report.Page {
	p := &report.Page{Title: study.Title}
	if p.Title == "" {
		p.Title = study.Name
	}
	if len(outcomes) == 1 {
		p.Subtitle = subtitle(outcomes[0].Scenario)
	}
	for _, o := range outcomes {
		run := report.Run{
			Name: o.Name, Machine: o.Machine.Title, Workload: o.Kind, Scenario: o.Text,
			Result: o.Result, Metrics: o.Metrics, Links: linksOf(o.Links),
		}
		for _, bar := range o.Phases() {
			run.Bars = append(run.Bars, report.Bar{Name: bar.Name, Seconds: bar.Value})
		}
		p.Runs = append(p.Runs, run)
	}
	return p
}
