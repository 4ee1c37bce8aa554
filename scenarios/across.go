package scenarios

import (
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Across loads scenarios, each on every one of the machines (names or files; none: the
// machine of the scenario), and puts all runs into one study, or only the run of a name of
// each scenario that has several ("": all). Settings apply to all runs.
// counts says how many runs each scenario has. The error is of type Problems.
func Across(names []string, run string, machines, settings []string) (all *Study, counts []int, err error) {
	all = &Study{Title: "Comparison of " + strings.Join(names, ", ")}
	if len(machines) > 0 {
		all.Title = strings.Join(names, ", ") + " on " + keys.Plural(len(machines), "machine")
	}
	var problems keys.Problems
	for _, name := range names {
		before := len(all.Runs)
		if len(machines) == 0 {
			all.load(name, run, settings, "", &problems)
		}
		each := make([]keys.Problems, len(machines))
		for i, machine := range machines {
			all.load(name, run, settings, machine, &each[i])
		}
		problems = append(problems, named(each, machines)...)
		counts = append(counts, len(all.Runs)-before)
	}
	if err := problems.Err(); err != nil {
		return nil, nil, err
	}
	if len(names) == 1 && len(all.Runs) == len(machines) {
		for i, machine := range machines {
			all.Runs[i].Name = machine // nothing else differs
		}
	}
	return all, counts, nil
}

// named are the problems of a scenario on machines, with the machine where not all of them have it.
func named(each []keys.Problems, machines []string) (all keys.Problems) {
	for i, problems := range each {
		for _, p := range problems {
			if slices.ContainsFunc(each, func(of keys.Problems) bool { return !slices.Contains(of, p) }) &&
				!strings.HasPrefix(p.Place.Flag, "--machines ") && p.Place.File != machines[i] {
				p.Message = "on " + machines[i] + ": " + p.Message
			}
			all = append(all, p)
		}
	}
	return all
}

// load adds the runs of a scenario, on the given machine if one is named.
func (s *Study) load(name, only string, settings []string, machine string, problems *keys.Problems) {
	chosen := "machine=" + machine
	if machine != "" {
		settings = append(slices.Clone(settings), chosen)
	}
	study, err := Load(name, settings)
	err = keys.Moved(err, func(p *keys.Problem, setting string) {
		if setting == chosen {
			p.Place.Flag = "--machines " + machine
		}
	})
	if found, ok := err.(keys.Problems); ok {
		*problems = append(*problems, found...)
		return
	}
	if only != "" && len(study.Runs) > 1 {
		if study, err = study.Only(only); err != nil {
			*problems = append(*problems, keys.Problem{Place: keys.Place{Flag: "--run " + only}, Message: err.Error()})
			return
		}
	}
	for _, run := range study.Runs {
		if machine != "" {
			run.Name += " on " + machine
		}
	}
	s.Add(study)
}
