package dumpi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overlapsim/workloads/traces"
)

func init() {
	traces.Register(traces.Format{Name: "dumpi", Title: "DUMPI: the metafile of the files of all ranks", Is: is, Open: open, Whole: traces.OneFile(open),
		Part: isRank})
}

// is tells whether a file is a metafile, or the file of a rank. The latter is refused with a
// reason.
func is(_ string, begin []byte, _ bool) bool {
	return isRank(begin) || bytes.Contains(begin, []byte("numprocs=")) && bytes.Contains(begin, []byte("fileprefix="))
}

// isRank tells whether a file begins as the file of a rank.
func isRank(begin []byte) bool {
	return bytes.HasPrefix(begin, []byte{0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'})
}

// trace is a trace whose calls have all been read once.
type trace struct {
	head   traces.Header
	frames []frame
	comms  *comms
}

// Header implements traces.Trace.
func (t *trace) Header() *traces.Header { return &t.head }

// open reads a metafile and all calls of all ranks.
func open(path string, _ traces.Reading) (traces.Trace, error) {
	files, err := metafile(path)
	if err != nil {
		return nil, err
	}
	t := &trace{head: traces.Header{Format: "dumpi", Ranks: len(files), Timed: true}}
	var problems traces.Problems
	for _, file := range files {
		f, err := openFrame(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, traces.Problems{{Name: path, Line: 1, Column: 1,
				Text: fmt.Sprintf("%s is missing; the trace has %d ranks", file, len(files))}}
		}
		if err != nil {
			if err = problems.Note(err); err != nil {
				return nil, err
			}
		}
		t.frames = append(t.frames, f)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return t, t.survey()
}

// Limits of a metafile.
const (
	mostLines = 1 << 16
	mostRanks = 1 << 24
)

// metafile returns the files of the ranks.
func metafile(path string) (files []string, err error) {
	values := map[string]string{}
	file := bufio.NewReader(&traces.File{Path: path})
	if begin, _ := file.Peek(8); isRank(begin) {
		return nil, traces.Problems{{Name: path, Text: "is the file of one rank; want the metafile of all ranks, which is text"}}
	}
	in := bufio.NewScanner(file)
	places := map[string]int{}
	for line := 1; line < mostLines && in.Scan(); line++ {
		if key, value, ok := strings.Cut(in.Text(), "="); ok {
			values[key], places[key] = strings.TrimSpace(value), line
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	ranks, err := strconv.Atoi(values["numprocs"])
	if err != nil || ranks < 1 || ranks > mostRanks {
		return nil, traces.Problems{{Name: path, Line: max(1, places["numprocs"]), Column: 1,
			Text: fmt.Sprintf("numprocs must be the number of ranks, 1 to %d, got %q", mostRanks, values["numprocs"])}}
	}
	prefix := values["fileprefix"]
	if !filepath.IsAbs(prefix) {
		prefix = filepath.Join(filepath.Dir(path), prefix)
	}
	for rank := range ranks {
		files = append(files, fmt.Sprintf("%s-%04d.bin", prefix, rank))
	}
	return files, nil
}

// survey reads all calls: first for the communicators, then to check all.
func (t *trace) survey() error {
	makes := make([][]making, len(t.frames))
	missing := map[string]int64{}
	var problems traces.Problems
	for rank := range t.frames {
		err := t.each(rank, func(r *rawCall) {
			if m, ok := makingOf(r); ok {
				makes[rank] = append(makes[rank], m)
			}
			if refused[r.Function.Name] {
				missing[r.Function.Name]++
			}
			t.head.Timed = t.head.Timed && r.HasWall
		})
		if err = problems.Note(err); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return problems
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.head.Missing = append(t.head.Missing, traces.Count{Name: name, Calls: missing[name]})
	}
	comms, rank, stuck := unite(len(t.frames), makes)
	if stuck != nil && len(missing) == 0 {
		return traces.Problems{{Name: t.frames[rank].path, Offset: stuck.offset,
			Text: "makes a communicator, which not all members of the old one do"}}
	}
	t.comms, t.head.Comms = comms, comms.all
	return t.check()
}

// each calls do for each record of a rank.
func (t *trace) each(rank int, do func(r *rawCall)) error {
	in := newReader(t.frames[rank])
	var r rawCall
	for {
		if err := in.next(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		do(&r)
	}
}

// check makes calls of all records once.
func (t *trace) check() error {
	var problems traces.Problems
	for rank := range t.frames {
		for _, err := range traces.All(t.Calls(rank)) {
			if err = problems.Note(err); err != nil {
				return err
			}
		}
	}
	return problems.Err()
}

// Calls implements traces.Trace.
func (t *trace) Calls(rank int) traces.Stream {
	s := &stream{in: newReader(t.frames[rank])}
	s.convert = converter{rank: rank, ranks: len(t.frames), comms: t.comms.all, became: t.comms.ranks[rank].became,
		now:      map[int64]int{worldComm: 0, selfComm: alone},
		types:    types{made: map[int64]datatype{}, sizes: t.frames[rank].sizes},
		requests: requests{open: map[int64]int32{}, persistent: map[int64]traces.Call{}}}
	return s
}

// stream is the calls of a rank.
type stream struct {
	in      *reader
	convert converter
	r       rawCall
	ended   bool
}

// Next implements traces.Stream.
func (s *stream) Next(to *traces.Call) error {
	if ok, err := s.convert.another(to); ok {
		return s.placed(err)
	}
	for !s.ended {
		err := s.in.next(&s.r)
		if errors.Is(err, io.EOF) {
			s.ended = true
			s.convert.end(&s.r, to)
			return nil
		} else if err != nil {
			return err
		}
		if ok, err := s.convert.call(&s.r, to); ok || err != nil {
			return s.placed(err)
		}
	}
	return io.EOF
}

// placed returns an error with the place of the record that it is about.
func (s *stream) placed(err error) error {
	if err == nil {
		return nil
	}
	return s.in.problem(s.r.Offset, "%s: %s", s.r.Function.Name, err)
}
