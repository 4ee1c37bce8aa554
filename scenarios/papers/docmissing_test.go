package papers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// judged judges a claim by a recorded value.
func (p *Paper) judged(c *Claim, text string) *Verdict {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		x = math.NaN()
	}
	return &Verdict{Paper: p, Claim: c, Simulated: x, Pass: c.Judged != Withheld && c.Holds(x), Analytic: p.analytic(c)}
}

// writeMissing writes what the model lacks for claims that do not hold, and the trials: a row each, with the settings
// of its command and the values of the claims.
func (p *Paper) writeMissing(b *strings.Builder, r *Recorded) {
	if len(p.Mechanisms) > 0 {
		fmt.Fprintf(b, "\n**What is missing, tried.** A row is `overlapsim reproduce %s --claims CLAIMS` with its settings; bold: the claim holds.\n", p.Name)
	}
	for _, m := range p.Mechanisms {
		fmt.Fprintf(b, "\n*%s.* %s\n", m.Lacks, m.Shows)
		if len(m.Trials) > 0 {
			p.writeTrials(b, m, r)
		}
	}
}

// writeTrials writes the values of the claims of a mechanism as published, as they are, and in each trial.
func (p *Paper) writeTrials(b *strings.Builder, m *Mechanism, r *Recorded) {
	fmt.Fprintf(b, "\n| | %s |\n|---|%s\n", strings.Join(m.Claims, " | "), strings.Repeat("---|", len(m.Claims)))
	row := func(name string, value func(*Claim) string) {
		fmt.Fprintf(b, "| %s |", name)
		for _, id := range m.Claims {
			fmt.Fprintf(b, " %s |", value(p.Claim(id)))
		}
		b.WriteString("\n")
	}
	row("published", func(c *Claim) string { return p.judged(c, r.Claims[c.ID]).within() })
	row("here", func(c *Claim) string { return p.judged(c, r.Claims[c.ID]).mark() })
	for i, trial := range m.Trials {
		row(fmt.Sprintf("%d: `%s`", i+1, settingsOf(trial)), func(c *Claim) string { return p.judged(c, r.trial(m, i)[c.ID]).mark() })
	}
}

// mark writes the value of a claim, in bold if the claim holds.
func (v *Verdict) mark() string {
	if v.Pass {
		return "**" + v.simulated() + "**"
	}
	return v.simulated()
}

// trial returns the recorded values of a trial.
func (r *Recorded) trial(m *Mechanism, i int) map[string]string {
	if all := r.Trials[m.Name]; i < len(all) {
		return all[i]
	}
	return nil
}

// retried counts what trials make of predictions that are not reproduced.
type retried struct {
	Failed int // predictions that are not reproduced
	Claims int // failed predictions that were tried with other settings
	Hold   int // predictions that hold in one trial or more
	Free   int // of those, in a trial that breaks no claim of its table
	Trials int // that were run for them
}

// retrials counts the trials of a paper; verdicts judge its claims with unchanged settings.
func (p *Paper) retrials(verdicts []*Verdict, r *Recorded) (t retried) {
	trials := map[string]int{} // by mechanism
	for _, v := range verdicts {
		if v.Kind != Predicted || v.Pass || v.Judged == Withheld {
			continue
		}
		t.Failed++
		tried, holds, free := 0, 0, 0
		for _, m := range p.missing(v.Claim) {
			trials[m.Name] = len(m.Trials)
			tried += len(m.Trials)
			for i := range m.Trials {
				if p.judged(v.Claim, r.trial(m, i)[v.ID]).Pass {
					holds = 1
					free = max(free, int(1-bit(p.breaks(m, i, r))))
				}
			}
		}
		t.Claims += min(tried, 1)
		t.Hold += holds
		t.Free += free
	}
	for _, n := range trials {
		t.Trials += n
	}
	return t
}

// breaks tells whether a claim of the mechanism is reproduced and does not hold in a trial.
func (p *Paper) breaks(m *Mechanism, i int, r *Recorded) bool {
	return slices.ContainsFunc(m.Claims, func(id string) bool {
		return p.judged(p.Claim(id), r.Claims[id]).Pass && !p.judged(p.Claim(id), r.trial(m, i)[id]).Pass
	})
}

// add adds the counts of another paper.
func (t *retried) add(u retried) {
	t.Failed += u.Failed
	t.Claims += u.Claims
	t.Hold += u.Hold
	t.Free += u.Free
	t.Trials += u.Trials
}

// String says what trials make of the predictions that are not reproduced.
func (t retried) String() string {
	return fmt.Sprintf("Of %d predictions that are not reproduced, %d are tried with other numbers, in %d trials; %d of them hold in one trial or more, "+
		"%d in a trial that breaks no claim of its table", t.Failed, t.Claims, t.Trials, t.Hold, t.Free)
}

// changed returns the paper, loaded anew, with the settings of a trial, and the claims of the mechanism.
func (m *Mechanism) changed(paper string, trial []Setting) (*Paper, []*Claim, error) {
	p, err := Load(paper)
	if err != nil {
		return nil, nil, err
	}
	var settings []string
	for _, s := range trial {
		settings = append(settings, s.String())
	}
	claims, err := p.Named(m.Claims)
	if err == nil {
		err = p.Set(settings)
	}
	return p, claims, err
}
