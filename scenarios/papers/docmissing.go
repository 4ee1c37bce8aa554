package papers

import (
	"fmt"
	"math"
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

// writeMissing writes what the model lacks for claims that do not hold, the trials as
// commands, and their results.
func (p *Paper) writeMissing(b *strings.Builder, r *Recorded) {
	if len(p.Mechanisms) > 0 {
		b.WriteString("\n**What is missing, tried**\n")
	}
	for _, m := range p.Mechanisms {
		fmt.Fprintf(b, "\n*%s.* %s\n", m.Lacks, m.Shows)
		m.writeCommands(b, p.Name)
		p.writeTrials(b, m, r)
	}
}

// writeCommands writes the trials of a mechanism, numbered.
func (m *Mechanism) writeCommands(b *strings.Builder, paper string) {
	if len(m.Trials) == 0 {
		return
	}
	b.WriteString("\n```sh\n")
	for i, trial := range m.Trials {
		fmt.Fprintf(b, "%s   # %d\n", m.command(paper, trial), i+1)
	}
	b.WriteString("```\n")
}

// writeTrials writes the value of a claim of a mechanism without changes and in each trial.
func (p *Paper) writeTrials(b *strings.Builder, m *Mechanism, r *Recorded) {
	b.WriteString("\n| claim | published | here |")
	for i := range m.Trials {
		fmt.Fprintf(b, " %d |", i+1)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(m.Trials)) + "\n")
	for _, id := range m.Claims {
		c := p.Claim(id)
		here := p.judged(c, r.Claims[id])
		fmt.Fprintf(b, "| %s | %s | %s |", id, here.within(), here.mark())
		for i := range m.Trials {
			fmt.Fprintf(b, " %s |", p.judged(c, r.trial(m, i)[id]).mark())
		}
		b.WriteString("\n")
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
