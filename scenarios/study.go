package scenarios

import (
	"fmt"
	"slices"

	"overlapsim/scenarios/files"
)

// Study holds the runs that a scenario file asks for: one run, or several variants of it.
type Study struct {
	Name  string // library name or file
	Title string
	Runs  []*Scenario
}

// Add appends the runs of another study. Later runs with a name that is in use get a
// number.
func (s *Study) Add(t *Study) {
	for _, run := range t.Runs {
		taken := func(name string) bool {
			return slices.ContainsFunc(s.Runs, func(o *Scenario) bool { return o.Name == name })
		}
		name := run.Name
		for i := 2; taken(run.Name); i++ {
			run.Name = fmt.Sprintf("%s (%d)", name, i)
		}
		s.Runs = append(s.Runs, run)
	}
}

// Load reads and checks a scenario: a name of the library or a file. The
// settings ("path=value", as of --set) hold for every run of it. The error is
// of type [keys.Problems].
func Load(name string, settings []string) (*Study, error) { return studyOf(files.Load(name, settings)) }

// Read checks the text of a scenario as Load checks a file. file is its name in messages;
// files that the text names are looked for next to it. A panic of a workload, topology or
// fabric is an error of type [sim.Panic].
func Read(file string, text []byte, settings []string) (*Study, error) {
	return studyOf(files.Read(file, text, settings))
}

// LoadRun reads and checks one of a scenario's runs, by its number.
func LoadRun(name string, run int, settings []string) (*Scenario, error) {
	s, err := files.LoadRun(name, run, settings)
	if err != nil {
		return nil, err
	}
	return &Scenario{s}, nil
}

// studyOf returns the study of what a file asks for.
func studyOf(f *files.File, err error) (*Study, error) {
	if err != nil {
		return nil, err
	}
	s := &Study{Name: f.Name, Title: f.Title}
	for _, run := range f.Runs {
		s.Runs = append(s.Runs, &Scenario{run})
	}
	return s, nil
}

// With reads and checks the run again, with more settings.
func (s *Scenario) With(settings []string) (*Scenario, error) {
	again, err := s.Scenario.With(settings)
	if err != nil {
		return nil, err
	}
	return &Scenario{again}, nil
}
