package allprof

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"overlapsim/sim"
	"overlapsim/workloads/traces"
)

// maxLine is the largest length of a line in bytes.
const maxLine = 16 << 20

// reader reads the file of a rank line by line.
type reader struct {
	lines  *bufio.Scanner
	path   string
	number int
	line   line
}

func newReader(path string) *reader {
	in := bufio.NewScanner(&traces.File{Path: path})
	in.Buffer(make([]byte, 16<<10), maxLine)
	return &reader{lines: in, path: path}
}

// line is a call as it is written.
type line struct {
	name       string
	start, end moment
	args       []string
}

// moment is a time in microseconds, and picoseconds of the next one.
type moment struct {
	us    int64
	ps    int64
	known bool
}

// since is the time from another moment. A run may take at most 53 days, so that more is a mistake.
func (m moment) since(other moment) (t sim.Time, ok bool) {
	const most = 53 * 24 * 3600 * 1000000
	us := m.us - other.us
	return sim.Time(us*1e6 + m.ps - other.ps), us > -most && us < most
}

// next reads the next call; io.EOF: there is none.
func (r *reader) next() error {
	for r.lines.Scan() {
		r.number++
		text := strings.TrimSpace(r.lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		return r.split(text)
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.number++
		return r.problem("the line is longer than %d bytes", maxLine)
	case err != nil:
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return io.EOF
}

func (r *reader) problem(format string, args ...any) error {
	return &traces.Problem{Name: r.path, Line: max(1, r.number), Column: 1, Text: fmt.Sprintf(format, args...)}
}

// split takes a line apart.
func (r *reader) split(text string) (err error) {
	parts := strings.Split(text, ":")
	last := len(parts) - 1
	if last < 2 || !strings.HasPrefix(parts[0], "MPI_") {
		return r.problem("%s is not a call: want its name, when it began, its arguments, and when it ended, with colons between", quoted(text))
	}
	r.line = line{name: parts[0], args: parts[2:last]}
	if r.line.start, err = r.moment(parts[1]); err != nil {
		return err
	}
	r.line.end, err = r.moment(parts[last])
	if !r.line.start.known {
		r.line.start = r.line.end
	}
	if !r.line.end.known {
		r.line.end = r.line.start
	}
	return err
}

// moment reads a time; - is not known.
func (r *reader) moment(text string) (m moment, err error) {
	if text == "-" {
		return moment{}, nil
	}
	whole, part, _ := strings.Cut(text, ".")
	us, err := strconv.ParseUint(whole, 10, 62)
	ps, wrong := uint64(0), error(nil)
	if part != "" {
		ps, wrong = strconv.ParseUint((part + "000000")[:6], 10, 62)
	}
	if err != nil || wrong != nil {
		return moment{}, r.problem("%s: %s must be a time in microseconds", r.line.name, quoted(text))
	}
	return moment{us: int64(us), ps: int64(ps), known: true}, nil
}

// quoted is a text for a message; a long one is cut.
func quoted(text string) string {
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// arguments are the arguments of a call by their names.
type arguments struct {
	names  []string
	values []string
	lists  []string // of those that may have one; "": not in the trace
	wrong  error
}

// read gives the arguments of a line their names.
func (a *arguments) read(names []string, given []string) error {
	lists := 0
	for _, name := range names {
		if strings.HasSuffix(name, "*") {
			lists++
		}
	}
	a.names, a.values, a.lists, a.wrong = names, a.values[:0], a.lists[:0], nil
	if n := len(given); n != len(names) && n != len(names)+lists {
		return fmt.Errorf("has %d arguments, want %d: %s", n, len(names), strings.Join(names, " "))
	}
	with := lists > 0 && len(given) > len(names)
	for _, name := range names {
		list := ""
		a.values, given = append(a.values, given[0]), given[1:]
		if with && strings.HasSuffix(name, "*") {
			list, given = given[0], given[1:]
		}
		a.lists = append(a.lists, list)
	}
	return nil
}

// at is where an argument is; below 0: nowhere.
func (a *arguments) at(name string) int {
	for i, one := range a.names {
		if strings.TrimSuffix(one, "*") == name {
			return i
		}
	}
	return -1
}

func (a *arguments) has(name string) bool { return a.at(name) >= 0 }

// fail notes the first mistake.
func (a *arguments) fail(format string, args ...any) {
	if a.wrong == nil {
		a.wrong = fmt.Errorf(format, args...)
	}
}

// whole is an argument that is a whole number; 0 if it is wrong.
func (a *arguments) whole(name string) int64 {
	text := a.values[a.at(name)]
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		a.fail("%s must be a whole number, got %s", name, quoted(text))
	}
	return value
}

// address is an argument that is an address.
func (a *arguments) address(name string) uint64 {
	text := a.values[a.at(name)]
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		a.fail("%s must be an address, got %s", name, quoted(text))
	}
	return value
}

// triple is an argument of three numbers: of a datatype or of a communicator.
func (a *arguments) triple(name string) (three [3]int64) {
	text := a.values[a.at(name)]
	parts := strings.Split(text, ",")
	for i := range three {
		var err error
		if len(parts) == 3 {
			three[i], err = strconv.ParseInt(parts[i], 10, 64)
		}
		if i > 0 && (err != nil || len(parts) != 3) { // the first one may be an address beyond them
			a.fail("%s must be three numbers, got %s", name, quoted(text))
		}
	}
	return three
}

// list is the list of an argument; nil: it is not in the trace.
func (a *arguments) list(name string) (all []int64) {
	text := a.lists[a.at(name)]
	if text == "" {
		return nil
	}
	for one := range strings.SplitSeq(text, ",") {
		value, err := strconv.ParseInt(one, 10, 64)
		if err != nil || value < 0 {
			a.fail("%s must be whole numbers, got %s", name, quoted(text))
			return nil
		}
		all = append(all, value)
	}
	return all
}
