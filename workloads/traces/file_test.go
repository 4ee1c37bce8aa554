package traces

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// anyTrace draws a trace with all kinds and fields, which need not make sense together.
func anyTrace(seed uint64) *Memory {
	r := rand.New(rand.NewPCG(seed, 2))
	n := 1 + r.IntN(5)
	m := &Memory{Head: Header{Format: formatName, Program: "./a.out -n \u00fc", Where: "host", Ranks: n,
		Comms:  []Comm{{}, {Ranks: []int32{0}}},
		Phases: []string{"one", "two"}, Timed: true, Missing: []Count{{"MPI_Put", 3}}}}
	for range n {
		var calls []Call
		for range r.IntN(300) {
			calls = append(calls, anyCall(r, n))
		}
		m.Ranks = append(m.Ranks, calls)
	}
	return m
}

// anyCall draws a call with values in all fields that its kind has.
func anyCall(r *rand.Rand, n int) Call {
	size := func() int64 { return r.Int64N(1 << r.IntN(63)) }
	ranks := func(many int) (list []int32) {
		for range many {
			list = append(list, int32(r.IntN(n+2)-2))
		}
		return list
	}
	sizes := func(many int) []int64 {
		list := make([]int64, many)
		for i := range list {
			list[i] = int64(r.IntN(1 << 20))
		}
		return list
	}
	time := func() sim.Time { return sim.Time(r.Int64N(int64(maxTime) >> r.IntN(50))) }
	all := Call{Kind: CallKind(r.IntN(int(kinds))), Phase: uint8(r.IntN(2)), Before: time(), Away: time(), Took: time()}
	c := all
	for _, f := range all.Kind.fields() {
		switch f {
		case fieldPeer:
			if c.Peer = int32(r.IntN(n+2) - 2); c.Peer == AnySource && (c.Kind == Put || c.Kind == Get) {
				c.Peer = Nobody
			}
		case fieldTag:
			c.Tag = int32(r.IntN(math.MaxInt32)) - 1
		case fieldBytes:
			c.Bytes = size()
		case fieldModes:
			takeModes(r.Int64N(32), &c)
		case fieldRequest:
			c.Request = int32(r.IntN(maxRequests)) - 1
		case fieldRequests:
			for range r.IntN(4) {
				c.Requests = append(c.Requests, int32(r.IntN(maxRequests)))
			}
		case fieldAmong:
			c.Among = int32(r.IntN(math.MaxInt32))
		case fieldTries:
			c.Tries = size()
		case fieldFrom:
			c.From = int32(r.IntN(n+2) - 2)
		case fieldFromTag:
			c.FromTag = int32(r.IntN(100))
		case fieldIn:
			c.In = size()
		case fieldOut:
			if c.Out = sizes(n); r.IntN(2) == 0 {
				c.Out = nil
			}
		case fieldInto:
			c.Into = sizes(n)
		case fieldSinks:
			c.Sinks = ranks(r.IntN(4))
			c.Out = sizes(len(c.Sinks))
		case fieldSources:
			c.Sources = ranks(r.IntN(4))
			c.Into = sizes(len(c.Sources))
		}
	}
	return c
}

// calls reads all calls of a rank.
func calls(t testing.TB, trace Trace, rank int) (all []Call, err error) {
	t.Helper()
	s := trace.Calls(rank)
	for {
		var c Call
		switch err := s.Next(&c); err {
		case nil:
			all = append(all, c)
		case io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}

// written is the file of a trace.
func written(t testing.TB, trace Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, trace))
	return b.Bytes()
}

func reread(t testing.TB, file []byte) Trace {
	t.Helper()
	return must.Get(Read(bytes.NewReader(file), int64(len(file)), "x.trace"))(t)
}

// What is written is read again, from several streams side by side, and written again gives
// the same bytes.
func TestWriteRead(t *testing.T) {
	for seed := range uint64(60) {
		m := anyTrace(seed)
		text := written(t, m)
		again := reread(t, text)
		if !reflect.DeepEqual(again.Header(), m.Header()) {
			t.Fatalf("seed %d: header %+v, was %+v", seed, again.Header(), m.Header())
		}
		for rank, want := range m.Ranks {
			got, err := calls(t, again, rank)
			if err != nil || len(got) != len(want) {
				t.Fatalf("seed %d, rank %d: %d calls of %d: %v", seed, rank, len(got), len(want), err)
			}
			for i := range want {
				if !alike(&got[i], &want[i]) {
					t.Fatalf("seed %d, rank %d, call %d:\n%+v, was\n%+v", seed, rank, i, got[i], want[i])
				}
			}
		}
		if !bytes.Equal(written(t, again), text) {
			t.Fatalf("seed %d: written again it differs", seed)
		}
	}
}

