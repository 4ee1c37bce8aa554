package ti

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"overlapsim/workloads/traces"
)

// maxLine is the largest length of a line in bytes: sizes for a million ranks.
const maxLine = 16 << 20

// bufferSize is the size of a buffer of a rank.
const bufferSize = 16 << 10

// actionReader reads a trace action by action. It keeps one line in memory.
type actionReader struct {
	lines *bufio.Scanner
	name  string
	ranks int
	begun map[int]int // the default type of each rank that has begun
	line  line

	numbers *walk // of the lines, if some of the file are omitted; nil: from 1 on
}

// newReader reads a trace of ranks. The name of the file is for messages.
func newReader(in io.Reader, name string, ranks int) *actionReader {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, bufferSize), maxLine)
	return &actionReader{lines: lines, name: name, ranks: ranks, begun: map[int]int{}}
}

// Next reads the next action. It returns io.EOF at the end, and a *traces.Problem for a line with
// a mistake. The next call continues with the following line.
func (r *actionReader) Next(a *Action) error {
	for r.lines.Scan() {
		r.count()
		if words := r.line.split(r.lines.Text()); words > 0 {
			return r.action(a)
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return r.problem(0, "the line is longer than %d bytes: this is not a time-independent trace", maxLine)
	case err != nil:
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return io.EOF
}

// count goes to the number of the next line.
func (r *actionReader) count() {
	if r.numbers == nil {
		r.line.number++
	} else if r.numbers.next() {
		r.line.number = r.numbers.line
	}
}

func (r *actionReader) problem(word int, format string, args ...any) error {
	return &traces.Problem{Name: r.name, Line: max(1, r.line.number), Column: r.line.column(word), Text: fmt.Sprintf(format, args...)}
}

// action reads the words of a line.
func (r *actionReader) action(a *Action) error {
	l := &r.line
	*a = Action{Receives: unknown, Out: a.Out[:0], In: a.In[:0]}
	l.ranks, l.next, l.wrong = r.ranks, 0, ""
	a.Rank = l.rank("rank")
	if l.wrong == "" && len(l.words) < 2 {
		l.fail(0, "want an action after the rank, such as 0 compute 1e6")
	}
	if l.wrong != "" {
		return r.problem(l.at, "%s", l.wrong)
	}
	f, ok := forms[strings.ToLower(l.words[1])]
	if !ok {
		return r.problem(1, "%s is not a known action; want one such as send, irecv, wait, compute or allreduce", quoted(l.words[1]))
	}
	a.Kind = f.kind
	standard, begun := r.begun[a.Rank]
	if !begun && f.kind != Init && f.kind != Ignored {
		return r.problem(1, "rank %d has not begun: want %[1]d init before its first action", a.Rank)
	}
	l.standard = standard
	l.next = 2
	f.read(l, a)
	if l.wrong == "" && l.next < len(l.words) {
		l.fail(l.next, "is too much")
	}
	if l.wrong != "" {
		return r.problem(l.at, "%s %s; its arguments are: %s", l.words[1], l.wrong, f.takes)
	}
	if f.kind == Init {
		r.begun[a.Rank] = l.standard
	}
	return nil
}

// quoted is a word for a message; a long one is cut.
func quoted(word string) string {
	if len(word) > 40 {
		word = word[:40] + "..."
	}
	return fmt.Sprintf("%q", word)
}
