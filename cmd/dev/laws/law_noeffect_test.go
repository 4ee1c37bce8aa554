package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
)

// mostAdded is how many keys are added to a case, one after the other, until one is said
// to have no effect.
const mostAdded = 6

// withoutEffect adds a key to a case, or gives one that it has another value, until the
// program says that it has no effect. Then it has none.
func withoutEffect(t *trial) error {
	o, err := t.runs()
	if err != nil || o.Program == nil {
		return errNotFor
	}
	for range mostAdded {
		path, value := t.anyKey(o)
		c := t.Case.clone()
		c.Settings = append(c.Settings, path+"="+value.line())
		other, err := t.variant(c)
		if err != nil || other.Program == nil {
			continue
		}
		if n, ok := named(other, path); ok {
			return unchanged(n, value.line(), o, other)
		}
	}
	return errNotFor
}

// anyKey draws a key and a value: sometimes of one that the case gives without effect.
func (t *trial) anyKey(o *outcomes.Outcome) (path string, value *Tree) {
	path, value = t.change()
	if own := o.NoEffect(); len(own) > 0 && t.chance(0.5) {
		path = one(t.draw, own).Key
		if k := t.key(path); k != nil {
			value = t.value(k)
		}
	}
	return path, value
}

// key returns the key that a path of a setting names; nil: it names something inside it.
func (t *trial) key(path string) *key {
	p := steps(path)
	if p[0] == "machine" && p[1] == "runtime" {
		return find(t.tables.runtime, p[2:]...)
	}
	k := find(t.tables.machine, strings.Split(strings.TrimPrefix(path, "machine."), ".")...)
	if k != nil && (p[0] != path || p[0] == "machine") {
		return k
	}
	return find(t.tables.scenario, p...)
}

// named returns what the program says of a key that has no effect.
func named(o *outcomes.Outcome, path string) (n files.NoEffect, ok bool) {
	all := o.NoEffect()
	i := slices.IndexFunc(all, func(n files.NoEffect) bool { return n.Key == path })
	if i < 0 {
		return n, false
	}
	return all[i], true
}

// unchanged compares all numbers of a run with the numbers of a run in which a key has another
// value, but not the bound where that is said to follow from it.
func unchanged(n files.NoEffect, value string, a, b *outcomes.Outcome) error {
	before, err := recordOf(a, n.Bound)
	if err != nil {
		return err
	}
	after, err := recordOf(b, n.Bound)
	if err == nil && !bytes.Equal(before, after) {
		i := 0
		for i < min(len(before), len(after)) && before[i] == after[i] {
			i++
		}
		err = fmt.Errorf("%s is said to have no effect, and %s changes ...%s to ...%s", n.Key, value, around(before, i), around(after, i))
	}
	return err
}

// around is a part of a text.
func around(text []byte, at int) []byte {
	return text[max(0, min(at, len(text))-30):min(len(text), at+20)]
}

// recordOf returns all that a run prints, but perhaps the bound, and without the events of the simulator, of which a memory that slows
// nothing takes some, the number of nodes, which says where ranks are, and what is assumed of them.
func recordOf(o *outcomes.Outcome, boundless bool) ([]byte, error) {
	r := o.Record()
	r.Events, r.Nodes, r.Assumed = 0, 0, nil
	r.Finish = o.FinishByRank()
	if boundless {
		r.Bound = nil
	}
	return json.Marshal(r)
}

// effectsShown compares the keys that have no effect in the text and on the page of a run
// with those in its JSON.
func effectsShown(t *trial) error {
	if len(t.studyRuns()) != 1 {
		return errNotFor
	}
	o, err := t.runs()
	if err != nil || len(o.NoEffect()) == 0 {
		return errNotFor
	}
	record, err := t.json("--json", "--no-advice")
	if err != nil {
		return err
	}
	const file = "case.html"
	text, err := t.prints("run", "--no-advice", "--html", t.lab.file(file))
	if err != nil {
		return err
	}
	page, err := t.lab.take(file)
	if err != nil {
		return err
	}
	all, _ := record["no_effect"].([]any)
	if len(all) != len(o.NoEffect()) {
		return fmt.Errorf("JSON has %d keys without effect, and there are %d", len(all), len(o.NoEffect()))
	}
	const begin = "no effect here: "
	shown := map[string]bool{} // lines, each with the keys that have a reason in common
	for _, n := range o.NoEffect() {
		because := strings.TrimPrefix(n.String(), n.Key)
		has := func(line string) bool {
			keys, ok := strings.CutSuffix(strings.TrimPrefix(line, begin), because)
			return ok && strings.HasPrefix(line, begin) && slices.Contains(strings.Split(keys, ", "), n.Key)
		}
		lines := strings.Split(text, "\n")
		i := slices.IndexFunc(lines, has)
		if i < 0 || !strings.Contains(plainPage(page), lines[i]) {
			return fmt.Errorf("the text or the page does not say %q", n)
		}
		shown[lines[i]] = true
	}
	if lines := strings.Count(text, "\n"+begin); lines != len(shown) {
		return fmt.Errorf("the text has %d lines on keys without effect, %d of keys that JSON has", lines, len(shown))
	}
	return nil
}
