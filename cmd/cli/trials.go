package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/papers"
)

// trials are the flags that judge claims of a paper with other numbers.
type trials struct {
	flags         *pflag.FlagSet
	ids, settings *[]string
}

func newTrials(flags *pflag.FlagSet) trials {
	return trials{flags,
		flags.StringSlice("claims", nil, "check a `LIST` of claims, by name, of one paper"),
		flags.StringArray("set", nil, "try it with another `path=value`, or fig4.path=value (repeatable)"),
	}
}

// check refuses what a trial does not do.
func (t trials) check(names []string) error {
	if len(names) != 1 {
		return &usageError{"reproduce", "--claims and --set are for one paper; name it"}
	}
	for _, drawn := range []string{"html", "figure"} {
		if t.flags.Changed(drawn) {
			return &usageError{"reproduce",
				fmt.Sprintf("--%s draws all runs of a paper as they are; give it without --claims and --set", drawn)}
		}
	}
	return nil
}

// run judges the claims and prints the verdicts.
func (t trials) run(c *call, names []string, asJSON bool) error {
	if err := t.check(names); err != nil {
		return err
	}
	p, claims, err := t.load(names[0])
	if err != nil {
		return err
	}
	verdicts, err := judge(c, p, claims)
	if err != nil {
		return err
	}
	r := &reproduction{papers: []*papers.Paper{p}, verdicts: [][]*papers.Verdict{verdicts}}
	if err := r.print(c.unfiled(), asJSON); err != nil {
		return err
	}
	return unexplained(verdicts)
}

// load loads the paper with the settings, and the claims.
func (t trials) load(name string) (*papers.Paper, []*papers.Claim, error) {
	p, err := papers.Load(name)
	if err != nil {
		return nil, nil, err
	}
	claims, err := p.Named(*t.ids)
	if err == nil {
		err = p.Set(*t.settings)
	}
	if err == nil {
		err = papers.Check(p.Needed(claims))
	}
	return p, claims, err
}

// judge runs what claims need and judges them, until it is told to stop.
func judge(c *call, p *papers.Paper, claims []*papers.Claim) ([]*papers.Verdict, error) {
	i := interruptible(c.errors)
	defer i.end()
	line := newProgress(c.errors, len(p.Needed(claims)))
	defer line.clear()
	verdicts, err := p.Try(claims, i.simulate(), func(int, int) { line.step(p.Name) })
	if isStopped(err) {
		return nil, partial("reproduce", "no claim was judged")
	}
	return verdicts, err
}
