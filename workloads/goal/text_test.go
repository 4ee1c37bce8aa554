package goal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"overlapsim/sim/must"
)

// rank0 puts statements into a schedule of two ranks; they begin at line 3.
func rank0(statements string) string {
	return "num_ranks 2\nrank 0 {\n" + statements + "\n}\nrank 1 {\n}\n"
}

func TestTextMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x.goal: the file is empty: want a GOAL schedule"},
		{"\n// only a comment\n", "x.goal:2:1: the file holds no schedule: want num_ranks N"},
		{"rank 0 {\n}\n", `x.goal:1:1: want num_ranks N, got "rank"`},
		{"num_ranks x\n", `x.goal:1:11: num_ranks: want a whole number, got "x"`},
		{"num_ranks 0\n", "x.goal:1:11: num_ranks: want at least 1"},
		{"num_ranks 4294967296\n", "x.goal:1:11: num_ranks: 4294967296 is too big, want at most 4294967295"},
		{"num_ranks 99999999999999999999\n", "x.goal:1:11: num_ranks: the number is too big, want at most 4294967295"},
		{"num_ranks 4000000000\nrank 0 {\n}\n", "x.goal:3:1: the file ends before rank 1 of 4000000000: want rank 1 {"},
		{"num_ranks 2\nrank 0 {\n}\nrank 2 {\n}\n", "x.goal:4:6: rank 2: want rank 1; ranks come in ascending order without gaps"},
		{"num_ranks 1\nrank 0\n{\n}\n", "x.goal:2:7: want { after rank 0, got the end of the line\n" +
			`x.goal:3:1: want an operation, a dependency or }, got "{"`},
		{"num_ranks 1\nrank 0 {\ncalc 5\n", "x.goal:3:1: the file ends inside rank 0: want }"},
		{"num_ranks 1\n/* no end\nrank 0 {\n", "x.goal:3:1: the comment that begins in line 2 is not closed with */"},
		{rank0("calc"), "x.goal:3:5: calc: want a whole number, got the end of the line"},
		{rank0("calc -5"), `x.goal:3:6: calc: want a whole number, got "-5"`},
		{rank0("calc 1.5"), `x.goal:3:7: want the end of the line, got ".5"`},
		{rank0("calc 18446744073709551616"), "x.goal:3:6: calc: the number is too big, want at most 18446744073709551615"},
		{rank0("calc 5 cpu 256"), "x.goal:3:12: cpu: 256 is too big, want at most 255"},
		{rank0("calc 5 nic 1"), `x.goal:3:8: want the end of the line, got "nic"`},
		{rank0("send 8 to 1"), `x.goal:3:8: send: want b after the number of bytes, got "to"`},
		{rank0("send 8b from 1"), `x.goal:3:9: send: want to and a rank, got "from"`},
		{rank0("send 8b to 2"), "x.goal:3:12: to rank 2: want 0 to 1"},
		{rank0("send 8b to -1"), `x.goal:3:12: to: want a whole number, got "-1"`},
		{rank0("recv 8b from -2"), `x.goal:3:14: from: want a whole number, got "-2"`},
		{rank0("recv 8b from 4294967295"), "x.goal:3:14: from rank 4294967295: want 0 to 1"},
		{rank0("recv 8b from 1 tag 4294967296"), "x.goal:3:20: tag: 4294967296 is too big, want at most 4294967295"},
		{rank0("recv 8b from 1 nic 0 tag 1"), `x.goal:3:22: want the end of the line, got "tag"`},
		{rank0("send 8b to 1 // why"), "x.goal:3:14: want the end of the line, got a comment; put it on a separate line"},
		{rank0("# comment"), `x.goal:3:1: want an operation, a dependency or }, got "#"`},
		{rank0("calc: calc 5"), "x.goal:3:1: calc cannot be a label; want another name"},
		{rank0("a: wait 5"), "x.goal:3:8: want send, recv or calc"},
		{rank0("a: 5"), `x.goal:3:4: want send, recv or calc, got "5"`},
		{rank0("a calc 5"), `x.goal:3:3: want : and an operation, or requires or irequires, after a, got "calc"`},
		{rank0("a: calc 5\na requires"), "x.goal:4:11: want the label of an operation, got the end of the line"},
		{rank0("a: calc 5\nb requires a"), "x.goal:4:1: label b is not defined above in rank 0"},
		{rank0("a: calc 5\na irequires b\nb: calc 5"), "x.goal:4:13: label b is not defined above in rank 0"},
		{rank0("a: calc 5\na requires a"), "x.goal:4:1: a requires itself"},
		{rank0("a: calc 5\nbee: calc 6\na_long_label: calc 7\na requires bee\nbee irequires a_long_label\na_long_label requires a"),
			"x.goal:5:1: cyclic dependency in rank 0: a_long_label (line 5) requires a (line 3) requires bee (line 4) requires " +
				"a_long_label (line 5)"},
		{rank0("calc x\ncalc y"), `x.goal:3:6: calc: want a whole number, got "x"` + "\n" + `x.goal:4:6: calc: want a whole number, got "y"`},
		{rank0("a: calc x\nb: calc 1\nb requires a"), `x.goal:3:9: calc: want a whole number, got "x"`},
		{"num_ranks 1\nrank 0 {\n\x00\x80\n}\n", `x.goal:3:1: want an operation, a dependency or }, got "\x00\x80"`},
	} {
		s, err := Read(strings.NewReader(c.text), "x.goal")
		if s != nil || err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestTextStopsAfterManyMistakes(t *testing.T) {
	_, err := Read(strings.NewReader(rank0("calc x\n"+strings.Repeat("x requires y\n", 1000))), "x.goal")
	var p Problems
	if !errors.As(err, &p) || len(p) != maxProblems || !strings.HasSuffix(err.Error(), "\nx.goal: reading stopped after 20 errors") {
		t.Errorf("got %v", err)
	}
}

// TestTextLongCycle: for a cycle of a hundred thousand operations the message names only
// some.
func TestTextLongCycle(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "l%d: calc 1\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "l%d requires l%d\n", i, (i+1)%n)
	}
	_, err := Read(strings.NewReader(rank0(b.String())), "x.goal")
	if err == nil || !strings.HasSuffix(err.Error(), " requires ... (100000 in all)") || len(err.Error()) > 400 {
		t.Errorf("got %v", err)
	}
}

