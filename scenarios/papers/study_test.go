package papers

import (
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Every simulated experiment is a scenario: a run for each variant and point,
// in the order of its figure.
func TestExperimentsAreStudies(t *testing.T) {
	must.Long(t)
	names, titles, err := Experiments()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		paper, experiment, _ := strings.Cut(name, "/")
		p := must.Get(Load(paper))(t)
		e := p.experiment(experiment)
		study := must.Get(LoadStudy(name, nil))(t)
		if len(study.Runs) != len(e.Variants)*len(e.Points) || study.Title != titles[i] {
			t.Errorf("%s: %d runs, title %q", name, len(study.Runs), study.Title)
		}
	}
}

func TestLoadStudy(t *testing.T) {
	for name, runs := range map[string]int{"probes/fig4": 24, "probes/fig4/P": 8, "probes/fig4/P/8192x512": 1, "ft": 0, "probes": 0,
		"nobody/fig4": 0} {
		study := must.Get(LoadStudy(name, []string{"seed=3"}))(t)
		got := 0
		if study != nil {
			got = len(study.Runs)
		}
		if got != runs {
			t.Errorf("%s: %d runs, want %d", name, got, runs)
		}
	}
	for name, want := range map[string]string{
		"probes/fig44":    "scenario probes/fig44: no experiment is called probes/fig44, did you mean probes/fig4?",
		"probes/fig4/P/9": "scenario probes/fig4/P/9: no variant and point is called P/9, there are E/1024x4096, ",
	} {
		if _, err := LoadStudy(name, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadStudy("probes/fig4/P/8192x512", []string{"workload.rows=3"}); err == nil {
		t.Error("a wrong setting is taken")
	}
	// Nobody who gives a machine wrote the file of the paper.
	_, err := LoadStudy("bgp/mappings", []string{"machine=frontera"})
	want := "scenario bgp/mappings: XYZT orders the dimensions of a torus, the topology is a fat tree"
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("another machine: %v", err)
	}
}
