package report

import (
	"cmp"
	"compress/zlib"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// Numbers of fields of Perfetto's schema, by message; docs/reference/output.md says where they are
// published.
const (
	tracePacket = 1 // of Trace

	packetTrackEvent = 11
	packetTimestamp  = 8
	packetSequence   = 10
	packetInterned   = 12
	packetFlags      = 13
	packetCompressed = 50
	packetTrack      = 60

	trackUUID, trackName, trackProcess, trackParent, trackOrder, trackRank = 1, 2, 3, 5, 11, 12
	processPID, processName                                                = 1, 6

	eventAnnotation, eventType, eventNameID, eventTrack, eventFlow, eventFlowEnd = 4, 9, 10, 11, 47, 48
	annotationNameID, annotationInt, annotationStringID                          = 1, 4, 17

	internedEventNames, internedAnnotationNames, internedStrings = 2, 3, 29
	internedID, internedText                                     = 1, 2
)

// Values of enumerations of the schema.
const (
	stateCleared, stateNeeded = 1, 2
	sliceBegin, sliceEnd      = 1, 2
	explicitOrder             = 3
)

// Names of annotations, by their interned numbers from 1 on.
const (
	ofMessage = 1 + iota
	ofPhase
	ofPeer
	ofBytes
	ofFrom
	ofTo
	ofPlace
)

var annotationNames = []string{"message", "phase", "peer", "bytes", "from", "to", "on"}

// WritePerfetto writes the timeline in Perfetto's own form: a process per node, a track per
// lane, a slice per span with its message, the rank at the other end and its bytes, and a flow
// from the slice in which a message leaves to the first one at its receiver. Names are
// written once. Packets are compressed in pieces, as the schema provides. Times are rounded to
// nanoseconds, in which Perfetto counts; WriteTrace has them exactly.
func WritePerfetto(w io.Writer, r *results.Result) error {
	if r.Timeline == nil {
		return errNoTimeline
	}
	if err := checkTimeline(r); err != nil {
		return err
	}
	n := r.Timeline.Count()
	p := &perfetto{w: w, places: placesOf(r.Timeline), line: r.Timeline, left: make([]bool, n), came: make([]bool, n)}
	critical := pathOf(r, p.places.lanes)
	p.interned(r.Phases, critical)
	p.tracks(critical)
	for i, l := range p.places.lanes {
		for _, s := range l.All() {
			p.span(i, l, s, len(r.Phases))
		}
	}
	p.path(critical, len(r.Phases))
	p.flush()
	return cmp.Or(p.err, r.Timeline.Err())
}

// perfetto writes packets and remembers the first error.
type perfetto struct {
	w          io.Writer
	places     places
	line       *results.Timeline
	left, came []bool // by message: its flow has begun, has ended
	packets    []byte // not yet written
	body, sub  []byte // of a packet, and of a message in it
	err        error
}

// pieceBytes is the size of a piece before compression: a compressed packet should have
// less than 512 KB.
const pieceBytes = 500 << 10

// packet adds a packet; once there are many they are written.
func (p *perfetto) packet(body []byte) {
	p.packets = protowire.AppendBytes(protowire.AppendTag(p.packets, tracePacket, protowire.BytesType), body)
	if len(p.packets) > pieceBytes {
		p.flush()
	}
}

// flush writes the packets as a compressed one.
func (p *perfetto) flush() {
	if p.err != nil || len(p.packets) == 0 {
		p.packets = p.packets[:0]
		return
	}
	var packed buffer
	z := zlib.NewWriter(&packed)
	z.Write(p.packets) // a buffer takes all
	z.Close()
	p.packets = p.packets[:0]
	body := bytesField(nil, packetCompressed, packed)
	_, p.err = p.w.Write(bytesField(nil, tracePacket, body))
}

// buffer is a writer that keeps what is written.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

func bytesField(to []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, field, protowire.BytesType), value)
}

func numberField(to []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), value)
}

func fixedField(to []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(to, field, protowire.Fixed64Type), value)
}

// interned writes all names: terms and then parts of the path, annotations, phases and then
// places of the path.
func (p *perfetto) interned(phases []string, critical *path) {
	var events, texts []string
	for t := range results.NumTerms {
		events = append(events, t.String())
	}
	texts = append(texts, phases...)
	if critical != nil {
		for _, part := range critical.parts {
			events, texts = append(events, part.Name), append(texts, part.On)
		}
	}
	for _, l := range p.places.lanes {
		if critical != nil {
			texts = append(texts, l.Name)
		}
	}
	var data []byte
	for _, of := range []struct {
		field protowire.Number
		names []string
	}{{internedEventNames, events}, {internedAnnotationNames, annotationNames}, {internedStrings, texts}} {
		for i, name := range of.names {
			entry := bytesField(numberField(nil, internedID, uint64(i+1)), internedText, []byte(name))
			data = bytesField(data, of.field, entry)
		}
	}
	body := numberField(numberField(nil, packetSequence, 1), packetFlags, stateCleared)
	p.packet(bytesField(body, packetInterned, data))
}

