package traces

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"overlapsim/workloads/inputs"
)

// formatName is the name of the format.
const formatName = "overlapsim trace"

func init() {
	Register(Format{
		Name: formatName, Title: "what overlapsim record writes",
		Is:   func(_ string, begin []byte, _ bool) bool { return bytes.HasPrefix(begin, []byte(magic[:len(magic)-2])) },
		Open: func(path string, _ Reading) (Trace, error) { return openFile(path) },
	})
}

// BadFile is what is wrong with a file of a trace.
type BadFile struct {
	File   string
	Offset int64
	Text   string
}

func (e *BadFile) Error() string { return fmt.Sprintf("%s: at byte %d: %s", e.File, e.Offset, e.Text) }

// file is a trace in a file. It stays open as long as it is used.
type file struct {
	name  string
	in    io.ReaderAt
	end   int64 // of the blocks
	index index
}

func openFile(path string) (Trace, error) {
	in, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	return Read(in, info.Size(), path)
}

// Read reads a trace from a file of that size and name, block by block as it is used.
func Read(in io.ReaderAt, size int64, name string) (Trace, error) {
	f := &file{name: name, in: in}
	begin := make([]byte, len(magic))
	if n, _ := in.ReadAt(begin, 0); string(begin[:n]) != magic {
		return nil, f.bad(0, "this is not a trace of version 1, which begins with %q", magic)
	}
	tail := make([]byte, tailSize)
	if _, err := in.ReadAt(tail, max(0, size-int64(tailSize))); err != nil || string(tail[tailSize-len(tailWord):]) != tailWord {
		return nil, f.bad(size, "the file does not end as a trace does: it is not complete")
	}
	at, length := int64(binary.LittleEndian.Uint64(tail)), int64(binary.LittleEndian.Uint64(tail[8:]))
	if at < int64(len(magic)) || length < 0 || length > maxIndex || at > size || at+length != size-int64(tailSize) {
		return nil, f.bad(size-int64(tailSize), "the index is not at the place that the file gives")
	}
	f.end = at
	if err := f.readIndex(at, length, binary.LittleEndian.Uint32(tail[16:])); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *file) bad(at int64, format string, args ...any) error {
	return &BadFile{f.name, at, fmt.Sprintf(format, args...)}
}

func (f *file) readIndex(at, length int64, sum uint32) error {
	packed := make([]byte, length)
	if _, err := f.in.ReadAt(packed, at); err != nil || crc32.ChecksumIEEE(packed) != sum {
		return f.bad(at, "the index is damaged")
	}
	text, err := unpack(packed, maxIndex, nil)
	if err == nil {
		err = json.Unmarshal(text, &f.index)
	}
	if err == nil {
		err = f.index.check()
	}
	if err == nil && len(f.index.Streams) != f.index.Ranks {
		err = fmt.Errorf("%d streams of %d ranks", len(f.index.Streams), f.index.Ranks)
	}
	if err != nil {
		return f.bad(at, "the index: %s", err)
	}
	f.index.Format = formatName
	return nil
}

// inflaters are decompressors to be used again.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(strings.NewReader("")) }}

var errUnpacked = errors.New("unpacks to more bytes than it says")

// unpack decompresses into the memory, at most the given bytes.
func unpack(packed []byte, most int64, memory []byte) ([]byte, error) {
	z := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(z)
	if err := z.(flate.Resetter).Reset(bytes.NewReader(packed), nil); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(memory[:0])
	n, err := io.Copy(out, io.LimitReader(z, most+1))
	if n > most {
		err = errUnpacked
	}
	return out.Bytes(), err
}

// Header implements Trace.
func (f *file) Header() *Header { return &f.index.Header }

// Calls implements Trace.
func (f *file) Calls(rank int) Stream {
	return &fileStream{f: f, rank: rank, blocks: f.index.Streams[rank]}
}

// fileStream is a rank's calls. It holds one block.
type fileStream struct {
	f       *file
	rank    int
	blocks  []int64
	at      int64 // of the block that is read
	raw     []byte
	left    int64 // calls of the block
	call    int64 // of the rank
	columns [columns]reader
}

// Next implements Stream.
func (s *fileStream) Next(c *Call) error {
	for s.left == 0 {
		if len(s.blocks) == 0 {
			return io.EOF
		}
		s.at, s.blocks = s.blocks[0], s.blocks[1:]
		if err := s.load(); err != nil {
			return err
		}
	}
	if err := s.decode(c); err != nil {
		return s.f.bad(s.at, "rank %d, call %d: %s", s.rank, s.call, err)
	}
	s.left--
	s.call++
	return nil
}

// decode takes a call from the columns.
func (s *fileStream) decode(c *Call) error {
	*c = Call{Requests: c.Requests[:0], Out: c.Out[:0], Into: c.Into[:0], Sinks: c.Sinks[:0], Sources: c.Sources[:0]}
	if err := s.take(always, c); err != nil {
		return err
	}
	if !c.Kind.uses(fieldOut) {
		c.Out, c.Into = nil, nil
	}
	if err := s.take(c.Kind.fields(), c); err != nil {
		return err
	}
	return s.f.index.Check(c)
}

func (s *fileStream) take(list []field, c *Call) error {
	for _, f := range list {
		fieldTable[f].take(&s.columns[f], c)
		if err := s.columns[f].wrong; err != nil {
			return fmt.Errorf("%s %w", fieldTable[f].name, err)
		}
	}
	return nil
}

// mostHead is how long the head of a block can be.
const mostHead = 4*9 + 4

// load reads the next block.
func (s *fileStream) load() error {
	head := make([]byte, min(mostHead, max(0, s.f.end-s.at)))
	if _, err := s.f.in.ReadAt(head, s.at); s.at < int64(len(magic)) || err != nil && err != io.EOF {
		return s.f.bad(s.at, "there is no block")
	}
	r := reader{left: head}
	rank, calls, size, length := r.count(maxRanks), r.count(maxBlock), r.count(maxBlock), r.count(maxBlock)
	if r.wrong != nil || len(r.left) < 4 || rank != int64(s.rank) || calls < 1 {
		return s.f.bad(s.at, "this is not a block of rank %d", s.rank)
	}
	sum := binary.LittleEndian.Uint32(r.left)
	head = head[:len(head)-len(r.left)]
	from := s.at + int64(len(head)) + 4
	if length > s.f.end-from {
		return s.f.bad(s.at, "the block is longer than the file")
	}
	packed := make([]byte, length)
	if _, err := s.f.in.ReadAt(packed, from); err != nil || checksum(head, packed) != sum {
		return s.f.bad(s.at, "the block is damaged")
	}
	raw, err := unpack(packed, size, s.raw)
	if err == nil && int64(len(raw)) != size {
		err = errShort
	}
	if err != nil {
		return s.f.bad(s.at, "the block: %s", err)
	}
	s.raw, s.left = raw, calls
	return s.split()
}

// split finds the columns of the block.
func (s *fileStream) split() error {
	r := reader{left: s.raw}
	var sizes [columns]int64
	for i := range sizes {
		sizes[i] = r.count(maxBlock)
	}
	for i, size := range sizes {
		if r.wrong != nil || size > int64(len(r.left)) {
			return s.f.bad(s.at, "the columns of the block are longer than the block")
		}
		s.columns[i], r.left = reader{left: r.left[:size]}, r.left[size:]
	}
	return nil
}
