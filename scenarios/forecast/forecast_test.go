package forecast

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim/must"
)

// loop is a program of rounds, each of them one step.
type loop struct {
	ranks, rounds int
	step          func(rank int, do *programs.Ops)
}

func (l *loop) Ranks() int       { return l.ranks }
func (l *loop) Phases() []string { return nil }
func (l *loop) Step(rank, step int, do *programs.Ops) bool {
	if step >= l.rounds {
		return false
	}
	l.step(rank, do)
	return true
}

// Steps are counted without a call for each, from any number that is there, for any number that is expected.
func TestLength(t *testing.T) {
	for _, rounds := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 1000, math.MaxInt / 5} {
		for _, least := range []int{0, 1, 2, rounds / 2, rounds - 1, rounds} {
			for _, expected := range []int{0, 1, least, rounds - 1, rounds, rounds + 1, math.MaxInt / 3} {
				if least < 0 || least > rounds {
					continue
				}
				asked := 0
				p := &loop{1, rounds, func(int, *programs.Ops) { asked++ }}
				most := 130
				if expected == rounds {
					most = 2
				}
				if got := length(p, 0, least, expected); got != rounds || asked > most {
					t.Errorf("%d steps, want %d, from %d, expected %d; asked %d times", got, rounds, least, expected, asked)
				}
			}
		}
	}
}

// A program with steps of millions of operations is asked for few of them, and only once.
func TestLargeSteps(t *testing.T) {
	asked := 0
	p := &loop{100, 3, func(_ int, do *programs.Ops) {
		asked++
		for range sampledOps {
			do.Wait(0)
		}
	}}
	var f Foreseen
	for range 2 {
		w, ok := f.Of(p)
		if want := (Work{Ranks: 100, Steps: 300, Operations: 300 * sampledOps, Largest: sampledOps}); !ok || *w != want {
			t.Errorf("got %+v, want %+v", *w, want)
		}
	}
	if most := 4 + 3*(sampledRanks-1); asked > most {
		t.Errorf("%d steps were asked for, at most %d are necessary", asked, most)
	}
	other := &loop{1, 1, func(_ int, do *programs.Ops) { do.Wait(0) }}
	if w, _ := f.Of(other); w.Operations != 1 {
		t.Errorf("another program has %g operations, want 1", w.Operations)
	}
}

// wide is a program of equal steps.
type wide struct {
	operations int
	asked      *int
}

func (*wide) Ranks() int       { return 2 }
func (*wide) Phases() []string { return []string{"all"} }

func (p *wide) Step(_, step int, do *programs.Ops) bool {
	*p.asked++
	for range p.operations {
		do.Wait(0)
	}
	return step < 1
}

// A large program is not looked at again for another scenario that has the same; one with smaller steps is.
func TestLargeProgramsAreRemembered(t *testing.T) {
	for _, c := range []struct {
		operations int
		again      bool
	}{{largeSample, false}, {10, true}} {
		asked := 0
		var f Foreseen
		f.Of(&wide{c.operations, &asked})
		before := asked
		w, ok := f.Of(&wide{c.operations, &asked})
		if !ok || w.Operations != 2*float64(c.operations) || (asked > before) != c.again {
			t.Errorf("%d operations: %+v, asked %d times, then %d", c.operations, w, before, asked-before)
		}
		if w, _ := f.Of(&wide{c.operations + 1, &asked}); w.Operations != 2*float64(c.operations+1) {
			t.Errorf("another program has %g operations", w.Operations)
		}
	}
}

// Each rank posts two messages, waits for one, posts a third, and waits for both: three
// messages, six operations, two open at a time.
func TestOf(t *testing.T) {
	p := &loop{100, 1000, func(_ int, do *programs.Ops) {
		do.Put(0, 1, 1)
		do.Put(0, 1, 2)
		do.Wait(1)
		do.Put(0, 1, 3)
		do.Wait(2)
		do.Wait(3)
	}}
	w, ok := Of(p)
	want := Work{Ranks: 100, Steps: 1e5, Operations: 6e5, Messaged: 3e5, Largest: 6, Open: 2}
	if !ok || *w != want {
		t.Errorf("got %+v, want %+v", *w, want)
	}
}

