package laws

import (
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/workloads"
)

// coverage counts the keys, choices and names that cases used: keys by their paths,
// choices and names as path=value.
type coverage map[string]int

// add counts the keys, choices and names of a case.
func (v coverage) add(t *tables, c Case) {
	s := c.Scenario
	v.group("", t.scenario, s)
	v.named("machine", t.machine, s.at("machine"))
	v.group("machine.topology.", find(t.machine, "topology").inside, s.at("topology"))
	v.group("machine.fabric.", find(t.machine, "fabric").inside, s.at("fabric"))
	if f := s.at("fabric", "calibration"); f != nil {
		v.named("calibration", t.calibration, f)
	}
	if m := s.at("mapping"); m != nil {
		v["mapping="+m.text]++
	}
	if w := s.at("workload"); w != nil && w.at("name") != nil {
		name := w.at("name").text
		v["workload="+name]++
		v.group("workload."+name+".", t.workloads[name], w)
	}
}

// named counts a thing that has a name, or keys and perhaps a base.
func (v coverage) named(what string, table []*key, t *Tree) {
	switch {
	case t == nil:
		return
	case t.form == scalarForm:
		v[what+"="+t.text]++
		return
	case t.at("base") != nil:
		v[what+"="+t.at("base").text]++
	}
	v.group(what+".", table, t)
	if rt := t.at("runtime"); rt != nil {
		v.named("runtime", nil, rt)
	}
}

// group counts the keys of a mapping.
func (v coverage) group(prefix string, table []*key, t *Tree) {
	if t == nil || t.form != mappingForm {
		return
	}
	for _, k := range table {
		value := t.at(k.name)
		if value == nil {
			continue
		}
		v[prefix+k.name]++
		if k.Choices != nil {
			v[prefix+k.name+"="+value.text]++
		}
		v.group(prefix+k.name+".", k.inside, value)
	}
}

// missing returns the keys, choices and names that fewer cases have used than least.
func (v coverage) missing(t *tables, least int) (all []string) {
	want := func(what string, names []string) {
		for _, name := range names {
			if v[what+"="+name] < least {
				all = append(all, what+"="+name)
			}
		}
	}
	want("machine", files.Machines())
	want("runtime", files.Runtimes())
	want("calibration", files.Calibrations())
	want("workload", workloads.Names())
	want("mapping", t.mappings)
	v.keys(&all, least, "", t.scenario)
	v.keys(&all, least, "machine.", t.machine)
	for _, name := range workloads.Names() {
		v.keys(&all, least, "workload."+name+".", t.workloads[name])
	}
	return all
}

// keys appends the keys and choices of a table that too few cases have used.
func (v coverage) keys(missing *[]string, least int, prefix string, table []*key) {
	for _, k := range table {
		name := prefix + k.name
		if v[name] < least && !unasked[name] && !strings.HasPrefix(name, "fabric.") {
			*missing = append(*missing, name)
		}
		for _, choice := range k.Choices {
			if v[name+"="+choice] < least {
				*missing = append(*missing, name+"="+choice)
			}
		}
		v.keys(missing, least, name+".", k.inside)
	}
}

// unasked are keys whose values are not counted: they are names of things that the
// coverage counts separately.
var unasked = map[string]bool{"machine.base": true, "machine.runtime.base": true}
