package outcomes

import (
	"fmt"
	"math"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/workloads"
)

// RunRecord is an outcome in a stable form: times in seconds, sizes in bytes, the ledger as
// means over the ranks. The same input gives the same bytes, except for Host.
type RunRecord struct {
	Scenario      string              `json:"scenario"`
	Machine       string              `json:"machine"`
	Workload      string              `json:"workload"`
	Ranks         int                 `json:"ranks"`
	Nodes         int                 `json:"nodes,omitempty"`           // that the ranks take
	StandIns      int                 `json:"ranks_simulated,omitempty"` // the numbers are theirs, and they stand for all
	Events        uint64              `json:"events"`
	Messages      uint64              `json:"messages"`
	Bytes         int64               `json:"bytes,omitempty"` // carried by messages, if known
	Makespan      float64             `json:"makespan_s"`
	Step          *Step               `json:"step,omitempty"`     // of training
	Finish        []float64           `json:"finish_s,omitempty"` // by rank, if requested
	Ledger        numbers             `json:"ledger"`
	Phases        []PhaseRecord       `json:"phases,omitempty"`                      // of programs, in their order
	ByRank        []RankTimes         `json:"ledger_by_rank,omitempty"`              // the terms that occur, if requested
	Streams       []StreamRecord      `json:"streams,omitempty"`                     // of GPUs
	Traced        *results.Traced     `json:"traced,omitempty"`                      // of traces of GPUs: what was measured
	Scaled        *results.Scaled     `json:"scaled,omitempty"`                      // of training, from a measurement of other GPUs: what and how
	Stragglers    *results.Stragglers `json:"stragglers,omitempty"`                  // of traces of training jobs
	InFlight      *float64            `json:"in_flight_while_computing_s,omitempty"` // nil: not known
	Communicating *float64            `json:"communicating_s,omitempty"`             // nil: not known
	Bound         *float64            `json:"bound_s,omitempty"`                     // no run of the program is shorter, with its posts and waits where they are; nil: not known
	BoundOf       string              `json:"bound_of,omitempty"`                    // what the bound is of
	Metrics       numbers             `json:"metrics"`
	LeftOut       Ordered             `json:"metrics_left_out,omitempty"` // the reason, by name
	Assumed       []string            `json:"assumed,omitempty"`          // what the machine does not say and the run takes for true, and what of a recorded program runs
	NoEffect      []files.NoEffect    `json:"no_effect,omitempty"`        // keys that are given and cannot act, if requested
	Links         *linksRecord        `json:"links,omitempty"`            // of fabrics that measure them
	Traffic       *trafficRecord      `json:"links_over_time,omitempty"`  // if requested
	Gradient      Ordered             `json:"gradient,omitempty"`         // if requested
	Unstable      string              `json:"unstable,omitempty"`         // why there is no gradient
	Critical      *PathRecord         `json:"critical_path,omitempty"`    // if requested
	// Difference is that from the first of several runs, as package difference writes it.
	Difference any     `json:"difference,omitempty"`
	Answer     *Answer `json:"answer,omitempty"` // if the scenario was run again for it
	Host       *Host   `json:"host,omitempty"`   // if requested
}

// PhaseRecord is the ledger of a phase, as means over the ranks.
type PhaseRecord struct {
	Name   string  `json:"name"`
	Ledger numbers `json:"ledger"`
	// Communicating is its part of communicating_s, on GPUs.
	Communicating *float64 `json:"communicating_s,omitempty"`
}

// StreamRecord is what a stream of GPUs that are alike spends the makespan on.
type StreamRecord struct {
	GPU    int     `json:"gpu"`  // the first one
	Alike  int     `json:"gpus"` // how many there are
	Stream string  `json:"stream"`
	Parts  Ordered `json:"parts"` // in seconds
}

// RankTimes are the times that each rank spent in a term.
type RankTimes struct {
	Term  string    `json:"term"`
	Times []float64 `json:"times_s"` // by rank
}

// Host is the speed of the simulator.
type Host struct {
	Seconds           float64 `json:"seconds"`
	EventsPerSecond   float64 `json:"events_per_second"`
	MessagesPerSecond float64 `json:"messages_per_second"`
	PeakRSS           int64   `json:"peak_rss_bytes"`
}

