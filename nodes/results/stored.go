package results

import (
	"encoding/binary"
	"io"
	"iter"
	"slices"
	"sort"

	"overlapsim/sim"
)

// File holds the part of a timeline that is not in memory.
type File interface {
	io.ReaderAt
	io.WriterAt
}

// Store writes parts of timelines to a file and reads them again. After its first error, which
// Err returns, it does nothing. Only one goroutine may use it at a time.
type Store struct {
	file   File
	end    int64  // of what is in the file
	out    []byte // what will be written next
	err    error
	last   int64 // where the records in spans are in the file
	spans  []Span
	buffer []byte
}

// NewStore returns a store in an empty file.
func NewStore(file File) *Store { return &Store{file: file, last: -1} }

// Err is the first error of the file; nil if there is no store.
func (s *Store) Err() error {
	if s == nil {
		return nil
	}
	return s.err
}

// record is a value whose encoding has a fixed size.
type record[T any] interface {
	*T
	put(to []byte)
	take(from []byte)
}

const (
	spanBytes    = 22
	messageBytes = 56
	// storedTogether is how many spans of a lane are read together.
	storedTogether = 512
	// writtenTogether is the size of a write in bytes.
	writtenTogether = 1 << 20
)

func (s *Span) put(to []byte) {
	binary.LittleEndian.PutUint64(to, uint64(s.Start))
	binary.LittleEndian.PutUint64(to[8:], uint64(s.End))
	binary.LittleEndian.PutUint32(to[16:], uint32(s.Message))
	to[20], to[21] = byte(s.Term), s.Phase
}

func (s *Span) take(from []byte) {
	s.Start, s.End = sim.Time(binary.LittleEndian.Uint64(from)), sim.Time(binary.LittleEndian.Uint64(from[8:]))
	s.Message, s.Term, s.Phase = int32(binary.LittleEndian.Uint32(from[16:])), Term(from[20]), from[21]
}

// times are the times of a message, in the order in which they are stored.
func (m *Message) times() [5]*sim.Time {
	return [...]*sim.Time{&m.Posted, &m.Insert, &m.Start, &m.Sent, &m.Delivered}
}

func (m *Message) put(to []byte) {
	binary.LittleEndian.PutUint32(to, uint32(m.From))
	binary.LittleEndian.PutUint32(to[4:], uint32(m.To))
	binary.LittleEndian.PutUint64(to[8:], uint64(m.Bytes))
	for i, t := range m.times() {
		binary.LittleEndian.PutUint64(to[16+8*i:], uint64(*t))
	}
}

func (m *Message) take(from []byte) {
	m.From, m.To = int32(binary.LittleEndian.Uint32(from)), int32(binary.LittleEndian.Uint32(from[4:]))
	m.Bytes = int64(binary.LittleEndian.Uint64(from[8:]))
	for i, t := range m.times() {
		*t = sim.Time(binary.LittleEndian.Uint64(from[16+8*i:]))
	}
}

// add appends records to the file, and returns their position.
func add[T any, R record[T]](s *Store, list []T, size int) int64 {
	at := s.end + int64(len(s.out))
	for i := range list {
		n := len(s.out)
		s.out = slices.Grow(s.out, size)[:n+size]
		R(&list[i]).put(s.out[n:])
		if len(s.out) >= writtenTogether {
			s.flush()
		}
	}
	return at
}

// flush writes what is not in the file.
func (s *Store) flush() {
	if s.err == nil {
		_, s.err = s.file.WriteAt(s.out, s.end)
	}
	s.end, s.out = s.end+int64(len(s.out)), s.out[:0]
}

// read fills room with records.
func read[T any, R record[T]](s *Store, at int64, room []T, size int) bool {
	if len(s.out) > 0 {
		s.flush()
	}
	s.buffer = slices.Grow(s.buffer[:0], size*len(room))[:size*len(room)]
	if s.err == nil {
		_, s.err = s.file.ReadAt(s.buffer, at)
	}
	if s.err != nil {
		return false
	}
	for i := range room {
		R(&room[i]).take(s.buffer[size*i:])
	}
	return true
}

// stretch is consecutive spans in a store.
type stretch struct {
	at    int64
	count int32
	start sim.Time // of its first span
}

// Move writes the spans that are in memory to a store, except for the last one. A lane must stay
// in one store.
func (l *Lane) Move(s *Store) {
	n := len(l.Spans) - 1
	if n < 1 {
		return
	}
	l.store = s
	for part := range slices.Chunk(l.Spans[:n], storedTogether) {
		l.earlier = append(l.earlier, stretch{add(s, part, spanBytes), int32(len(part)), part[0].Start})
	}
	l.Spans = append(l.Spans[:0], l.Spans[n])
}

// Len is the number of spans.
func (l *Lane) Len() int {
	n := len(l.Spans)
	for i := range l.earlier {
		n += int(l.earlier[i].count)
	}
	return n
}

