package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

var errNoTimeline = errors.New("report: the run recorded no timeline")

// WriteTrace writes the timeline in the JSON form of Chrome's trace events, which
// Perfetto opens: a process per node, a thread per lane, a slice per span, a flow from
// the sender's lane to the receiver's per message, and a process for the critical path,
// if there is one. Times are microseconds with six digits, hence exact; Perfetto itself
// counts in nanoseconds.
func WriteTrace(w io.Writer, r *results.Result) error {
	if r.Timeline == nil {
		return errNoTimeline
	}
	if err := checkTimeline(r); err != nil {
		return err
	}
	t := &trace{w: bufio.NewWriterSize(w, 1<<16), places: placesOf(r.Timeline), line: r.Timeline}
	t.w.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	for i := range t.places.lanes {
		t.lane(i, r.Phases)
	}
	for i, m := range r.Timeline.AllMessages() {
		t.message(i, m)
	}
	t.path(pathOf(r, t.places.lanes))
	t.w.WriteString("\n]}\n")
	return cmp.Or(t.w.Flush(), r.Timeline.Err())
}

// places tells where the ends of messages are.
type places struct {
	lanes []placed
	cpu   map[int]int // by rank: index into lanes
	send  map[int]int // by node
}

func placesOf(t *results.Timeline) places {
	p := places{byNode(t), map[int]int{}, map[int]int{}}
	for i, l := range p.lanes {
		switch l.Kind {
		case results.CPULane:
			p.cpu[l.Index] = i
		case results.SendLane:
			if _, known := p.send[l.Index]; !known {
				p.send[l.Index] = i
			}
		}
	}
	return p
}

// ends returns the lanes that a message leaves and reaches: the message leaves the send
// lane of the sender's NIC unless it stays inside a node.
func (p *places) ends(m *results.Message) (from, to int, ok bool) {
	from, known := p.cpu[int(m.From)]
	to, ok = p.cpu[int(m.To)]
	if !known || !ok {
		return 0, 0, false
	}
	if send, has := p.send[p.lanes[from].node]; has && p.lanes[from].node != p.lanes[to].node {
		from = send
	}
	return from, to, true
}

// trace writes events; errors stay in the buffered writer until Flush.
type trace struct {
	w      *bufio.Writer
	places places
	line   *results.Timeline
	buf    []byte
	some   bool
}

// begin opens an event on a lane; end closes it.
func (t *trace) begin(kind string, lane int) *trace {
	t.buf = t.buf[:0]
	if t.some {
		t.buf = append(t.buf, ',')
	}
	t.some = true
	t.buf = append(t.buf, "\n{\"ph\":\""...)
	t.buf = append(t.buf, kind...)
	t.buf = append(t.buf, '"')
	return t.int("pid", t.places.lanes[lane].node+1).int("tid", lane+1)
}

func (t *trace) key(name string) {
	t.buf = append(t.buf, `,"`...)
	t.buf = append(t.buf, name...)
	t.buf = append(t.buf, `":`...)
}

func (t *trace) int(name string, x int) *trace {
	t.key(name)
	t.buf = strconv.AppendInt(t.buf, int64(x), 10)
	return t
}

// raw writes a value that is already JSON.
func (t *trace) raw(name, value string) *trace {
	t.key(name)
	t.buf = append(t.buf, value...)
	return t
}

// time writes picoseconds as microseconds.
func (t *trace) time(name string, x sim.Time) *trace {
	t.key(name)
	t.buf = strconv.AppendInt(t.buf, int64(x/sim.Microsecond), 10)
	t.buf = append(t.buf, '.')
	digits := strconv.AppendInt(nil, int64(sim.Microsecond+x%sim.Microsecond), 10)
	t.buf = append(t.buf, digits[1:]...) // the leading 1 kept the zeros
	return t
}

func (t *trace) end() {
	t.buf = append(t.buf, '}')
	t.w.Write(t.buf)
}

