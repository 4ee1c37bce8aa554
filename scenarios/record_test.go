package scenarios

import (
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// Outcomes are consistent: the ledger of a record sums to the mean wall time, and no part
// of a run depends on when it runs.
func TestRecord(t *testing.T) {
	study := must.Get(Load("ft-slabs-bassi", []string{"ranks=16", "workload.rows=64"}))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	r := o.Record()
	var parts, wall float64
	for _, m := range r.Ledger {
		parts += m.Value
	}
	for _, s := range o.FinishByRank() {
		wall += s / float64(r.Ranks)
	}
	if d := parts/wall - 1; d > 1e-12 || d < -1e-12 {
		t.Errorf("the ledger sums to %g, the mean wall time is %g", parts, wall)
	}
	if r.Messages != 16*16 || len(r.Ledger) != int(results.NumTerms) {
		t.Errorf("got %+v", r)
	}
	var phases float64
	for _, p := range o.Phases() {
		phases += p.Value
	}
	if d := phases/wall - 1; d > 1e-12 || d < -1e-12 {
		t.Errorf("the phases sum to %g, the mean wall time is %g", phases, wall)
	}
}
