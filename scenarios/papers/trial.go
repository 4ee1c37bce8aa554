package papers

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// Set changes the runs of all experiments, of one, or of one of its variants: settings are path=value, as of --set,
// EXPERIMENT.path=value or EXPERIMENT.VARIANT.path=value. Experiments without a scenario have no machine, and stay.
// The error is of type keys.Problems.
func (p *Paper) Set(settings []string) error {
	var problems keys.Problems
	for _, text := range settings {
		at := keys.Place{Flag: "--set " + text}
		path, value, ok := strings.Cut(text, "=")
		if !ok {
			problems = append(problems, keys.Problem{Place: at, Message: "must be path=value, such as machine.network.latency=3us"})
		}
		one, variant, path := p.of(path)
		for _, e := range p.Experiments {
			if e.Scenario != "" && (one == nil || one == e) {
				e.set(variant, Setting{path, value, at})
			}
		}
	}
	return problems.Err()
}

// of returns the experiment and the variant that a path begins with, and the rest of the
// path; nil and -1 mean all.
func (p *Paper) of(path string) (e *Experiment, variant int, rest string) {
	first, rest, _ := strings.Cut(path, ".")
	if e = p.experiment(first); e == nil {
		return nil, -1, path
	}
	second, last, _ := strings.Cut(rest, ".")
	if variant = e.variant(second); variant >= 0 {
		rest = last
	}
	return e, variant, rest
}

// set changes the runs of a variant, of all variants if it is -1.
func (e *Experiment) set(variant int, s Setting) {
	for i, run := range e.runs {
		if variant < 0 || variant == i/len(e.Points) {
			e.runs[i] = newRun(run.Scenario, run.Settings, []Setting{s})
		}
	}
}

// Named returns the claims with those ids, all if there are none. The error is of type keys.Problems.
func (p *Paper) Named(ids []string) (claims []*Claim, err error) {
	if len(ids) == 0 {
		return p.Claims, nil
	}
	var problems keys.Problems
	for _, id := range ids {
		c := p.Claim(id)
		if c == nil {
			problems = append(problems, keys.Problem{Place: keys.Place{Flag: "--claims " + id}, Message: p.noClaim(id)})
		} else if !slices.Contains(claims, c) {
			claims = append(claims, c)
		}
	}
	return claims, problems.Err()
}

// noClaim says that there is no claim with an id.
func (p *Paper) noClaim(id string) string {
	if near := keys.Nearest(id, namesOf(p.Claims, (*Claim).id)); near != "" {
		return fmt.Sprintf("%s has no such claim, did you mean %s?", p.Name, near)
	}
	return fmt.Sprintf("%s has no such claim; 'overlapsim reproduce %[1]s' lists them", p.Name)
}

// Needed returns the runs that claims need, each simulation once.
func (p *Paper) Needed(claims []*Claim) (runs []*Run) {
	for _, c := range claims {
		runs = append(runs, p.needed(c)...)
	}
	return distinct(runs)
}

// Try runs what claims need, and judges them.
func (p *Paper) Try(claims []*Claim, runner Runner, progress func(done, total int)) ([]*Verdict, error) {
	results := Results{}
	if err := results.Get(p.Needed(claims), runner, progress); err != nil {
		return nil, err
	}
	return p.judgeAll(claims, results), nil
}