// alike compares calls; lists without items are equal.
func alike(a, b *Call) bool {
	x, y := *a, *b
	for _, c := range []*Call{&x, &y} {
		for _, list := range []*[]int32{&c.Requests, &c.Sinks, &c.Sources} {
			if len(*list) == 0 {
				*list = nil
			}
		}
	}
	return reflect.DeepEqual(x, y)
}

// A long trace has several blocks, takes few bytes a call and is read a block at a time.
func TestBlocks(t *testing.T) {
	const n = 80_000
	m := each(2)
	r := rand.New(rand.NewPCG(1, 1))
	for rank := range m.Ranks {
		other := int32(1 - rank)
		list := []Call{{Kind: Irecv, Peer: other, Bytes: 8192}, {Kind: Isend, Peer: other, Bytes: 8192, Request: 1},
			{Kind: Wait, Requests: []int32{0, 1}}, {Kind: Allreduce, Bytes: 8}}
		for i := range n {
			c := list[i%len(list)]
			c.Before, c.Took = sim.Time(r.IntN(100_000))*sim.Nanosecond, sim.Time(r.IntN(20_000))*sim.Nanosecond
			m.Ranks[rank] = append(m.Ranks[rank], c)
		}
	}
	text := written(t, m)
	again := reread(t, text)
	if blocks := len(again.(*file).index.Streams[0]); blocks < 3 {
		t.Errorf("%d blocks", blocks)
	}
	got, err := calls(t, again, 1)
	if err != nil || len(got) != n || !alike(&got[n-1], &m.Ranks[1][n-1]) {
		t.Errorf("%d calls, %v", len(got), err)
	}
	if size := float64(len(text)) / (2 * n); size > 6 {
		t.Errorf("%.1f bytes a call, of which the times must take %.1f", size, (math.Log2(100_000)+math.Log2(20_000))/8)
	}
}

// A file that is cut off, or in which a byte differs, is refused with its place.
func TestDamage(t *testing.T) {
	m := anyTrace(1)
	for rank, all := range m.Ranks {
		m.Ranks[rank] = all[:min(len(all), 10)]
	}
	text := written(t, m)
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1 << (i % 8)
		err := readAll(damaged)
		var bad *BadFile
		if !errors.As(err, &bad) || bad.File != "x.trace" || !strings.HasPrefix(err.Error(), "x.trace: at byte ") {
			t.Fatalf("byte %d of %d is damaged: %v", i, len(text), err)
		}
		if err := readAll(text[:i]); err == nil {
			t.Fatalf("the first %d bytes of %d are read", i, len(text))
		}
	}
}

// readAll reads a file as a whole.
func readAll(file []byte) error {
	trace, err := Read(bytes.NewReader(file), int64(len(file)), "x.trace")
	if err != nil {
		return err
	}
	for rank := range trace.Header().Ranks {
		var c Call
		for s := trace.Calls(rank); err == nil; {
			err = s.Next(&c)
		}
		if err != io.EOF {
			return err
		}
		err = nil
	}
	return nil
}

// FuzzColumns: for any bytes, a stream ends with calls that are possible or an error.
func FuzzColumns(f *testing.F) {
	f.Add([]byte{}, byte(Send))
	f.Add([]byte{1, 0, 0, 2, 0, 2, 2, 0, 8, 0, 0}, byte(Send))
	f.Add([]byte{21, 0, 0, 2, 0, 2, 8, 1, 0, 3, 1, 2}, byte(Alltoall))
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		s := &fileStream{f: &file{name: "x", index: index{Header: Header{Ranks: 3, Comms: []Comm{{}}}}}, left: 1}
		s.columns[fieldKind] = reader{left: []byte{kind}}
		for i := range s.columns[1:] {
			s.columns[1+i] = reader{left: data[i*len(data)/int(columns):]}
		}
		var c Call
		if s.Next(&c) == nil {
			must.Do(t, s.f.index.Check(&c))
		}
	})
}

// FuzzRead: for any bytes, reading ends with a trace or an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte(magic))
	for seed := range uint64(3) {
		f.Add(written(f, anyTrace(seed)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if readAll(data) == nil {
			Look(reread(t, data))
		}
	})
}