// All yields the spans in order. A span from a store is valid until the next one.
func (l *Lane) All() iter.Seq2[int, *Span] { return inParts(l.Parts()) }

// inParts yields what groups hold, with numbers.
func inParts[T any](parts iter.Seq[[]T]) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		n := 0
		for part := range parts {
			for i := range part {
				if !yield(n, &part[i]) {
					return
				}
				n++
			}
		}
	}
}

// Parts yields the spans in groups, in order. A group from a store is valid until the next one.
func (l *Lane) Parts() iter.Seq[[]Span] {
	return func(yield func([]Span) bool) {
		var room []Span
		for _, e := range l.earlier {
			room = slices.Grow(room[:0], int(e.count))[:e.count]
			if !read(l.store, e.at, room, spanBytes) || !yield(room) {
				return
			}
		}
		yield(l.Spans)
	}
}

// Equal tells whether another lane has the same number of spans and each is the same as its
// counterpart.
func (l *Lane) Equal(other *Lane, same func(a, b *Span) bool) bool {
	if l.Len() != other.Len() {
		return false
	}
	next, stop := iter.Pull(other.Parts())
	defer stop()
	var part []Span
	for _, s := range l.All() {
		for ok := true; len(part) == 0; {
			if part, ok = next(); !ok {
				return false
			}
		}
		if !same(s, &part[0]) {
			return false
		}
		part = part[1:]
	}
	return true
}

// At returns the span at an instant, or nil if there is none. The spans of the lane must not
// overlap.
func (l *Lane) At(t sim.Time) *Span {
	spans := l.Spans
	if len(l.earlier) > 0 && t < spans[0].Start {
		i := sort.Search(len(l.earlier), func(i int) bool { return l.earlier[i].start > t })
		if i == 0 {
			return nil
		}
		spans = l.store.stretch(l.earlier[i-1])
	}
	i := sort.Search(len(spans), func(i int) bool { return spans[i].Start > t })
	if i == 0 || spans[i-1].End <= t {
		return nil
	}
	return &spans[i-1]
}

// stretch returns the spans of a stretch. They are valid until another stretch is read.
func (s *Store) stretch(e stretch) []Span {
	if s.last == e.at {
		return s.spans
	}
	s.last, s.spans = e.at, make([]Span, e.count)
	read(s, e.at, s.spans, spanBytes)
	return s.spans
}

// MessagesTogether is how many messages Timeline.Move moves at a time.
const MessagesTogether = 1 << 16

// Move writes the first messages in memory to a store.
func (t *Timeline) Move(s *Store) {
	t.store = s
	t.earlier = append(t.earlier, add(s, t.Messages[:MessagesTogether], messageBytes))
	t.Messages = append(t.Messages[:0], t.Messages[MessagesTogether:]...)
}

// Err is the error of the file that holds a part of the timeline, if there is one.
func (t *Timeline) Err() error { return t.store.Err() }

// moved is the number of messages that are not in memory.
func (t *Timeline) moved() int { return MessagesTogether * len(t.earlier) }

// Count is the number of messages.
func (t *Timeline) Count() int { return t.moved() + len(t.Messages) }

// Message returns a message by its number.
func (t *Timeline) Message(id int) Message {
	if id >= t.moved() {
		return t.Messages[id-t.moved()]
	}
	var room [1]Message
	read(t.store, t.place(id), room[:], messageBytes)
	return room[0]
}

// place returns the position of a message that is not in memory.
func (t *Timeline) place(id int) int64 {
	return t.earlier[id/MessagesTogether] + int64(id%MessagesTogether)*messageBytes
}

// Change changes a message.
func (t *Timeline) Change(id int, change func(*Message)) {
	if id >= t.moved() {
		change(&t.Messages[id-t.moved()])
		return
	}
	m := t.Message(id)
	change(&m)
	var text [messageBytes]byte
	m.put(text[:])
	if t.store.err == nil {
		_, t.store.err = t.store.file.WriteAt(text[:], t.place(id))
	}
}

// AllMessages yields the messages in order. A message from a store is valid until the next one.
func (t *Timeline) AllMessages() iter.Seq2[int, *Message] { return inParts(t.MessageParts()) }

// MessageParts yields the messages in groups, in order. A group from a store is valid until the next one.
func (t *Timeline) MessageParts() iter.Seq[[]Message] {
	return func(yield func([]Message) bool) {
		var room []Message
		for id, n := 0, t.Count(); id < n; {
			part := t.Messages
			if id < t.moved() {
				room = slices.Grow(room[:0], storedTogether)[:storedTogether]
				if part = room; !read(t.store, t.place(id), room, messageBytes) {
					return
				}
			}
			if !yield(part) {
				return
			}
			id += len(part)
		}
	}
}
