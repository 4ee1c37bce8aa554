package files

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// NoEffect is a key that a scenario gives and that cannot affect its run.
type NoEffect struct {
	Key     string `json:"key"` // as --set names it
	Because string `json:"because"`
	Bound   bool   `json:"bound,omitempty"` // it affects the bound and nothing else
}

// String is the line that a user reads.
func (n NoEffect) String() string {
	line := n.Key + ", because " + n.Because
	if n.Bound {
		line += "; it acts on the bound alone"
	}
	return line
}

// idle returns the reason why a key, or all keys of a group, cannot act in a run; "":
// they can.
type idle func(o *ran) string

// bounding is the idle of a key that affects the bound in any run.
type bounding struct{ idle }

// idleOf returns the idle of a row, nil if its key can act in any run, and whether the
// key affects the bound in any run.
func idleOf(row keys.Row) (of idle, bounds bool) {
	switch use := row.Use.(type) {
	case nil:
		return nil, false
	case idle:
		return use, false
	case func(*ran) string:
		return use, false
	case bounding:
		return use.idle, true
	}
	panic(fmt.Sprintf("row %s: no way to use %T", row.Path, row.Use))
}

// because returns the idle of a condition that has one reason.
func because(reason string, holds func(o *ran) bool) idle {
	return func(o *ran) string {
		if holds(o) {
			return reason
		}
		return ""
	}
}

// or returns an idle that asks f and then g.
func (f idle) or(g idle) idle {
	return func(o *ran) string {
		if reason := f(o); reason != "" {
			return reason
		}
		return g(o)
	}
}

// given is a key that a scenario gives itself: in its file, in one of its runs or in a
// setting.
type given struct {
	key    string // as --set names it
	idle   []idle // of its groups and its own
	bounds bool
}

// NoEffect returns the keys that the scenario gives and that no value of theirs could
// make effective in a run that used this of the machine, as long as the other keys stay
// as they are. For an experiment it returns none, as they are not known; for a run on GPUs those for which onGPUs has a reason.
func (s *Scenario) NoEffect(uses results.Uses) (all []NoEffect) {
	if s.Program == nil {
		o := &ran{Scenario: s.Whole(), uses: uses}
		for _, g := range s.given {
			if reason := o.onGPUs(g.key); reason != "" {
				all = append(all, NoEffect{g.key, reason, false})
			}
		}
		return all
	}
	if _, tuned := s.Workload.(workloads.Tuned); tuned {
		uses = results.AllUses // of any of the programs that the run tried
	}
	if w, beside := s.Workload.(workloads.Besides); beside {
		uses = uses.And(w.Beside(s.Machine.Machine))
	}
	if s.whole != nil {
		uses = results.AllUses // with other causes, the run would read other keys
	}
	o := &ran{Scenario: s.Whole(), uses: uses}
	for _, g := range s.given {
		named := slices.ContainsFunc(all, func(n NoEffect) bool { return wiringKey(n.Key) == wiringKey(g.key) }) // of a topology of the scenario, by a flag too
		if reason := g.because(o); reason != "" && !named {
			all = append(all, NoEffect{g.key, reason, g.bounds})
		}
	}
	return all
}

// wiringKey is a key of the topology, which has two spellings, in one of them.
func wiringKey(key string) string { return strings.TrimPrefix(key, "machine.") }

// ran is a scenario and what its run used of the machine.
type ran struct {
	*Scenario
	uses results.Uses
	size float64 // of its messages, in bytes, on average

	messages, wall float64 // how many they are, and the time of all ranks in seconds

	contended     float64 // the part of the ranks' time in contention
	communicating float64 // the time of all ranks in communication, in seconds
}

// because is the reason of the outermost group that cannot act.
func (g given) because(o *ran) string {
	for _, idle := range g.idle {
		if reason := idle(o); reason != "" {
			return reason
		}
	}
	return ""
}

// never is the idle of keys that act only if a rank does one of the given operations.
func never(what string, kinds ...programs.OpKind) idle {
	return because("the program has no "+what, func(o *ran) bool {
		return !slices.ContainsFunc(kinds, o.uses.Does)
	})
}

// unsent is the idle of keys that act only on messages with one of the given properties.
func unsent(what string, any results.MessageUse) idle {
	return because("no "+what, func(o *ran) bool { return !o.uses.Sends(any) })
}

// givenIn returns the keys in a value at a path of the table, one for each leaf of a
// group. key is the path as --set names it.
func givenIn(t keys.Table, path, key string, n *keys.Node) (all []given) {
	if n.Group() {
		for i, name := range n.Names {
			all = append(all, givenIn(t, keys.Join(path, name), keys.Join(key, name), n.Values[i])...)
		}
		return all
	}
	if idles, bounds := idlesOf(t, path); idles != nil && n.Shape != keys.Nothing {
		return []given{{key, idles, bounds}}
	}
	return nil
}

// idlesOf returns the idles of the rows on a path, from the outermost group to the key,
// and whether the key affects the bound in any run.
func idlesOf(t keys.Table, path string) (all []idle, bounds bool) {
	steps := strings.Split(path, ".")
	for i := range steps {
		row, _ := t.Row(strings.Join(steps[:i+1], "."))
		of, also := idleOf(row)
		if bounds = also; of != nil {
			all = append(all, of)
		}
	}
	return all, bounds
}

// givenInScenario returns the keys of a scenario's own table that its tree contains.
func givenInScenario(t keys.Table, tree *keys.Node) (all []given) {
	for i, name := range tree.Names {
		if row, ok := t.Row(name); ok && !elsewhere(row) {
			all = append(all, givenIn(t, name, name, tree.Values[i])...)
		}
	}
	return all
}

// elsewhere tells whether a key holds keys of another table.
func elsewhere(r keys.Row) bool { return r.Form != "" }

// machineSetting is a setting for the machine, and its path in the scenario.
type machineSetting struct {
	keys.Setting
	key string
}

// givenOf returns the keys of a machine's table that settings give. Keys that a later
// setting has removed are no longer in the tree and are omitted.
func givenOf(t keys.Table, settings []machineSetting, tree *keys.Node) (all []given) {
	for _, s := range settings {
		for _, g := range givenIn(t, s.Path, s.key, s.Value) {
			same := func(o given) bool { return o.key == g.key }
			if path, _ := strings.CutPrefix(g.key, s.key); tree.Has(s.Path+path) && !slices.ContainsFunc(all, same) {
				all = append(all, g)
			}
		}
	}
	return all
}

// withoutLibrary leaves out the settings of a library. They all act if settings make a
// library key by key, because its presence alone has an effect.
func withoutLibrary(settings []machineSetting) []machineSetting {
	return slices.DeleteFunc(slices.Clone(settings), func(s machineSetting) bool {
		return s.Path == "runtime" || strings.HasPrefix(s.Path, "runtime.")
	})
}

// namesLibrary tells whether the machine's library, after the settings, is a named one,
// changed or not. had tells whether it was a named one, or none, before.
func namesLibrary(had bool, settings []machineSetting) bool {
	for _, s := range settings {
		if s.Path == "runtime" && replacesRuntime(s.Value) {
			had = s.Value.Text != noRuntime
		}
	}
	return had
}
