package laws

import (
	"errors"
	"slices"
	"strings"

	"overlapsim/scenarios"
	"overlapsim/workloads"
)

// Generator draws cases by their numbers.
type Generator struct {
	tables *tables
	lab    *lab
}

// newGenerator returns a generator that asks the program in the lab which cases
// are right.
func newGenerator(t *tables, l *lab) *Generator { return &Generator{t, l} }

// Of cases that are wrong a share stays so; the others are drawn again where the
// program complains, so often at most.
const (
	staysWrong  = 0.05
	mendsPanic  = 0.9
	mostMending = 14
)

// draw returns the case of a number.
func (g *Generator) draw(n uint64) Case {
	d := newDraw(g.tables, n)
	c := d.scenario()
	if d.chance(staysWrong) {
		return c
	}
	for range mostMending {
		_, err := g.lab.load(c)
		var problems scenarios.Problems
		var panicked *crash
		switch {
		case errors.As(err, &problems):
			d.mend(&c, problems[d.IntN(len(problems))])
			c.Files = d.files
		case errors.As(err, &panicked) && d.chance(mendsPanic):
			c = d.scenario()
		default:
			return c
		}
	}
	return c
}

// mend draws again what a problem is about.
func (d *draw) mend(c *Case, p scenarios.Problem) {
	if p.Place.Flag != "" {
		c.Settings = slices.DeleteFunc(c.Settings, func(s string) bool { return strings.HasPrefix(p.Place.Flag, "--set "+s) })
		return
	}
	path := steps(p.Key)
	s := c.Scenario
	if p.Key == "" || s.at(path[0]) == nil {
		d.complete(s)
		path = []string{one(d, s.keys)}
	}
	switch {
	case path[0] == "workload" && len(path) == 2 && path[1] != "name" && s.at(path...) != nil:
		d.mendParameter(s, path[1])
	case path[0] == "workload" || path[0] == "ranks":
		d.mendRanks(s)
	case path[0] == "topology" && d.chance(0.7):
		s.put("topology", d.topology())
	case path[0] == "fabric" && len(path) == 1 && d.chance(0.5):
		s.put("machine", d.machine())
	case d.chance(0.2):
		s.put("machine", d.machine())
	default:
		d.without(c, path)
	}
}

// mendParameter draws a parameter of the workload again, or the ranks that it
// shall fit.
func (d *draw) mendParameter(s *Tree, name string) {
	table := d.tables.workloads[s.at("workload", "name").text]
	if d.chance(0.15) {
		d.mendRanks(s)
	} else if k := find(table, name); k == nil || small(k) && d.chance(0.4) {
		s.drop("workload", name)
	} else {
		s.at("workload").put(name, d.parameter(k))
	}
}

// mendRanks draws the ranks again, or the workload, or what it runs on.
func (d *draw) mendRanks(s *Tree) {
	switch p := d.Float64(); {
	case p < 0.6:
		d.ranks = one(d, []int{1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 9, 16, 18, 64})
		s.put("ranks", number(d.ranks))
	case p < 0.7:
		s.put("processes_per_node", number(1+d.IntN(4)))
	case p < 0.85:
		s.put("machine", d.machine())
	default:
		s.put("workload", d.workload(one(d, workloads.Names())))
	}
}

// without removes the innermost part of a case that a path leads to, or draws what
// is missing in it.
func (d *draw) without(c *Case, path []string) {
	n := len(path)
	for n > 1 && c.Scenario.at(path[:n]...) == nil {
		n--
	}
	k := find(d.tables.machine, path[1:]...)
	if inner := c.Scenario.at(path[:n]...); n == len(path)-1 && inner.form == mappingForm && k != nil && k.Needs == scenarios.Required && d.chance(0.9) {
		inner.put(k.name, d.value(k))
	} else {
		c.Scenario.drop(path[:n]...)
	}
	for _, name := range []string{"changes", "runs"} {
		if d.chance(0.5) {
			c.Scenario.drop(name)
		}
	}
	d.complete(c.Scenario)
}

// complete draws what every scenario has and this one has not.
func (d *draw) complete(s *Tree) {
	if s.at("machine") == nil {
		s.put("machine", d.machine())
	}
	if s.at("workload") == nil {
		s.put("workload", d.workload(one(d, workloads.Names())))
	}
	if s.at("ranks") == nil {
		s.put("ranks", number(d.ranks))
	}
}
