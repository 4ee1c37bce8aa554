package laws

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// generator draws cases by their numbers.
type generator struct {
	tables *tables
	lab    *lab
}

// newGenerator returns a generator that asks the program in the lab which cases
// are right.
func newGenerator(t *tables, l *lab) *generator { return &generator{t, l} }

// A share of the invalid cases stays invalid. The others are redrawn where the program
// reports a mistake, up to a number of times.
const (
	staysWrong  = 0.05
	mendsPanic  = 0.9
	mostMending = 14
)

// draw returns the case of a number.
func (g *generator) draw(n uint64) Case {
	d := newDraw(g.tables, n)
	c := d.scenario()
	if d.chance(staysWrong) {
		return c
	}
	for range mostMending {
		_, err := g.lab.load(c)
		var problems keys.Problems
		var panicked *crash
		switch {
		case errors.As(err, &problems):
			d.mend(&c, problems[d.IntN(len(problems))])
			c.Files = d.files
		case errors.As(err, &panicked) && d.chance(mendsPanic):
			d.mendPanic(&c)
		default:
			return c
		}
	}
	return c
}

// mendPanic draws the fabric again, which may not have been enough for the workload, or
// the whole case.
func (d *draw) mendPanic(c *Case) {
	if f := d.fabric(); f != nil && d.chance(0.5) {
		c.Scenario.put("fabric", f)
	} else {
		*c = d.scenario()
	}
}

// mend redraws the subject of a problem, or takes its advice.
func (d *draw) mend(c *Case, p keys.Problem) {
	if p.Place.Flag != "" {
		c.Settings = slices.DeleteFunc(c.Settings, func(s string) bool { return strings.HasPrefix(p.Place.Flag, "--set "+s) })
		return
	}
	path := steps(p.Key)
	s := c.Scenario
	if d.replaced(s, p) {
		return
	}
	if p.Key == "" || s.at(path[0]) == nil {
		d.complete(s)
		path = []string{one(d, s.keys)}
	}
	switch {
	case path[0] == "workload" && len(path) == 2 && path[1] != "name" && s.at(path...) != nil:
		d.mendParameter(s, path[1], advice(p.Message))
		d.fit(s)
	case path[0] == "workload" && len(path) == 1 && d.chance(0.6): // the machine has not all kernels
		s.put("machine", d.machine())
	case path[0] == "workload":
		d.mendRanks(s, advice(p.Message))
		d.fit(s)
	case path[0] == "ranks" && p.Kind == keys.Settled && d.chance(0.5):
		s.drop("ranks")
	case path[0] == "ranks" && p.Kind == keys.Settled:
		d.mendTorus(s)
	case path[0] == "ranks" || path[0] == "processes_per_node":
		d.mendRoom(s, path[0], advice(p.Message))
	case path[0] == "machine" && s.at("changes") != nil:
		s.drop("changes")
	case len(path) > 1 && path[len(path)-2] == "fabric" && d.chance(0.7):
		d.mendFabric(s, p.Message)
	case path[0] == "machine" && len(path) > 2 && path[1] != "network" && d.chance(0.4):
		s.drop(path[:2]...)
	case path[0] == "topology" && d.chance(0.7):
		s.put("topology", d.topology())
	case path[0] == "fabric" && d.chance(0.7):
		d.mendMachine(s, p.Message)
	case d.chance(0.2):
		s.put("machine", d.machine())
	default:
		d.without(c, path)
	}
}

// replaced takes the machine that a message names, the fabric that an experiment needs, or another
// workload than one whose file is missing.
func (d *draw) replaced(s *Tree, p keys.Problem) bool {
	switch _, machine, named := strings.Cut(p.Message, "take one such as "); {
	case p.Key == "machine" && named:
		s.put("machine", scalar(machine))
	case p.Key == "fabric.kind" && s.at("fabric") == nil:
		s.put("fabric", mapping())
		d.mendFabric(s, p.Message)
	case p.Key == "workload.file" && s.at("workload", "file") == nil:
		s.put("workload", d.workload(one(d, workloads.Names())))
	default:
		return false
	}
	return true
}

// mendFabric draws the fabric again, or takes the one that a message names.
func (d *draw) mendFabric(s *Tree, message string) {
	for _, kind := range find(d.tables.scenario, "fabric", "kind").Choices {
		if strings.Contains(message, "must be "+kind) {
			d.chosen[kind] = true
			s.set(scalar(kind), "fabric", "kind")
			return
		}
	}
	if f := d.fabric(); f != nil {
		s.put("fabric", f)
	} else {
		s.drop("fabric")
	}
}

