package papers

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"overlapsim/scenarios/keys"
)

// Verdict is a claim and its result here.
type Verdict struct {
	Paper *Paper
	*Claim
	Simulated float64 // a Truth is 1 or 0; NaN: could not be computed
	Pass      bool    // false for withheld claims
	Analytic  bool    // computed without a simulation
	Why       string  // what did not hold, in numbers
}

// Status is the outcome of a claim.
type Status uint8

// The statuses of a claim.
const (
	Reproduced    Status = iota
	NotReproduced        // does not hold, without an explanation
	KnownFailure         // does not hold; the explanation is in the paper's file
	NowReproduced        // holds although the file explains why it does not
	Computed             // nothing is published here to compare with
	NotPredicted         // ... and nothing is computed either
)

func (s Status) String() string {
	return [...]string{"ok", "NOT REPRODUCED", "not reproduced (known)", "ok (was known not to)", "computed", "not predicted"}[s]
}

// short is the status in a table of claims.
func (s Status) short() string {
	return [...]string{"yes", "NO", "no, known", "yes, new", "-", "not predicted"}[s]
}

// Status returns the outcome of the claim.
func (v *Verdict) Status() Status {
	switch {
	case v.Unknown != "":
		return NotPredicted
	case v.Judged == Withheld:
		return Computed
	case !v.Pass && v.Explanation() != "":
		return KnownFailure
	case !v.Pass:
		return NotReproduced
	case v.Known != "":
		return NowReproduced
	}
	return Reproduced
}

// Explanation says why the claim does not hold, as far as the paper's file says it.
func (v *Verdict) Explanation() string {
	if v.Known == "" && !v.Pass {
		return v.Residual
	}
	return v.Known
}

// judgeAll judges claims by the results of runs.
func (p *Paper) judgeAll(claims []*Claim, results Results) (verdicts []*Verdict) {
	for _, c := range claims {
		verdicts = append(verdicts, p.judge(c, results))
	}
	return verdicts
}

func (p *Paper) judge(c *Claim, results Results) *Verdict {
	v := &Verdict{Paper: p, Claim: c, Analytic: p.analytic(c)}
	if c.Unknown != "" {
		v.Simulated, v.Why = math.NaN(), c.Unknown
		return v
	}
	x, err := p.eval(&c.Metric, c.cell, results)
	if err != nil {
		v.Simulated, v.Why = math.NaN(), err.Error()
		return v
	}
	v.Simulated = x
	v.Pass = c.Judged != Withheld && c.Holds(x)
	if c.Judged == Truth && !v.Pass {
		v.Why = p.why(c, results)
	}
	return v
}

// analytic tells whether a claim is judged by closed forms alone.
func (p *Paper) analytic(c *Claim) bool {
	return !slices.ContainsFunc(p.needed(c), func(r *Run) bool { return r.Scenario != "" })
}

// needed returns the runs that a claim needs.
func (p *Paper) needed(c *Claim) []*Run {
	runs, err := p.needs(&c.Metric, c.cell)
	if err != nil {
		panic(fmt.Sprintf("papers: claim %s was not checked: %v", c.ID, err))
	}
	return runs
}

// Runs returns the runs of all experiments, each simulation once.
func (p *Paper) Runs() (runs []*Run) {
	for _, e := range p.Experiments {
		runs = append(runs, e.runs...)
	}
	return distinct(runs)
}

// distinct are runs, each simulation once.
func distinct(runs []*Run) []*Run {
	seen := map[string]bool{}
	return slices.DeleteFunc(runs, func(r *Run) bool {
		key := r.key()
		before := seen[key]
		seen[key] = true
		return before
	})
}

// Reproduce runs all experiments of a paper and judges its claims.
func (p *Paper) Reproduce(runner Runner, progress func(done, total int)) (Results, []*Verdict, error) {
	runs := p.Runs()
	results := Results{}
	if err := results.Get(runs, runner, progress); err != nil {
		return nil, nil, err
	}
	if err := p.checkBars(results); err != nil {
		return nil, nil, err
	}
	return results, p.judgeAll(p.Claims, results), nil
}

// checkBars reports pieces of a figure that no run of its experiment has.
func (p *Paper) checkBars(results Results) error {
	var problems keys.Problems
	for _, e := range p.Experiments {
		for _, bar := range e.Bars {
			has := func(r *Run) bool { _, ok := results[r.key()][bar.Metric]; return ok }
			if !slices.ContainsFunc(e.runs, has) {
				problems = append(problems, keys.Problem{Place: e.Place, Key: "experiments." + e.Name, Message: "no run has the metric " +
					bar.Metric + " of the bar " + strconv.Quote(bar.Name)})
			}
		}
	}
	return problems.Err()
}