// nodeTitle is the name of the process of a node; lanes of none have one together.
func nodeTitle(node int) string {
	if node < 0 {
		return "ranks"
	}
	return "node " + strconv.Itoa(node)
}

// lane writes the names of a lane and its node, and its spans.
func (t *trace) lane(i int, phases []string) {
	l := t.places.lanes[i]
	t.begin("M", i).raw("name", `"process_name"`).raw("args", `{"name":`+quoted(nodeTitle(l.node))+`}`).end()
	t.begin("M", i).raw("name", `"thread_name"`).raw("args", `{"name":`+quoted(l.Name)+`}`).end()
	t.begin("M", i).raw("name", `"thread_sort_index"`).raw("args", `{"sort_index":`+strconv.Itoa(i)+`}`).end()
	names := make([]string, len(phases))
	for p, name := range phases {
		names[p] = quoted(name)
	}
	for _, s := range l.All() {
		t.begin("X", i).time("ts", s.Start).time("dur", s.End-s.Start).raw("name", `"`+s.Term.String()+`"`)
		if s.Message >= 0 || l.Kind == results.CPULane && int(s.Phase) < len(names) {
			t.arguments(s, &l, names)
		}
		t.end()
	}
}

// arguments writes the other fields of a slice: its phase and what is known of its message.
func (t *trace) arguments(s *results.Span, l *placed, phases []string) {
	t.key("args")
	t.buf = append(t.buf, '{')
	start := len(t.buf)
	say := func(name uint64, value int64) {
		if len(t.buf) > start {
			t.buf = append(t.buf, ',')
		}
		t.buf = append(append(append(t.buf, '"'), annotationNames[name-1]...), `":`...)
		t.buf = strconv.AppendInt(t.buf, value, 10)
	}
	if s.Message >= 0 {
		m := t.line.Message(int(s.Message))
		l.tell(int(s.Message), &m, say)
	}
	if l.Kind == results.CPULane && int(s.Phase) < len(phases) {
		if len(t.buf) > start {
			t.buf = append(t.buf, ',')
		}
		t.buf = append(append(t.buf, `"phase":`...), phases[s.Phase]...)
	}
	t.buf = append(t.buf, '}')
}

// message writes the flow of a message.
func (t *trace) message(id int, m *results.Message) {
	from, to, ok := t.places.ends(m)
	if !ok || m.Delivered < m.Start {
		return
	}
	const name = `"message"`
	t.begin("s", from).int("id", id).time("ts", m.Start).raw("name", name).raw("cat", name).raw("args",
		`{"bytes":`+strconv.FormatInt(m.Bytes, 10)+`}`).end()
	t.begin("f", to).int("id", id).time("ts", m.Delivered).raw("name", name).raw("cat", name).raw("bp", `"e"`).end()
}

// path writes the critical path as a separate process, above the nodes.
func (t *trace) path(p *path) {
	if p == nil {
		return
	}
	names, last := make([]string, len(p.parts)), -1
	for i, part := range p.parts {
		names[i] = quoted(part.Name)
	}
	for _, l := range t.places.lanes {
		last = max(last, l.node)
	}
	on := len(t.places.lanes)
	t.places.lanes = append(t.places.lanes, placed{&p.Lane, last + 1})
	t.begin("M", on).raw("name", `"process_name"`).raw("args", `{"name":"critical path"}`).end()
	t.begin("M", on).raw("name", `"process_sort_index"`).raw("args", `{"sort_index":-1}`).end()
	t.begin("M", on).raw("name", `"thread_name"`).raw("args", `{"name":"critical path"}`).end()
	for i, s := range p.Spans {
		where := p.parts[s.Phase].On
		if p.where[i] >= 0 {
			where = t.places.lanes[p.where[i]].Name
		}
		args := `{"on":` + quoted(where)
		if s.Message >= 0 {
			args += `,"message":` + strconv.Itoa(int(s.Message))
		}
		t.begin("X", on).time("ts", s.Start).time("dur", s.End-s.Start).raw("name", names[s.Phase]).raw("args", args+"}").end()
	}
}

// quoted returns text as JSON.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}
