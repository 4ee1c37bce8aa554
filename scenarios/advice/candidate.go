package advice

import (
	"cmp"
	"errors"
	"slices"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/sim"
)

// candidate is a kind of change that may help.
type candidate struct {
	of      of
	family  family
	terms   []results.Term          // terms of the ledger that it may shorten
	when    func(s *subject) bool   // whether it makes sense for the run; nil: always
	changes func(*subject) []change // the possible changes
}

// of says what a change is made to: software or machine.
type of uint8

const (
	software of = iota
	machine
)

func (o of) String() string { return [...]string{"software", "machine"}[o] }

// family is what a change is about. The most promising change of each family is tried
// before the second one of any.
type family uint8

const (
	agent    family = iota // what moves messages on
	protocol               // how messages travel
	shape                  // how the program cuts its work
	queue                  // how many messages the NIC takes
	place                  // where the ranks are
	order                  // in which order a pipeline does its passes
	split                  // what the GPUs split, keep and compute again
	hardware               // the machine
	families
)

// change is a change to the scenario, in words and as settings.
type change struct {
	says      string
	set       []string
	moreNodes bool // its words say that it takes more nodes

	// For changes to the program: the scenario, already loaded, and its messages relative to
	// those of the run.
	scenario *scenarios.Scenario
	times    float64
}

// trial is a change that is run.
type trial struct {
	change
	of         of
	family     family
	stake      float64 // part of the ranks' time that it may shorten
	mostEvents float64

	// The makespan of the re-run; 0: it does not count.
	makespan sim.Time
	events   float64
}

// leastStake is the smallest part of all time that a change must be able to shorten.
const leastStake = leastGain

// candidates returns the changes that may help the run, in the order of the table.
func (s *subject) candidates() (all []*trial) {
	for _, c := range tables[s.Result.On] {
		stake := s.share(c.terms...)
		if stake < leastStake || c.when != nil && !c.when(s) {
			continue
		}
		for _, change := range c.changes(s) {
			all = append(all, &trial{change: change, of: c.of, family: c.family, stake: stake})
		}
	}
	return all
}

// inTurns orders candidates: the first of each family, the largest stake first, then the
// second of each, and so on.
func inTurns(all []*trial) (ordered []*trial) {
	slices.SortStableFunc(all, func(a, b *trial) int { return -cmp.Compare(a.stake, b.stake) })
	for round := 0; len(ordered) < len(all); round++ {
		var seen [families]int
		for _, t := range all {
			if seen[t.family] == round {
				ordered = append(ordered, t)
			}
			seen[t.family]++
		}
	}
	return ordered
}

// starts loads the scenario of a trial, and tells whether it makes sense: it starts to
// run, and takes more nodes only if its words say so.
func (t *trial) starts(s *subject) bool {
	var err error
	if t.scenario == nil {
		t.scenario, err = s.load(t.set)
	}
	if err != nil || !t.moreNodes && nodesOf(t.scenario.Scenario) > nodesOf(s.Scenario) {
		return false
	}
	if s.Result.On == results.GPUs {
		return true // it is checked as it is loaded
	}
	_, err = t.scenario.Run(nodes.Options{MostEvents: 1})
	return err == nil || errors.Is(err, nodes.ErrMostEvents)
}