// Record returns the outcome as plain data.
func (o *Outcome) Record() *RunRecord {
	inFlight, communicating, ledger := o.InFlight(), o.Communicating(), o.Ledger()
	r := &RunRecord{
		Scenario: o.Name, Machine: o.Machine.Name, Workload: o.Kind, Ranks: o.Ranks,
		Events: o.Result.Events, Messages: o.Result.Messages, Bytes: o.Result.Bytes,
		Makespan: o.Result.Makespan().Seconds(),
		Assumed:  o.Assumptions(), InFlight: &inFlight, Communicating: &communicating, Metrics: o.Metrics,
		Ledger: LedgerNumbers(&ledger, o.Result.Ranks), Links: newLinksRecord(o.Links), Traced: o.Result.Traced,
		Stragglers: o.Result.Stragglers, Scaled: o.Result.Scaled,
	}
	if o.Processes > 0 {
		r.Nodes = o.NodesTaken()
	}
	r.Step = o.stepOf(r.Makespan, nil)
	for i, name := range o.Result.Phases {
		phase := o.Result.OfPhase(i)
		record := PhaseRecord{Name: name, Ledger: LedgerNumbers(&phase, o.Result.Ranks)}
		if o.Result.On == results.GPUs {
			record.Communicating = new(phase.Communicating().Mean(o.Result.Ranks))
		}
		r.Phases = append(r.Phases, record)
	}
	for _, s := range o.Result.Streams {
		record := StreamRecord{GPU: s.GPU, Alike: s.Alike, Stream: s.Name}
		for _, part := range s.Parts {
			record.Parts = append(record.Parts, Member{part.Name + "_s", part.Time.Seconds()})
		}
		r.Streams = append(r.Streams, record)
	}
	if o.Result.Ranks < o.Ranks {
		r.StandIns = o.Result.Ranks
	}
	if o.Bounded() {
		bound := o.Bound()
		r.Bound, r.BoundOf = &bound, o.Result.Bound.Of()
	}
	for _, m := range o.LeftOut {
		r.LeftOut = append(r.LeftOut, Member{m.Name, m.Why})
	}
	if o.Result.Critical != nil {
		r.Gradient, r.Critical = gradientRecord(o.Slopes()), o.PathRecord()
	}
	if o.Unstable() {
		r.Unstable = o.WhyUnstable() + " " + Instead
	}
	return r
}

// FinishByRank returns the time in seconds at which each rank ended.
func (o *Outcome) FinishByRank() []float64 {
	all := make([]float64, len(o.Result.Finish))
	for i, t := range o.Result.Finish {
		all[i] = t.Seconds()
	}
	return all
}

// LedgersByRank returns the times in seconds that each rank spent in the terms that occur,
// and in compute.
func (o *Outcome) LedgersByRank() (all []RankTimes) {
	total := o.Ledger()
	for term := range total {
		if total[term].Zero() && term != int(results.Compute) {
			continue
		}
		r := RankTimes{Term: results.Term(term).String(), Times: make([]float64, len(o.Result.Ledgers))}
		for rank := range r.Times {
			ledger := o.Result.OfRank(rank)
			r.Times[rank] = ledger[term].Seconds()
		}
		all = append(all, r)
	}
	return all
}

// LedgerNumbers are the means of the terms over the given number of ledgers, in seconds.
func LedgerNumbers(l *results.Totals, ledgers int) (terms numbers) {
	for term, t := range l {
		terms = append(terms, workloads.Metric{Name: results.Term(term).String() + "_s", Value: t.Mean(ledgers)})
	}
	return terms
}

// numbers are written as a JSON object whose members keep their order.
type numbers []workloads.Metric

// MarshalJSON implements json.Marshaler. A number without a JSON form is an error.
func (n numbers) MarshalJSON() ([]byte, error) {
	out := append(make([]byte, 0, 32*len(n)+2), '{')
	for i, m := range n {
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return nil, fmt.Errorf("the metric %s is %g", m.Name, m.Value)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, m.Name), ':')
		out = appendNumber(out, m.Value)
	}
	return append(out, '}'), nil
}
