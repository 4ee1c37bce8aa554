package scenarios

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/workloads/goal"
)

// LogGOPS are the parameters of a replay by their letters in the model, in ns, ns per
// byte (G, O) and bytes (S), as exact numbers.
type LogGOPS map[string]*big.Rat

// DefaultLogGOPS are LogGOPSim's defaults.
const DefaultLogGOPS = "L=2500,o=1500,g=1000,G=6,O=0,S=65535"

// loggopsUnits are the dimensions of the letters, for numbers with a unit.
var loggopsUnits = map[string]keys.Dimension{"L": keys.Time, "o": keys.Time, "g": keys.Time, "G": keys.PerByte, "O": keys.PerByte,
	"S": keys.Bytes}

// ParseLogGOPS reads "L=2500,o=1.5us,...". Letters that are omitted keep their defaults.
func ParseLogGOPS(text string) (LogGOPS, error) {
	p := LogGOPS{}
	var wrong []error
	for _, list := range []string{DefaultLogGOPS, text} {
		given := map[string]bool{}
		for _, part := range strings.Split(list, ",") {
			letter, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			is, known := loggopsUnits[letter]
			switch {
			case !known:
				wrong = append(wrong, fmt.Errorf("unknown parameter %s; write L, o, g, G, O, S, as in %s", keys.Quote(letter), DefaultLogGOPS))
				continue
			case given[letter]:
				wrong = append(wrong, fmt.Errorf("%s is given twice", letter))
				continue
			}
			given[letter] = true
			x, err := loggopsNumber(is, value)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", letter, err))
				continue
			}
			p[letter] = x
		}
	}
	return p, errors.Join(wrong...)
}

// loggopsNumber reads a plain number, or a quantity with its unit.
func loggopsNumber(is keys.Dimension, text string) (*big.Rat, error) {
	x, err := keys.Parse(keys.Number, text)
	if err != nil {
		if x, err = keys.Parse(is, text); err != nil {
			return nil, err
		}
		if is != keys.Bytes { // ps to ns
			x.Quo(x, big.NewRat(1000, 1))
		}
	}
	if x.Sign() < 0 {
		return nil, fmt.Errorf("must not be negative, got %s", text)
	}
	if is == keys.Bytes && !x.IsInt() {
		return nil, fmt.Errorf("must be whole bytes, got %s", text)
	}
	if limit := new(big.Rat).SetInt64(math.MaxInt64 / int64(sim.Nanosecond)); x.Cmp(limit) > 0 {
		return nil, fmt.Errorf("is too large, got %s", text)
	}
	return x, nil
}

// params returns the parameters for our rules.
func (p LogGOPS) params() (goal.Params, error) {
	var wrong []error
	ps := func(letter string) sim.Time {
		t := new(big.Rat).Mul(p[letter], big.NewRat(1000, 1))
		if !t.IsInt() {
			wrong = append(wrong, fmt.Errorf("%s: must be a whole number of ps", letter))
			return 0
		}
		return sim.Time(t.Num().Int64())
	}
	float := func(letter string) float64 {
		x, _ := new(big.Rat).Mul(p[letter], big.NewRat(1000, 1)).Float64()
		return x
	}
	return goal.Params{
		Latency: ps("L"), Overhead: ps("o"), Gap: ps("g"),
		GapPerByte: float("G"), OverheadPerByte: float("O"), Rendezvous: p["S"].Num().Uint64(),
	}, errors.Join(wrong...)
}

// compat returns the parameters for LogGOPSim's rules, which have whole ns only.
func (p LogGOPS) compat() (goal.CompatParams, error) {
	var wrong []error
	whole := func(letter string) uint64 {
		if !p[letter].IsInt() {
			wrong = append(wrong, fmt.Errorf("%s: must be a whole number with --compat loggopsim", letter))
		}
		return p[letter].Num().Uint64()
	}
	return goal.CompatParams{
		Latency: whole("L"), Overhead: whole("o"), Gap: whole("g"),
		GapPerByte: whole("G"), OverheadPerByte: whole("O"), Rendezvous: whole("S"),
	}, errors.Join(wrong...)
}

// machineParams are the parameters of a machine for a replay: its latency; the mean of
// both overheads of a message of one byte; as the gap, the time of a message at the NIC
// without its bytes; the speed of large messages. With RDMA the NIC receives by itself.
func machineParams(m *machines.Machine) goal.Params {
	n := &m.Network
	large := n.Transfer[len(n.Transfer)-1]
	overhead := func(c network.Cost) (sim.Time, float64) {
		if len(c) == 0 {
			return 0, 0
		}
		return c.Of(1) - sim.PerByte(1, c[0].PerByte), c[len(c)-1].PerByte
	}
	so, sO := overhead(n.SendOverhead)
	ro, rO := overhead(n.ReceiveOverhead)
	p := goal.Params{
		Latency: n.Latency, Overhead: (so + ro) / 2, OverheadPerByte: (sO + rO) / 2,
		Gap: max(n.Gap, n.Startup+large.Base), GapPerByte: large.PerByte,
		Rendezvous: uint64(n.Rendezvous), ReceiveOverlap: m.Copying == nil,
	}
	if p.Rendezvous == 0 {
		p.Rendezvous = math.MaxInt64
	}
	return p
}

