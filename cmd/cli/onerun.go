package cli

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios"
)

// mostNames is the largest number of names of runs in a message.
const mostNames = 12

// oneRun returns a study with the named run, or with its only run. The argument what names
// the result, for the error if there are several runs.
func oneRun(command, what string, study *scenarios.Study, name string) (*scenarios.Study, error) {
	if name != "" {
		only, err := study.Only(name)
		if err != nil {
			return nil, &usageError{command, "--run: " + err.Error()}
		}
		return only, nil
	}
	if len(study.Runs) != 1 {
		return nil, &usageError{command, fmt.Sprintf("%s has %d runs, %s is of one: choose it by --run NAME; there are %s", study.Name,
			len(study.Runs), what, some(study.Names()))}
	}
	return study, nil
}

// loadOne loads one run of a scenario, or of an experiment of a paper: the only one, or
// the one with a name, so that the settings need not fit the others.
func loadOne(command, what, scenario, name string, settings []string) (study *scenarios.Study, err error) {
	if name == "" {
		if study, err = loadStudy(scenario, settings); err == nil {
			study, err = oneRun(command, what, study, "")
		}
		return study, err
	}
	whole, err := loadStudy(scenario, nil)
	if err != nil { // it may need the settings
		whole, err = loadStudy(scenario, settings)
	}
	if err != nil {
		return nil, err
	}
	if study, err = oneRun(command, what, whole, name); err != nil {
		return nil, err
	}
	number := slices.Index(whole.Names(), name)
	run, err := loadRun(scenario, name, number, settings)
	if err != nil {
		return nil, err
	}
	if study.Title != whole.Runs[number].Title { // it has its name
		run.Title += ": " + name
	}
	study.Title, study.Runs = run.Title, []*scenarios.Scenario{run}
	return study, nil
}

// some lists names, or the first of many.
func some(names []string) string {
	rest := ""
	if more := len(names) - mostNames; more > 1 {
		names, rest = names[:mostNames], fmt.Sprintf(" and %d more", more)
	}
	return `"` + strings.Join(names, `", "`) + `"` + rest
}
