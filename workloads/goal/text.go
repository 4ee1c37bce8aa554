package goal

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// readText reads a schedule in GOAL's text form, of the given bytes, 0 if that is unknown, in parts of
// at least the given bytes, 0 for one. Mistakes are returned as Problems, with name as the name of the
// file. Memory grows with the text that was read, never with a number that the text announces.
func readText(in io.Reader, name string, parts int, size int64) (*Schedule, error) {
	t := &textReader{lines: newLines(in), name: name, parts: parts, size: size}
	t.a = NewAssembler(0)
	t.read()
	switch {
	case t.lines.err != nil:
		return nil, fmt.Errorf("%s: %w", name, t.lines.err)
	case len(t.problems) > 0:
		return nil, t.problems
	}
	return t.a.schedule(), nil
}

// textReader reads a schedule line by line; it is at column i of the line b.
type textReader struct {
	lines    *lines
	name     string
	a        *Assembler
	b        []byte // the line, with its newline
	i        int
	ranks    uint64 // announced
	rank     uint64 // the next, or the one being read
	inside   bool   // inside a rank
	comment  int    // line where the open /* is; 0: none
	size     int64  // bytes of the text; 0: unknown
	adopted  int64  // bytes that were read in parts
	parts    int    // bytes of a part; 0: it is not read in parts
	inPart   bool   // what comes after the text is read elsewhere
	labels   labels
	problems Problems
}

func (t *textReader) read() {
	for len(t.problems) < maxProblems {
		if t.inside && t.comment == 0 {
			t.plain()
		}
		if t.b = t.lines.next(); t.b == nil {
			if !t.inPart {
				t.end()
			}
			return
		}
		t.i = 0
		if !t.skip() {
			continue
		}
		switch {
		case t.inside:
			t.statement()
		case t.ranks == 0:
			if !t.header() {
				return
			}
			t.readParts()
		default:
			t.beginRank()
		}
		if t.ranks > 0 && t.rank == t.ranks {
			return
		}
	}
}

// end reports parts that are missing at the end of the stream.
func (t *textReader) end() {
	t.i = 0
	switch {
	case t.lines.err != nil:
	case t.lines.tooLong:
		t.problem(0, "the line is longer than %d bytes: this is not a GOAL schedule", maxLine)
	case t.comment > 0:
		t.problem(0, "the comment that begins in line %d is not closed with */", t.comment)
	case t.inside:
		t.problem(0, "the file ends inside rank %d: want }", t.rank)
	case t.ranks == 0:
		t.problem(0, "the file holds no schedule: want num_ranks N")
	default:
		t.problem(0, "the file ends before rank %d of %d: want rank %d {", t.rank, t.ranks, t.rank)
	}
}

// problem reports a mistake at column i of the current line. It returns false, for
// callers that then skip the line.
func (t *textReader) problem(i int, format string, args ...any) bool {
	t.report(max(1, t.lines.number), i+1, fmt.Sprintf(format, args...))
	return false
}

func (t *textReader) report(line, column int, text string) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, Problem{t.name, line, column, text})
	}
}

// skip skips blanks and comments where a statement may start. It returns
// whether anything is left of the line.
func (t *textReader) skip() bool {
	for {
		if t.comment > 0 && !t.closeComment() {
			return false
		}
		t.blanks()
		if t.b[t.i] != '/' {
			return t.b[t.i] != '\n'
		}
		switch t.b[t.i+1] {
		case '/':
			return false
		case '*':
			t.comment = t.lines.number
			t.i += 2
		default:
			return true
		}
	}
}

func (t *textReader) closeComment() bool {
	n := bytes.Index(t.b[t.i:], []byte("*/"))
	if n < 0 {
		return false
	}
	t.i += n + 2
	t.comment = 0
	return true
}

