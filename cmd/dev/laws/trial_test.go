package laws

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// errNotFor is the result of a law on a case that it does not apply to.
var errNotFor = errors.New("the law is not for this case")

// trial is a case before the laws. Results that several laws need are computed once.
type trial struct {
	Case
	*draw // for choices of a law: the same for the same case
	lab   *lab

	study  *scenarios.Study
	loaded error
	plain  *outcome
	full   *outcome
	spelt  *Case
}

// outcome is the outcome of a run, or its error.
type outcome struct {
	*outcomes.Outcome
	err error
}

// newTrial returns the trial of a case.
func newTrial(l *lab, t *tables, c Case, number uint64) *trial {
	trial := &trial{Case: c, draw: newDraw(t, number), lab: l}
	trial.study, trial.loaded = l.load(c)
	return trial
}

// scenario returns the first run of the case; nil: the case is wrong.
func (t *trial) scenario() *scenarios.Scenario {
	if t.loaded != nil {
		return nil
	}
	return t.study.Runs[0]
}

// runs returns the outcome of the case, or errNotFor of one that does not run.
func (t *trial) runs() (*outcomes.Outcome, error) {
	if t.plain == nil {
		t.plain = t.once(nodes.Options{})
	}
	return t.plain.orNotFor()
}

// explained is runs with critical path, timeline and what links carry over time; experiments
// on a fabric have none.
func (t *trial) explained() (*outcomes.Outcome, error) {
	if _, err := t.runs(); err != nil {
		return nil, err
	}
	if _, gpus := t.scenario().Workload.(experiments.OnGPUs); t.scenario().Program == nil && !gpus {
		return nil, errNotFor
	}
	if t.full == nil {
		t.full = t.once(nodes.Options{Critical: true, Timeline: true, Traffic: true})
	}
	if wrong := (keys.Problems)(nil); errors.As(t.full.err, &wrong) { // no path of such a run is known
		return nil, errNotFor
	}
	if t.full.err != nil {
		return nil, fmt.Errorf("runs, but not with a critical path and a timeline: %w", t.full.err)
	}
	return t.full.Outcome, nil
}

// processes is explained of a program of processes.
func (t *trial) processes() (*outcomes.Outcome, error) {
	o, err := t.explained()
	if err == nil && o.Result.On != results.Processes {
		err = errNotFor
	}
	return o, err
}

func (t *trial) once(o nodes.Options) *outcome {
	if t.loaded != nil {
		return &outcome{err: t.loaded}
	}
	result, err := t.lab.run(t.Case, o)
	return &outcome{result, err}
}

func (o *outcome) orNotFor() (*outcomes.Outcome, error) {
	if o.err != nil {
		return nil, errNotFor
	}
	return o.Outcome, nil
}

// variant runs another case; the error is errNotFor if it does not run.
func (t *trial) variant(c Case) (*outcomes.Outcome, error) {
	result, err := t.lab.run(c, nodes.Options{})
	return (&outcome{result, err}).orNotFor()
}

// refusedOr is errNotFor for a mistake in the input, and otherwise the error.
func refusedOr(err error) error {
	var problems keys.Problems
	if errors.As(err, &problems) {
		return errNotFor
	}
	return err
}

// fixed tells whether the program of the case is independent of the speed of the machine.
func (t *trial) fixed() bool {
	_, tuned := t.scenario().Workload.(workloads.Tuned)
	return !tuned && t.scenario().Program != nil && !slices.Contains(selfTimed, t.scenario().Kind)
}

// selfTimed are the programs that compute as long as they have communicated before.
var selfTimed = []string{"osu-nbc"}

// few tells whether few ranks stand for all: they have no places.
func (t *trial) few() bool {
	s := t.scenario()
	return s.Program != nil && s.Program.Ranks() < s.Ranks
}

// byLibrary tells whether the library of the machine chooses what the program sends.
func (t *trial) byLibrary() bool {
	chosen, ok := t.scenario().Workload.(workloads.Chosen)
	return ok && chosen.ByLibrary()
}

// sameProgram tells whether two runs sent the same. A workload that chooses the best
// program for its machine may not.
func sameProgram(a, b *outcomes.Outcome) bool {
	return a.Result.Bytes == b.Result.Bytes && a.Kind == b.Kind && a.Ranks == b.Ranks
}