// ReplayRules says which numbers of a machine a replay uses.
func ReplayRules(m *files.Machine) string {
	p := machineParams(m.Machine)
	if p.Rendezvous == math.MaxInt64 {
		return fmt.Sprintf("L %v, o %v, g %v, G %.4g ps/B, O %.4g ps/B, all messages eager", p.Latency, p.Overhead, p.Gap, p.GapPerByte,
			p.OverheadPerByte)
	}
	return fmt.Sprintf("L %v, o %v, g %v, G %.4g ps/B, O %.4g ps/B, S %d B", p.Latency, p.Overhead, p.Gap, p.GapPerByte, p.OverheadPerByte,
		p.Rendezvous)
}

// Replay is a schedule and the way to run it.
type Replay struct {
	Name     string
	Schedule *goal.Schedule
	Machine  *files.Machine // nil: the parameters are used
	LogGOPS  LogGOPS
	Compat   bool // LogGOPSim's rules instead of ours
}

// Run runs the schedule; finish is the end of each rank in seconds.
func (r *Replay) Run() (record *outcomes.RunRecord, finish []float64, err error) {
	if r.Compat {
		return r.runCompat()
	}
	params, name := goal.Params{}, "loggops"
	if r.Machine != nil {
		params, name = machineParams(r.Machine.Machine), r.Machine.Name
	} else if params, err = r.LogGOPS.params(); err != nil {
		return nil, nil, err
	}
	result, err := goal.Run(r.Schedule, params)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range result.Finish {
		finish = append(finish, t.Seconds())
	}
	record = r.record(name, result.Events, result.Messages, finish)
	account(record, result.Ledgers(), r.Schedule.CPUs())
	hidden := 0.0
	for _, t := range result.Hidden {
		hidden += t.Seconds() / float64(len(result.Hidden)*r.Schedule.CPUs())
	}
	record.InFlight = &hidden
	return record, finish, nil
}

func (r *Replay) runCompat() (*outcomes.RunRecord, []float64, error) {
	params, err := r.LogGOPS.compat()
	if err != nil {
		return nil, nil, err
	}
	result, err := goal.RunCompat(r.Schedule, params)
	if err != nil {
		return nil, nil, err
	}
	finish := make([]float64, len(result.Finish))
	for i, ns := range result.Finish {
		finish[i] = float64(ns) / 1e9
	}
	record := r.record("loggopsim", result.Events, uint64(r.Schedule.Messages()), finish)
	account(record, r.Schedule.CompatLedgers(params, result), r.Schedule.CPUs())
	return record, finish, nil
}

func (r *Replay) record(machine string, events, messages uint64, finish []float64) *outcomes.RunRecord {
	return &outcomes.RunRecord{
		Scenario: r.Name, Machine: machine, Workload: "goal", Ranks: r.Schedule.Ranks(),
		Events: events, Messages: messages, Makespan: slices.Max(finish),
	}
}

// account fills in how the CPUs of the ranks spent their time, as means over the ranks.
// Waiting for a message and waiting for another operation both count as idle, because a
// schedule does not distinguish them.
func account(r *outcomes.RunRecord, all []goal.Ledger, cpus int) {
	var sum results.Totals
	for _, l := range all {
		sum.Join(&results.Totals{results.Compute: l.Compute, results.Overhead: l.Overhead, results.Transfer: l.Transfer, results.Idle: l.Wait})
	}
	communicating := sum.Communicating()
	communicating.Join(sum[results.Idle])
	mean := communicating.Mean(len(all) * cpus)
	r.Ledger, r.Communicating = outcomes.LedgerNumbers(&sum, len(all)*cpus), &mean
}

// Flows runs a case of flows over links; finish is the end of each flow in seconds.
func Flows(c *flow.Case) (record *outcomes.RunRecord, finish []float64, err error) {
	finish, events, err := c.Run()
	if err != nil {
		return nil, nil, err
	}
	ends := map[string]bool{}
	for _, f := range c.Flows {
		ends[f.From], ends[f.To] = true, true
	}
	last := 0.0
	for _, t := range finish {
		last = max(last, t)
	}
	if !(last <= sim.Forever.Seconds()) {
		const most = "%s: the last flow ends after %.3g s; a run takes at most %.0f days"
		return nil, nil, fmt.Errorf(most, c.Name, last, sim.Forever.Seconds()/86400)
	}
	return &outcomes.RunRecord{
		Scenario: c.Name, Machine: "links", Workload: "flows", Ranks: len(ends),
		Events: events, Messages: uint64(len(c.Flows)), Makespan: last, Finish: finish,
	}, finish, nil
}
