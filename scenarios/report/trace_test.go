package report

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// event is a trace event as a reader sees it.
type event struct {
	Ph, Name, Cat, Bp string
	Pid, Tid, ID      int
	Ts, Dur           json.Number
	Args              struct {
		Name, Phase string
		Message     *int
		Peer        *int32
		From, To    int32
		Bytes       int64
	}
}

// ps reads microseconds back, exactly.
func (e *event) ps(n json.Number) sim.Time {
	us, err := n.Float64()
	if err != nil {
		return -1
	}
	return sim.Time(math.Round(us * 1e6))
}

func readTrace(t *testing.T, r *results.Result) []event {
	t.Helper()
	var out strings.Builder
	must.Do(t, WriteTrace(&out, r))
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []event
	}
	must.Do(t, json.Unmarshal([]byte(out.String()), &file))
	return file.TraceEvents
}

// Every span and every message comes back from the trace.
func TestTraceHoldsTheTimeline(t *testing.T) {
	r := textbook.result()
	var spans []results.Span
	flows := map[int][2]event{}
	names := map[int]string{}
	for _, e := range readTrace(t, r) {
		switch e.Ph {
		case "X":
			s := results.Span{Start: e.ps(e.Ts), Message: -1}
			s.End = s.Start + e.ps(e.Dur)
			if e.Args.Message != nil {
				s.Message = int32(*e.Args.Message)
			}
			for e.Name != s.Term.String() {
				s.Term++
			}
			for e.Args.Phase != "" && e.Args.Phase != r.Phases[s.Phase] {
				s.Phase++
			}
			spans = append(spans, s)
			checkEnds(t, r, &e)
		case "M":
			if e.Name == "thread_name" {
				names[e.Tid] = e.Args.Name
			}
		case "s":
			flows[e.ID] = [2]event{e}
		case "f":
			flows[e.ID] = [2]event{flows[e.ID][0], e}
		}
	}
	for _, l := range r.Timeline.Lanes {
		for _, want := range l.Spans {
			if spans[0] != want {
				t.Fatalf("%s: %+v, want %+v", l.Name, spans[0], want)
			}
			spans = spans[1:]
		}
	}
	if len(spans) > 0 || len(flows) != len(r.Timeline.Messages) || len(names) != len(r.Timeline.Lanes) {
		t.Errorf("%d spans too many, %d flows, %d lanes", len(spans), len(flows), len(names))
	}
	checkFlows(t, r, flows, names)
}

// checkEnds compares what a slice says of its message with the message.
func checkEnds(t *testing.T, r *results.Result, e *event) {
	t.Helper()
	if e.Args.Message == nil {
		return
	}
	m := r.Timeline.Messages[*e.Args.Message]
	ends := [2]int32{e.Args.From, e.Args.To}
	if e.Args.Peer != nil {
		ends = [2]int32{m.From, m.To}
		if *e.Args.Peer != m.From && *e.Args.Peer != m.To {
			t.Errorf("%+v has a peer that is no end of %+v", e.Args, m)
		}
	}
	if ends != [2]int32{m.From, m.To} || e.Args.Bytes != m.Bytes {
		t.Errorf("%+v of %+v", e.Args, m)
	}
}

func checkFlows(t *testing.T, r *results.Result, flows map[int][2]event, names map[int]string) {
	for i, m := range r.Timeline.Messages {
		s, f := flows[i][0], flows[i][1]
		if s.ps(s.Ts) != m.Start || f.ps(f.Ts) != m.Delivered || s.Args.Bytes != m.Bytes {
			t.Errorf("message %d flows from %v to %v: %+v", i, s.Ts, f.Ts, m)
		}
		if from, to := names[s.Tid], names[f.Tid]; from != r.Timeline.Lanes[3*m.From+2].Name || to != r.Timeline.Lanes[3*m.To].Name {
			t.Errorf("message %d from rank %d to rank %d flows from %s to %s", i, m.From, m.To, from, to)
		}
	}
}

func TestTraceOfHostileNames(t *testing.T) {
	r := hostilePage().Runs[0].Result
	for _, e := range readTrace(t, r) {
		if e.Name == "thread_name" && e.Args.Name != hostile {
			t.Errorf("a lane is called %q", e.Args.Name)
		}
	}
}

func TestTraceErrors(t *testing.T) {
	if err := WriteTrace(&full{}, &results.Result{}); !errors.Is(err, errNoTimeline) {
		t.Errorf("without a timeline: %v", err)
	}
	for _, room := range []int{0, 100, 5000} {
		if err := WriteTrace(&full{room}, textbook.result()); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}
