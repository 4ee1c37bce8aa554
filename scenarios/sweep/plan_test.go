package sweep

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/network/fabrics"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// small is a scenario that runs in about a millisecond.
const small = `# with a comment
title: A small one
machine: loggp
workload: {name: ft-slabs, rows: 16, row_length: 16}
ranks: 4
`

func writeText(t *testing.T, name, text string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(name), 0o777))
	must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

// newPlan makes the plan of a scenario text.
func newPlan(t *testing.T, text string, r Request) *Plan {
	t.Helper()
	r.Scenario = writeText(t, filepath.Join(t.TempDir(), "small.yaml"), text)
	if r.Design == "" {
		r.Design = "grid"
	}
	return must.Get(New(r))(t)
}

func settingsOf(p *Plan) (all []string) {
	for _, point := range p.Points {
		all = append(all, strings.TrimSpace(point.Run+" "+strings.Join(p.settings(point), " ")))
	}
	return all
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlan(t *testing.T) {
	p := newPlan(t, small, Request{Vary: []string{"ranks=2,4", "machine.network.gap=1us..2us:2"}, Set: []string{"workload.rows=8"}})
	same(t, settingsOf(p),
		"workload.rows=8 ranks=2 machine.network.gap=1us", "workload.rows=8 ranks=2 machine.network.gap=2us",
		"workload.rows=8 ranks=4 machine.network.gap=1us", "workload.rows=8 ranks=4 machine.network.gap=2us")
	if p.Title != "A small one" || len(p.Files) != 1 || p.Files[0] != (File{"small.yaml", small}) {
		t.Errorf("got %q, %+v", p.Title, p.Files)
	}
}

// Each of a scenario's runs is run at every point.
func TestPlanOfRuns(t *testing.T) {
	text := small + "runs:\n  - {name: as it is}\n  - {name: slow, machine.network.latency: 1ms}\n"
	p := newPlan(t, text, Request{Vary: []string{"ranks=2,4"}})
	same(t, settingsOf(p), "as it is ranks=2", "as it is ranks=4", "slow ranks=2", "slow ranks=4")
	folder := t.TempDir()
	must.Do(t, p.unpackTo(folder))
	for i, latency := range []string{"5us", "5us", "1ms", "1ms"} {
		s, err := p.load(folder, p.Points[i])
		if err != nil || s.Name != p.Points[i].Run || s.Machine.Network.Latency.String() != latency {
			t.Errorf("point %d is %+v, %v", i, s, err)
		}
	}
}

// A key that only some of the runs have is accepted in those runs.
func TestPlanOfDifferentRuns(t *testing.T) {
	text := small + "runs:\n  - {name: slabs}\n  - {name: overlap, workload.name: ft-overlap}\n"
	p := newPlan(t, text, Request{Vary: []string{"workload.messages=4,8"}})
	folder := t.TempDir()
	must.Do(t, p.unpackTo(folder))
	for i, right := range []bool{false, false, true, true} {
		if _, err := p.load(folder, p.Points[i]); (err == nil) != right {
			t.Errorf("point %d: %v", i, err)
		}
	}
}

// If a key holds whole numbers, computed levels are rounded, and duplicates are removed.
// Otherwise they are not rounded.
func TestWholeLevels(t *testing.T) {
	p := newPlan(t, small, Request{Vary: []string{"seed=1..3:4", "workload.computation=0..1:3"}})
	same(t, p.Factors[0].Levels, "1", "2", "3")
	same(t, p.Factors[1].Levels, "0", "0.5", "1")
	p = newPlan(t, small, Request{Design: "lhs", Vary: []string{"seed=1..9", "workload.computation=0..1"}, Samples: 4})
	for _, point := range p.Points {
		if strings.Contains(point.Levels[0], ".") || !strings.Contains(point.Levels[1], ".") && !point.Twin {
			t.Errorf("got %v", point.Levels)
		}
	}
}

// The same request gives the same bytes, which are read back as the same plan.
func TestPlanFile(t *testing.T) {
	r := Request{Design: "lhs", Vary: []string{"machine.network.gap=1us..2us", "ranks=2,4"}, Samples: 5, Seed: 7, Set: []string{"seed=3"}}
	var one, two, three bytes.Buffer
	newPlan(t, small, r).WriteTo(&one)
	newPlan(t, small, r).WriteTo(&two)
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("got\n%s\n%s", &one, &two)
	}
	read := must.Get(readPlan(bytes.NewReader(one.Bytes())))(t)
	read.WriteTo(&three)
	if !bytes.Equal(one.Bytes(), three.Bytes()) || len(read.Points) != 5+2 {
		t.Errorf("got\n%s\n%s", &one, &three)
	}
	for text, want := range map[string]string{
		"": "cut short", "x": "invalid character", `{"format":2}`: "has the format 2", `{"format":1}`: "its design",
		`{"format":1,"design":"grit"}`:                                       `"grit" is not known`,
		`{"format":1,"design":"grid"}` + "\n" + `{"point":1,"levels":[]}`:    "follows 0 points",
		`{"format":1,"design":"grid"}` + "\n" + `{"point":0,"levels":["1"]}`: "follows 0 points",
	} {
		must.Refuse(readPlan(strings.NewReader(text)))(t, want)
	}
}

