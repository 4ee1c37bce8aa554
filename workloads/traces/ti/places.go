package ti

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"overlapsim/workloads/traces"
)

// places says where the lines of a rank are in a file of all ranks. It holds pairs of distances
// from the previous line, in bytes and in lines, and takes two or three bytes for each line.
type places []byte

// walk goes through places.
type walk struct {
	left   places
	offset int64
	line   int
}

// next goes to the next line, and returns false if there is none.
func (w *walk) next() bool {
	if len(w.left) == 0 {
		return false
	}
	bytes, n := binary.Uvarint(w.left)
	lines, m := binary.Uvarint(w.left[n:])
	w.left = w.left[n+m:]
	w.offset, w.line = w.offset+int64(bytes), w.line+int(lines)
	return true
}

// finder collects the places of all ranks.
type finder struct {
	ranks map[uint64]*found
}

type found struct {
	places places
	last   walk
	first  int // line
}

// find finds the lines of each rank. Lines that do not begin with a rank are left for the
// check of all lines.
func find(path string) ([]places, error) {
	in := bufio.NewReaderSize(&traces.File{Path: path}, 256<<10)
	f := finder{map[uint64]*found{}}
	var at int64
	for line := 1; ; line++ {
		begin, length, err := nextLine(in)
		if rank, ok := rankOf(begin); ok {
			f.add(rank, at, line)
		}
		at += length
		if errors.Is(err, io.EOF) {
			return f.all(path)
		} else if err != nil {
			return nil, err
		}
	}
}

// nextLine returns the beginning of a line, and its length.
func nextLine(in *bufio.Reader) (begin []byte, length int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if length == 0 {
			begin = part[:min(len(part), maxBegin)]
		}
		length += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return begin, length, err
		}
		begin = bytes.Clone(begin)
	}
}

// maxBegin is the largest number of bytes before the end of a line's rank.
const maxBegin = 256

// rankOf returns the rank of a line.
func rankOf(begin []byte) (uint64, bool) {
	begin = bytes.TrimLeft(begin, " \t\r")
	if end := bytes.IndexAny(begin, " \t\r\n"); end >= 0 {
		begin = begin[:end]
	}
	rank, err := strconv.ParseUint(string(begin), 10, 31)
	return rank, err == nil
}

func (f *finder) add(rank uint64, offset int64, line int) {
	r := f.ranks[rank]
	if r == nil {
		r = &found{first: line}
		f.ranks[rank] = r
	}
	r.places = binary.AppendUvarint(r.places, uint64(offset-r.last.offset))
	r.places = binary.AppendUvarint(r.places, uint64(line-r.last.line))
	r.last.offset, r.last.line = offset, line
}

// all returns the places by rank. No rank may be missing.
func (f *finder) all(path string) ([]places, error) {
	all := make([]places, len(f.ranks))
	for i := range all {
		if f.ranks[uint64(i)] == nil {
			return nil, f.gap(path, i)
		}
		all[i] = f.ranks[uint64(i)].places
	}
	return all, nil
}

// gap reports the first rank behind those that have lines.
func (f *finder) gap(path string, missing int) error {
	first, at := uint64(0), 0
	for rank, r := range f.ranks {
		if rank > uint64(missing) && (at == 0 || r.first < at) {
			first, at = rank, r.first
		}
	}
	return traces.Problems{{Name: path, Line: at, Column: 1, Text: fmt.Sprintf("rank %d has lines, and rank %d has none; "+
		"a trace in files of its ranks is read from a list of their names, a line each", first, missing)}}
}

// picker reads the lines of a rank out of a file of all ranks.
type picker struct {
	path   string
	walk   walk
	at     int64 // in the file
	inside bool  // of a line
	buffer [pickBuffer]byte
	window []byte // what the buffer holds
	from   int64  // where that begins
}

// pickBuffer is the size of a buffer of a rank: a page.
const pickBuffer = 4 << 10

// Read implements io.Reader.
func (p *picker) Read(to []byte) (int, error) {
	if !p.inside {
		if !p.walk.next() {
			return 0, io.EOF
		}
		p.at, p.inside = p.walk.offset, true
	}
	if err := p.load(); err != nil {
		return 0, err
	}
	have := p.window[p.at-p.from:]
	if end := bytes.IndexByte(have, '\n'); end >= 0 {
		have = have[:end+1]
	}
	n := copy(to, have)
	p.at += int64(n)
	p.inside = n == 0 || to[n-1] != '\n'
	return n, nil
}

// load makes sure that the window holds the place at which the picker is.
func (p *picker) load() error {
	if p.at >= p.from && p.at < p.from+int64(len(p.window)) {
		return nil
	}
	n, err := (&traces.File{Path: p.path, Offset: p.at}).Read(p.buffer[:])
	p.from, p.window = p.at, p.buffer[:n]
	return err
}
