package dumpi

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"overlapsim/sim"
	"overlapsim/workloads/traces"
)

// rawCall is a call as the file has it.
type rawCall struct {
	Offset   int64
	Function *function
	Wall     [2]sim.Time // its beginning and end, since the file's bias
	CPU      [2]sim.Time
	HasWall  bool
	HasCPU   bool
	Values   []given // of the arguments that are there, in their order
}

// given is an argument of a call. Its lists are valid until the next record.
type given struct {
	*argument
	Number   int64
	List     []int32
	Texts    []string
	Statuses []status
}

// status is what a call says of a message that came.
type status struct {
	Bytes, Source, Tag int32
	Cancelled, Error   int8
}

// number returns an argument; 0: it is not there.
func (r *rawCall) number(name string) int64 {
	if v := r.value(name); v != nil {
		return v.Number
	}
	return 0
}

// list returns an argument that is a list; nil: it is not there.
func (r *rawCall) list(name string) []int32 {
	if v := r.value(name); v != nil {
		return v.List
	}
	return nil
}

func (r *rawCall) value(name string) *given {
	for i := range r.Values {
		if r.Values[i].Name == name {
			return &r.Values[i]
		}
	}
	return nil
}

// reader reads the calls of a file.
type reader struct {
	frame
	in   *bufio.Reader
	at   int64 // offset
	err  error // the first
	mask byte
	last sim.Time // of wall time, which is written with 16 bits of seconds
	wrap sim.Time
}

// bufferSize is the size of the buffer of a rank.
const bufferSize = 16 << 10

func newReader(f frame) *reader {
	return &reader{frame: f, at: begin, in: bufio.NewReaderSize(&traces.File{Path: f.path, Offset: begin}, bufferSize)}
}

// Bits of the mask of a call.
const (
	maskStatuses = 0x03
	maskCPU      = 0x04
	maskWall     = 0x08
	maskThread   = 0x40
	maskCounters = 0x80
)

// next reads the next call. It returns io.EOF behind the last one.
func (r *reader) next(to *rawCall) error {
	if r.err != nil {
		return r.err
	}
	if r.end-r.at <= 2 { // the number that ends the calls, which not all versions write
		return io.EOF
	}
	*to = rawCall{Offset: r.at, Values: to.Values[:0]}
	number, known := int(r.number(2)), functions()
	if number >= len(known) {
		return r.fail(to.Offset, "function %d is not one of MPI-1, 0 to %d, and how long its arguments are is not known", number,
			len(known)-1)
	}
	to.Function = &known[number]
	r.preamble(to)
	atRoot := false
	for i := range to.Function.Arguments {
		a := &to.Function.Arguments[i]
		if a.Form == formAtRoot {
			atRoot = !atRoot
		} else if r.err == nil && (!atRoot || to.number("commrank") == to.number("root")) {
			to.Values = append(to.Values, given{argument: a})
			r.argument(to, &to.Values[len(to.Values)-1])
		}
	}
	if r.err != nil {
		return r.fail(to.Offset, "%s: %s", to.Function.Name, r.err)
	}
	return nil
}

// fail notes what is wrong with the call at an offset. Nothing can be read behind it.
func (r *reader) fail(offset int64, format string, args ...any) error {
	r.err = r.problem(offset, format, args...)
	return r.err
}

// preamble reads the mask and the times of a call.
func (r *reader) preamble(to *rawCall) {
	r.mask = byte(r.number(1))
	if r.mask&maskThread != 0 {
		r.number(2)
	}
	if to.HasCPU = r.mask&maskCPU != 0; to.HasCPU {
		to.CPU = [2]sim.Time{r.time(), r.time()}
	}
	if to.HasWall = r.mask&maskWall != 0; to.HasWall {
		to.Wall = [2]sim.Time{r.wall(), r.wall()}
	}
	if r.mask&maskCounters != 0 {
		for range r.number(1) {
			r.number(8)
			r.number(8)
		}
	}
}

// time reads seconds and nanoseconds.
func (r *reader) time() sim.Time {
	seconds, nanoseconds := r.number(2), r.number(4)
	if r.err == nil && (nanoseconds < 0 || nanoseconds >= 1e9) {
		r.err = fmt.Errorf("has a time with %d nanoseconds", nanoseconds)
	}
	return sim.Time(seconds)*sim.Second + sim.Time(nanoseconds)*sim.Nanosecond
}

