package sweep

import (
	"path/filepath"
	"slices"
	"strings"
)

// Listed makes the plan of the listed points; each setting is path=value.
func Listed(scenario string, points [][]string) (*Plan, error) {
	p := &planner{Request: Request{Scenario: scenario}}
	at := map[string]int{}
	for _, settings := range points {
		for _, setting := range settings {
			path, value, _ := strings.Cut(setting, "=")
			if _, ok := at[path]; !ok {
				at[path] = len(p.varied)
				p.varied = append(p.varied, Factor{Path: path})
			}
			if f := &p.varied[at[path]]; !slices.Contains(f.Levels, value) {
				f.Levels = append(f.Levels, value)
			}
		}
	}
	before := make([][]string, len(p.varied))
	for i, f := range p.varied {
		before[i] = slices.Clone(f.Levels)
	}
	p.copyFiles()
	if len(p.problems) > 0 {
		p.checkScenario()
		return nil, p.err()
	}
	written := map[string]string{} // as copies of files name it
	for i, f := range p.varied {
		for k, level := range f.Levels {
			written[f.Path+"="+before[i][k]] = level
		}
	}
	plan := &Plan{Format: planFormat, Scenario: filepath.Base(scenario), Design: listing, Set: p.set, Factors: p.varied, Runs: 1,
		Files: p.inputs.files, Title: p.title()}
	for i, settings := range points {
		levels := make([]string, len(p.varied))
		for _, setting := range settings {
			path, _, _ := strings.Cut(setting, "=")
			levels[at[path]] = written[setting]
		}
		plan.Points = append(plan.Points, Point{Number: i, File: p.scenario[0], Run: p.runs[0], Levels: levels})
	}
	return plan, nil
}
