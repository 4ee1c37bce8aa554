package report

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// fields is a decoded message: the values of each field, numbers or bytes.
type fields map[protowire.Number][]any

func (f fields) number(n protowire.Number) uint64 {
	if len(f[n]) == 0 {
		return 0
	}
	return f[n][0].(uint64)
}

func (f fields) message(t testing.TB, n protowire.Number) fields {
	if len(f[n]) == 0 {
		return nil
	}
	return decoded(t, f[n][0].([]byte))
}

// decoded reads a message without a schema.
func decoded(t testing.TB, data []byte) fields {
	f := fields{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			t.Fatalf("a tag: %v", protowire.ParseError(n))
		}
		data = data[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			value, n = anyOf(protowire.ConsumeVarint(data))
		case protowire.Fixed64Type:
			value, n = anyOf(protowire.ConsumeFixed64(data))
		default:
			value, n = anyOf(protowire.ConsumeBytes(data))
		}
		if n < 0 {
			t.Fatalf("field %d: %v", number, protowire.ParseError(n))
		}
		f[number], data = append(f[number], value), data[n:]
	}
	return f
}

func anyOf[T any](value T, n int) (any, int) { return value, n }

// packetsOf are the packets of a trace, unpacked.
func packetsOf(t testing.TB, trace []byte) (all []fields) {
	for _, body := range decoded(t, trace)[tracePacket] {
		packet := decoded(t, body.([]byte))
		if packet[packetCompressed] == nil {
			all = append(all, packet)
			continue
		}
		z := must.Get(zlib.NewReader(bytes.NewReader(packet[packetCompressed][0].([]byte))))(t)
		inside := must.Get(io.ReadAll(z))(t)
		all = append(all, packetsOf(t, inside)...)
	}
	return all
}

// seenTrace is what a reader makes of a trace.
type seenTrace struct {
	tracks map[uint64]string   // names, by number
	slices map[uint64][]string // by track, in their order
	flows  map[uint64]string   // where each begins and ends
}

func readPerfetto(t testing.TB, r *results.Result) *seenTrace {
	var out bytes.Buffer
	must.Do(t, WritePerfetto(&out, r))
	s := &seenTrace{map[uint64]string{}, map[uint64][]string{}, map[uint64]string{}}
	names := map[protowire.Number]map[uint64]string{}
	open := map[uint64]string{}
	for i, packet := range packetsOf(t, out.Bytes()) {
		if (packet.number(packetFlags) == stateCleared) != (i == 0) || packet.number(packetSequence) != 1 {
			t.Fatalf("packet %d has flags %d of sequence %d", i, packet.number(packetFlags), packet.number(packetSequence))
		}
		for field, list := range packet.message(t, packetInterned) {
			names[field] = map[uint64]string{}
			for _, entry := range list {
				f := decoded(t, entry.([]byte))
				names[field][f.number(internedID)] = string(f[internedText][0].([]byte))
			}
		}
		if track := packet.message(t, packetTrack); track != nil && track[trackName] != nil {
			s.tracks[track.number(trackUUID)] = string(track[trackName][0].([]byte))
		}
		if event := packet.message(t, packetTrackEvent); event != nil {
			s.event(t, event, packet.number(packetTimestamp), names, open)
		}
	}
	for track, text := range open {
		if text != "" {
			t.Errorf("a slice of track %d does not end: %s", track, text)
		}
	}
	return s
}

// event notes a slice when it ends.
func (s *seenTrace) event(t testing.TB, event fields, at uint64, names map[protowire.Number]map[uint64]string, open map[uint64]string) {
	track := event.number(eventTrack)
	if event.number(eventType) == sliceEnd {
		s.slices[track] = append(s.slices[track], fmt.Sprintf("%s to %d", open[track], at))
		open[track] = ""
		return
	}
	text := names[internedEventNames][event.number(eventNameID)]
	for _, a := range event[eventAnnotation] {
		f := decoded(t, a.([]byte))
		value := fmt.Sprint(f.number(annotationInt))
		if f[annotationStringID] != nil {
			value = names[internedStrings][f.number(annotationStringID)]
		}
		text += fmt.Sprintf(" %s=%s", names[internedAnnotationNames][f.number(annotationNameID)], value)
	}
	for _, id := range event[eventFlow] {
		s.flows[id.(uint64)] += "from " + s.tracks[track]
	}
	for _, id := range event[eventFlowEnd] {
		s.flows[id.(uint64)] += " to " + s.tracks[track]
	}
	open[track] = fmt.Sprintf("%s from %d", text, at)
}

