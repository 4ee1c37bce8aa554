package goal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// No line of a text that comes byte by byte is read as a plain line. It gives the same schedule or
// the same mistakes, also where a byte of the text is wrong, a label comes twice, and numbers
// of labels have gaps.
func TestPlain(t *testing.T) {
	byteByByte(t, manyLabels())
	r, good, bad := rand.New(rand.NewPCG(7, 8)), 0, 0
	for range 4000 {
		lines := strings.SplitAfter(randomShape(r).loose(r).schedule(t).text(), "\n")
		for range r.IntN(3) {
			lines = scratch(r, lines)
		}
		if byteByByte(t, strings.Join(lines, "")) {
			good++
		} else {
			bad++
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d texts were right and %d wrong", good, bad)
	}
}

// manyLabels is a schedule with a label too large for the list at first, which comes again later.
func manyLabels() string {
	var b strings.Builder
	b.WriteString("num_ranks 1\nrank 0 {\nl600: calc 1\n")
	for i := range 700 {
		fmt.Fprintf(&b, "l%d: calc 1\n", i+1)
	}
	return b.String() + "l600 requires l1\n}\n"
}

// byteByByte compares how a text is read at once and byte by byte, and tells whether it has no mistakes.
func byteByByte(t *testing.T, text string) bool {
	t.Helper()
	text += strings.Repeat("// end\n", longestPlain) // the last lines are not plain
	got, err := readText(strings.NewReader(text), "x.goal", 0, 0)
	want, wantErr := readText(iotest.OneByteReader(strings.NewReader(text)), "x.goal", 0, 0)
	switch {
	case fmt.Sprint(err) != fmt.Sprint(wantErr):
		t.Fatalf("at once: %v\nbyte by byte: %v\n%.3000s", err, wantErr, text)
	case err == nil && fmt.Sprint(*got) != fmt.Sprint(*want):
		t.Fatalf("at once: %+v\nbyte by byte: %+v\n%.3000s", got, want, text)
	}
	return err == nil
}

// scratch changes a byte of a line, or a label.
func scratch(r *rand.Rand, lines []string) []string {
	i := r.IntN(len(lines))
	line := []byte(lines[i])
	switch {
	case len(line) < 2:
	case r.IntN(4) > 0:
		line[r.IntN(len(line)-1)] = "l0 19:bx-"[r.IntN(9)]
		lines[i] = string(line)
	default:
		label := []string{"l0", "l01", "l257", "l99999999999999999999", "l4294967297", "l3", "L1", "l1x"}[r.IntN(8)]
		change := strings.NewReplacer([][]string{
			{"l1:", label + ":", "l1 ", label + " ", "l1\n", label + "\n"},
			{"l1:", label + ":"},
			{"l1\n", label + "\n"},
			{" tag 1", " tag 4294967296"},
		}[r.IntN(4)]...)
		for j := range lines {
			lines[j] = change.Replace(lines[j])
		}
	}
	return lines
}

// The lines of a schedule as it is usually written are plain, as soon as there is room for labels.
func TestPlainLines(t *testing.T) {
	rank := "calc 7\n"
	rank += "l1: calc 5\nl2: send 8b to 0 tag 4294967295\nl3: recv 8b from 0\nl3 requires l1\nl2 irequires l1\n"
	tr := &textReader{lines: newLines(strings.NewReader(rank + strings.Repeat("}", longestPlain))), a: NewAssembler(0), inside: true, ranks: 1}
	tr.labels.reset()
	tr.lines.fill()
	if tr.plain(); tr.lines.number != 1 {
		t.Errorf("%d lines are plain without room for labels", tr.lines.number)
	}
	tr.labels.extend(1, 0)
	if tr.plain(); tr.lines.number != 6 || len(tr.a.s.ops) != 4 || len(tr.a.edges) != 2 {
		t.Errorf("%d lines are plain, with %d operations and %d dependencies", tr.lines.number, len(tr.a.s.ops), len(tr.a.edges))
	}
}
