package goal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// sharedCase is a schedule with finishing times recorded from LogGOPSim.
type sharedCase struct {
	recorded
	More           []recorded
	AllOpsExecuted bool `json:"all_ops_executed"`
	Ranks, Ops     int
	name           string
	schedule       *Schedule
}

type recorded struct {
	RawParams    map[string]uint64 `json:"params"`
	Finish       []uint64
	FinishStable []uint64 `json:"finish_stable"`
	Events       uint64
}

func (r *recorded) params() CompatParams {
	p := r.RawParams
	return CompatParams{
		Latency: p["L"], Overhead: p["o"], Gap: p["g"],
		GapPerByte: p["G"], OverheadPerByte: p["O"], Rendezvous: p["S"],
	}
}

// finish returns the finishing times if operations released together keep a stable order.
func (r *recorded) finish() []uint64 {
	if r.FinishStable != nil {
		return r.FinishStable
	}
	return r.Finish
}

// sharedCases loads the recorded cases: all cases that lie next to the module, or else
// those that are kept in testdata.
func sharedCases(t *testing.T) []*sharedCase {
	files, _ := filepath.Glob("../../../shared/cases/goal/*.json")
	if len(files) == 0 {
		files, _ = filepath.Glob("testdata/cases/*.json")
	}
	if len(files) < 10 {
		t.Fatalf("found only %d recorded cases", len(files))
	}
	var list []*sharedCase
	for _, file := range files {
		c := &sharedCase{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		f := must.Get(os.Open(strings.TrimSuffix(file, "json") + "goal"))(t)
		c.schedule, err = Read(f, c.name)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// TestRecordedCases replays every recorded case, with all of its parameters, to
// the finishing time of every host and the number of events.
func TestRecordedCases(t *testing.T) {
	for _, c := range sharedCases(t) {
		t.Run(c.name, func(t *testing.T) {
			if c.schedule.Ranks() != c.Ranks || len(c.schedule.Ops()) != c.Ops {
				t.Errorf("%d ranks, %d operations; want %d, %d", c.schedule.Ranks(), len(c.schedule.Ops()), c.Ranks, c.Ops)
			}
			for _, want := range append([]recorded{c.recorded}, c.More...) {
				got := must.Get(RunCompat(c.schedule, want.params()))(t)
				if !slices.Equal(got.Finish, want.finish()) || got.Events != want.Events {
					t.Errorf("%v: finish %v, %d events; want %v, %d", want.RawParams, got.Finish, got.Events, want.finish(), want.Events)
				}
				if all := got.Events == uint64(c.Ops)+got.Messages; all != c.AllOpsExecuted {
					t.Errorf("%v: all operations executed: %v, want %v", want.RawParams, all, c.AllOpsExecuted)
				}
			}
		})
	}
}
