package allprof

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"overlapsim/workloads/inputs"
	"overlapsim/workloads/traces"
)

func init() {
	traces.Register(traces.Format{Name: "liballprof", Title: "text traces of liballprof: a folder with a file for each rank",
		Is: func(_ string, begin []byte, _ bool) bool { return isRank(begin) }, Open: open, Whole: traces.OneFile(open), Part: isRank, Folder: true})
}

// aCall is how a line begins.
var aCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^MPI_\w+:(-|[0-9]+(\.[0-9]*)?):`) })

// isRank tells whether a text begins as the file of a rank.
func isRank(begin []byte) bool {
	for line := range bytes.Lines(begin) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return aCall().Match(line)
		}
	}
	return false
}

// trace is a trace whose lines have all been read once.
type trace struct {
	head   traces.Header
	files  []string
	told   bool   // that files are missing
	mpich  bool   // ranks below 0 mean what they do in MPICH
	apart  uint64 // bytes from a request of an array to the next
	splits [][]split
}

// split is an MPI_Comm_split of all ranks, as a rank called it.
type split struct {
	line       int
	color, key int64
	became     int32 // the communicator; 0: none
}

// Header implements traces.Trace.
func (t *trace) Header() *traces.Header { return &t.head }

// digits are the last number in the name of a file.
var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([0-9]+)[^0-9]*$`) })

// files returns the files of the ranks of a folder, or the file itself.
func files(path string) (all []string, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, err
	}
	for _, name := range traces.Files(path) {
		if isRank(inputs.Begin(name)) {
			all = append(all, name)
		}
	}
	for rank, name := range all {
		if found := digits().FindStringSubmatch(filepath.Base(name)); found != nil {
			if n, err := strconv.Atoi(found[1]); err == nil && n != rank {
				return nil, traces.Problems{{Name: name, Line: 1, Column: 1,
					Text: fmt.Sprintf("is the file of rank %d, and the file of rank %d is missing", n, rank)}}
			}
		}
	}
	return all, nil
}

// open reads all lines: first for what holds for all ranks, then to check them.
func open(path string, _ traces.Reading) (traces.Trace, error) {
	names, err := files(path)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: %w", path, traces.ErrFormat)
	}
	t := &trace{head: traces.Header{Format: "liballprof", Ranks: len(names), Comms: make([]traces.Comm, 1), Timed: true}, files: names, apart: 8}
	var problems traces.Problems
	for rank := range names {
		if err := t.look(rank, &problems); err != nil {
			return nil, err
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if err := t.unite(); err != nil {
		return nil, err
	}
	return t, t.check()
}

// mpichWorld is MPI_COMM_WORLD in MPICH and its relatives.
const mpichWorld = 0x44000000

// look reads a file for the first time.
func (t *trace) look(rank int, problems *traces.Problems) error {
	r := newReader(t.files[rank])
	t.splits = append(t.splits, nil)
	var a arguments
	ended := false
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			ended = r.line.name == "MPI_Finalize"
			err = t.seen(rank, r, &a)
		}
		if err = problems.Note(err); err != nil {
			return err
		}
	}
	if !ended {
		return problems.Note(r.problem("the file ends without MPI_Finalize: the program did not end, or the file is cut"))
	}
	return nil
}

// seen notes what a line says of all ranks.
func (t *trace) seen(rank int, r *reader, a *arguments) error {
	f, ok := functions[r.line.name]
	if !ok || a.read(f.takes, r.line.args) != nil {
		return nil // which the check reports
	}
	if a.has("request") && a.address("request")%8 == 4 {
		t.apart = 4
	}
	if a.has("dest") && a.whole("dest") == -1 {
		t.mpich = true
	}
	if !a.has("comm") {
		return nil
	}
	three := a.triple("comm")
	t.mpich = t.mpich || three[0] == mpichWorld
	if size := three[2]; a.wrong == nil && size > int64(t.head.Ranks) && !t.told {
		t.told = true
		return r.problem("%s: a communicator has %d ranks, and there are the files of %d; give the folder with all of them",
			r.line.name, size, t.head.Ranks)
	}
	if r.line.name == "MPI_Comm_split" && int(three[1]) == rank && int(three[2]) == t.head.Ranks {
		t.splits[rank] = append(t.splits[rank], split{line: r.number, color: a.whole("color"), key: a.whole("key")})
	}
	return nil
}