// Files that the scenario, its runs, --set or --vary name are in the plan; the
// sweep does not need the originals.
func TestInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "lab/one.yaml", "title: One\nbase: ../lib/base.yaml\nnetwork: {gap: 1us}\n")
	writeText(t, "lib/base.yaml", "base: loggp\ncores: 2\n")
	writeText(t, "lib/one.yaml", "base: loggp\ncores: 3\n")
	writeText(t, "work/s.yaml", "machine: ../lab/one.yaml\nworkload: {name: ft-slabs, rows: 16, row_length: 16}\nranks: 4\n"+
		"runs:\n  - {name: a}\n  - {name: b, machine: {base: ../lib/base.yaml}}\n")
	p := must.Get(New(Request{Scenario: "work/s.yaml", Design: "grid",
		Vary: []string{"machine=lab/one.yaml,lib/one.yaml,{base: lib/base.yaml},jacquard"}}))(t)
	var names []string
	for _, f := range p.Files {
		names = append(names, f.Name)
	}
	same(t, names, "one.yaml", "base.yaml", "s.yaml", "s-2.yaml", "one-2.yaml", "inline.yaml")
	same(t, p.Factors[0].Levels, "one.yaml", "one-2.yaml", "inline.yaml", "jacquard")
	for _, folder := range []string{"lab", "lib", "work"} {
		os.RemoveAll(folder)
	}
	must.Do(t, p.unpackTo("input"))
	for i, cores := range []int{2, 3, 2, 2, 2, 3, 2, 2} {
		s, err := p.load("input", p.Points[i])
		if err != nil || s.Machine.Cores != cores {
			t.Errorf("point %d: %v, %v", i, s, err)
		}
	}
}

// So are libraries and calibrations, in the scenario, in its machine, in its changes, and
// in varied values.
func TestInputsOfParts(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "lib/mine.yaml", "base: openmpi-1.10\nmatching: 1us\n")
	writeText(t, "lib/other.yaml", "base: mine.yaml\nmatching: 2us\n")
	writeText(t, "lib/factors.yaml", "c_avg: {distances: [1], factors: [1.5]}\n")
	writeText(t, "lib/machine.yaml", "base: loggp\nruntime: mine.yaml\n")
	writeText(t, "s.yaml", "machine: lib/machine.yaml\nworkload: {name: ft-slabs, rows: 16, row_length: 16}\nranks: 4\n"+
		"fabric: {kind: calibrated, calibration: lib/factors.yaml}\nruns:\n  - {name: a}\n  - {name: b, machine.runtime: lib/other.yaml}\n")
	p := must.Get(New(Request{Scenario: "s.yaml", Design: "grid", Vary: []string{"seed=1,2"},
		Set: []string{"fabric.calibration=lib/factors.yaml"}}))(t)
	q := must.Get(New(Request{Scenario: "s.yaml", Design: "grid",
		Vary: []string{"machine.runtime=lib/mine.yaml,lib/other.yaml,{base: lib/other.yaml},none"}}))(t)
	os.RemoveAll("lib")
	os.Remove("s.yaml")
	for _, c := range []struct {
		plan *Plan
		want []sim.Time // matching, by point
	}{{p, []sim.Time{1, 1, 2, 2}}, {q, []sim.Time{1, 2, 2, -1, 1, 2, 2, -1}}} {
		must.Do(t, c.plan.unpackTo("input"))
		for i, want := range c.want {
			s, err := c.plan.load("input", c.plan.Points[i])
			if err != nil {
				t.Errorf("point %d: %v", i, err)
				continue
			}
			got := sim.Time(-1)
			if r := s.Machine.Runtime; r != nil {
				got = r.Matching / sim.Microsecond
			}
			if got != want {
				t.Errorf("point %d: matching takes %d us, want %d", i, got, want)
			}
		}
		os.RemoveAll("input")
	}
}

