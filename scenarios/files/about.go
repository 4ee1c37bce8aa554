package files

import (
	"fmt"
	"strings"

	"overlapsim/workloads/experiments"
)

// About says in one line which workload runs on which machine, and how the machine
// differs from its file.
func (s *Scenario) About() string {
	parts := []string{s.Kind, s.who(), fmt.Sprintf("%d per node", s.Processes), "on " + s.Machine.Title}
	if _, gpus := s.Workload.(experiments.OnGPUs); !gpus {
		parts = append(parts, s.way(), s.software())
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
	return strings.Join(parts, ", ")
}

// who says how many ranks there are, and which are simulated if not all.
func (s *Scenario) who() string {
	if s.Program != nil && s.Program.Ranks() < s.Ranks {
		return fmt.Sprintf("%d ranks (numbers are of %d that stand for all)", s.Ranks, s.Program.Ranks())
	}
	return fmt.Sprintf("%d ranks", s.Ranks)
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
		return "a library of its own"
	default:
		return "library " + rt.Name
	}
}
