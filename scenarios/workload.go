package scenarios

import (
	"errors"

	"overlapsim/workloads"
)

// WorkloadRows returns the key table of a workload's parameters, taken from
// the tags of its fields; the targets hold the defaults.
func WorkloadRows(w workloads.Workload) []Row { return tagRows(w) }

// decodeWorkload makes the workload that a mapping names.
func decodeWorkload(n *node, problems *Problems) (workloads.Workload, string) {
	if n.shape != mapping {
		if n.shape != broken {
			problems.add(n.place, "workload", "must be a mapping such as {name: ft-pencils}, got %s", n.shape)
		}
		return nil, ""
	}
	name := n.at("name")
	if name == nil || name.shape != scalar {
		problems.add(n.place, "workload.name", "is missing; %s", instead("", workloads.Names()))
		return nil, ""
	}
	kind, ok := workloads.Lookup(name.text)
	if !ok {
		problems.add(name.place, "workload.name", "no workload is called %s; %s", quote(name.text), instead(name.text, workloads.Names()))
		return nil, ""
	}
	w := kind.New()
	var found Problems
	rows := append(table{{Path: "name", To: new(string), Needs: Required}}, WorkloadRows(w)...)
	d := decoder{table: rows, problems: &found}
	d.decode(n, "workload")
	*problems = append(*problems, found...)
	if len(found) > 0 {
		return nil, ""
	}
	return w, kind.Name
}

// placeErrors turns the errors of a workload about its parameters into problems at their
// keys.
func placeErrors(err error, n *node, problems *Problems) {
	for _, one := range unjoin(err) {
		var wrong *workloads.KeyError
		if errors.As(one, &wrong) {
			problems.add(n.placeOf(wrong.Key), join("workload", wrong.Key), "%s", wrong.Message)
		} else {
			problems.add(n.place, "workload", "%s", one)
		}
	}
}
