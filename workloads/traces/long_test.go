package traces

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// long is a trace of a ring with an all-reduce in each step: that many steps of five calls a rank.
type long struct {
	head  Header
	steps int
}

func (l *long) Header() *Header       { return &l.head }
func (l *long) Calls(rank int) Stream { return &longStream{l: l, rank: int32(rank)} }

type longStream struct {
	l    *long
	rank int32
	at   int
}

// Next implements Stream.
func (s *longStream) Next(c *Call) error {
	n := int32(s.l.head.Ranks)
	if s.at == 5*s.l.steps {
		return io.EOF
	}
	*c = Call{Requests: c.Requests[:0], Before: sim.Time(s.at%7) * sim.Microsecond, Request: NoRequest}
	switch s.at % 5 {
	case 0:
		c.Kind, c.Peer, c.Bytes, c.Request = Irecv, (s.rank+n-1)%n, int64(1000+s.at%100), 0
	case 1:
		c.Kind, c.Peer, c.Bytes, c.Request = Isend, (s.rank+1)%n, int64(1000+(s.at-1)%100), 1
	case 2:
		c.Kind, c.Among, c.Tries = Test, 2, 3
	case 3:
		c.Kind, c.Requests = Wait, append(c.Requests, 0, 1)
	case 4:
		c.Kind, c.Bytes = Allreduce, 8
	}
	s.at++
	return nil
}

// A run of a trace in a file needs the memory of its widest window, however many calls it has: ten
// times as many take no more. The file has under ten bytes a call.
func TestLongTrace(t *testing.T) {
	must.Long(t)
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as of a run
	heap := func(steps int) uint64 {
		l := &long{Header{Ranks: 4, Comms: []Comm{{}}, Timed: true}, steps}
		var file bytes.Buffer
		must.Do(t, Write(&file, l))
		if calls := 20 * steps; file.Len() > 10*calls {
			t.Errorf("%d calls have %d bytes", calls, file.Len())
		}
		trace := must.Get(Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "long"))(t)
		if r := run(t, program(t, trace, Options{}), 0); r.Messages < uint64(steps) {
			t.Errorf("%d messages", r.Messages)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapSys - uint64(file.Cap())
	}
	few := heap(4_000)
	if many := heap(40_000); many > few+16<<20 {
		t.Errorf("800,000 calls take %d MiB, 80,000 take %d MiB", many>>20, few>>20)
	} else {
		t.Logf("heap: %d and %d KiB", few>>10, many>>10)
	}
}
