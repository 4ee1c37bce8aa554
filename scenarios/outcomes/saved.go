package outcomes

import (
	"bytes"
	"encoding/json"
	"fmt"

	"overlapsim/sim"
	"overlapsim/workloads"
)

// Saved reads what run --json or compare --json printed, also in version 1: one record, or a list
// of them. ok tells whether the text is that: a scenario is not.
func Saved(text []byte) (records []*RunRecord, ok bool, err error) {
	text = bytes.TrimSpace(text)
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		err = json.Unmarshal(text, (*savedRuns)(&records))
	case bytes.HasPrefix(text, []byte("{")) && isRecord(text):
		records, err = unprinted(text)
	default:
		return nil, false, nil
	}
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("the list is empty")
	}
	return records, true, err
}

// unprinted returns the runs of a Printed, or the one record of version 1.
func unprinted(text []byte) ([]*RunRecord, error) {
	p := struct {
		*RunRecord
		Runs savedRuns `json:"runs"`
	}{RunRecord: new(RunRecord)}
	if err := json.Unmarshal(text, &p); err != nil || p.Runs != nil {
		return p.Runs, err
	}
	return []*RunRecord{p.RunRecord}, p.RunRecord.check()
}

// savedRuns are records. Each is checked as it is read: a long list of something else is refused at its first entry.
type savedRuns []*RunRecord

// UnmarshalJSON implements json.Unmarshaler.
func (s *savedRuns) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open == nil {
		return err
	} else if open != json.Delim('[') {
		return fmt.Errorf("runs must be a list, got %v", open)
	}
	for *s = (savedRuns{}); d.More(); {
		var r *RunRecord
		if err := d.Decode(&r); err != nil {
			return err
		}
		if r == nil {
			return fmt.Errorf("entry %d is null", len(*s)+1)
		}
		if err := r.check(); err != nil {
			return err
		}
		*s = append(*s, r)
	}
	return nil
}

// isRecord tells whether a JSON object is of a run.
func isRecord(text []byte) bool {
	var is struct {
		Makespan *float64        `json:"makespan_s"`
		Runs     json.RawMessage `json:"runs"`
		Version  int             `json:"schema_version"`
	}
	return json.Unmarshal(text, &is) == nil && (is.Makespan != nil || is.Version > 1 && is.Runs != nil)
}

// check returns an error for a record that run would not write.
func (r *RunRecord) check() error {
	switch {
	case r.Scenario == "":
		return fmt.Errorf("scenario is missing, or empty: the results of a run have its name there")
	case r.Ranks <= 0:
		return fmt.Errorf("run %s: ranks: must be at least 1, got %d", r.Scenario, r.Ranks)
	case len(r.Ledger) == 0:
		return fmt.Errorf("run %s: ledger is missing: run --json writes it", r.Scenario)
	}
	for _, t := range r.times() {
		if !(t.Value >= 0 && t.Value <= longest) {
			return fmt.Errorf("run %s: %s: must be 0 to %.0f, got %g", r.Scenario, t.Name, longest, t.Value)
		}
	}
	return nil
}

// longest is the longest time of a run, in seconds.
const longest = float64(sim.Forever) / float64(sim.Second)

// times are the times of a record that others are computed with, by their keys.
func (r *RunRecord) times() (all numbers) {
	add := func(key string, t *float64) {
		if t != nil {
			all = append(all, workloads.Metric{Name: key, Value: *t})
		}
	}
	add("makespan_s", &r.Makespan)
	add("in_flight_while_computing_s", r.InFlight)
	add("communicating_s", r.Communicating)
	add("bound_s", r.Bound)
	for _, m := range r.Ledger {
		add("ledger."+m.Name, &m.Value)
	}
	for i, p := range r.Phases {
		for _, m := range p.Ledger {
			add(fmt.Sprintf("phases[%d].ledger.%s", i, m.Name), &m.Value)
		}
	}
	return all
}

// Number returns the number of a name, 0 if there is none.
func (n numbers) Number(name string) float64 {
	for _, m := range n {
		if m.Name == name {
			return m.Value
		}
	}
	return 0
}

// Sum returns the sum of the numbers.
func (n numbers) Sum() (sum float64) {
	for _, m := range n {
		sum += m.Value
	}
	return sum
}

// UnmarshalJSON implements json.Unmarshaler: the members keep their order.
func (n *numbers) UnmarshalJSON(text []byte) error {
	return members(text, func(name string, d *json.Decoder) error {
		m := workloads.Metric{Name: name}
		err := d.Decode(&m.Value)
		*n = append(*n, m)
		return err
	})
}

// UnmarshalJSON implements json.Unmarshaler: the members keep their order.
func (o *Ordered) UnmarshalJSON(text []byte) error {
	return members(text, func(name string, d *json.Decoder) error {
		m := Member{Name: name}
		err := d.Decode(&m.Value)
		*o = append(*o, m)
		return err
	})
}

// members calls back for each member of a JSON object, in order; null has none.
func members(text []byte, each func(name string, d *json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open == nil {
		return err
	} else if open != json.Delim('{') {
		return fmt.Errorf("must be an object, got %v", open)
	}
	for d.More() {
		name, err := d.Token()
		if err == nil {
			err = each(name.(string), d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
