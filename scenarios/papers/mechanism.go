package papers

import (
	"strings"

	"overlapsim/scenarios/keys"
)

// Mechanism is what the model lacks for some claims to hold. Its trials show how much of
// the difference it explains: the same claims, judged with other settings.
type Mechanism struct {
	Name   string
	Lacks  string   // in a few words
	Claims []string // those that fail without it, and others that the trials change
	Trials [][]Setting
	Shows  string // what the trials show, and what else is known
	at     keys.Place
}

// readMechanisms reads what the model lacks for a paper's claims.
func (p *paperReader) readMechanisms(t keys.Tree) {
	for name, v := range t.Entries() {
		m := &Mechanism{Name: name, at: v.Place()}
		var claims, trials keys.Tree
		v.Decode(
			required("lacks", &m.Lacks, "what the model lacks, in a few words"),
			required("claims", &claims, "the names of the claims that are not reproduced without it"),
			optional("trials", &trials, "a list of settings, as of --set, with which they are judged again"),
			required("shows", &m.Shows, "what the trials say"),
		)
		m.Claims = claims.Texts()
		for trial := range trials.Items() {
			m.Trials = append(m.Trials, readSettings(trial))
		}
		p.Mechanisms = append(p.Mechanisms, m)
	}
}

// checkMechanisms reports claims that the paper does not have.
func (p *paperReader) checkMechanisms() {
	for _, m := range p.Mechanisms {
		for _, id := range m.Claims {
			if p.Claim(id) == nil {
				p.problems = append(p.problems, keys.Problem{Place: m.at, Key: "missing." + m.Name + ".claims", Message: p.noClaim(id)})
			}
		}
	}
}

// missing returns the mechanisms without which a claim fails.
func (p *Paper) missing(c *Claim) (all []*Mechanism) {
	for _, m := range p.Mechanisms {
		for _, id := range m.Claims {
			if id == c.ID {
				all = append(all, m)
			}
		}
	}
	return all
}

// command writes a trial as the command that a user types.
func (m *Mechanism) command(paper string, trial []Setting) string {
	return "overlapsim reproduce " + paper + " --claims " + strings.Join(m.Claims, ",") + " " + settingsOf(trial)
}

// settingsOf writes settings as options of a command.
func settingsOf(trial []Setting) string {
	var all []string
	for _, s := range trial {
		all = append(all, "--set "+keys.ForShell(s.String()))
	}
	return strings.Join(all, " ")
}
