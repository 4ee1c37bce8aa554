package papers

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// remembered are the runs that tests of this process have simulated. Claims, fits and figures have many in common.
type remembered struct{ runs sync.Map }

var once remembered

// simulate is Simulate, but simulates no run a second time.
func (m *remembered) simulate(r *Run) (map[string]float64, error) {
	run, _ := m.runs.LoadOrStore(r.key(), sync.OnceValues(func() (map[string]float64, error) { return Simulate(r) }))
	metrics, err := run.(func() (map[string]float64, error))()
	return maps.Clone(metrics), err
}

// fitted simulates a run with the values of a fit on top of it. Values that its machine has anyway are omitted, so that it is
// a run of the claims where the machine is the result of the fit.
func (m *remembered) fitted(r *Run) (map[string]float64, error) {
	plain, err := r.withoutFacts()
	if err != nil {
		return nil, err
	}
	return m.simulate(plain)
}

// withoutFacts returns a run without those settings of its machine that the machine's file has, too.
func (r *Run) withoutFacts() (*Run, error) {
	if r.Scenario == "" {
		return r, nil
	}
	bare := newRun(r.Scenario, slices.DeleteFunc(slices.Clone(r.Settings), ofMachine))
	s, err := bare.load()
	if err != nil {
		return nil, err
	}
	facts := map[string]string{}
	for _, fact := range s.Machine.Facts {
		facts["machine."+asSet(strings.TrimPrefix(fact.Path, "machine."))] = fact.Value
	}
	return newRun(r.Scenario, slices.DeleteFunc(slices.Clone(r.Settings), func(s Setting) bool {
		return ofMachine(s) && sameQuantity(facts[s.Path], s.Value)
	})), nil
}

func ofMachine(s Setting) bool { return strings.HasPrefix(s.Path, "machine.") }

// Only values that the machine's file has are omitted, and the run is the same without them.
func TestRunWithoutFacts(t *testing.T) {
	settings := []Setting{{Path: "ranks", Value: "4"}, {Path: "workload.rows", Value: "64"}}
	plain := newRun("ft-pencils-jacquard", settings)
	s := must.Get(plain.load())(t)
	latency := slices.IndexFunc(s.Machine.Facts, func(f keys.Fact) bool { return f.Path == "network.latency" })
	same := Setting{Path: "machine.network.latency", Value: s.Machine.Facts[latency].Value}
	other := Setting{Path: "machine.network.gap", Value: "7us"}
	for want, more := range map[*Run][]Setting{plain: {same}, newRun(plain.Scenario, settings, []Setting{other}): {same, other}} {
		r := newRun(plain.Scenario, settings, more)
		got, err := r.withoutFacts()
		if err != nil || got.key() != want.key() {
			t.Errorf("%v gives %v, %v", r, got, err)
			continue
		}
		with := must.Get(Simulate(r))(t)
		if without, err := once.fitted(r); err != nil || !maps.Equal(with, without) {
			t.Errorf("%v and %v, %v", with, without, err)
		}
	}
}
