package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads"
)

// grown returns a result with all times multiplied by a factor, and the number of ranks by
// another: the new ranks repeat the first ones.
func grown(r *results.Result, times sim.Time, copies int) *results.Result {
	g := *r
	g.Ranks, g.Bytes, g.Messages = r.Ranks*copies, r.Bytes*int64(copies), r.Messages*uint64(copies)
	stretch := func(all []sim.Time) []sim.Time {
		longer := make([]sim.Time, len(all))
		for i, t := range all {
			longer[i] = t * times
		}
		return slices.Repeat(longer, copies)
	}
	g.Finish, g.Hidden = stretch(r.Finish), stretch(r.Hidden)
	g.Bound = results.Bound{Work: r.Bound.Work * times, Messages: r.Bound.Messages * times, Bytes: r.Bound.Bytes * times, Chain: r.Bound.Chain * times}
	g.Ledgers = nil
	for _, phases := range r.Ledgers {
		longer := slices.Clone(phases)
		for i := range longer {
			for term := range longer[i] {
				longer[i][term] *= times
			}
		}
		g.Ledgers = append(g.Ledgers, longer)
	}
	g.Ledgers = slices.Repeat(g.Ledgers, copies)
	g.Streams = nil
	for _, s := range r.Streams {
		s.Parts = slices.Clone(s.Parts)
		for i := range s.Parts {
			s.Parts[i].Time *= times
		}
		g.Streams = append(g.Streams, s)
	}
	return &g
}

// outcomeOf runs a small workload on a machine that has all that it needs.
func outcomeOf(t *testing.T, name, small string) *outcomes.Outcome {
	t.Helper()
	text := "machine: " + machineFor(name, "intrepid") + "\n" + allKernels() + "  nodes: 0\nprocesses_per_node: 1\n" +
		workloadText(name, small)
	if strings.HasPrefix(name, "contention") {
		text += "fabric: {kind: packet}\ntopology: {dims: [2, 2, 2], nodes_per_router: 1}\n"
	}
	if machineFor(name, "") != "" { // all GPUs of a node
		text = strings.Replace(text, "processes_per_node: 1\n", "", 1)
	}
	if strings.HasPrefix(name, "advection-asym") || strings.Contains(small, "overlap: true") {
		text = strings.Replace(text, "processes_per_node: 1", "processes_per_node: 4", 1)
	}
	must.Do(t, os.WriteFile("s.yaml", []byte(text), 0o666))
	study, err := scenarios.Load("s.yaml", nil)
	if err != nil {
		t.Fatalf("%s\n%s", text, err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatalf("%s\n%s", text, err)
	}
	return o
}

// Every number of a result is a mean over the ranks or of the last rank. Therefore any number of equal
// ranks gives the same numbers, and longer times give proportional ones, even where their sum
// exceeds any Time.
func TestTotalsDoNotWrap(t *testing.T) {
	must.Long(t)
	inFolder(t)
	for _, name := range workloads.Names() {
		if name == "transformer" || name == "expert-exchange" || name == "halo-beside-collective" || name == "osu-nbc" {
			continue // how a model is spread, where tokens go, and who does what follows from the ranks: more of them are another plan; of another run
		}
		for _, small := range smallWorkloads[name] {
			o := outcomeOf(t, name, small)
			last := o.Result.Makespan()
			if last == 0 {
				t.Errorf("%s %s takes no time", name, small)
				continue
			}
			times := machines.Longest / last // about 53 days each
			copies := 1 + 1000/o.Result.Ranks
			g := *o
			g.Result = grown(o.Result, times, copies)
			metrics := o.Workload.Metrics(o.Machine.Machine, g.Result)
			g.Metrics, g.LeftOut = metrics.List(), metrics.LeftOut()
			proportional(t, name+" "+small, o, &g, times.Seconds()*1e12)
		}
	}
}

// proportional compares all numbers of an outcome with those of a longer one.
func proportional(t *testing.T, name string, o, g *outcomes.Outcome, times float64) {
	t.Helper()
	check := func(what string, got, want float64, ways ...float64) {
		for _, factor := range ways {
			if math.Abs(got-want*factor) <= 1e-9*math.Abs(want*factor)+1e-6 { // of a time of 53 days, or of none
				return
			}
		}
		t.Errorf("%s: %s is %g, with times %g as long %g", name, what, want, times, got)
	}
	small, large := flat(t, o), flat(t, g)
	for i, v := range small {
		switch {
		case v.name == "ranks" || v.name == "nodes" || v.name == "metrics.pairs" || v.name == "messages" || v.name == "bytes" || v.name == "events" ||
			v.name == "streams..gpu" || v.name == "streams..gpus" || strings.HasPrefix(v.name, "links"):
		case strings.HasPrefix(v.name, "traced.") || strings.HasPrefix(v.name, "stragglers.") || strings.HasPrefix(v.name, "scaled."): // of the file, for any result of the run
		case strings.HasPrefix(v.name, "metrics.") && o.Kind == "dense-best": // closed forms
		case strings.HasPrefix(v.name, "metrics."): // times, rates, or ratios to what the machine alone says
			if !ofMachine[strings.TrimPrefix(v.name, "metrics.")] {
				check(v.name, large[i].value, v.value, times, 1/times, 1, float64(o.Result.Ranks)/float64(g.Result.Ranks)/times)
			}
		default:
			check(v.name, large[i].value, v.value, times)
		}
	}
	for i, bar := range o.Phases() {
		check("phase "+bar.Name, g.Phases()[i].Value, bar.Value, times)
	}
	check("left to gain", g.Left(), o.Left(), 1)
	if got, want := shown(g), shown(o); !slices.Equal(got, want) {
		t.Errorf("%s: the text has the percentages %v, with longer times %v", name, want, got)
	}
	if err := report.Write(new(bytes.Buffer), page(&scenarios.Study{Name: name}, []outcome{{Outcome: g, record: g.Record()}})); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// ofMachine are metrics that mix times of the run with some of the machine alone, or
// count messages.
var ofMachine = map[string]bool{
	"ratio": true, "slowdown": true, "measured_s": true, "round_trip_s": true, "local_s": true, "messages": true, "gap_s": true,
}

type number struct {
	name  string
	value float64
}

// flat lists the numbers of an outcome's record.
func flat(t *testing.T, o *outcomes.Outcome) (all []number) {
	t.Helper()
	text := must.Get(json.Marshal(o.Record()))(t)
	decoder := json.NewDecoder(bytes.NewReader(text))
	var path []string
	key := ""
	for {
		token, err := decoder.Token()
		if err != nil {
			return all
		}
		switch x := token.(type) {
		case json.Delim:
			if x == '{' || x == '[' {
				path, key = append(path, key), ""
			} else {
				path, key = path[:len(path)-1], ""
			}
		case string:
			key = x
			continue
		case float64:
			all = append(all, number{strings.TrimPrefix(strings.Join(append(path[1:], key), "."), "."), x})
		}
	}
}

// shown are the percentages that a run prints.
func shown(o *outcomes.Outcome) []string {
	var out bytes.Buffer
	(&printer{out: &out}).one(outcome{Outcome: o, record: o.Record()})
	return regexp.MustCompile(`[0-9.]+ %`).FindAllString(out.String(), -1)
}