var wholeNumber = regexp.MustCompile(`\b\d{1,3}\b`)

// advice returns the numbers in a message that are small enough to be a number of ranks,
// or a size.
func advice(message string) (all []int) {
	for _, text := range wholeNumber.FindAllString(message, -1) {
		if n, _ := strconv.Atoi(text); n > 0 && n <= 64 {
			all = append(all, n)
		}
	}
	return all
}

// mendParameter redraws a parameter of the workload, or the values that it must fit.
func (d *draw) mendParameter(s *Tree, name string, advice []int) {
	table := d.tables.workloads[s.at("workload", "name").text]
	k := find(table, name)
	switch p := d.Float64(); {
	case p < 0.35:
		d.mendRanks(s, nil)
	case p < 0.5:
		for _, k := range table {
			if small(k) {
				s.drop("workload", k.name)
			}
		}
	case p < 0.75 && len(advice) > 0 && k != nil && k.Is == keys.Count && !k.isText():
		s.at("workload").put(name, number(one(d, advice)*one(d, []int{1, 1, 2})))
	case k == nil || small(k) && d.chance(0.4):
		s.drop("workload", name)
	default:
		s.at("workload").put(name, d.parameter(k))
	}
}

// mendRanks draws the ranks again, or the workload.
func (d *draw) mendRanks(s *Tree, advice []int) {
	switch p := d.Float64(); {
	case p < 0.5 && len(advice) > 0:
		d.ranks = one(d, advice)
		s.put("ranks", number(d.ranks))
	case p < 0.95:
		d.ranks = one(d, []int{1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 9, 16, 16, 18, 64})
		s.put("ranks", number(d.ranks))
	default:
		s.put("workload", d.workload(one(d, workloads.Names())))
	}
}

// mendRoom makes room for the ranks, or reduces them, depending on the wrong key.
func (d *draw) mendRoom(s *Tree, key string, advice []int) {
	switch p := d.Float64(); {
	case p < 0.6 && len(advice) > 0 && key == "ranks":
		d.ranks = one(d, advice)
		s.put(key, number(d.ranks))
		d.fit(s)
	case p < 0.6 && len(advice) > 0:
		s.put(key, number(slices.Min(advice)))
	case p < 0.7:
		s.put("processes_per_node", number(1))
	case p < 0.8:
		s.put("machine", d.machine())
	default:
		d.mendRanks(s, nil)
		d.fit(s)
	}
}

// mendTorus lays a rank on every node of a small torus.
func (d *draw) mendTorus(s *Tree) {
	t := mapping()
	t.put("kind", scalar("torus"))
	dims := list()
	for range 3 {
		dims.values = append(dims.values, number(1+d.IntN(4)))
	}
	t.put("dims", dims)
	s.put("topology", t)
	s.drop("ranks")
}

// mendMachine draws the machine again, or takes the one that a message names.
func (d *draw) mendMachine(s *Tree, message string) {
	if m := suchAs.FindStringSubmatch(message); m != nil && slices.Contains(files.Machines(), m[1]) && d.chance(0.5) {
		s.put("machine", scalar(m[1]))
	} else {
		s.put("machine", d.machine())
	}
}

var suchAs = regexp.MustCompile(`such as ([a-z0-9-]+)$`)

// without removes the innermost part of a case that a path leads to, or draws its missing
// keys.
func (d *draw) without(c *Case, path []string) {
	n := len(path)
	for n > 1 && c.Scenario.at(path[:n]...) == nil {
		n--
	}
	k := find(d.tables.machine, path[1:]...)
	missing := n == len(path)-1 && k != nil && k.Needs == keys.Required
	switch inner := c.Scenario.at(path[:n]...); {
	case missing && inner.form == mappingForm && d.chance(0.9):
		inner.put(k.name, d.value(k))
	case n < len(path) && path[0] == "machine":
		c.Scenario.put("machine", d.machine())
	default:
		c.Scenario.drop(path[:n]...)
	}
	for _, name := range []string{"changes", "runs"} {
		if d.chance(0.5) {
			c.Scenario.drop(name)
		}
	}
	d.complete(c.Scenario)
}

// complete draws the required keys that a scenario lacks.
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
