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

// Results whose numbers contradict each other are refused.
func TestContradictions(t *testing.T) {
	const run = `{"scenario":"s","machine":"m","workload":"w","ranks":2,"events":5,"messages":1,"makespan_s":2.5,"finish_s":[2.5,2],` +
		`"ledger":{"overhead_s":1,"compute_s":1.25},"phases":[{"name":"p","ledger":{"overhead_s":0.5}},{"name":"q","ledger":{"overhead_s":0.5}}],` +
		`"ledger_by_rank":[{"term":"overhead","times_s":[1.5,0.5]},{"term":"compute","times_s":[1,1.5]}],` +
		`"in_flight_while_computing_s":0.5,"communicating_s":1,"bound_s":2.25,"metrics":{},` +
		`"answer":{"computation_alone_s":1.5,"communication_alone_s":2,"exposed_s":1,"hidden_s":1,"overlap":0.5,"noise":0.01,` +
		`"without":[{"makespan_s":2,"saves":0.2}],"help":[{"makespan_s":1.25,"saves":0.5}]}}`
	if _, _, err := Saved([]byte(run)); err != nil {
		t.Fatal(err)
	}
	const other = "the first of runs must be what stands before runs, as run --json prints it"
	twice := strings.Replace(run, `"makespan_s":2.5,`, `"makespan_s":2.6,`, 1)
	if _, _, err := Saved([]byte(twice[:len(twice)-1] + `,"runs":[` + run + `]}`)); err == nil || err.Error() != other {
		t.Errorf("another makespan before the runs: %v, want %s", err, other)
	}
	for old, c := range map[string][2]string{
		`"makespan_s":2.5`:   {`"makespan_s":2`, "ledger: its sum must be at most makespan_s, 2, got 2.25"},
		`"makespan_s":2.5,`:  {`"makespan_s":3,`, "answer.exposed_s must be makespan_s less computation_alone_s, 1.5, got 1"},
		`"finish_s":[2.5,`:   {`"finish_s":[2.6,`, "makespan_s must be the last time of finish_s, 2.6, got 2.5"},
		`"finish_s":[2.5,2]`: {`"finish_s":[2.5]`, "finish_s has 1 times of 2 ranks"},
		`"overhead_s":1,`:    {`"overhead_s":0.9,`, "phases: the sum of overhead_s must be at most ledger.overhead_s, 0.9, got 1"},
		`"compute_s":1.25`:   {`"compute_s":1.2`, "ledger_by_rank: the mean of compute must be that of ledger, 1.2, got 1.25"},
		`"name":"p","ledger":{"over`: {`"name":"p","ledger":{"under`,
			"phases: the sum of underhead_s must be at most ledger.underhead_s, which is missing, 0, got 0.5"},
		`"times_s":[1.5,0.5]`: {`"times_s":[1.5,0.5,1]`, "ledger_by_rank: overhead has 3 times of 2 ranks"},
		`ting_s":0.5`:         {`ting_s":2.6`, "in_flight_while_computing_s must be at most makespan_s, 2.5, got 2.6"},
		`"communicating_s":1`: {`"communicating_s":2.3`, "communicating_s must be at most the sum of ledger, 2.25, got 2.3"},
		`"exposed_s":1,`:      {`"exposed_s":-5,`, "answer.exposed_s must be makespan_s less computation_alone_s, 1, got -5"},
		`"hidden_s":1`:        {`"hidden_s":1.1`, "answer.hidden_s must be communication_alone_s less exposed_s, 1, got 1.1"},
		`"overlap":0.5`:       {`"overlap":0.9`, "answer.overlap must be hidden_s by communication_alone_s, 0.5, got 0.9"},
		`"noise":0.01`:        {`"noise":-1`, "answer.noise must be at least 0, got -1"},
		`"saves":0.2`:         {`"saves":0.3`, "answer.without[0].saves must be 1 less its makespan_s by that of the run, 0.2, got 0.3"},
		`"makespan_s":1.25`:   {`"makespan_s":-1`, "answer.help[0].makespan_s: must be 0 to 9223372, got -1"},
		`"bound_s":2.25`:      {`"bound_s":2.51`, "bound_s must be at most makespan_s, 2.5, got 2.51"},
	} {
		text := strings.Replace(run, old, c[0], 1)
		if _, _, err := Saved([]byte(text)); err == nil || err.Error() != "run s: "+c[1] {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
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
		`{"schema_version": 5, "runs": []}`:  "schema_version: must be at most 4, got 5: a later version of overlapsim printed it",
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

// FuzzSaved: for any bytes, reading ends with an error or with results that are the same when they are written and
// read again.
func FuzzSaved(f *testing.F) {
	const run = `{"scenario":"s","machine":"m","workload":"w","ranks":2,"events":5,"messages":1,"makespan_s":2.5,"finish_s":[2.5,2],` +
		`"ledger":{"overhead_s":1,"compute_s":1.25},"phases":[{"name":"p","ledger":{"overhead_s":0.5}}],` +
		`"ledger_by_rank":[{"term":"overhead","times_s":[1.5,0.5]}],"streams":[{"gpu":0,"gpus":1,"stream":"c","parts":{"a_s":1}}],` +
		`"bound_s":2.25,"metrics":{"x":1},"metrics_left_out":{"y":"why"},"no_effect":[{"path":"a.b"}],"links":{},"gradient":{"a":{}},` +
		`"critical_path":{},"answer":{"sentence":"s","without":[{"set":["a=b"],"makespan_s":2.5}]},"host":{"seconds":1}}`
	f.Add([]byte(run))
	f.Add([]byte("[" + run + "," + run + "]"))
	f.Add([]byte(`{"schema_version":4,"runs":[` + run + `]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, _, err := Saved(text)
		if err != nil || records == nil {
			return
		}
		written, err := JSON(NewPrinted(records, ""))
		if err != nil {
			t.Fatal(err)
		}
		again, ok, err := Saved(written)
		if err != nil || !ok {
			t.Fatalf("%s: %v", written, err)
		}
		if twice, err := JSON(NewPrinted(again, "")); err != nil || string(twice) != string(written) {
			t.Fatalf("%v: %s, then %s", err, written, twice)
		}
	})
}
