package papers

import (
	"flag"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/limited"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// Every file of the folder is a paper, loads, and says of every claim where it is in the
// paper and how it is judged. Reading checks the latter; this test checks that nothing is
// empty.
func TestLibrary(t *testing.T) {
	must.Long(t)
	entries := must.Get(fs.Glob(embedded, "*.yaml"))(t)
	if len(entries) != len(Names()) || len(entries) == 0 {
		t.Errorf("%d files, but %d papers: %v, %v", len(entries), len(Names()), entries, Names())
	}
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := Check(p.Runs()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, c := range p.Claims {
			if c.ID == "" || c.Place == "" || c.Text == "" || c.Reason == "" || c.Metric.Text == "" || c.Tolerance < 0 {
				t.Errorf("%s: claim %+v", name, c)
			}
			_, err := os.Stat("fits/" + c.Fit + ".yaml")
			if _, dense := os.Stat("densefits/" + c.Fit + ".result.yaml"); c.Fit != "" && err != nil && dense != nil {
				t.Errorf("%s: %s is used in the fit %s, which is not there", name, c.ID, c.Fit)
			}
			if c.Judged != Truth && c.Unit == "" {
				t.Errorf("%s: claim %s has no unit", name, c.ID)
			}
		}
	}
}

func TestLoadMistakes(t *testing.T) {
	for name, want := range map[string]string{"prodes": "did you mean probes?", "../probes": "no such paper", "": "no such paper"} {
		must.Refuse(Load(name))(t, want)
	}
}

var update = flag.Bool("update", false, "record the results of the papers that are run, and write what follows from them")

var everyClaim = flag.Bool("every-claim", os.Getenv("EVERY_TEST") != "",
	"run every simulation of every paper as the command reproduce does, and judge the claims")

var papers = flag.String("papers", "", "of the papers, those in this list only, with -every-claim")

// quickPaper is checked by every run of the tests; all are with -every-claim, in turns where there are any.
const quickPaper = "mpi"

// turnOf tells whether a paper has its turn.
func turnOf(paper string) bool {
	return paper == quickPaper || limited.HeavyTurn(slices.Index(Names(), paper), "paper "+paper)
}

// apart is a claim with a turn of its own: the experiments that it alone needs take as long as half of the others of its paper.
const (
	apart   = "pencils-gain-nothing"
	apartOf = "bgp"
	itsOwn  = "pencils" // begins the names of these experiments
)

func turnOfApart() bool { return limited.HeavyTurn(0, "claim "+apart) }

// Every claim of every paper can be computed and is reproduced, or it is known why not.
func TestReproduce(t *testing.T) {
	must.Long(t)
	names := []string{quickPaper}
	if *everyClaim {
		names = slices.DeleteFunc(Names(), func(name string) bool { return !turnOf(name) })
	}
	if *papers != "" {
		names = strings.Split(*papers, ",")
	}
	for _, name := range names {
		p := must.Get(Load(name))(t)
		if name == apartOf && !turnOfApart() {
			p.Claims = slices.DeleteFunc(p.Claims, func(c *Claim) bool { return c.ID == apart })
			p.Experiments = slices.DeleteFunc(p.Experiments, func(e *Experiment) bool { return strings.HasPrefix(e.Name, itsOwn) })
		}
		results, verdicts, err := p.Reproduce(once.simulate, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkVerdicts(t, p, verdicts)
		checkPage(t, p, Page([]*Paper{p}, []Results{results}, verdicts), results, verdicts)
	}
	if *everyClaim && *papers == "" && !slices.Contains(names, apartOf) && turnOfApart() {
		p := must.Get(Load(apartOf))(t)
		checkVerdicts(t, p, must.Get(p.Try([]*Claim{p.Claim(apart)}, once.simulate, nil))(t))
	}
}

// checkVerdicts checks that claims are computed, and are reproduced or it is known why not, as recorded.
func checkVerdicts(t *testing.T, p *Paper, verdicts []*Verdict) {
	t.Helper()
	if n := Count(verdicts).Unexplained; n > 0 {
		t.Errorf("%s: %d claims are not reproduced: see overlapsim reproduce %[1]s", p.Name, n)
	}
	for _, v := range verdicts {
		if v.Simulated != v.Simulated && v.Status() != NotPredicted {
			t.Errorf("%s: %s cannot be computed: %s", p.Name, v.ID, v.Why)
		}
	}
	checkRecorded(t, p, verdicts)
	t.Log(Count(verdicts))
}

// checkPage checks that a page has the panels of all figures.
func checkPage(t *testing.T, p *Paper, page *report.Page, results Results, verdicts []*Verdict) {
	t.Helper()
	if len(page.Claims) != len(p.Claims) {
		t.Errorf("%d claims on the page, %d in the paper", len(page.Claims), len(p.Claims))
	}
	panels := 0
	if drawable(verdicts) >= leastPoints {
		panels++ // published next to simulated
	}
	for _, f := range p.Figures {
		panels += len(f.Panels)
		if _, err := p.panels(f, results); err != nil {
			t.Errorf("%s/%s: %v", p.Name, f.Name, err)
		}
	}
	if panels != len(page.Figures) {
		t.Errorf("%s: %d figures on the page, want %d", p.Name, len(page.Figures), panels)
	}
}

// The same run gives the same metrics, bit by bit.
func TestSimulateTwice(t *testing.T) {
	r := newRun("ft-pencils-jacquard", []Setting{{Path: "workload.rows", Value: "64"}, {Path: "ranks", Value: "4"}})
	first := must.Get(Simulate(r))(t)
	second := must.Get(Simulate(r))(t)
	if len(first) == 0 {
		t.Error("no metrics")
	}
	for name, x := range first {
		if second[name] != x {
			t.Errorf("%s: %g, then %g", name, x, second[name])
		}
	}
}

func TestSeveralRuns(t *testing.T) {
	_, err := Simulate(newRun("ft", []Setting{{Path: "ranks", Value: "4", Place: keys.Place{File: "x.yaml", Line: 3, Column: 4}}}))
	if err == nil || err.Error() != "x.yaml:3:4: scenario: ft has 6 runs; an experiment starts from one" {
		t.Errorf("got %v", err)
	}
}
