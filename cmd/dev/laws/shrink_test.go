package laws

import (
	"errors"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"overlapsim/scenarios/keys"
)

// shrinker makes a case smaller while it breaks the same law in the same way.
type shrinker struct {
	*hunter
	law    Law
	kind   string
	number uint64
	end    time.Time
	tried  map[string]bool
}

// The number of times that laws with random choices are checked on a smaller case.
const askedOften = 4

// Small is a fault with the smallest case that was found for it, and the law's message
// for that case.
type Small struct {
	*Fault
	Case    Case
	Message string
}

// Shrink makes the cases of faults smaller, with a time limit for each.
func (h Hunt) Shrink(faults []*Fault, limit time.Duration) ([]Small, error) {
	all, errs := make([]Small, len(faults)), make([]error, len(faults))
	var next atomic.Int64
	var group sync.WaitGroup
	for range h.Workers {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(faults)); i = next.Add(1) - 1 {
				all[i], errs[i] = h.shrink(faults[i], limit)
			}
		})
	}
	group.Wait()
	return all, errors.Join(errs...)
}

func (h Hunt) shrink(f *Fault, limit time.Duration) (Small, error) {
	w, err := newHunter(filepath.Join(h.Dir, "shrink"+strconv.FormatUint(f.Number, 10)+f.Law.Name), h.Command)
	if err != nil {
		return Small{}, err
	}
	s := &shrinker{
		hunter: w, law: f.Law, kind: kindOf(f.Law.Name, f.Message), number: f.Number,
		end: time.Now().Add(limit), tried: map[string]bool{},
	}
	c, message := f.Case.clone(), f.Message
	if spelt, err := newTrial(w.lab, w.tables, c, f.Number).spelled(); err == nil {
		s.keep(&c, &message, spelt)
	}
	for s.pass(&c, &message) {
	}
	return Small{f, c, message}, nil
}

// keep replaces a case by another one that breaks the law in the same way.
func (s *shrinker) keep(c *Case, message *string, other Case) bool {
	text := string(other.Archive(""))
	if s.tried[text] || time.Now().After(s.end) {
		return false
	}
	s.tried[text] = true
	for i := range uint64(askedOften) {
		t := newTrial(s.lab, s.tables, other, s.number)
		t.draw = newDraw(s.tables, s.law.seedOf(s.number+i))
		if err := s.law.ask(t); err != nil && kindOf(s.law.Name, err.Error()) == s.kind {
			*c, *message = other, err.Error()
			return true
		}
	}
	return false
}

// pass tries everything once, and tells whether anything was kept.
func (s *shrinker) pass(c *Case, message *string) (smaller bool) {
	for i := len(c.Settings) - 1; i >= 0; i-- {
		other := c.clone()
		other.Settings = slices.Delete(other.Settings, i, i+1)
		smaller = s.keep(c, message, other) || smaller
	}
	for _, name := range sortedKeys(c.Files) {
		other := c.clone()
		delete(other.Files, name)
		smaller = s.keep(c, message, other) || smaller
	}
	return s.tree(c, message, nil) || smaller
}

// tree tries to remove, or to simplify, the part at a path and everything in it.
func (s *shrinker) tree(c *Case, message *string, path []string) (smaller bool) {
	names := c.Scenario.at(path...).names()
	for i := len(names) - 1; i >= 0; i-- {
		inner := append(slices.Clone(path), names[i])
		other := c.clone()
		other.Scenario.drop(inner...)
		if !s.large(c, inner) && s.keep(c, message, other) {
			smaller = true
			continue
		}
		if at := c.Scenario.at(inner...); at.form == scalarForm {
			smaller = s.scalar(c, message, inner) || smaller
		} else {
			smaller = s.tree(c, message, inner) || smaller
		}
	}
	return smaller
}

// large tells whether a path leads to a parameter of a workload whose default makes a
// large run.
func (s *shrinker) large(c *Case, path []string) bool {
	name := c.Scenario.at("workload", "name")
	if len(path) != 2 || path[0] != "workload" || name == nil {
		return false
	}
	k := find(s.tables.workloads[name.text], path[1])
	return k != nil && !small(k)
}

// names are the keys of a mapping, or the numbers of a list's entries.
func (t *Tree) names() (all []string) {
	if t.form == mappingForm {
		return slices.Clone(t.keys)
	}
	for i := range t.values {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// scalar tries simpler values.
func (s *shrinker) scalar(c *Case, message *string, path []string) (smaller bool) {
	for _, text := range simpler(c.Scenario.at(path...).text) {
		other := c.clone()
		other.Scenario.set(scalar(text), path...)
		if s.keep(c, message, other) {
			return true
		}
	}
	return false
}

// simpler returns simpler values to replace one: zero, one unit, a round number, half of
// it.
func simpler(text string) (all []string) {
	add := func(values ...string) {
		for _, value := range values {
			if value != text && !slices.Contains(all, value) && len(value) <= len(text)+2 {
				all = append(all, value)
			}
		}
	}
	if n, err := strconv.Atoi(text); err == nil {
		add("1", "2", strconv.Itoa(n/2), strconv.Itoa(n-1))
		if n <= 2 {
			return slices.DeleteFunc(all, func(v string) bool { return v > text })
		}
		return all
	}
	for _, m := range simple {
		value, err := keys.Parse(m.is, text)
		if err != nil {
			continue
		}
		for _, v := range m.values {
			if old, err := keys.Parse(m.is, v); err == nil && rank(old, m.values, m.is) < rank(value, m.values, m.is) {
				add(v)
			}
		}
		return all
	}
	return nil
}

// simple are the simplest quantities, the simplest one first.
var simple = []struct {
	is     keys.Dimension
	values []string
}{
	{keys.Time, []string{"0s", "1us", "10us", "100us", "1ns", "1ps"}}, {keys.Bytes, []string{"1KB", "10KB", "100B", "1B"}},
	{keys.Bandwidth, []string{"1GB/s", "10GB/s", "100MB/s"}}, {keys.PerByte, []string{"1ns/B", "10ns/B", "0.1ns/B"}},
	{keys.Rate, []string{"1GF/s"}}, {keys.Frequency, []string{"1kHz"}}, {keys.Number, []string{"1", "2", "0.5"}},
}

// rank is the place of a value among the simple ones; their number if it is not simple.
func rank(value *big.Rat, values []string, is keys.Dimension) int {
	for i, v := range values {
		if other, err := keys.Parse(is, v); err == nil && other.Cmp(value) == 0 {
			return i
		}
	}
	return len(values)
}

// Text writes the fault as a file to keep.
func (s Small) Text() string {
	comment := "law " + s.Law.Name + ": " + s.Law.Says + "\n" + strings.TrimSpace(s.Message) + "\n" + s.Case.command() + "\n"
	return string(s.Case.Archive(comment))
}

// File is a name for that file.
func (s Small) File() string { return s.Law.Name + "-" + strconv.FormatUint(s.Number, 10) + ".txtar" }
