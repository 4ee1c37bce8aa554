package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// decoder is the second version of the page's reader.
type decoder struct {
	*rapid.T
	in *bytes.Reader
}

func (d *decoder) uint() uint64 {
	return must.Get(binary.ReadUvarint(d.in))(d)
}

func (d *decoder) int() int64 {
	x := d.uint()
	return int64(x>>1) ^ -int64(x&1)
}

// decode reads what encode wrote.
func (d *decoder) decode(packed []byte) (header, *results.Timeline) {
	z := must.Get(gzip.NewReader(bytes.NewReader(packed)))(d)
	raw := must.Get(io.ReadAll(z))(d)
	d.in = bytes.NewReader(raw)
	text := make([]byte, d.uint())
	d.in.Read(text)
	var h header
	must.Do(d, json.Unmarshal(text, &h))
	t := &results.Timeline{Messages: make([]results.Message, h.Messages)}
	for _, l := range h.Lanes {
		t.Lanes = append(t.Lanes, results.Lane{Name: l.Name, Kind: l.Kind, Index: l.Index, Spans: make([]results.Span, l.Spans)})
	}
	d.spans(t)
	d.messages(t.Messages)
	if d.in.Len() != 0 {
		d.Fatalf("%d bytes are left over", d.in.Len())
	}
	return h, t
}

func (d *decoder) spans(t *results.Timeline) {
	each := func(set func(s *results.Span)) {
		for _, l := range t.Lanes {
			for i := range l.Spans {
				set(&l.Spans[i])
			}
		}
	}
	each(func(s *results.Span) { s.Start = sim.Time(d.uint()) })
	each(func(s *results.Span) { s.End = sim.Time(d.uint()) })
	each(func(s *results.Span) { s.Term = results.Term(d.uint()) })
	each(func(s *results.Span) { s.Phase = uint8(d.uint()) })
	for _, l := range t.Lanes {
		end, last := sim.Time(0), int32(0)
		for i := range l.Spans {
			s := &l.Spans[i]
			s.Start += end
			s.End += s.Start
			end = s.End
			s.Message = -1
			if code := d.uint(); code > 0 {
				last += int32(int64((code-1)>>1) ^ -int64((code-1)&1))
				s.Message = last
			}
		}
	}
}

func (d *decoder) messages(list []results.Message) {
	each := func(set func(m *results.Message)) {
		for i := range list {
			set(&list[i])
		}
	}
	each(func(m *results.Message) { m.From = int32(d.uint()) })
	each(func(m *results.Message) { m.To = int32(d.uint()) })
	each(func(m *results.Message) { m.Bytes = int64(d.uint()) })
	last := sim.Time(0)
	each(func(m *results.Message) { last += sim.Time(d.int()); m.Posted = last })
	each(func(m *results.Message) { m.Insert = m.Posted + sim.Time(d.int()) })
	each(func(m *results.Message) { m.Start = m.Insert + sim.Time(d.int()) })
	each(func(m *results.Message) { m.Sent = m.Start + sim.Time(d.int()) })
	each(func(m *results.Message) { m.Delivered = m.Sent + sim.Time(d.int()) })
}

