package files

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads/experiments"
)

// About says in one line which workload runs on which machine, and how the machine
// differs from its file: what holds for all of some runs.
func About(runs ...*Scenario) string {
	parts := runs[0].about()
	for _, s := range runs[1:] {
		its := s.about()
		parts = slices.DeleteFunc(parts, func(part string) bool { return !slices.Contains(its, part) })
	}
	return strings.Join(parts, ", ")
}

func (s *Scenario) about() []string {
	parts := []string{s.Kind, s.who(), "on " + s.Machine.Title}
	if w, ok := s.Workload.(experiments.Described); ok {
		parts = append(parts, w.Described(s.Machine.Machine, s.Place)...)
	}
	if _, gpus := s.Workload.(experiments.OnGPUs); !gpus {
		parts = append(parts, s.way(), s.software())
	}
	if s.Program != nil && s.Processes > 1 && s.Ranks > 1 && s.Machine.IntraNode == nil {
		parts = append(parts, "messages inside a node by its NIC")
	}
	if s.Mapping != inBlocks {
		parts = append(parts, "mapping "+s.Mapping)
	}
	if changes := s.Machine.Changes; len(changes) > 0 {
		parts = append(parts, "with "+strings.Join(changes, ", "))
	}
	if s.Without != 0 {
		parts = append(parts, "without "+strings.ReplaceAll(s.Without.String(), ", ", " and "))
	}
	return parts
}

// who says how many ranks there are and where, and which are simulated if not all.
func (s *Scenario) who() string {
	most := ""
	if s.NodesTaken() > s.needed() {
		most = "at most "
	}
	where := fmt.Sprintf("%s on %s (%s%d per node)", keys.Plural(s.Ranks, "rank"), keys.Plural(s.NodesTaken(), "node"), most, s.Processes)
	if s.Program != nil && s.Program.Ranks() < s.Ranks {
		where += fmt.Sprintf(", of which %d are simulated and stand for all", s.Program.Ranks())
	}
	return where
}

// way names the fabric, and the topology if it matters to the run.
func (s *Scenario) way() string {
	if s.Whole().Contention == nil && s.Program != nil && s.Mapping == inBlocks {
		return "fabric " + s.Fabric
	}
	return fmt.Sprintf("fabric %s on %s", s.Fabric, s.Machine.wiring.kind)
}

// Topologies says of runs on several machines which topologies count, or that none does; "": all are crossbars, or a run has no program.
func Topologies(runs ...*Scenario) string {
	var shapes []string
	machines := map[string]bool{}
	flat, ideal := 0, 0
	for _, s := range runs {
		if machines[s.Machine.Name] = true; s.Program == nil {
			return ""
		}
		shapes = append(shapes, s.Machine.Name+" "+s.Machine.wiring.kind)
		if s.Machine.wiring.kind == crossbar {
			flat++
		}
		if s.Whole().Contention == nil {
			ideal++
		}
	}
	slices.Sort(shapes)
	all := strings.Join(slices.Compact(shapes), ", ")
	switch {
	case flat == len(runs) || len(machines) < 2:
	case ideal == len(runs):
		return fmt.Sprintf("Nothing of the topologies counts on the %s fabric (%s): --set fabric.kind=flow.", runs[0].Fabric, all)
	case ideal == 0 && flat == 0:
		return "Topologies: " + all + "."
	case ideal == 0:
		return "Topologies: " + all + "; a machine without one has a crossbar."
	}
	return ""
}

// crossbar is the topology of a machine that names none.
const crossbar = "crossbar"

// Libraries says of runs on several machines that their communication libraries differ; "": all have the same, or a run has no program.
func Libraries(runs ...*Scenario) string {
	var all []string
	same, one, machines := true, "", map[string]bool{}
	for _, s := range runs {
		if machines[s.Machine.Name] = true; s.Program == nil {
			return ""
		}
		name := "none"
		if rt := s.Machine.Runtime; rt != nil {
			name = cmp.Or(rt.Name, "given by keys")
			one = cmp.Or(one, rt.Name)
		}
		same = same && s.software() == runs[0].software()
		all = append(all, s.Machine.Name+" "+name)
	}
	if same || one == "" || len(machines) == 1 {
		return ""
	}
	slices.Sort(all)
	return "The communication libraries differ (" + strings.Join(slices.Compact(all), ", ") + "): --set machine.runtime=" + one + " gives all the same."
}

// software names the communication library.
func (s *Scenario) software() string {
	switch rt := s.Machine.Runtime; {
	case rt == nil:
		return "no library"
	case rt.Name == "":
		return "a library given by keys (runtime)"
	default:
		return "library " + rt.Name
	}
}