// unite finds the members of the communicators that all ranks together made.
func (t *trace) unite() error {
	numbers := map[string]int32{}
	for n := range t.splits[0] {
		colors := map[int64][]int32{}
		for rank := range t.splits {
			if len(t.splits[rank]) <= n {
				return traces.Problems{{Name: t.files[0], Line: t.splits[0][n].line, Column: 1, Text: fmt.Sprintf(
					"MPI_Comm_split %d of all ranks, which rank %d does not call", n+1, rank)}}
			}
			if color := t.splits[rank][n].color; color >= 0 { // else MPI_UNDEFINED
				colors[color] = append(colors[color], int32(rank))
			}
		}
		for _, color := range slices.Sorted(maps.Keys(colors)) {
			of := colors[color]
			slices.SortStableFunc(of, func(a, b int32) int { return cmp.Compare(t.splits[a][n].key, t.splits[b][n].key) })
			name := strings.Trim(fmt.Sprint(of), "[]")
			number, ok := numbers[name]
			if !ok {
				number = int32(len(t.head.Comms))
				numbers[name] = number
				t.head.Comms = append(t.head.Comms, traces.Comm{Ranks: of})
			}
			for _, rank := range of {
				t.splits[rank][n].became = number
			}
		}
	}
	for rank := range t.splits {
		if n := len(t.splits[0]); len(t.splits[rank]) > n {
			return traces.Problems{{Name: t.files[rank], Line: t.splits[rank][n].line, Column: 1, Text: fmt.Sprintf(
				"MPI_Comm_split %d of all ranks, which rank 0 does not call", n+1)}}
		}
	}
	return nil
}

// check makes calls of all lines once, and counts what cannot be followed.
func (t *trace) check() error {
	var problems traces.Problems
	missing := map[string]int64{}
	for rank := range t.files {
		s := t.stream(rank)
		for _, err := range traces.All(s) {
			if err = problems.Note(err); err != nil {
				return err
			}
		}
		s.convert.ends()
		for name, n := range s.convert.missing {
			missing[name] += n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.head.Missing = append(t.head.Missing, traces.Count{Name: name, Calls: missing[name]})
	}
	return problems.Err()
}

// Calls implements traces.Trace.
func (t *trace) Calls(rank int) traces.Stream { return t.stream(rank) }

func (t *trace) stream(rank int) *stream {
	return &stream{in: newReader(t.files[rank]), convert: t.converter(rank)}
}

// stream is the calls of a rank.
type stream struct {
	in      *reader
	convert *converter
	ended   bool
}

// Next implements traces.Stream.
func (s *stream) Next(to *traces.Call) error {
	for {
		if more := s.convert.more; len(more) > 0 {
			*to, s.convert.more = more[0], more[1:]
			return nil
		}
		if s.ended {
			return io.EOF
		}
		if err := s.in.next(); err != nil {
			return err
		}
		l := &s.in.line
		if l.name == "MPI_Finalize" {
			s.ended = true
			if err := s.convert.end(l, to); err != nil {
				return s.in.problem("%s: %s", l.name, err)
			}
			return nil
		}
		s.convert.more = s.convert.more[:0]
		ok, err := s.convert.call(l, to)
		if err != nil {
			return s.in.problem("%s: %s", l.name, err)
		}
		if ok && len(s.convert.more) > 0 { // what comes before it
			one := *to
			one.Requests, one.Out, one.Into = slices.Clone(one.Requests), slices.Clone(one.Out), slices.Clone(one.Into)
			s.convert.more = append(s.convert.more, one)
			continue
		}
		if ok {
			return nil
		}
	}
}
