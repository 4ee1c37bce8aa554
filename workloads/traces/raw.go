package traces

import (
	"cmp"
	_ "embed" // the recorder
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Recorder is the C source of what records a program: preloaded, it lets each rank write a
// file into the folder that the variable RecorderFolder names.
//
//go:embed record/shim.c
var Recorder []byte

// RecorderFolder is the variable of the environment that tells the recorder its folder.
const RecorderFolder = "OVERLAPSIM_RECORD"

// Items of a rank's file that are not calls; record/shim.c says what they contain.
const (
	itemComm = 100 + iota
	itemCame
	itemCancelled
	itemMissing
	itemWhere
	itemDone
	items
)

// rawVersion is the version of the files.
const rawVersion = 1

// Raw is what the ranks of a program wrote, each into its file. It is a trace.
type Raw struct {
	header Header
	ranks  []*rawRank
}

// rawRank is what the first reading of a rank's file finds out.
type rawRank struct {
	file  string
	comms map[int32]commKey // by the rank's own numbers
	to    map[int32]int32   // the trace's numbers by the rank's own
	came  map[int64]came    // what receives got, where it is not what they asked for
	done  bool
	used  map[int32]bool
	calls int64
	phase uint8 // the largest
	took  Total
}

// Total is where the time of a rank went, in ns.
type Total struct{ Compute, Away, Calls float64 }

// commKey names a communicator by the rank that leads it, and the number of communicators which
// that rank led before.
type commKey struct{ leader, count int64 }

type came struct {
	cancelled bool
	peer, tag int32
	bytes     int64
}

// Merge reads what a program wrote into a folder. A rank whose file is missing or ends too
// early is an error.
func Merge(folder, program string) (*Raw, error) {
	t := &Raw{header: Header{Format: formatName, Program: program, Ranks: 1, Timed: true}}
	lists := map[commKey][]int32{}
	counts := map[string]int64{}
	for rank := 0; rank < t.header.Ranks; rank++ {
		r := &rawRank{file: filepath.Join(folder, "rank-"+strconv.Itoa(rank)), comms: map[int32]commKey{}, came: map[int64]came{},
			used: map[int32]bool{}}
		if err := r.look(rank, &t.header, lists, counts); err != nil {
			return nil, err
		}
		t.ranks = append(t.ranks, r)
	}
	for name, calls := range counts {
		t.header.Missing = append(t.header.Missing, Count{name, calls})
	}
	slices.SortFunc(t.header.Missing, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return t, t.number(lists)
}

// number gives the communicators that are used their numbers, and the phases their names.
func (t *Raw) number(lists map[commKey][]int32) error {
	var keys []commKey
	var phase uint8
	for _, r := range t.ranks {
		for own := range r.used {
			if key, ok := r.comms[own]; ok {
				keys = append(keys, key)
			}
		}
		phase = max(phase, r.phase)
	}
	slices.SortFunc(keys, func(a, b commKey) int { return cmp.Or(cmp.Compare(a.leader, b.leader), cmp.Compare(a.count, b.count)) })
	keys = slices.Compact(keys)
	t.header.Comms = []Comm{{}}
	for _, key := range keys {
		t.header.Comms = append(t.header.Comms, Comm{Ranks: lists[key]})
	}
	for _, r := range t.ranks {
		r.to = map[int32]int32{0: 0}
		for own, key := range r.comms {
			if i := slices.Index(keys, key); i >= 0 {
				r.to[own] = int32(i + 1)
			}
		}
	}
	for i := range int(phase) + 1 {
		if phase > 0 {
			t.header.Phases = append(t.header.Phases, strconv.Itoa(i))
		}
	}
	return t.header.check()
}

// Header implements Trace.
func (t *Raw) Header() *Header { return &t.header }

// Calls implements Trace.
func (t *Raw) Calls(rank int) Stream {
	s, err := t.ranks[rank].open()
	if err != nil {
		return &failed{err}
	}
	return &rawStream{rawReader: s, r: t.ranks[rank]}
}

// Totals is where the time of each rank went.
func (t *Raw) Totals() (all []Total) {
	for _, r := range t.ranks {
		all = append(all, r.took)
	}
	return all
}

// failed is a stream that could not be opened.
type failed struct{ err error }

// Next implements Stream.
func (s *failed) Next(*Call) error { return s.err }

// rawReader reads a rank's file item by item.
type rawReader struct {
	file string
	in   *os.File
	held []byte // of the file from at on
	at   int64
	end  bool
}

func (r *rawRank) open() (*rawReader, error) {
	in, err := os.Open(r.file)
	if err != nil {
		return nil, fmt.Errorf("%s wrote no trace: %w", filepath.Base(r.file), err)
	}
	return &rawReader{file: r.file, in: in}, nil
}

// window is how much of a file is read at a time.
const window = 64 << 10

// item reads an item. If more of the file is needed, take is called again.
func (s *rawReader) item(take func(r *reader)) error {
	for {
		r := reader{left: s.held}
		take(&r)
		switch {
		case r.wrong == nil:
			s.at += int64(len(s.held) - len(r.left))
			s.held = r.left
			return nil
		case !errors.Is(r.wrong, errShort) || s.end || len(s.held) > maxBlock:
			return &BadFile{s.file, s.at, r.wrong.Error()}
		}
		if err := s.more(); err != nil {
			return err
		}
	}
}

// more reads more of the file.
func (s *rawReader) more() error {
	held := make([]byte, len(s.held), 2*len(s.held)+window)
	copy(held, s.held)
	n, err := s.in.Read(held[len(held):cap(held)])
	s.held, s.end = held[:len(held)+n], err == io.EOF
	if s.end {
		err = s.in.Close()
	}
	return err
}

// over tells whether the file has no more.
func (s *rawReader) over() (bool, error) {
	for len(s.held) == 0 && !s.end {
		if err := s.more(); err != nil {
			return false, err
		}
	}
	return len(s.held) == 0, nil
}

// takeCall takes the rest of a call.
func takeCall(r *reader, kind CallKind, c *Call) {
	*c = Call{Requests: c.Requests[:0], Sinks: c.Sinks[:0], Sources: c.Sources[:0]}
	for _, f := range always[1:] {
		fieldTable[f].take(r, c)
	}
	c.Kind = kind
	for _, f := range kind.fields() {
		fieldTable[f].take(r, c)
	}
}

// head takes what a file begins with.
func (s *rawReader) head() (rank, ranks int64, err error) {
	version := int64(0)
	err = s.item(func(r *reader) { version, rank, ranks = r.count(math.MaxInt32), r.count(maxRanks), r.count(maxRanks) })
	if err == nil && (version != rawVersion || rank >= ranks) {
		err = &BadFile{s.file, 0, "this is not a rank's file of this version"}
	}
	return rank, ranks, err
}

// endedEarly is the message for a file without an end. A file that is cut off has none either.
const endedEarly = "the program ended before MPI_Finalize"

// look reads a rank's file for the first time.
func (r *rawRank) look(rank int, h *Header, lists map[commKey][]int32, counts map[string]int64) error {
	s, err := r.open()
	if err != nil {
		return err
	}
	defer s.in.Close()
	if over, err := s.over(); over && err == nil {
		return &BadFile{s.file, 0, endedEarly}
	}
	is, of, err := s.head()
	if err != nil {
		return err
	}
	if int(is) != rank || rank > 0 && int(of) != h.Ranks {
		return &BadFile{s.file, 0, fmt.Sprintf("this is rank %d of %d", is, of)}
	}
	h.Ranks = int(of)
	var c Call
	for {
		if over, err := s.over(); over || err != nil {
			if err == nil && !r.done {
				err = &BadFile{s.file, s.at, endedEarly}
			}
			return err
		}
		if err := s.item(func(x *reader) { r.take(x, &c, h, lists, counts) }); err != nil {
			return err
		}
	}
}

// take takes an item for the first time. It may be called again if the item is not complete.
func (r *rawRank) take(x *reader, c *Call, h *Header, lists map[commKey][]int32, counts map[string]int64) {
	item := x.count(items - 1)
	if item >= int64(kinds) {
		r.known(x, item, h, lists, counts)
	} else if takeCall(x, CallKind(item), c); x.wrong == nil {
		r.count(c)
	}
}

// known takes an item that is not a call.
func (r *rawRank) known(x *reader, item int64, h *Header, lists map[commKey][]int32, counts map[string]int64) {
	switch item {
	case itemComm:
		own, key := int32(x.count(math.MaxInt32)), commKey{x.count(maxRanks), x.count(math.MaxInt32)}
		var list []int32
		for range x.length() {
			list = append(list, int32(x.count(maxRanks)))
		}
		if x.wrong != nil {
			return
		}
		if r.comms[own] = key; list != nil {
			lists[key] = list
		}
	case itemCame:
		which, got := x.count(math.MaxInt64), came{peer: x.signed(), tag: x.signed(), bytes: x.count(math.MaxInt64)}
		if x.wrong == nil {
			r.came[which] = got
		}
	case itemCancelled:
		if which := x.count(math.MaxInt64); x.wrong == nil {
			r.came[which] = came{cancelled: true}
		}
	case itemMissing:
		if calls, name := x.count(math.MaxInt64), x.text(); x.wrong == nil {
			counts[name] += calls
		}
	case itemWhere:
		if where := x.text(); x.wrong == nil && h.Where == "" {
			h.Where = where
		}
	case itemDone:
		r.done = true
	default:
		x.fail(fmt.Errorf("there is no item %d", item))
	}
}

// count notes a call.
func (r *rawRank) count(c *Call) {
	r.calls++
	r.used[c.Comm] = true
	r.phase = max(r.phase, c.Phase)
	r.took.Compute += float64(c.Before) / 1000
	r.took.Away += float64(c.Away) / 1000
	r.took.Calls += float64(c.Took) / 1000
}

// text takes a text.
func (r *reader) text() string {
	b := make([]byte, r.length())
	for i := range b {
		b[i] = byte(r.count(math.MaxUint8))
	}
	return string(b)
}

// rawStream is the calls of a rank.
type rawStream struct {
	*rawReader
	r        *rawRank
	begun    bool
	receives int64
}

// Next implements Stream.
func (s *rawStream) Next(c *Call) error {
	if !s.begun {
		s.begun = true
		if _, _, err := s.head(); err != nil {
			return err
		}
	}
	for {
		if over, err := s.over(); over || err != nil {
			return cmp.Or(err, io.EOF)
		}
		is := false
		err := s.item(func(x *reader) {
			item := x.count(items - 1)
			if is = item < int64(kinds); is {
				takeCall(x, CallKind(item), c)
			} else {
				skip(x, item)
			}
		})
		if err != nil {
			return err
		}
		if is {
			s.resolve(c)
			return nil
		}
	}
}

// skip skips an item that the first reading has used.
func skip(x *reader, item int64) {
	other := rawRank{comms: map[int32]commKey{}, came: map[int64]came{}}
	other.known(x, item, &Header{}, map[commKey][]int32{}, map[string]int64{})
}

// resolve says what a receive got, and gives communicators the trace's numbers.
func (s *rawStream) resolve(c *Call) {
	c.Comm = s.r.to[c.Comm]
	if c.Kind != Irecv {
		return
	}
	if got, ok := s.r.came[s.receives]; ok && got.cancelled {
		c.Peer = Nobody
	} else if ok {
		c.Peer, c.Tag, c.Bytes = got.peer, got.tag, got.bytes
	}
	s.receives++
}
