package files

import (
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// Choice is a path that --set accepts, and the names that it can be set to. There are no
// names for numbers and free texts.
type Choice struct {
	Path   string
	Values []string
}

func isFlag(r keys.Row) bool {
	_, is := r.To.(*bool)
	return is
}

// Choices returns the paths of scenarios, of their machines and libraries, and of the
// parameters of the named workload, in alphabetical order. If the name is "", it returns
// the parameters of all workloads.
func Choices(workload string) []Choice {
	all := map[string][]string{"machine": Machines(), "machine.runtime": Runtimes(), "workload.name": workloads.Names()}
	add := func(prefix string, rows []keys.Row) {
		for _, r := range rows {
			if _, isGroup := r.To.(*keys.Group); !isGroup && all[prefix+r.Path] == nil {
				if all[prefix+r.Path] = r.Choices; isFlag(r) {
					all[prefix+r.Path] = []string{"false", "true"}
				}
			}
		}
	}
	add("", newScenarioFile().rows())
	machine := new(machineFile).rows()
	add("machine.", machine)
	for _, group := range []string{"topology", "fabric"} { // by the scenario's spelling
		add("", machine.Under(group))
	}
	add("machine.runtime.", new(runtimeFile).rows(""))
	for _, name := range workloads.Names() {
		if kind, _ := workloads.Lookup(name); workload == "" || workload == name {
			add("workload.", WorkloadRows(kind.New()))
		}
	}
	for _, whole := range []string{"workload", "runs", "changes", "machine.base", "machine.title"} {
		delete(all, whole)
	}
	var choices []Choice
	for path, values := range all {
		choices = append(choices, Choice{path, values})
	}
	slices.SortFunc(choices, func(a, b Choice) int { return strings.Compare(a.Path, b.Path) })
	return choices
}
