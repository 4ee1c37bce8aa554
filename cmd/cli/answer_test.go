package cli

import (
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/sim/must"
)

// answeredRuns are command lines of run whose output says why, or what would help.
var answeredRuns = [][]string{
	{"ft-exchange-bassi", "--set", "ranks=8", "--set", "workload.rows=256"},
	{"helper-thread", "--run", "in calls"},
	{"mpi-libraries", "--run", "Intel MPI 5.1 shm (miriel)"},
	{"mpi-libraries", "--run", "OpenMPI 1.10 tcp (william)", "--set", "seed=3"},
	{"probes/fig4/P/8192x512", "--set", "workload.rows=1024"},
	{"spmv-gather-jacquard"},
}

// changeLine is a line of a change, with its share and the flags at its end.
var changeLine = regexp.MustCompile(`(?m)^  \S.*  ((?:[0-9.]+ to )?[0-9.]+ %)  .*   (--set .*)$`)

// answerRecord is the part of JSON that the tests read.
type answerRecord struct {
	Makespan float64 `json:"makespan_s"`
	Answer   *outcomes.Answer
}

// Every line of an answer, pasted behind the command that gave it, has the makespan that
// JSON says, and the share that the text says.
func TestAnswerPasted(t *testing.T) {
	must.Long(t)
	for _, args := range answeredRuns {
		text, _, _ := callMain(append([]string{"run"}, args...)...)
		var record answerRecord
		out, errs, status := callMain(slices.Concat([]string{"run"}, args, []string{"--json"})...)
		if err := json.Unmarshal([]byte(out), &record); err != nil || status != done {
			t.Fatalf("%v: %v, %s", args, err, errs)
		}
		if !strings.Contains(text, record.Answer.Sentence) {
			t.Errorf("%v: the text does not say %s", args, record.Answer.Sentence)
		}
		lines := changeLine.FindAllStringSubmatch(text, -1)
		said := slices.Concat(record.Answer.Without, record.Answer.Help)
		if len(lines) == 0 {
			t.Errorf("%v: no lines", args)
		}
		for _, line := range lines {
			flags := shellWords(line[2])
			i := slices.IndexFunc(said, func(c outcomes.Change) bool { return c.Flags() == line[2] })
			if i < 0 {
				t.Errorf("%v: JSON has no %s", args, line[2])
				continue
			}
			var again answerRecord
			out, errs, status := callMain(slices.Concat([]string{"run"}, args, flags, []string{"--json", "--no-advice"})...)
			if err := json.Unmarshal([]byte(out), &again); err != nil || status != done {
				t.Errorf("%v %q: %v, %s", args, flags, err, errs)
			} else if c := said[i]; again.Makespan != c.Makespan || c.Saves != 1-again.Makespan/record.Makespan || line[1] != report.Saving(&c) {
				t.Errorf("%v %q: %g s, the answer says %+v, the text %s", args, flags, again.Makespan, c, line[1])
			}
		}
	}
}

// shellWords are the words of a line, of which some are in single quotes.
func shellWords(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// An answer is the same on one processor and on several, and changes nothing else in JSON.
func TestAnswerIsDeterministic(t *testing.T) {
	must.Long(t)
	for _, args := range answeredRuns {
		all := slices.Concat([]string{"run"}, args, []string{"--json"})
		out, _, _ := callMain(all...)
		for _, processors := range []int{1, 4} {
			before := runtime.GOMAXPROCS(processors)
			again, _, _ := callMain(all...)
			runtime.GOMAXPROCS(before)
			if again != out {
				t.Errorf("%v: another output on %d processors", args, processors)
			}
		}
		var with, without map[string]json.RawMessage
		plain, _, _ := callMain(append(all, "--no-advice")...)
		if json.Unmarshal([]byte(out), &with) != nil || json.Unmarshal([]byte(plain), &without) != nil {
			t.Fatalf("%v: no JSON", args)
		}
		delete(with, "answer")
		delete(with, "runs") // the same again
		delete(without, "runs")
		if len(with) != len(without) {
			t.Errorf("%v: other members without an answer", args)
		}
		for name := range with {
			if string(with[name]) != string(without[name]) {
				t.Errorf("%v: %s differs without an answer", args, name)
			}
		}
	}
}
