package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/goal"
	"overlapsim/workloads/inputs"
	"overlapsim/workloads/traces"
)

// beside returns the path of a file that a scenario names. The file is in the folder of
// the scenario; for scenarios of the library it is in the working directory.
func beside(scenario, name string) string {
	_, inLibrary := library(scenarioFolder, stem(scenario))
	if filepath.IsAbs(name) || inLibrary && filepath.ToSlash(filepath.Dir(scenario)) == scenarioFolder {
		return name
	}
	return filepath.Join(filepath.Dir(scenario), name)
}

// takeFile reads the file of a workload that has one. If the workload determines its
// number of ranks, takeFile takes it from there. A file that cannot be read gives no
// workload.
func (f *scenarioFile) takeFile(tree *keys.Node, problems *keys.Problems) {
	if kind, _ := workloads.Lookup(f.Kind); f.Workload == nil && kind.New != nil {
		if _, sized := kind.New().(workloads.Sized); sized {
			f.unsized()
		}
		return
	}
	before := len(*problems)
	if w, ok := f.Workload.(workloads.Filed); ok {
		f.open(w, tree, problems)
	}
	if len(*problems) > before {
		f.Workload = nil
		f.unsized()
		return
	}
	if w, ok := f.Workload.(workloads.Sized); ok {
		f.size(w.Ranks(), tree, problems)
	}
}

// unsized says that the ranks would follow from the workload, so that they are not reported missing next to what is wrong with it.
func (f *scenarioFile) unsized() { f.Ranks = max(1, f.Ranks) }

// open reads the file of a workload.
func (f *scenarioFile) open(w workloads.Filed, tree *keys.Node, problems *keys.Problems) {
	key, name := w.Filename()
	if key == "" {
		return
	}
	at, path := f.workload.PlaceOf(key), keys.Join("workload", key)
	if name == "" {
		problems.Add(f.workload.Place, path, "is missing; it is the name of a file next to the scenario")
		return
	}
	file := beside(tree.Place.File, name)
	inputs.Note(file)
	err := w.Open(file)
	var mistakes goal.Problems
	var inTrace traces.Problems
	var inKey *workloads.KeyError
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &mistakes):
		for _, m := range mistakes {
			problems.Add(keys.Place{File: m.Name, Line: m.Line, Column: m.Column}, "", "%s", m.Text)
		}
	case errors.As(err, &inTrace):
		for _, m := range inTrace {
			problems.Add(keys.Place{File: m.Name, Line: m.Line, Column: m.Column}, "", "%s", m.Where())
		}
	case errors.As(err, &inKey):
		problems.Add(f.workload.PlaceOf(inKey.Key), keys.Join("workload", inKey.Key), "%s", inKey.Message)
	case errors.As(err, &unreadable):
		problems.Add(at, path, "%s cannot be read: %s", unreadable.Path, unreadable.Err)
	case err != nil: // which names the file
		*problems = append(*problems, keys.Problem{Place: at, Key: path, Message: err.Error(), Within: true})
	}
}

// otherwise says how to run what was recorded on other numbers of ranks.
func (f *scenarioFile) otherwise() string {
	if w, ok := f.Workload.(workloads.Recorded); ok {
		var m *machines.Machine
		if f.Machine != nil {
			m = f.Machine.Machine
		}
		return "; " + w.Others(m, f.Ranks)
	}
	if _, filed := f.Workload.(workloads.Filed); filed {
		machine := ""
		if f.machine != nil && f.machine.Shape == keys.Scalar {
			machine = " --machine " + keys.ForShell(f.machine.Text)
		}
		return fmt.Sprintf("; for others, record it on %d, or run a workload like it: 'overlapsim run halo%s --set ranks=%d --set workload.reduce=8B' "+
			"exchanges halos with an all-reduce in each step ('overlapsim list workloads')", f.Ranks, machine, f.Ranks)
	}
	return ""
}

// size sets the number of ranks; the scenario may give it as well.
func (f *scenarioFile) size(ranks int, tree *keys.Node, problems *keys.Problems) {
	if tree.At("ranks") != nil && f.Ranks != ranks {
		problems.AddKind(keys.Settled, tree.PlaceOf("ranks"), "ranks", "must be the %d of the %s workload, got %d; it may be omitted%s",
			ranks, f.Kind, f.Ranks, f.otherwise())
	}
	f.Ranks = ranks
}
