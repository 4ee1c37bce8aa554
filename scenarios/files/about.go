package files

import (
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
	where := fmt.Sprintf("%s on %s (%d per node)", keys.Plural(s.Ranks, "rank"), keys.Plural(s.NodesTaken(), "node"), s.Processes)
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

// software names the communication library.
func (s *Scenario) software() string {
	switch rt := s.Machine.Runtime; {
	case rt == nil:
		return "no library"
	case rt.Name == "":
		return "a separate library"
	default:
		return "library " + rt.Name
	}
}