// header reads "num_ranks N". The rest cannot be read without it.
func (t *textReader) header() bool {
	if !t.keyword("num_ranks") {
		return t.problem(t.i, "want num_ranks N, got %s", t.here())
	}
	t.blanks()
	at := t.i
	n, ok := t.number("num_ranks", math.MaxUint32)
	if !ok {
		return false
	}
	if n == 0 {
		return t.problem(at, "num_ranks: want at least 1")
	}
	t.ranks = n
	t.a.want = int(n)
	return t.endLine()
}

// beginRank reads "rank R {".
func (t *textReader) beginRank() {
	if !t.keyword("rank") {
		t.problem(t.i, "want rank %d {, got %s", t.rank, t.here())
		return
	}
	t.inside = true
	t.labels.reset()
	t.blanks()
	at := t.i
	r, ok := t.number("rank", math.MaxUint32)
	switch {
	case !ok:
		return
	case r != t.rank:
		t.problem(at, "rank %d: want rank %d; ranks come in ascending order without gaps", r, t.rank)
		return
	}
	if t.blanks(); t.b[t.i] != '{' {
		t.problem(t.i, "want { after rank %d, got %s", r, t.here())
		return
	}
	t.i++
	t.endLine()
}

// endRank ends the rank at its }.
func (t *textReader) endRank() {
	t.i++
	if cycle := t.a.cycle(); cycle != nil {
		t.reportCycle(cycle)
	}
	t.measure(t.adopted + t.lines.passed())
	t.a.endRank()
	t.endLine()
	t.inside = false
	t.rank++
}

// measure tells the assembler how much of the text is left behind the bytes that it holds.
func (t *textReader) measure(holds int64) {
	if t.size > 0 {
		t.a.left = float64(t.size)/float64(holds) - 1
	}
}

func (t *textReader) reportCycle(cycle []uint32) {
	lines := t.a.s.lines[t.a.start():]
	t.report(int(lines[cycle[0]]), 1, fmt.Sprintf("cyclic dependency in rank %d: %s", t.rank, describeCycle(cycle, func(op uint32) string {
		return fmt.Sprintf("%s (line %d)", t.labels.name(op), lines[op])
	})))
}

// statement reads one line of a rank.
func (t *textReader) statement() {
	if t.b[t.i] == '}' {
		t.endRank()
		return
	}
	from := t.i
	word, ok := t.word()
	if !ok {
		t.problem(from, "want an operation, a dependency or }, got %s", t.here())
		return
	}
	t.blanks()
	switch kind := kindOf(word); {
	case t.b[t.i] == ':':
		t.labelled(word, from)
	case kind != 0:
		t.operation(kind)
	default:
		t.dependency(word, from)
	}
}

// kindOf returns the kind of operation that a word names; 0: it is another word.
func kindOf(word []byte) OperationKind {
	switch string(word) {
	case "send":
		return Send
	case "recv":
		return Recv
	case "calc":
		return Calc
	}
	return 0
}

// labelled reads what follows the label of an operation, at a column.
func (t *textReader) labelled(label []byte, from int) {
	if kindOf(label) != 0 || string(label) == "rank" || string(label) == "num_ranks" {
		t.problem(from, "%s cannot be a label; want another name", label)
	}
	t.i++
	t.blanks()
	at := t.i
	op := uint32(len(t.a.s.ops)) - t.a.start()
	if word, ok := t.word(); !ok || !t.operation(kindOf(word)) {
		if !ok {
			t.problem(at, "want send, recv or calc, got %s", t.here())
		}
		t.add(Op{Kind: Calc}) // so that the label is known
	}
	line := t.lines.number
	if !t.labels.define(label, op) && len(t.a.s.twice) < maxProblems {
		text := fmt.Sprintf("label %s is defined twice in rank %d; only LogGOPSim's rules take that, and the first counts", label, t.rank)
		t.a.s.twice = append(t.a.s.twice, Problem{t.name, line, from + 1, text})
	}
}

