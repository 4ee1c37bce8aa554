package scenarios

import (
	"fmt"
	"slices"

	"overlapsim/scenarios/keys"
)

// Only returns the study with only the run of that name, and with the title of that run.
func (s *Study) Only(name string) (*Study, error) {
	names := s.Names()
	i := slices.Index(names, name)
	if i < 0 {
		return nil, fmt.Errorf("%s has no run %s: %s", s.Name, name, keys.Instead(name, names))
	}
	run := *s.Runs[i].Scenario
	if len(names) > 1 && run.Title == s.Title && s.Title != "" {
		run.Title += ": " + name
	}
	return &Study{Name: s.Name, Title: run.Title, Runs: []*Scenario{{&run}}}, nil
}

// Names returns the names of the runs.
func (s *Study) Names() (names []string) {
	for _, run := range s.Runs {
		names = append(names, run.Name)
	}
	return names
}
