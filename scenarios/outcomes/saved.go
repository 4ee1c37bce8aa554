package outcomes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

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
		Runs    savedRuns `json:"runs"`
		Version int       `json:"schema_version"`
	}{RunRecord: new(RunRecord)}
	switch err := json.Unmarshal(text, &p); {
	case err != nil:
		return nil, err
	case p.Version > schemaVersion:
		return nil, fmt.Errorf("schema_version: must be at most %d, got %d: a later version of overlapsim printed it", schemaVersion, p.Version)
	case p.Runs == nil:
		return []*RunRecord{p.RunRecord}, p.RunRecord.check()
	case len(p.Runs) > 0 && p.Scenario != "" && !reflect.DeepEqual(first(p.RunRecord), first(p.Runs[0])):
		return nil, fmt.Errorf("the first of runs must be what stands before runs, as run --json prints it")
	}
	return p.Runs, nil
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
	if err := r.agrees(); err != nil {
		return fmt.Errorf("run %s: %w", r.Scenario, err)
	}
	return nil
}

// agrees returns an error if numbers of a record contradict each other.
func (r *RunRecord) agrees() error {
	whole := r.Ledger.Sum()
	parts := map[string]float64{}
	for _, p := range r.Phases {
		for _, m := range p.Ledger {
			parts[m.Name] += m.Value
		}
	}
	most := []limit{{"ledger: its sum", whole, "makespan_s", r.Makespan}}
	for _, m := range r.Ledger {
		most = append(most, limit{"phases: the sum of " + m.Name, parts[m.Name], "ledger." + m.Name, m.Value})
		delete(parts, m.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		most = append(most, limit{"phases: the sum of " + name, parts[name], "ledger." + name + ", which is missing", 0})
	}
	if r.Bound != nil {
		most = append(most, limit{"bound_s", *r.Bound, "makespan_s", r.Makespan})
	}
	if r.Communicating != nil {
		most = append(most, limit{"communicating_s", *r.Communicating, "the sum of ledger", whole})
	}
	if r.InFlight != nil {
		most = append(most, limit{"in_flight_while_computing_s", *r.InFlight, "makespan_s", r.Makespan})
	}
	for _, l := range most {
		if l.value > l.most*(1+rounding)+rounding/1e6 {
			return fmt.Errorf("%s must be at most %s, %g, got %g", l.of, l.mostOf, l.most, l.value)
		}
	}
	if err := r.answerAgrees(); err != nil {
		return fmt.Errorf("answer.%w", err)
	}
	return r.ranksAgree()
}

// answerAgrees returns an error if numbers of the answer do not follow from its makespans.
func (r *RunRecord) answerAgrees() error {
	a := r.Answer
	if a == nil {
		return nil
	}
	follows := func(key string, x *float64, from string, want float64) error {
		if x != nil && !near(*x, want) {
			return fmt.Errorf("%s must be %s, %.6g, got %.6g", key, from, want, *x)
		}
		return nil
	}
	var wrong []error
	if a.Computation != nil {
		wrong = append(wrong, follows("exposed_s", a.Exposed, "makespan_s less computation_alone_s", r.Makespan-*a.Computation))
	}
	if a.Communication != nil && a.Exposed != nil {
		hidden := *a.Communication - *a.Exposed
		wrong = append(wrong, follows("hidden_s", a.Hidden, "communication_alone_s less exposed_s", hidden),
			follows("overlap", a.Overlap, "hidden_s by communication_alone_s", hidden / *a.Communication))
	}
	for _, list := range []struct {
		key string
		all []Change
	}{{"without", a.Without}, {"by_kind", a.ByKind}, {"help", a.Help}} {
		for i, c := range list.all {
			if c.Makespan < 0 || c.Makespan > longest {
				return fmt.Errorf("%s[%d].makespan_s: must be 0 to %.0f, got %g", list.key, i, longest, c.Makespan)
			}
			if in := c.SavesIn; in != nil && !(in[0] <= c.Saves+rounding && c.Saves <= in[1]+rounding) {
				return fmt.Errorf("%s[%d].saves_in_orders must have saves, %g, between its numbers, got %v", list.key, i, c.Saves, *in)
			}
			if r.Makespan > 0 {
				wrong = append(wrong, follows(fmt.Sprintf("%s[%d].saves", list.key, i), &c.Saves, "1 less its makespan_s by that of the run",
					1-c.Makespan/r.Makespan))
			}
		}
	}
	if a.Noise != nil && !(*a.Noise >= 0) {
		wrong = append(wrong, fmt.Errorf("noise must be at least 0, got %g", *a.Noise))
	}
	return cmp.Or(wrong...)
}

// ranksAgree returns an error if what is listed by rank contradicts the rest.
func (r *RunRecord) ranksAgree() error {
	ranks := r.Ranks
	if r.StandIns > 0 {
		ranks = r.StandIns
	}
	if n := len(r.Finish); n > 0 && n != r.Ranks && n != ranks {
		return fmt.Errorf("finish_s has %d times of %d ranks", n, r.Ranks)
	}
	if len(r.Finish) > 0 && !near(slices.Max(r.Finish), r.Makespan) {
		return fmt.Errorf("makespan_s must be the last time of finish_s, %g, got %g", slices.Max(r.Finish), r.Makespan)
	}
	for _, t := range r.ByRank {
		if n := len(t.Times); n != r.Ranks && n != ranks {
			return fmt.Errorf("ledger_by_rank: %s has %d times of %d ranks", t.Term, n, r.Ranks)
		}
		sum := 0.0
		for _, time := range t.Times {
			sum += time
		}
		if mean, all := sum/float64(len(t.Times)), r.Ledger.Number(t.Term+"_s"); !near(mean, all) {
			return fmt.Errorf("ledger_by_rank: the mean of %s must be that of ledger, %g, got %g", t.Term, all, mean)
		}
	}
	return nil
}

// limit is a number that is at most as large as another one.
type limit struct {
	of     string
	value  float64
	mostOf string
	most   float64
}

// rounding is how far sums of printed times may be from the sums that were printed, as a part of them.
const rounding = 1e-6

func near(a, b float64) bool {
	return math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))+rounding/1e6
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
	return Members(text, func(name string, d *json.Decoder) error {
		m := workloads.Metric{Name: name}
		err := d.Decode(&m.Value)
		*n = append(*n, m)
		return err
	})
}

// UnmarshalJSON implements json.Unmarshaler: the members keep their order.
func (o *Ordered) UnmarshalJSON(text []byte) error {
	return Members(text, func(name string, d *json.Decoder) error {
		m := Member{Name: name}
		err := d.Decode(&m.Value)
		*o = append(*o, m)
		return err
	})
}

// Members calls back for each member of a JSON object, in order; null has none.
func Members(text []byte, each func(name string, d *json.Decoder) error) error {
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