// processOf and trackOf are the numbers of tracks.
func processOf(node int) uint64 { return uint64(node + 2) }

func trackOf(lane int) uint64 { return 1<<32 + uint64(lane) }

// tracks describes the nodes and their lanes, in the order of the timeline, and the critical path
// above them.
func (p *perfetto) tracks(critical *path) {
	if critical != nil {
		p.process(pathProcess, "critical path", 0)
		p.track(len(p.places.lanes), pathProcess, "critical path")
	}
	known := map[int]bool{}
	for i, l := range p.places.lanes {
		if !known[l.node] {
			known[l.node] = true
			p.process(processOf(l.node), nodeTitle(l.node), len(known))
		}
		p.track(i, processOf(l.node), l.Name)
	}
}

// pathProcess is the process of the critical path, which no node has.
const pathProcess = 1<<31 - 1

func (p *perfetto) process(uuid uint64, name string, rank int) {
	own := bytesField(numberField(nil, processPID, uuid), processName, []byte(name))
	track := bytesField(numberField(nil, trackUUID, uuid), trackProcess, own)
	track = numberField(numberField(track, trackOrder, explicitOrder), trackRank, uint64(rank))
	p.packet(bytesField(numberField(nil, packetSequence, 1), packetTrack, track))
}

func (p *perfetto) track(lane int, parent uint64, name string) {
	track := bytesField(numberField(nil, trackUUID, trackOf(lane)), trackName, []byte(name))
	track = numberField(numberField(track, trackParent, parent), trackRank, uint64(lane))
	p.packet(bytesField(numberField(nil, packetSequence, 1), packetTrack, track))
}

// event writes the beginning or the end of a slice; its further fields are in p.sub.
func (p *perfetto) event(at sim.Time, lane, kind int) {
	p.sub = numberField(numberField(p.sub, eventType, uint64(kind)), eventTrack, trackOf(lane))
	p.body = numberField(p.body[:0], packetTimestamp, uint64((at+sim.Nanosecond/2)/sim.Nanosecond))
	p.body = numberField(numberField(p.body, packetSequence, 1), packetFlags, stateNeeded)
	p.packet(bytesField(p.body, packetTrackEvent, p.sub))
	p.sub = p.sub[:0]
}

// slice writes a slice, whose annotations are in p.sub.
func (p *perfetto) slice(lane int, s *results.Span, name uint64) {
	p.sub = numberField(p.sub, eventNameID, name)
	p.event(s.Start, lane, sliceBegin)
	p.event(s.End, lane, sliceEnd)
}

func (p *perfetto) annotate(name uint64, field protowire.Number, value uint64) {
	var room [24]byte
	a := numberField(numberField(room[:0], annotationNameID, name), field, value)
	p.sub = bytesField(p.sub, eventAnnotation, a)
}

// span writes a span of a lane with what is known of its message.
func (p *perfetto) span(lane int, l placed, s *results.Span, phases int) {
	if l.Kind == results.CPULane && int(s.Phase) < phases {
		p.annotate(ofPhase, annotationStringID, uint64(s.Phase)+1)
	}
	if s.Message >= 0 {
		p.ofMessage(lane, l, int(s.Message))
	}
	p.slice(lane, s, uint64(s.Term)+1)
}

// tell says what a slice of a lane has of its message: its number, the rank at the other end, or both ends on
// a NIC, and its bytes.
func (l *placed) tell(id int, m *results.Message, say func(name uint64, value int64)) {
	say(ofMessage, int64(id))
	switch {
	case l.Kind != results.CPULane:
		say(ofFrom, int64(m.From))
		say(ofTo, int64(m.To))
	case int(m.From) == l.Index:
		say(ofPeer, int64(m.To))
	default:
		say(ofPeer, int64(m.From))
	}
	say(ofBytes, m.Bytes)
}

// ofMessage annotates a slice with its message, and lets its flow begin or end there.
func (p *perfetto) ofMessage(lane int, l placed, id int) {
	m := p.line.Message(id)
	l.tell(id, &m, func(name uint64, value int64) { p.annotate(name, annotationInt, uint64(value)) })
	from, to, ok := p.places.ends(&m)
	if ok && lane == from && !p.left[id] {
		p.left[id] = true
		p.sub = fixedField(p.sub, eventFlow, uint64(id)+1)
	}
	if ok && lane == to && !p.came[id] {
		p.came[id] = true
		p.sub = fixedField(p.sub, eventFlowEnd, uint64(id)+1)
	}
}

// path writes the critical path.
func (p *perfetto) path(critical *path, phases int) {
	if critical == nil {
		return
	}
	for i := range critical.Spans {
		s := &critical.Spans[i]
		place := phases + int(s.Phase)
		if lane := critical.where[i]; lane >= 0 {
			place = phases + len(critical.parts) + lane
		}
		p.annotate(ofPlace, annotationStringID, uint64(place)+1)
		if s.Message >= 0 {
			p.annotate(ofMessage, annotationInt, uint64(s.Message))
		}
		p.slice(len(p.places.lanes), s, uint64(results.NumTerms)+uint64(s.Phase)+1)
	}
}