// wall reads a wall time. Seconds begin again at 0 after 65,535.
func (r *reader) wall() sim.Time {
	const day = 1 << 16 * sim.Second
	t := r.time() + r.wrap
	if t < r.last-day/2 {
		t, r.wrap = t+day, r.wrap+day
	}
	r.last = max(t, r.last)
	return t
}

// number reads a number of the given bytes. Numbers of up to two bytes have no sign.
func (r *reader) number(bytes int) int64 {
	word := r.bytes(bytes)
	switch {
	case word == nil:
		return 0
	case bytes == 1:
		return int64(word[0])
	case bytes == 2:
		return int64(binary.BigEndian.Uint16(word))
	case bytes == 4:
		return int64(int32(binary.BigEndian.Uint32(word)))
	}
	return int64(binary.BigEndian.Uint64(word))
}

// bytes reads that many bytes, at most the size of the buffer; nil: they are not there.
func (r *reader) bytes(n int) []byte {
	if r.err != nil {
		return nil
	}
	if r.at+int64(n) > r.end {
		r.err = fmt.Errorf("ends after the last call, at offset %d", r.end)
		return nil
	}
	word, err := r.in.Peek(n)
	if err != nil {
		r.err = err
		return nil
	}
	r.in.Discard(n)
	r.at += int64(n)
	return word
}

// length reads the length of a list whose elements have at least the given bytes.
func (r *reader) length(element int64) int {
	n := r.number(4)
	if r.err == nil && (n < 0 || n*element > r.end-r.at) {
		r.err = fmt.Errorf("has a list of %d elements, for which there is no room before the last call ends", n)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// argument reads an argument.
func (r *reader) argument(to *rawCall, v *given) {
	switch v.Form {
	case formInt32:
		v.Number = r.number(4)
	case formInt16:
		v.Number = r.number(2)
	case formInt8:
		v.Number = r.number(1)
	case formList32:
		if r.single(to, v.Name) {
			v.List = append(v.List, int32(r.number(4)))
			return
		}
		v.List = r.list(v.List, 4)
	case formList16:
		v.List = r.list(v.List, 2)
	case formLists32:
		for range r.length(4) {
			v.List = r.list(v.List, 4)
		}
	case formText:
		v.Texts = append(v.Texts, r.text())
	case formTexts:
		r.texts(v)
	case formStatuses:
		r.statuses(v)
	}
}

// single tells whether an older version wrote one number where a list should be.
func (r *reader) single(to *rawCall, name string) bool {
	return name == "indices" && to.Function.Name == "MPI_Type_struct" && !r.since(0, 6, 9) ||
		name == "coords" && to.Function.Name == "MPI_Cart_get" && !r.since(0, 6, 8)
}

func (r *reader) list(to []int32, bytes int) []int32 {
	n := r.length(int64(bytes))
	to = slices.Grow(to, n)
	for range n {
		to = append(to, int32(r.number(bytes)))
	}
	return to
}

// text reads a text piece by piece.
func (r *reader) text() string {
	var all []byte
	for left := r.length(1); left > 0 && r.err == nil; {
		n := min(left, bufferSize)
		all = append(all, r.bytes(n)...)
		left -= n
	}
	return string(all)
}

// texts reads the arguments of a program. Their number was written twice at first.
func (r *reader) texts(v *given) {
	n := r.length(4)
	if !r.since(0, 6, 2) {
		r.number(4)
	}
	for i := 0; i < n && r.err == nil; i++ {
		v.Texts = append(v.Texts, r.text())
	}
}

func (r *reader) statuses(v *given) {
	if r.mask&maskStatuses == 0 {
		return
	}
	tagged := r.since(0, 6, 3)
	n := r.length(10)
	for i := 0; i < n && r.err == nil; i++ {
		s := status{Bytes: int32(r.number(4)), Source: int32(r.number(4)), Cancelled: int8(r.number(1)), Error: int8(r.number(1)), Tag: -1}
		if tagged {
			s.Tag = int32(r.number(4))
		}
		v.Statuses = append(v.Statuses, s)
	}
}
