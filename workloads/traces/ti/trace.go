package ti

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overlapsim/workloads/inputs"
	"overlapsim/workloads/traces"
)

func init() {
	traces.Register(traces.Format{Name: "ti", Title: "time-independent traces of SimGrid, one file, a folder of them, or a list of files",
		Is: is, Open: open, Whole: whole, Part: isRank, Folder: true, Flops: true})
}

// is tells whether a file begins as a trace, or names a file that does.
func is(path string, begin []byte, _ bool) bool {
	if isTrace(begin) {
		return true
	}
	name := firstLine(begin)
	if len(strings.Fields(name)) != 1 {
		return false
	}
	f, err := inputs.Open(beside(path, name))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return isTrace(head[:n])
}

// isTrace tells whether a text begins with a rank and an action.
func isTrace(begin []byte) bool {
	words := strings.Fields(firstLine(begin))
	if len(words) < 2 {
		return false
	}
	_, known := forms[strings.ToLower(words[1])]
	_, err := strconv.ParseUint(words[0], 10, 31)
	return known && err == nil
}

// isRank tells whether a text begins with lines of one rank only.
func isRank(begin []byte) bool {
	ranks := map[string]bool{}
	for line := range strings.Lines(string(begin)) {
		if words := strings.Fields(line); len(words) > 1 && words[0][0] != '#' {
			ranks[words[0]] = true
		}
	}
	return isTrace(begin) && len(ranks) == 1
}

// firstLine is the first line that says something.
func firstLine(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return line
		}
	}
	return ""
}

// beside is the path of a file that a list names.
func beside(list, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(list), name)
}

// whole returns all files of a list, one behind the other.
func whole(path string) ([]byte, error) {
	begin, err := head(path)
	if err != nil || isTrace(begin) {
		return nil, err
	}
	files, err := listed(path)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(append(all, text...), '\n')
	}
	return all, nil
}

// trace is a trace whose lines have all been checked.
type trace struct {
	head  traces.Header
	rate  float64
	files []string // one for all ranks, or one for each
	lines []places // where the calls of each rank are in the one file; nil: a file for each rank
}

// Header implements traces.Trace.
func (t *trace) Header() *traces.Header { return &t.head }

// open checks all lines of a trace.
func open(path string, o traces.Reading) (traces.Trace, error) {
	t := &trace{rate: o.FlopRate, head: traces.Header{Format: "ti", Comms: make([]traces.Comm, 1)}}
	begin, err := head(path)
	if err != nil {
		return nil, err
	}
	if isTrace(begin) {
		t.files = []string{path}
		t.lines, err = find(path)
		t.head.Ranks = len(t.lines)
	} else {
		t.files, err = listed(path)
		t.head.Ranks = len(t.files)
	}
	if err != nil {
		return nil, err
	}
	return t, t.check()
}

// head returns the beginning of a file; nothing of a folder.
func head(path string) ([]byte, error) {
	f, err := inputs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil
	}
	begin := make([]byte, 4096)
	n, err := io.ReadFull(f, begin)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return begin[:n], err
}

// maxList is the largest size of a list of files in bytes.
const maxList = 64 << 20

// listed returns the files that a list names, a line each, or those in a folder.
func listed(path string) (files []string, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return slices.DeleteFunc(traces.Files(path), func(file string) bool { return !isTrace(inputs.Begin(file)) }), nil
	}
	text, err := io.ReadAll(io.LimitReader(&traces.File{Path: path}, maxList))
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		file := beside(path, line)
		if f, err := inputs.Open(file); err == nil {
			f.Close()
		} else {
			return nil, traces.Problems{{Name: path, Line: number, Column: 1,
				Text: fmt.Sprintf("%s cannot be read; a list names the file of rank 0, then that of rank 1, and so on", quoted(line))}}
		}
		files = append(files, file)
	}
	return files, nil
}

// check reads all lines once.
func (t *trace) check() error {
	var problems traces.Problems
	var err error
	if t.lines != nil {
		err = t.checkFile(t.files[0], -1, &problems)
	}
	for rank := 0; t.lines == nil && rank < len(t.files) && err == nil; rank++ {
		err = t.checkFile(t.files[rank], rank, &problems)
	}
	if err != nil {
		return err
	}
	return problems.Err()
}

// checkFile reads the lines of a file: of one rank or, if rank is below 0, of all.
func (t *trace) checkFile(path string, only int, problems *traces.Problems) error {
	s := stream{actions: newReader(&traces.File{Path: path}, path, t.head.Ranks), only: only}
	convert := map[int]*converter{}
	s.of = func(rank int) *converter {
		if convert[rank] == nil {
			convert[rank] = t.converter(rank)
		}
		return convert[rank]
	}
	for _, err := range traces.All(&s) {
		if err = problems.Note(err); err != nil {
			return err
		}
	}
	return nil
}

func (t *trace) converter(rank int) *converter {
	return &converter{rank: rank, ranks: t.head.Ranks, rate: t.rate}
}

// Calls implements traces.Trace.
func (t *trace) Calls(rank int) traces.Stream {
	convert := t.converter(rank)
	s := &stream{only: rank, of: func(int) *converter { return convert }}
	if t.lines == nil {
		s.actions = newReader(&traces.File{Path: t.files[rank]}, t.files[rank], t.head.Ranks)
		return s
	}
	s.actions = newReader(&picker{path: t.files[0], walk: walk{left: t.lines[rank]}}, t.files[0], t.head.Ranks)
	s.actions.numbers = &walk{left: t.lines[rank]}
	return s
}

// stream is the calls of a rank or, to check them, the calls of all ranks.
type stream struct {
	actions *actionReader
	only    int // the rank; below 0: all
	of      func(rank int) *converter
	a       Action
	ended   bool
}

// Next implements traces.Stream.
func (s *stream) Next(to *traces.Call) error {
	for !s.ended {
		err := s.actions.Next(&s.a)
		if errors.Is(err, io.EOF) && s.only >= 0 {
			s.ended = true
			s.of(s.only).end(to)
			return nil
		} else if err != nil {
			return err
		}
		if s.only >= 0 && s.a.Rank != s.only {
			return s.actions.problem(0, "the file is for rank %d: want its lines only", s.only)
		}
		is, err := s.of(s.a.Rank).call(&s.a, to)
		switch {
		case errors.Is(err, traces.ErrFlopRate):
			return fmt.Errorf("%s: %w", s.actions.name, err)
		case err != nil:
			return s.actions.problem(1, "%s: %s", s.actions.line.words[1], err)
		case is:
			return nil
		}
	}
	return io.EOF
}