// operation reads what follows send, recv or calc.
func (t *textReader) operation(kind OperationKind) (ok bool) {
	op := Op{Kind: kind}
	switch kind {
	case Calc:
		op.Size, ok = t.number("calc", math.MaxUint64)
	case Send:
		ok = t.transfer(&op, "send", "to")
	case Recv:
		ok = t.transfer(&op, "recv", "from")
	default:
		return t.problem(t.i, "want send, recv or calc")
	}
	if !ok || !t.places(&op) || !t.endLine() {
		return false
	}
	return t.add(op)
}

func (t *textReader) add(op Op) bool {
	if len(t.a.s.ops) >= maxOps {
		return t.problem(0, "more than %d operations", maxOps)
	}
	*t.append() = op
	t.a.widen(&op)
	return true
}

// append appends an operation of the current line, for the caller to fill in.
func (t *textReader) append() *Op {
	t.a.s.lines = append(t.a.s.lines, uint32(min(uint64(t.lines.number), math.MaxUint32)))
	return t.a.append()
}

// transfer reads "B b to R" or "B b from R", and the tag.
func (t *textReader) transfer(op *Op, name, direction string) (ok bool) {
	if op.Size, ok = t.number(name, math.MaxUint64); !ok {
		return false
	}
	if t.blanks(); t.b[t.i] != 'b' {
		return t.problem(t.i, "%s: want b after the number of bytes, got %s", name, t.here())
	}
	t.i++
	if !t.keyword(direction) {
		return t.problem(t.i, "%s: want %s and a rank, got %s", name, direction, t.here())
	}
	if op.Peer, ok = t.peer(op.Kind, direction); !ok {
		return false
	}
	if t.keyword("tag") {
		op.Tag, ok = t.tag()
	}
	return ok
}

// peer reads the number of the other rank.
func (t *textReader) peer(kind OperationKind, direction string) (uint32, bool) {
	t.blanks()
	at := t.i
	if kind == Recv && t.minusOne() {
		return AnySource, true
	}
	r, ok := t.number(direction, math.MaxUint32)
	if ok && r >= t.ranks {
		return 0, t.problem(at, "%s rank %d: want 0 to %d", direction, r, t.ranks-1)
	}
	return uint32(r), ok
}

func (t *textReader) tag() (uint32, bool) {
	if t.blanks(); t.minusOne() {
		return AnyTag, true
	}
	n, ok := t.number("tag", math.MaxUint32)
	return uint32(n), ok
}

func (t *textReader) minusOne() bool {
	if t.b[t.i] == '-' && t.b[t.i+1] == '1' && classes[t.b[t.i+2]] != digit {
		t.i += 2
		return true
	}
	return false
}

// places reads the optional cpu and nic.
func (t *textReader) places(op *Op) bool {
	if t.keyword("cpu") {
		n, ok := t.number("cpu", math.MaxUint8)
		if !ok {
			return false
		}
		op.CPU = uint8(n)
	}
	if op.Kind != Calc && t.keyword("nic") {
		n, ok := t.number("nic", math.MaxUint8)
		if !ok {
			return false
		}
		op.NIC = uint8(n)
	}
	return true
}

// dependency reads what follows the first label of "a requires b".
func (t *textReader) dependency(label []byte, from int) {
	at := t.i
	verb, _ := t.word()
	bit := uint32(0)
	switch string(verb) {
	case "requires":
	case "irequires":
		bit = onStart
	default:
		t.i = at
		t.problem(at, "want : and an operation, or requires or irequires, after %s, got %s", label, t.here())
		return
	}
	t.blanks()
	at = t.i
	onLabel, ok := t.word()
	if !ok {
		t.problem(at, "want the label of an operation, got %s", t.here())
		return
	}
	op, known := t.lookup(label, from)
	on, onKnown := t.lookup(onLabel, at)
	if !t.endLine() || !known || !onKnown {
		return
	}
	if op == on {
		t.problem(from, "%s requires itself", label)
		return
	}
	t.a.edge(op, on, bit)
}

func (t *textReader) lookup(label []byte, from int) (uint32, bool) {
	op, ok := t.labels.get(label)
	if !ok {
		t.problem(from, "label %s is not defined above in rank %d", label, t.rank)
	}
	return op, ok
}
