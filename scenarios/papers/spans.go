package papers

import (
	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// TimelineRecord is the lanes of a run.
type TimelineRecord struct {
	Title string       `json:"title"`
	Lanes []LaneRecord `json:"lanes"`
}

// LaneRecord is what a process, a helper or a NIC did.
type LaneRecord struct {
	Name  string       `json:"name"`
	Spans []SpanRecord `json:"spans"`
	Calls []CallRecord `json:"calls,omitempty"` // of the NIC
}

// CallRecord is a moment at which a library hands something to the NIC, or finds it there.
type CallRecord struct {
	At   float64 `json:"at_s"`
	What string  `json:"what"`
}

// SpanRecord is a stretch of time.
type SpanRecord struct {
	Start float64 `json:"start_s"`
	End   float64 `json:"end_s"`
	What  string  `json:"what"`
}

func timelineRecord(o *outcomes.Outcome) TimelineRecord {
	r := TimelineRecord{Title: o.Name}
	for _, lane := range o.Result.Timeline.Lanes {
		l := LaneRecord{Name: lane.Name}
		for _, s := range lane.Spans {
			l.Spans = append(l.Spans, SpanRecord{s.Start.Seconds(), s.End.Seconds(), doing(&lane, s.Term)})
		}
		for _, c := range lane.Calls {
			l.Calls = append(l.Calls, CallRecord{c.At.Seconds(), c.Kind.String()})
		}
		r.Lanes = append(r.Lanes, l)
	}
	return r
}

// spanRows are what each lane did, in order, and when it called the NIC.
func spanRows(r *results.Result) [][]string {
	rows := [][]string{{"lane", "from", "to", "what"}}
	for _, lane := range r.Timeline.Lanes {
		for _, s := range lane.Spans {
			from, to := report.Seconds(s.Start.Seconds()), report.Seconds(s.End.Seconds())
			rows = append(rows, []string{lane.Name, from, to, doing(&lane, s.Term)})
		}
		for _, c := range lane.Calls {
			rows = append(rows, []string{lane.Name, report.Seconds(c.At.Seconds()), "", c.Kind.String()})
		}
	}
	return rows
}

// doing names a span of a lane: its term, or the insertion on a lane that shows nothing
// else.
func doing(lane *results.Lane, t results.Term) string {
	if lane.Kind == results.InsertLane {
		return "insertion"
	}
	return t.String()
}
