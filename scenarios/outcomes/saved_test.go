package outcomes

import (
	"encoding/json"
	"strings"
	"testing"
)

// Printed results of one run and of several are read back unchanged.
func TestSavedRuns(t *testing.T) {
	const run = `{"scenario":"s","machine":"m","workload":"w","ranks":2,"events":5,"messages":1,"makespan_s":2.5,` +
		`"ledger":{"compute_s":0.5},"in_flight_while_computing_s":0,"metrics":{}}`
	for _, runs := range []int{1, 3} {
		var all []*RunRecord
		for range runs {
			records, _, err := Saved([]byte(run))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, records...)
		}
		text, err := json.Marshal(NewPrinted(all, ""))
		if err != nil {
			t.Fatal(err)
		}
		again, ok, err := Saved(text)
		if !ok || err != nil || len(again) != runs {
			t.Fatalf("%s: %v, %v, %d runs", text, ok, err, len(again))
		}
		for _, r := range again {
			if same, err := json.Marshal(r); string(same) != run || err != nil {
				t.Errorf("read and written: %s, %v", same, err)
			}
		}
	}
}

// Results of version 1 are read back unchanged.
func TestSaved(t *testing.T) {
	const run = `{"scenario":"s","machine":"m","workload":"w","ranks":2,"events":5,"messages":1,"makespan_s":2.5,` +
		`"ledger":{"overhead_s":1,"compute_s":0.5},"phases":[{"name":"p","ledger":{"compute_s":0.5}}],` +
		`"ledger_by_rank":[{"term":"compute","times_s":[0.25,0.75]}],"in_flight_while_computing_s":0,"metrics":{"z_s":3,"a_s":1}}`
	for _, text := range []string{run, "[" + run + "]", "\n\t" + run + "\n"} {
		records, ok, err := Saved([]byte(text))
		if !ok || err != nil || len(records) != 1 {
			t.Fatalf("%v, %v, %d records", ok, err, len(records))
		}
		if again, err := json.Marshal(records[0]); string(again) != run || err != nil {
			t.Errorf("read and written: %s, %v", again, err)
		}
	}
}

// A scenario is no result, and a result that run would not write is an error.
func TestNotSaved(t *testing.T) {
	for _, text := range []string{"", "machine: jacquard", `{"machine": "jacquard"}`, `{machine: jacquard}`, `{"makespan_s": "soon"}`} {
		if _, ok, err := Saved([]byte(text)); ok || err != nil {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
	for text, want := range map[string]string{
		`[]`:                                 "the list is empty",
		`{"schema_version": 2, "runs": []}`:  "the list is empty",
		`{"schema_version": 2, "runs": 1}`:   "runs must be a list, got 1",
		`[null]`:                             "entry 1 is null",
		`[1]`:                                "cannot unmarshal number",
		`[{}`:                                "unexpected end of JSON input",
		`{"makespan_s": 1}`:                  "scenario is missing, or empty",
		`{"makespan_s": 1, "scenario": "s"}`: "run s: ranks: must be at least 1, got 0",
		`[{"scenario": "s", "ranks": 1}]`:    "run s: ledger is missing",
		`[{"scenario": "s", "makespan_s":-1, "ranks": 1, "ledger": {"compute_s": 1}}]`:                  "run s: makespan_s: must be 0 to 9223372, got -1",
		`[{"scenario": "s", "communicating_s": 1e308, "ranks": 1, "ledger": {"compute_s": 1}}]`:         "communicating_s: must be 0 to",
		`[{"scenario": "s", "ranks": 1, "ledger": {"idle_s": -1e-12}}]`:                                 "run s: ledger.idle_s: must be 0 to 9223372, got -1e-12",
		`[{"scenario": "s", "ranks": 1, "ledger": {"a": 1}, "phases": [{"ledger": {"idle_s": 1e30}}]}]`: "phases[0].ledger.idle_s: must be",
		`[{"scenario": "s", "ranks": 1, "ledger": {"compute_s": "long"}}]`:                              "cannot unmarshal string",
		`[{"scenario": "s", "ranks": 1, "ledger": []}]`:                                                 "must be an object, got [",
	} {
		if _, ok, err := Saved([]byte(text)); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, ok, err, want)
		}
	}
}