// What messages pass is counted in the mean over those of any size.
func TestPerMessage(t *testing.T) {
	p := &loop{3, 1000, func(rank int, do *programs.Ops) {
		do.Put(1, 300, 1)
		do.Put(2, 100, 2)
		do.Wait(1)
		do.Wait(2)
	}}
	if got := PerMessage(p, func(_ int, op *programs.Op) float64 { return float64(op.Amount) * float64(op.Peer) }); got != 250 {
		t.Errorf("%g, want 250", got)
	}
	silent := &loop{3, 1000, func(_ int, do *programs.Ops) { do.Wait(0) }}
	if got := PerMessage(silent, func(int, *programs.Op) float64 { return 1 }); got != 0 {
		t.Errorf("no messages have %g", got)
	}
}

// Needs beyond 2^63 are needs, not negative numbers.
func TestEndlessNeeds(t *testing.T) {
	m := &machines.Machine{Cores: math.MaxInt32, Sharing: &machines.Sharing{Contexts: math.MaxInt32}}
	for _, n := range []Need{Cores(m, 4), Cores(m, math.MaxInt32), (&Work{Ranks: math.MaxInt32, Largest: 1e12}).Messages(m)[0]} {
		if err := (Limit{1 << 40, ""}).Check(n); err == nil || n.Count <= 0 {
			t.Errorf("%+v is taken", n)
		}
	}
}

// If only needs that are upper limits exceed the limit, the error says "may need up to"; if
// certain ones do, it says "needs at least", without the others.
func TestUpperLimits(t *testing.T) {
	limit := Limit{3 << 30, "left of ulimit -v"}
	sure := Need{Key: "topology", What: "some links", Bytes: 2 << 30}
	most := Need{Key: "ranks", What: "some messages", Bytes: 5 << 30, AtMost: true}
	want := "the run may need up to 7 GiB of memory, most of it for some messages if all ranks have theirs at once, " +
		"and there are 3 GiB (left of ulimit -v); change ranks"
	if err := limit.Check(sure, most); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	sure.Bytes *= 2
	want = "the run needs at least 4 GiB of memory, most of it for some links, and there are 3 GiB (left of ulimit -v); change topology"
	if err := limit.Check(sure, most); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// Memory that a run takes beyond its need is reported, and refuses nothing.
func TestMore(t *testing.T) {
	need := Need{What: "a path", More: 1 << 40}
	if err := (Limit{1, ""}).Check(need); err != nil || Taken(need) < 1<<40 {
		t.Errorf("%v, %g taken", err, Taken(need))
	}
}

func TestCheck(t *testing.T) {
	limit := Limit{1000, "left of ulimit -v"}
	needs := []Need{{Key: "ranks", What: "some ranks", Bytes: 400}, {Key: "topology", What: "many links", Bytes: 600}}
	if err := limit.Check(needs...); err != nil {
		t.Error(err)
	}
	if err := (Limit{}).Check(needs...); err != nil {
		t.Error(err)
	}
	needs[1].Bytes++
	var much *TooMuch
	if err := limit.Check(needs...); !errors.As(err, &much) || much.Largest.Key != "topology" || much.Total != 1001 {
		t.Errorf("got %v", err)
	}
	err := (Limit{3 << 30, "left of ulimit -v"}).Check(Links(384_000_000, 80))
	want := "the run needs at least 28.6 GiB of memory, most of it for 384 million links at 80 B, and there are 3 GiB (left of ulimit -v); " +
		"change topology"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// write writes a file below a folder and returns its path.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// Limits of all control groups above a process hold, of both versions.
func TestGroups(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "memory.max", "max\n")
	write(t, folder, "a/memory.max", "5000\n")
	write(t, folder, "a/b/memory.max", "7000\n")
	write(t, folder, "memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n")
	write(t, folder, "memory/docker/memory.limit_in_bytes", "6000\n")
	for member, want := range map[string]string{"0::/a/b\n": "7000 5000", "0::/\n": "", "4:memory:/docker/x\n2:cpu:/y\n": "6000"} {
		var got []string
		for _, l := range groups(folder, write(t, folder, "member", member)) {
			if l.Bytes > 0 {
				got = append(got, strings.TrimSpace(short(float64(l.Bytes))))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", member, got, want)
		}
	}
}

func TestAvailable(t *testing.T) {
	file := write(t, t.TempDir(), "meminfo", "MemTotal: 100 kB\nMemAvailable: 40 kB\nSwapFree: 2 kB\n")
	if got := available(file); got.Bytes != 42<<10 {
		t.Errorf("got %+v", got)
	}
	if got := available(file + "-not"); got.Bytes != 0 {
		t.Errorf("got %+v", got)
	}
}
