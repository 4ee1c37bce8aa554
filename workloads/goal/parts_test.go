package goal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// inParts reads a text in parts and in one, and reports a difference.
func inParts(t *testing.T, text string, size int) (ok bool) {
	t.Helper()
	want, wantErr := readText(strings.NewReader(text), "x.goal", 0, 0)
	got, err := readText(iotest.OneByteReader(strings.NewReader(text)), "x.goal", size, 0)
	if size > 50 {
		got, err = readText(strings.NewReader(text), "x.goal", size, 0)
	}
	switch {
	case fmt.Sprint(err) != fmt.Sprint(wantErr):
		t.Fatalf("parts of %d bytes: %v\nin one: %v\n%.3000s", size, err, wantErr, text)
	case err == nil && fmt.Sprint(*got) != fmt.Sprint(*want):
		t.Fatalf("parts of %d bytes: %+v\nin one: %+v\n%.3000s", size, got, want, text)
	}
	return err == nil
}

// What is read in parts is what is read in one: the same schedule, lines included, or the
// same mistakes, also where comments, labels, repeated or missing ranks mislead the cuts.
func TestParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, text := range seeds {
		for size := 1; size < 200; size += 3 {
			inParts(t, text, size)
		}
	}
	inParts(t, "num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\nrank 1 {\n}\n", 5)
	r, good, bad := rand.New(rand.NewPCG(5, 6)), 0, 0
	for range 1500 {
		lines := strings.SplitAfter(randomShape(r).loose(r).schedule(t).text(), "\n")
		for range r.IntN(3) {
			lines = disturb(r, lines)
		}
		if inParts(t, strings.Join(lines, ""), 1+r.IntN(150)) {
			good++
		} else {
			bad++
		}
	}
	if good < 300 || bad < 300 {
		t.Errorf("%d texts were right and %d wrong", good, bad)
	}
}

// disturb changes a line of a text, or adds one.
func disturb(r *rand.Rand, lines []string) []string {
	i := 1 + r.IntN(len(lines)-1)
	switch r.IntN(8) {
	case 0:
		lines[i] = "/* a\nrank 1 {\nb */\n" + lines[i]
	case 1:
		lines[i] = "/* a\nrank 1 {\n" + lines[i]
	case 2:
		lines[i] += "rank_of: calc 5\nrank1: calc 6\n"
	case 3:
		lines[i] = ""
	case 4:
		lines[i] += lines[i]
	case 5:
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	case 6:
		lines[i] = "\r\n// rank\n\n" + lines[i]
	case 7:
		lines = lines[:i]
	}
	return append(lines, "")
}

// A stream that fails says so, wherever it is cut.
func TestPartsOfFailingStream(t *testing.T) {
	text := strings.Repeat("calc 1\n", 100)
	text = "num_ranks 3\nrank 0 {\n" + text + "}\nrank 1 {\n" + text + "}\nrank 2 {\n" + text
	for size := 1; size < 3000; size += 7 {
		_, err := readText(iotest.TimeoutReader(iotest.HalfReader(strings.NewReader(text))), "x.goal", size, 0)
		if want := "x.goal: timeout"; err == nil || err.Error() != want {
			t.Fatalf("parts of %d bytes: %v, want %s", size, err, want)
		}
	}
}

// A long text is in fact adopted in parts.
func TestPartsAreAdopted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	rank := strings.Repeat("calc 1\n", 1000)
	var b bytes.Buffer
	fmt.Fprintln(&b, "num_ranks 200")
	for r := range 200 {
		fmt.Fprintf(&b, "rank %d {\n%s}\n", r, rank)
	}
	tr := &textReader{lines: newLines(&b), name: "x.goal", parts: 64 << 10, a: NewAssembler(0)}
	tr.b = tr.lines.next()
	if !tr.header() {
		t.Fatal(tr.problems)
	}
	tr.readParts()
	if tr.rank != 200 || len(tr.a.s.ops) != 200_000 {
		t.Errorf("%d ranks with %d operations were adopted", tr.rank, len(tr.a.s.ops))
	}
}

// The last beginning of a rank is where a search from the end finds it, and words that only
// look like one are none.
func TestLastRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\nrank", "\n", "rank", "k", "\nran", "\nrankk", " "})).Draw(t, "text"), ""))
		if got, want := lastRank(text), bytes.LastIndex(text, newRank)+1; got != want {
			t.Fatalf("lastRank(%q) = %d, want %d", text, got, want)
		}
	})
}
