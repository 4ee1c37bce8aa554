package main

import (
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/outcomes"
)

// advisedRuns are command lines of run that end with advice.
var advisedRuns = [][]string{
	{"ft-exchange-bassi", "--set", "ranks=8", "--set", "workload.rows=256"},
	{"helper-thread", "--run", "in calls"},
	{"mpi-libraries", "--run", "Intel MPI 5.1 shm (miriel)"},
	{"mpi-libraries", "--run", "OpenMPI 1.10 tcp (william)", "--seed", "3"},
	{"probes/fig4/P/8192x512", "--set", "workload.rows=1024"},
	{"spmv-gather-jacquard"},
}

// adviceLine is a line of advice, with the flags at its end.
var adviceLine = regexp.MustCompile(`(?m)^  \S.* -[0-9.]+ %   (--set .*)$`)

// adviceRecord is the part of JSON that the tests read.
type adviceRecord struct {
	Makespan float64 `json:"makespan_s"`
	Advice   *outcomes.Advice
}

// Every line of advice, pasted behind the command that gave it, has the makespan that
// JSON says.
func TestAdvicePasted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	for _, args := range advisedRuns {
		text, _, _ := callMain(append([]string{"run"}, args...)...)
		var record adviceRecord
		out, errs, status := callMain(slices.Concat([]string{"run"}, args, []string{"--json"})...)
		if err := json.Unmarshal([]byte(out), &record); err != nil || status != done {
			t.Fatalf("%v: %v, %s", args, err, errs)
		}
		lines := adviceLine.FindAllStringSubmatch(text, -1)
		if len(lines) == 0 || len(lines) != len(record.Advice.Changes) {
			t.Errorf("%v: %d lines, %d changes", args, len(lines), len(record.Advice.Changes))
			continue
		}
		for i, line := range lines {
			flags := shellWords(line[1])
			var again adviceRecord
			out, errs, status := callMain(slices.Concat([]string{"run"}, args, flags, []string{"--json", "--no-advice"})...)
			if err := json.Unmarshal([]byte(out), &again); err != nil || status != done {
				t.Errorf("%v %q: %v, %s", args, flags, err, errs)
			} else if c := record.Advice.Changes[i]; again.Makespan != c.Makespan || c.Gain != 1-again.Makespan/record.Makespan {
				t.Errorf("%v %q: %g s, advice says %+v", args, flags, again.Makespan, c)
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

// Advice is the same on one processor and on two, and changes nothing else in JSON.
func TestAdviceIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more; -short leaves it out")
	}
	for _, args := range advisedRuns {
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
		delete(with, "advice")
		delete(with, "runs") // the same again
		delete(without, "runs")
		if len(with) != len(without) {
			t.Errorf("%v: other members without advice", args)
		}
		for name := range with {
			if string(with[name]) != string(without[name]) {
				t.Errorf("%v: %s differs without advice", args, name)
			}
		}
	}
}