// TestTextLenience: all of these texts are correct, or at least understood.
func TestTextLenience(t *testing.T) {
	want := mustRead(t, rank0("l1: calc 5 cpu 1\nl2: send 8b to 1 tag 3 cpu 2 nic 4\nl3: recv 9b from -1 tag -1\nl3 requires "+
		"l1\nl2 irequires l1"))
	for _, text := range []string{
		rank0("\tl1:calc 5cpu1\r\n  l2 :\tsend 8bto1tag3cpu2nic4  \r\n\r\nl3: recv 9bfrom-1tag-1\nl3\trequires l1 \nl2 irequires l1\n"),
		rank0("/* one\ntwo */l1: calc 5 cpu 1\n/* a */ /* b */\n// c\nl2: send 8b to 1 tag 3 cpu 2 nic 4\nl3: recv 9b from -1 tag "+
			"4294967295\nl1: calc 6") + "ignored",
		"// head\nnum_ranks 2\n\nrank 0{\na: calc 5 cpu 1\nrequires: send 8b to 1 tag 3 cpu 2 nic 4\nirequires: recv 9b from -1 " +
			"tag -1\nirequires requires a\nrequires irequires a\n}\nrank 1 {\n}",
	} {
		got := mustRead(t, text)
		ops := got.Ops()[:3]
		if !reflect.DeepEqual(withoutRows(ops), withoutRows(want.Ops())) {
			t.Errorf("%q: got %v, want %v", text, ops, want.Ops())
		}
	}
}

func withoutRows(ops []Op) (list []Op) {
	for _, op := range ops {
		op.first, op.starts = 0, false
		list = append(list, op)
	}
	return list
}

// TestTextFirstLabelCounts: a label defined twice makes two operations and names the
// first of them.
func TestTextFirstLabelCounts(t *testing.T) {
	s := mustRead(t, rank0("a: calc 1\na: calc 2\nb: calc 3\nb requires a"))
	if len(s.Ops()) != 3 || len(s.after(0)) != 1 || len(s.after(1)) != 0 {
		t.Errorf("%d operations, %v after the first, %v after the second", len(s.Ops()), s.after(0), s.after(1))
	}
}

// TestTextLabels uses labels of all lengths, thousands in a rank, that differ in
// one byte; each requires the one before.
func TestTextLabels(t *testing.T) {
	var labels []string
	for length := 3; length <= 40; length++ {
		for i := range 100 {
			labels = append(labels, fmt.Sprintf("x%0*d", length-1, i))
		}
	}
	var b strings.Builder
	for i, label := range labels {
		fmt.Fprintf(&b, "%s: calc %d\n", label, i)
	}
	for i := range labels[1:] {
		fmt.Fprintf(&b, "%s requires %s\n", labels[i+1], labels[i])
	}
	s := mustRead(t, rank0(b.String()))
	for i := range uint32(len(labels)) - 1 {
		if after := s.after(i); len(after) != 1 || after[0] != i+1 {
			t.Errorf("after %s: %v, want %d", labels[i], after, i+1)
		}
	}
}

