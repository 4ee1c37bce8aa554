package papers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
)

// Experiments returns the names by which [LoadStudy] knows the simulated
// experiments of the papers, PAPER/EXPERIMENT, and their titles, in their order.
func Experiments() (names, titles []string, err error) {
	for _, paper := range Names() {
		p, err := Load(paper)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range p.Experiments {
			if e.Scenario != "" {
				names, titles = append(names, paper+"/"+e.Name), append(titles, e.Title)
			}
		}
	}
	return names, titles, nil
}

// LoadStudy returns the runs of an experiment (PAPER/EXPERIMENT), of one variant
// (PAPER/EXPERIMENT/VARIANT), or a single one (PAPER/EXPERIMENT/VARIANT/LABEL). The
// settings are applied on top. It is nil when the name is not of this form; the error is
// of type scenarios.Problems.
func LoadStudy(name string, settings []string) (*scenarios.Study, error) {
	parts := strings.SplitN(name, "/", 4)
	p, err := Load(parts[0])
	if err != nil || len(parts) < 2 {
		return nil, nil
	}
	e := p.experiment(parts[1])
	if e == nil && p.Figure(parts[1]) != nil {
		return nil, keys.Problems{{Place: keys.Place{Flag: "scenario " + name},
			Message: "is a figure; 'overlapsim run " + parts[0] + "/" + parts[1] + "' draws it, without settings of its runs"}}
	}
	if e == nil || e.Scenario == "" {
		return nil, missing(name, "experiment", parts[0]+"/"+parts[1], p.simulated())
	}
	study := &scenarios.Study{Name: parts[0] + "-" + e.Name, Title: files.Changed(e.Title, settings)}
	for v := range e.Variants {
		for i := range e.Points {
			if len(parts) > 2 && parts[2] != e.Variants[v].Name || len(parts) > 3 && parts[3] != e.Points[i].Label {
				continue
			}
			run := *e.run(v, i)
			s, err := run.load(settings...)
			if err != nil {
				return nil, p.namedAs(name, err)
			}
			s.Title, s.Name = study.Title, e.Variants[v].Name+" "+e.Points[i].Label
			study.Runs = append(study.Runs, s)
		}
	}
	if len(study.Runs) == 0 {
		return nil, missing(name, "variant and point", strings.Join(parts[2:], "/"), e.choices())
	}
	return study, nil
}

// namedAs returns an error whose places in the file of the paper, which a user did not write, are the scenario's name.
func (p *Paper) namedAs(name string, err error) error {
	var problems keys.Problems
	if !errors.As(err, &problems) {
		return err
	}
	named := slices.Clone(problems)
	for i := range named {
		if named[i].Place.File == p.File {
			named[i].Place = keys.Place{Flag: "scenario " + name}
		}
	}
	return named.Err()
}

func missing(name, what, got string, choices []string) error {
	return keys.Problems{{Place: keys.Place{Flag: "scenario " + name},
		Message: fmt.Sprintf("no %s is called %s%s", what, got, meant(got, choices))}}
}

// simulated returns the names of the experiments that have a scenario.
func (p *Paper) simulated() (names []string) {
	for _, e := range p.Experiments {
		if e.Scenario != "" {
			names = append(names, p.Name+"/"+e.Name)
		}
	}
	return names
}

// choices returns all VARIANT/LABEL of an experiment.
func (e *Experiment) choices() (names []string) {
	for _, v := range e.variantNames() {
		for _, l := range e.labels() {
			names = append(names, v+"/"+l)
		}
	}
	return names
}