// anyTimeline draws a timeline whose times stay below most.
func anyTimeline(t *rapid.T, most int64) *results.Result {
	ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
	r := &results.Result{Ranks: ranks, Phases: []string{"one", "two <b>"}, Timeline: &results.Timeline{}}
	time := rapid.Int64Range(0, most/50)
	for range rapid.IntRange(0, 20).Draw(t, "messages") {
		m := results.Message{From: int32(rapid.IntRange(0, ranks-1).Draw(t, "from")), To: int32(rapid.IntRange(0, ranks-1).Draw(t, "to")),
			Bytes: time.Draw(t, "bytes")}
		for _, at := range []*sim.Time{&m.Posted, &m.Insert, &m.Start, &m.Sent, &m.Delivered} {
			*at = sim.Time(time.Draw(t, "time"))
		}
		r.Timeline.Messages = append(r.Timeline.Messages, m)
	}
	for rank := range ranks {
		l := results.Lane{Name: rapid.String().Draw(t, "name"), Kind: results.LaneKind(rapid.IntRange(0, 2).Draw(t, "kind")), Index: rank}
		l.Spans = make([]results.Span, 0)
		at := int64(0)
		for range rapid.IntRange(0, 20).Draw(t, "spans") {
			start := at + time.Draw(t, "gap")*rapid.Int64Range(0, 1).Draw(t, "gaps")
			at = start + time.Draw(t, "duration")
			l.Spans = append(l.Spans, results.Span{Start: sim.Time(start), End: sim.Time(at),
				Message: int32(rapid.IntRange(-1, len(r.Timeline.Messages)-1).Draw(t, "message")),
				Term:    results.Term(rapid.IntRange(0, int(results.NumTerms)-1).Draw(t, "term")), Phase: uint8(rapid.IntRange(0, 1).Draw(t, "phase"))})
		}
		r.Finish = append(r.Finish, sim.Time(at))
		r.Timeline.Lanes = append(r.Timeline.Lanes, l)
	}
	return r
}

func TestEncodeThenDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyTimeline(t, 1<<62)
		must.Do(t, checkTimeline(r))
		var packed bytes.Buffer
		must.Do(t, encode(&packed, r))
		d := decoder{T: t}
		h, got := d.decode(packed.Bytes())
		if h.Ranks != r.Ranks || h.Makespan != r.Makespan() || !reflect.DeepEqual(h.Phases, r.Phases) {
			t.Fatalf("header %+v", h)
		}
		if len(got.Messages) == 0 {
			got.Messages = nil
		}
		if !reflect.DeepEqual(got, r.Timeline) {
			t.Fatalf("got %+v\nwant %+v", got, r.Timeline)
		}
	})
}

// The lanes of a node come before those of its NIC, regardless of the mapping.
func TestByNode(t *testing.T) {
	lanes := []results.Lane{{Index: 3}, {Index: 1}, {Kind: results.InsertLane, Index: 1}, {Kind: results.SendLane, Index: 1},
		{Index: 0}, {Kind: results.SendLane, Index: 0}, {Index: 2}}
	var got []int
	for _, l := range byNode(&results.Timeline{Lanes: lanes}) {
		got = append(got, l.node)
	}
	if want := []int{1, 1, 1, 1, 0, 0, -1}; !reflect.DeepEqual(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
}

func TestTimelinesOutOfOrder(t *testing.T) {
	span := func(start, end sim.Time) results.Span { return results.Span{Start: start, End: end, Message: -1} }
	for want, spans := range map[string][]results.Span{
		"lane rank 0: span 1 starts at 4ps, before 5ps":       {span(0, 5), span(4, 9)},
		"lane rank 0: span 0 ends at 3ps, before it starts":   {span(4, 3)},
		"lane rank 0: span 0: there is no term 11":            {{Term: results.NumTerms, Message: -1}},
		"lane rank 0: span 0: there is no message 1":          {{Message: 1}},
		"report: run x: lane rank 0: span 0 ends at 3ps, bef": {span(4, 3)},
	} {
		r := &results.Result{Ranks: 1, Timeline: &results.Timeline{Lanes: []results.Lane{{Name: "rank 0", Spans: spans}},
			Messages: make([]results.Message, 1)}}
		err := Write(io.Discard, &Page{Runs: []Run{{Name: "x", Result: r}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	r := &results.Result{Ranks: 1, Timeline: &results.Timeline{Messages: []results.Message{{To: 1}}}}
	if err := checkTimeline(r); err == nil || err.Error() != "message 0 goes from rank 0 to rank 1 of 1" {
		t.Errorf("got %v", err)
	}
}

// unpacked returns the columns of a timeline in base64, not compressed.
func unpacked(t *rapid.T, r *results.Result) string {
	var raw bytes.Buffer
	c := columns{w: &raw}
	lanes := byNode(r.Timeline)
	c.header(r, lanes, nil)
	c.spans(lanes)
	c.messages(r.Timeline)
	must.Do(t, c.flush())
	return base64.StdEncoding.EncodeToString(raw.Bytes())
}
