package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/report"
)

var reproduceCommand = command{
	name:  "reproduce",
	args:  "[PAPER]...",
	title: "check published claims one by one",
	text: `Runs the experiments of published studies and checks each of their claims.
Without a name it checks all papers: ` + strings.Join(papers.Names(), ", ") + `. Each claim
has a kind, and the headline counts predictions alone: a fitted claim was used
to find a machine's parameters, a derived one gave a number that it checks, and
one of construction holds for any numbers of the machine. For withheld claims
only the simulated value is shown. The exit status is 1 if a claim is not
reproduced, unless the paper's file explains why.`,
	example: "overlapsim reproduce mpi",
	setup: func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print the claims as JSON")
		htmlFile := outputFlag(flags, "html", "write the figures and claims to `FILE`")
		figure := newPictures(flags)
		try := newTrials(flags)
		return func(c *call, args []string) error {
			if len(args) == 0 {
				args = papers.Names()
			}
			if len(*try.ids)+len(*try.settings) > 0 {
				return try.run(c, args, *asJSON)
			}
			r, err := newReproduction(args)
			if err != nil {
				return err
			}
			files, err := figure.pageFiles("reproduce", *htmlFile)
			if err != nil {
				return err
			}
			i := interruptible(c.errors)
			err = r.run(c, i)
			if i.end(); isStopped(err) {
				return r.partial(c, *asJSON)
			}
			if err != nil {
				return err
			}
			if err := files.write(func() *report.Page { return papers.Page(r.papers, r.results, r.all()) }); err != nil {
				return err
			}
			if err := r.print(c, *asJSON); err != nil {
				return err
			}
			return unexplained(r.all())
		}
	},
}

// unexplained reports claims that are not reproduced and have no explanation.
func unexplained(verdicts []*papers.Verdict) error {
	if n := papers.Count(verdicts).Unexplained; n > 0 {
		return fmt.Errorf("%d claims were not reproduced, and have no explanation", n)
	}
	return nil
}

// reproduction is the results of the experiments of some papers.
type reproduction struct {
	papers   []*papers.Paper
	results  []papers.Results
	verdicts [][]*papers.Verdict
}

// newReproduction loads papers, each once.
func newReproduction(names []string) (*reproduction, error) {
	r := &reproduction{}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		p, err := papers.Load(name)
		if err == nil {
			err = papers.Check(p.Runs())
		}
		if err != nil {
			return nil, err
		}
		r.papers = append(r.papers, p)
	}
	return r, nil
}

// partial prints the papers that were done when the command was told to stop.
func (r *reproduction) partial(c *call, asJSON bool) error {
	all := len(r.papers)
	r.papers = r.papers[:len(r.verdicts)]
	if len(r.papers) > 0 && !asJSON {
		if err := r.print(c.unfiled(), false); err != nil {
			return err
		}
	}
	return partial("reproduce", fmt.Sprintf("%d of %d papers are done", len(r.papers), all))
}

// run checks the claims of the papers in order.
func (r *reproduction) run(c *call, i *interruption) error {
	simulate := i.simulate()
	for _, p := range r.papers {
		line := newProgress(c.errors, len(p.Runs()))
		results, verdicts, err := p.Reproduce(simulate, func(int, int) { line.step(p.Name) })
		line.clear()
		if err != nil {
			return err
		}
		r.results = append(r.results, results)
		r.verdicts = append(r.verdicts, verdicts)
	}
	return nil
}

// simulate returns the runner of a command that can be told to stop.
func (i *interruption) simulate() papers.Runner {
	return func(run *papers.Run) (map[string]float64, error) {
		if i.stopped() {
			return nil, scenarios.ErrStopped
		}
		return papers.Simulate(run)
	}
}

// all returns the verdicts on all papers.
func (r *reproduction) all() (all []*papers.Verdict) {
	for _, v := range r.verdicts {
		all = append(all, v...)
	}
	return all
}

func (r *reproduction) print(c *call, asJSON bool) error {
	return c.show(asJSON, papers.NewPrinted(r.papers, r.verdicts), func(p *printer) {
		for i, paper := range r.papers {
			if i > 0 {
				p.print("\n")
			}
			p.heading(paper.Name + ": " + paper.Title)
			p.print("\n")
			p.grid(papers.Rows(r.verdicts[i]), 1)
			p.print("%s", papers.Notes(paper, r.verdicts[i]))
		}
	})
}