// Every span comes back from Perfetto's form, with its message, and every message is a flow.
func TestPerfettoHoldsTheTimeline(t *testing.T) {
	r := textbook.result()
	seen := readPerfetto(t, r)
	ns := func(at sim.Time) int64 { return int64((at + 500) / 1000) }
	for i, l := range byNode(r.Timeline) {
		track := trackOf(i)
		if seen.tracks[track] != l.Name || len(seen.slices[track]) != len(l.Spans) {
			t.Fatalf("lane %s: track %s with %d slices, want %d", l.Name, seen.tracks[track], len(seen.slices[track]), len(l.Spans))
		}
		for k, s := range l.Spans {
			want := s.Term.String()
			if l.Kind == results.CPULane {
				want += " phase=" + r.Phases[s.Phase]
			}
			if s.Message >= 0 {
				m := r.Timeline.Messages[s.Message]
				ends := fmt.Sprintf("from=%d to=%d", m.From, m.To)
				if l.Kind == results.CPULane {
					ends = fmt.Sprintf("peer=%d", int(m.From)+int(m.To)-l.Index)
				}
				want += fmt.Sprintf(" message=%d %s bytes=%d", s.Message, ends, m.Bytes)
			}
			want += fmt.Sprintf(" from %d to %d", ns(s.Start), ns(s.End))
			if got := seen.slices[track][k]; got != want {
				t.Errorf("%s, span %d: %s, want %s", l.Name, k, got, want)
			}
		}
	}
	for id, m := range r.Timeline.Messages {
		want := fmt.Sprintf("from node %d NIC send", m.From)
		if got := seen.flows[uint64(id)+1]; !strings.HasPrefix(got, want) {
			t.Errorf("the flow of message %d goes %s, want %s", id, got, want)
		}
	}
}

// The critical path is a separate track.
func TestPerfettoHoldsThePath(t *testing.T) {
	r := pathed()
	seen := readPerfetto(t, r)
	path := trackOf(len(r.Timeline.Lanes))
	if seen.tracks[path] != "critical path" {
		t.Errorf("the track of the path is %q", seen.tracks[path])
	}
	got := seen.slices[path]
	if len(got) != 7 || got[0] != "compute on=rank 0 from 0 to 10000" ||
		got[3] != "fabric on=node 0 NIC send 2 message=1 from 13000 to 30000" {
		t.Errorf("the path is %q", got)
	}
}

// Any timeline can be written and read again, also with times that are no whole nanoseconds.
func TestPerfettoOfAnyTimeline(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyTimeline(rt, 1<<52)
		seen := readPerfetto(t, r)
		for i, l := range byNode(r.Timeline) {
			if got := len(seen.slices[trackOf(i)]); got != len(l.Spans) {
				rt.Fatalf("lane %d has %d slices, want %d", i, got, len(l.Spans))
			}
		}
	})
}

// A trace of 1.7 million spans must be below 40 MB: 23 bytes each.
func TestPerfettoIsSmall(t *testing.T) {
	s := large
	s.rows = 256
	r := s.result()
	var out bytes.Buffer
	must.Do(t, WritePerfetto(&out, r))
	if each := float64(out.Len()) / float64(r.Events); each > 23 {
		t.Errorf("%.1f bytes for each span", each)
	}
	if err := WritePerfetto(&full{}, r); err == nil {
		t.Error("a full disk is not noticed")
	}
	if err := WritePerfetto(&out, &results.Result{}); !errors.Is(err, errNoTimeline) {
		t.Errorf("without a timeline: %v", err)
	}
}