// Mistakes in a sweep, all of them at once.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		r    Request
		want string
	}{
		{"nothing varied", small, Request{}, "--vary: is missing; give at least one, such as --vary ranks=8,16,32"},
		{"unknown key", small, Request{Vary: []string{"ranks=2,4", "workload.row=8,16"}},
			"--vary workload.row=8,16: unknown key, did you mean rows?"},
		{"unknown key of a range", small, Request{Vary: []string{"rank=1..4", "sed=1,1"}},
			"--vary rank=1..4: unknown key, did you mean ranks?\n--vary sed=1,1: unknown key, did you mean seed?"},
		{"no unit", small, Request{Vary: []string{"machine.network.gap=1,2"}},
			"--vary machine.network.gap=1,2: must be a time such as 3us, got 1, which has no unit"},
		{"twice", small, Request{Vary: []string{"ranks=2", "ranks=4"}, Set: []string{"seed=1"}},
			"--vary ranks=4: gives ranks a value, and so does --vary ranks=2"},
		{"set too", small, Request{Vary: []string{"ranks=2"}, Set: []string{"ranks=4"}},
			"--vary ranks=2: gives ranks a value, and so does --set ranks=4"},
		{"design", small, Request{Design: "grit", Vary: []string{"ranks=2"}, Samples: 3},
			"--design grit: must be one of grid, lhs, one-at-a-time"},
		{"samples", small, Request{Vary: []string{"ranks=2"}, Samples: 3},
			"--samples 3: is for --design lhs; the other designs have the points that --vary says"},
		{"no samples", small, Request{Design: "lhs", Vary: []string{"ranks=2"}, Samples: -3}, "--samples -3: must be 1 to 1000000"},
		{"continuous", small, Request{Vary: []string{"machine.network.gap=1us..2us"}},
			"--vary machine.network.gap=1us..2us: 1us..2us needs a number of values, as in 1us..2us:5; only a Latin hypercube (--design lhs) " +
				"samples a whole range"},
		{"too large", small, Request{Vary: []string{"seed=1..2000:2000", "ranks=1..2000:2000"}},
			"--vary: the sweep has more than 1000000 points; vary less, or take a Latin hypercube: --design lhs"},
		{"every point wrong", small, Request{Vary: []string{"ranks=3,5"}},
			"small.yaml:4:28: workload.rows: must be a multiple of the 3 ranks, got 16"},
		{"scenario", "machine: loggpp\nranks: x\n", Request{Vary: []string{"seed=1,1"}}, "--vary seed=1,1: has a value twice: 1\n" +
			"small.yaml:1:1: workload: is missing; it is name of the workload, and its parameters\n" +
			"small.yaml:1:1: machine: no machine is called loggpp; did you mean loggp?\n" +
			"small.yaml:2:1: ranks: must be a whole number such as 32, got x"},
		{"words", small, Request{Vary: []string{"machine=loggp,jaquard,gone.yaml,hopper", "ranks=2,two", "fabric.kind=ideal,flw"}},
			"--vary machine=loggp,jaquard,gone.yaml,hopper: no machine is called jaquard; did you mean jacquard?\n" +
				"--vary machine=loggp,jaquard,gone.yaml,hopper: gone.yaml cannot be read: no such file or directory; " +
				"'overlapsim show hdr-infiniband --yaml' prints one to save and change\n" +
				"--vary ranks=2,two: must be a whole number such as 32, got two\n" +
				"--vary fabric.kind=ideal,flw: must be one of " + strings.Join(fabrics.Names(), ", ") + ", got flw; did you mean flow?"},
		{"setting", small, Request{Vary: []string{"seed=1,2"}, Set: []string{"rank=3", "x"}},
			"--set x: must be path=value, such as machine.network.latency=3us\n--set rank=3: unknown key, did you mean ranks?"},
		{"no YAML", "a: b: c", Request{Vary: []string{"seed=1"}}, "small.yaml:1:1: is not YAML: mapping values are not allowed in this context"},
	} {
		t.Chdir(t.TempDir())
		c.r.Scenario = writeText(t, "small.yaml", c.text)
		if c.r.Design == "" {
			c.r.Design = "grid"
		}
		_, err := New(c.r)
		var problems keys.Problems
		if !errors.As(err, &problems) || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
}

// A point that is wrong while others are right is not a mistake of the sweep.
func TestWrongPoint(t *testing.T) {
	p := newPlan(t, small, Request{Vary: []string{"ranks=3,4"}})
	folder := t.TempDir()
	must.Do(t, p.unpackTo(folder))
	_, _, err := p.compute(folder, p.Points[0])
	if want := "small.yaml:4:28: workload.rows: must be a multiple of the 3 ranks, got 16"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if record, _, err := p.compute(folder, p.Points[1]); err != nil || record.Ranks != 4 {
		t.Errorf("got %v, %v", record, err)
	}
}

// The title of a scenario that is made names its defaults, and none of a path that is varied.
func TestTitleOfDefaults(t *testing.T) {
	for vary, without := range map[string]string{"workload.bytes=16KiB,32KiB": "bytes", "ranks=8,16": "ranks", "machine=jacquard,bassi": "machine"} {
		plan := must.Get(New(Request{Scenario: "halo", Vary: []string{vary}, Set: []string{"processes_per_node=2"}, Design: "grid"}))(t)
		if !strings.Contains(plan.Title, "halo (defaults: ") || strings.Contains(plan.Title, without) || strings.Contains(plan.Title, "node") {
			t.Errorf("%s: %q", vary, plan.Title)
		}
	}
}
