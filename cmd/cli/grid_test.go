package cli

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGrid(t *testing.T) {
	var out strings.Builder
	if err := grid(&out, [][]string{{"", "makespan", "µ"}, {"Slabs", "1 s", "1000"}, {"Pencils", "10 s"}}, 1); err != nil {
		t.Fatal(err)
	}
	want := "         makespan     µ\nSlabs         1 s  1000\nPencils      10 s\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// What is wider than the output is fitted into it: texts are folded, commands go below their rows as they are, and columns of
// numbers continue below.
func TestGridFits(t *testing.T) {
	for _, c := range []struct {
		rows [][]string
		left int
		want string
	}{
		{[][]string{{"halo", "a stencil on a periodic grid of three dimensions"}}, 2,
			"halo  a stencil on a periodic grid of\n      three dimensions\n"},
		{[][]string{{"  a thread", "46 %", " --set 'machine.runtime.progress={by: thread}'"}, {"  twice", "2 %", " --set ranks=4"}}, 1,
			"  a thread  46 %\n      --set 'machine.runtime.progress={by: thread}'\n  twice      2 %   --set ranks=4\n"},
		{[][]string{{"", "makespan", "change", "", "latency", "transfer"}, {"one run", "28.13 ms", "-12.48 ms", "-44.4 %", "1.2 us", "3.4 us"}}, 1,
			"         makespan     change\none run  28.13 ms  -12.48 ms  -44.4 %\n\n" +
				"         latency  transfer\none run   1.2 us    3.4 us\n"},
		{[][]string{{"parameter", "value", "origin", "source"}, {"network.receive_overhead", "0.2us of a list", "derived", "as the send one, with the rest"}}, 3,
			"parameter\n      value  origin\n      source\nnetwork.receive_overhead\n      0.2us of a list  derived\n" +
				"      as the send one, with the rest\n"},
		{[][]string{{"  half the latency of it", "machine", "2.7 %", "92 us", "--set machine.network.latency=x0.5"}, {"  twice", "program", "2 %", "9 us",
			"--set ranks=4"}}, 1, "  half the latency of it  machine  2.7 %\n      92 us\n      --set machine.network.latency=x0.5\n" +
			"  twice                   program    2 %\n      9 us\n      --set ranks=4\n"},
	} {
		if got := strings.Join(tables(c.rows, c.left, 40), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// All words of the cells are there; and no line of folded prose is wider than the output but for a word, a quoted
// text or a command that is.
func TestGridFitsAnything(t *testing.T) {
	cell := rapid.OneOf(rapid.StringMatching(`[a-z]{1,12}( [a-z]{1,12}){0,8}`), rapid.StringMatching(`[+-]?[0-9.]{1,9} (ms|s|%)`),
		rapid.StringMatching(`--set [a-z.]{3,30}=[0-9]{1,5}`), rapid.Just(""))
	rapid.Check(t, func(t *rapid.T) {
		columns, width := rapid.IntRange(1, 7).Draw(t, "columns"), rapid.IntRange(leastWidth, 120).Draw(t, "width")
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, columns, columns), 1, 5).Draw(t, "rows")
		text := strings.Join(tables(rows, rapid.IntRange(0, columns).Draw(t, "left"), width), "\n")
		shown := map[string]int{}
		for _, word := range strings.Fields(text) {
			shown[word]++
		}
		for _, row := range rows {
			for _, word := range strings.Fields(strings.Join(row, " ")) {
				if shown[word]--; shown[word] < 0 {
					t.Fatalf("%q is missing in\n%s", word, text)
				}
			}
		}
		for line := range strings.Lines(folded(strings.Join(slices.Concat(rows...), " "), width)) {
			if line = strings.TrimSpace(line); runes(line) > width && len(words(line)) > 1 {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}

// Colours follow the conventions of the environment.
func TestColoured(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		{true, nil, true}, {false, nil, false}, {true, map[string]string{"NO_COLOR": "1"}, false},
		{true, map[string]string{"CLICOLOR": "0"}, false}, {true, map[string]string{"TERM": "dumb"}, false},
		{false, map[string]string{"CLICOLOR_FORCE": "1"}, true}, {false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{true, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
	} {
		if got := coloured(c.terminal, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("terminal %v, %v: %v", c.terminal, c.env, got)
		}
	}
}

// A text is folded between words; a quoted text and a flag with its value stay whole.
func TestFolded(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"  eight words that are too long for it\nshort\n", "  eight words that\n  are too long for\n  it\nshort\n"},
		{"for one on each: --set processes_per_node=1 is it", "for one on each:\n--set processes_per_node=1\nis it"},
		{"say 'a b c d e f g h i j k' so", "say\n'a b c d e f g h i j k'\nso"},
		{"the NIC's bytes and the NIC's time", "the NIC's bytes and\nthe NIC's time"},
	} {
		if got := folded(c.text, 20); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}
