package answer

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim/must"
)

// alternating is a GOAL schedule of two ranks that exchange 1 MiB in each of 10 steps: r and s are posted before the computation of the step if
// they are begun, otherwise after it. In each step one rank computes for the first of two times, and the other one for the second.
func alternating(t testing.TB, begun string, first, second int) asked {
	t.Helper()
	var text strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&text, format+"\n", values...) }
	line("num_ranks 2")
	for rank := range 2 {
		line("rank %d {", rank)
		for i := range 10 {
			line("s%d: send 1048576b to %d tag %[1]d\nr%[1]d: recv 1048576b from %[2]d tag %[1]d", i, 1-rank) // waited for in this order
			line("c%d: calc %d\nw%[1]d: calc 0", i, []int{first, second}[(i+rank)%2])
			line("w%d requires r%[1]d\nw%[1]d requires s%[1]d\nw%[1]d requires c%[1]d", i)
			for _, op := range "rs" {
				if strings.ContainsRune(begun, op) {
					line("c%d irequires %c%[1]d", i, op)
				} else {
					line("%c%d requires c%[2]d", op, i)
				}
			}
			for _, op := range "rsc" {
				if i > 0 {
					line("%c%d requires w%d", op, i, i-1)
				}
			}
		}
		line("}")
	}
	return schedule(t, text.String())
}

// schedule is a run of a GOAL schedule.
func schedule(t testing.TB, text string) asked {
	t.Helper()
	file := filepath.Join(t.TempDir(), "written.goal")
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	return written(t, "machine: hdr-infiniband\nworkload: {name: goal, file: "+file+"}\nranks: 2\nprocesses_per_node: 1\n")
}

// Ranks that compute 1 and 2 ms in turns wait in each step for the one that computes longer, though all compute for 15 ms: that costs as
// much as steps of 1.5 ms save. If messages couple them only because they move in calls, overlap costs more than it hides, but nothing
// without imbalance, and the sentence names that. Of equal steps it says nothing else than before. Where a rank has not posted its receive,
// the other one waits for it, and not for progress; nor where it has, and its message would be waited for next in any case.
func TestUnevenInTurns(t *testing.T) {
	const ms, library = 1_000_000, "moves large messages only inside calls"
	for _, begun := range []string{"", "r", "rs"} {
		during := begun == "rs"
		run := alternating(t, begun, ms, 2*ms)
		said, even := confirm(t, run), confirm(t, alternating(t, begun, 1.5*ms, 1.5*ms))
		absent := said.Absence(uneven)
		if makespan := *even.Computation + *even.Exposed; absent == nil || math.Abs(absent.Makespan-makespan) > 1e-12 || absent.Saves < 0.2 {
			t.Errorf("begun %q: without imbalance %+v, steps of the mean take %g s", begun, absent, makespan)
		}
		if !strings.Contains(strings.ToLower(said.Sentence), "uneven computation costs 24 %") || strings.Contains(said.Sentence, library) {
			t.Errorf("begun %q: %s", begun, said.Sentence)
		}
		if (said.Even != nil) != during || during && math.Abs(*said.Even-*even.Overlap) > 1e-9 {
			t.Errorf("begun %q: overlap %g, without imbalance %v, should be %g", begun, *said.Overlap, said.Even, *even.Overlap)
		}
		if ledger := run.outcome(t).Ledger(); !during && ledger[results.Progress].Seconds() > ledger[results.Partner].Seconds()/100 {
			t.Errorf("begun %q: progress %g s, partner %g s", begun, ledger[results.Progress].Seconds(), ledger[results.Partner].Seconds())
		}
		if even.Even != nil || even.Absence(uneven) != nil || during && !strings.Contains(even.Sentence, library) {
			t.Errorf("begun %q, equal steps: %s %+v", begun, even.Sentence, even.Without)
		}
	}
}

// Ranks that compute a different number of times between their waits have no steps in common, which is told.
func TestStepsUnmatched(t *testing.T) {
	const want = "Uneven computation of single steps is not known"
	for text, told := range map[string]bool{
		"c0: calc 1000000\nc1: calc 1000000\nc1 requires r\n": true,
		"c0: calc 2000000\nr requires c0\n":                   false,
	} {
		a := schedule(t, "num_ranks 2\nrank 0 {\ns: send 8b to 1\nc0: calc 3000000\ns requires c0\n}\nrank 1 {\nr: recv 8b from 0\n"+text+"}\n")
		said := For(a.outcome(t), a.load, Whole, func(string, float64) {})
		if notes := strings.Join(said.Notes, "\n"); strings.Contains(notes, want) != told || said.Absence(uneven) == nil {
			t.Errorf("%s: %s, %+v", text, notes, said.Without)
		}
	}
}

// Steps that differ little make overlap lose little, all of it by imbalance: the sentence names that as soon as it says that anything is lost.
// Of 5 and 5.04 ms in turns, 0.02 ms a step are lost, 0.4 % of the run. Without imbalance the same is hidden as by steps of the mean.
func TestLittleUneven(t *testing.T) {
	run := alternating(t, "rs", 5_000_000, 5_040_000)
	said, even := confirm(t, run), confirm(t, alternating(t, "rs", 5_020_000, 5_020_000))
	if lost := -*said.Hidden - -*even.Hidden; math.Abs(lost-10*0.02e-3) > 0.01e-3 {
		t.Errorf("%g s lost, of equal steps %g", -*said.Hidden, -*even.Hidden)
	}
	if strings.Contains(said.Sentence, "Overlapping costs") || !strings.Contains(said.Sentence, "compute longer in a step: uneven computation costs 0.4 %") {
		t.Error(said.Sentence)
	}
	if said.Even == nil || *said.Even != *even.Overlap {
		t.Errorf("overlap without imbalance %v, of equal steps %v", said.Even, *even.Overlap)
	}
}
