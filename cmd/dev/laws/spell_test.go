package laws

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
)

// spelled returns the case with everything written out in one file: the machine by
// its facts, without bases and changes, and every parameter of the workload.
func (t *trial) spelled() (Case, error) {
	s := t.scenario()
	if s == nil || len(t.study.Runs) > 1 {
		return Case{}, errNotFor
	}
	if t.spelt == nil {
		spelt := t.spell(s)
		t.spelt = &spelt
	}
	return t.spelt.clone(), nil
}

func (t *trial) spell(s *scenarios.Scenario) Case {
	out := mapping()
	if s.Title != "" {
		out.put("title", scalar(s.Title))
	}
	machine := factTree(s.Machine.Facts)
	if s.Machine.Runtime != nil && machine.at("runtime") == nil {
		machine.put("runtime", mapping())
	}
	for _, section := range [][]string{{"network"}, {"intra_node"}, {"intra_node", "across"}} {
		t.free(machine.at(section...), section...)
	}
	t.freeLibrary(machine.at("runtime"))
	assumedRates(machine, s.Machine.Kernels)
	out.put("machine", machine)
	out.put("workload", t.parameters(s))
	out.put("ranks", number(s.Ranks))
	out.put("processes_per_node", number(s.Processes))
	out.put("mapping", scalar(s.Mapping))
	for _, name := range []string{"mapping_file", "mapping_first", "moves", "without", "ties"} {
		if value := t.said(name); value != nil {
			out.put(name, value)
		}
	}
	out.set(scalar(s.Fabric), "fabric", "kind")
	if value := t.said("fabric", "calibration"); value != nil {
		out.set(value, "fabric", "calibration")
	}
	out.put("background_threads", number(s.Whole().Background))
	out.put("seed", number(s.Seed))
	return Case{Scenario: out, Files: t.Files}
}

// free writes out required costs that are pieces without keys, as these have no facts.
func (t *trial) free(section *Tree, path ...string) {
	if section == nil {
		return
	}
	for _, k := range find(t.tables.machine, path...).inside {
		other := append([]string{k.name}, steps(k.Or)...) // the key that may be given in its place
		if k.shape() == aCost && k.Needs == keys.Required && section.at(k.name) == nil && section.at(other[len(other)-1]) == nil {
			piece := mapping()
			piece.put("from", scalar("0B"))
			section.put(k.name, list(piece))
		}
	}
}

// assumedRates writes out the rates that the machine does not state and the run takes for true.
func assumedRates(machine *Tree, kernels map[string]machines.Kernel) {
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		if machine.at("kernels", name) == nil {
			unit := "F/s"
			if kernels[name].Bytes {
				unit = "B/s"
			}
			machine.set(scalar(fmt.Sprintf("%g%s", kernels[name].Rate[0].Rate, unit)), "kernels", name, "rates")
		}
	}
}

// freeLibrary writes out costs of a library that are pieces without keys.
func (t *trial) freeLibrary(library *Tree) {
	if library == nil {
		return
	}
	for _, key := range []string{"send_overhead", "isend_overhead", "receive_overhead", "unexpected"} {
		if value := t.said("machine", "runtime", key); value != nil && value.form == listForm && library.at(key) == nil {
			library.put(key, value)
		}
	}
}

// said returns what the case gives a key: the last of the file, its changes and the
// settings that has a word on it.
func (t *trial) said(path ...string) *Tree {
	value := t.Scenario.at(path...)
	say := func(key string, given *Tree) {
		to := steps(key)
		if len(to) <= len(path) && slices.Equal(to, path[:len(to)]) {
			if inside := given.at(path[len(to):]...); inside != nil || given.replaces() {
				value = inside
			}
		}
	}
	if changes := t.Scenario.at("changes"); changes != nil {
		for i, key := range changes.keys {
			say("machine."+key, changes.values[i])
		}
	}
	for _, s := range t.Settings {
		key, text, _ := strings.Cut(s, "=")
		if given, err := read([]byte(text)); err == nil {
			say(key, given)
		}
	}
	if value == nil {
		return nil
	}
	return value.clone()
}

// replaces tells whether a library given there takes the place of another one: it has a
// name, or a base. Keys are added to those there are.
func (t *Tree) replaces() bool { return t.form == scalarForm || t.at("base") != nil }

// parameters writes out the parameters of the workload, as they were read.
func (t *trial) parameters(s *scenarios.Scenario) *Tree {
	w := mapping()
	w.put("name", scalar(s.Kind))
	for _, row := range files.WorkloadRows(s.Workload) {
		switch value := row.Default(); {
		case value == "":
		case strings.HasPrefix(value, "["):
			items, _ := read([]byte(value))
			w.put(row.Path, items)
		default:
			w.put(row.Path, scalar(value))
		}
	}
	return w
}

// factTree writes facts as a tree.
func factTree(facts []keys.Fact) *Tree {
	root := mapping()
	for _, f := range facts {
		value := scalar(f.Value)
		if tree, err := read([]byte(f.Value)); err == nil && strings.HasPrefix(f.Value, "[") { // a list as a whole
			value = tree
		}
		root.grow(steps(strings.TrimPrefix(f.Path, "machine.")), value) // of a machine inside a scenario
	}
	return root
}

// grow gives a path a value; mappings and lists on the way to it are made.
func (t *Tree) grow(path []string, value *Tree) {
	for i, step := range path {
		if _, err := strconv.Atoi(step); err == nil && t.form == scalarForm {
			t.form = listForm
		} else if t.form == scalarForm {
			t.form = mappingForm
		}
		if t.index(step) < 0 {
			t.keep(step, &Tree{})
		}
		t = t.at(step)
		if i == len(path)-1 {
			*t = *value
		}
	}
}

// keep appends an entry to a list, or a key to a mapping. Entries of a list without facts
// are pieces without keys.
func (t *Tree) keep(step string, value *Tree) {
	if t.form == mappingForm {
		t.keys = append(t.keys, step)
	}
	for t.form == listForm && step != fmt.Sprint(len(t.values)) {
		t.values = append(t.values, mapping())
	}
	t.values = append(t.values, value)
}