// TestTextRoundTrip writes random schedules and reads them again, in text and
// binary form, whole and byte by byte.
func TestTextRoundTrip(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		shape := randomShape(r)
		shape.wild = true
		want := shape.loose(r).schedule(t)
		var text, binary bytes.Buffer
		must.Do(t, errors.Join(want.WriteText(&text), want.WriteBinary(&binary)))
		for form, in := range map[string]io.Reader{
			"text": bytes.NewReader(text.Bytes()), "slow text": iotest.OneByteReader(bytes.NewReader(text.Bytes())),
			"binary": bytes.NewReader(binary.Bytes()), "slow binary": iotest.OneByteReader(bytes.NewReader(binary.Bytes())),
		} {
			got, err := Read(in, form)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text.String())
			}
			if err := sameSchedule(got, want); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, form, err, text.String())
			}
		}
	}
}

func sameSchedule(got, want *Schedule) error {
	switch {
	case !reflect.DeepEqual(got.ops, want.ops):
		return differ("operations", got.ops, want.ops)
	case !reflect.DeepEqual(got.ranks, want.ranks):
		return differ("ranks", got.ranks, want.ranks)
	case len(got.dependants)+len(want.dependants) > 0 && !reflect.DeepEqual(got.dependants, want.dependants):
		return differ("dependants", got.dependants, want.dependants)
	}
	return differ("CPUs and NICs", []int{got.cpus, got.nics}, []int{want.cpus, want.nics})
}

// TestTextLongLines: lines as long as the buffer and longer are read; endless ones are
// not.
func TestTextLongLines(t *testing.T) {
	for _, n := range []int{bufferSize - 60, bufferSize - 20, bufferSize, bufferSize + 1, 3 * bufferSize} {
		label := "x" + strings.Repeat("y", n)
		s := mustRead(t, rank0(label+": calc 1\nb: calc 2\nb requires "+label))
		if len(s.Ops()) != 2 || len(s.after(0)) != 1 {
			t.Errorf("label of %d bytes: %d operations", n, len(s.Ops()))
		}
	}
	_, err := Read(io.LimitReader(zeros{}, 1<<40), "x.goal")
	if want := "x.goal:1:1: the line is longer than 1048576 bytes: this is not a GOAL schedule"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestTextReportsReadErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	in := io.MultiReader(strings.NewReader("num_ranks 1\nrank 0 {\n"), iotest.ErrReader(broken))
	if _, err := Read(in, "x.goal"); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestTextGivesUpAnIdleReader(t *testing.T) {
	if _, err := readText(idle{}, "x.goal", partBytes, 0); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

// TestTextMemory: a large announced number allocates no memory, also of a file, and a schedule takes the
// memory that its comment states.
func TestTextMemory(t *testing.T) {
	grown := func(in io.Reader) (mib float64, s *Schedule) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, _ = Read(in, "x.goal")
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20), s
	}
	if mib, _ := grown(strings.NewReader("num_ranks 4000000000\nrank 0 {\n}\n")); mib > 2 {
		t.Errorf("%.1f MiB for nothing", mib)
	}
	file := filepath.Join(t.TempDir(), "x.goal")
	text := "num_ranks 4000000000\n"
	for rank := range 1000 {
		text += fmt.Sprintf("rank %d {\ncalc 1\n}\n", rank)
	}
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	in := must.Get(os.Open(file))(t)
	defer in.Close()
	if mib, _ := grown(in); mib > 2 {
		t.Errorf("%.1f MiB for 1000 ranks of a file", mib)
	}
	var op Op
	if size := reflect.TypeOf(op).Size(); size != 24 {
		t.Errorf("an operation takes %d bytes, want 24", size)
	}
}

func BenchmarkReadText(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			s := must.Get(c.build())(b)
			var text bytes.Buffer
			s.WriteText(&text)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			b.ResetTimer()
			start := cpuTime()
			for range b.N {
				got, err := Read(bytes.NewReader(text.Bytes()), c.name)
				if err != nil || len(got.Ops()) != len(s.Ops()) {
					b.Fatalf("%d operations, want %d: %v", len(got.Ops()), len(s.Ops()), err)
				}
			}
			seconds := (cpuTime() - start) / float64(b.N)
			b.ReportMetric(seconds, "cpu-s/op")
			b.ReportMetric(c.seconds/seconds, "x-peer")
		})
	}
}
