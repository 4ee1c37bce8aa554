package laws

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"overlapsim/cmd/cli"
	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

var (
	lawCases = flag.Uint64("laws", 0, "try this many random scenarios; 0: 200, or 500 where EVERY_TEST is set")
	lawFrom  = flag.Uint64("laws-from", 0, "number of the first random scenario")
	lawOnly  = flag.String("laws-only", "", "ask only this law, or these, with commas, of every scenario")
	lawKnown = flag.Bool("laws-known", false, "show known faults as new ones")
	lawKeep  = flag.String("laws-keep", "", "write shrunk failures, and the largest anomalies, into this folder")
)

const (
	someCases  = 200              // of every run of the tests
	moreCases  = 500              // where EVERY_TEST is set
	shrinkTime = 20 * time.Second // of a case that fails
	coverCases = 50_000           // random scenarios in which everything there is occurs
	knownCases = 200_000          // random scenarios in which every known fault shows
)

// TestMain makes room for all tables.
func TestMain(m *testing.M) {
	if err := os.Setenv("COLUMNS", "1000"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func program(args []string, out, errs *bytes.Buffer) int { return cli.Run(args, out, errs) }

// Random small scenarios obey the laws. The long run is
//
//	go test ./cmd/dev/laws -run TestLaws -laws 1000000 -timeout 0
func TestLaws(t *testing.T) {
	must.Long(t)
	hunt := Hunt{Command: program, Dir: t.TempDir(), From: *lawFrom, Count: *lawCases, Only: *lawOnly, Workers: runtime.GOMAXPROCS(0)}
	if long := hunt.Count > 0; long {
		hunt.Progress = os.Stderr
	} else {
		hunt.Count = someCases
		if os.Getenv("EVERY_TEST") != "" {
			hunt.Count = moreCases
		}
	}
	result := must.Get(hunt.Run())(t)
	for _, law := range Laws {
		t.Logf("%-18s %8d cases", law.Name, result.Asked[law.Name])
	}
	for _, a := range result.Anomalies {
		t.Logf("%s, anomalies: %s: %d, %d above 5 %%, at most %.1f %% (case %d: %s)", a.Law, a.Why, a.Times, a.Above, 100*a.Most, a.Number, a.Message)
		if *lawKeep != "" {
			if err := os.WriteFile(filepath.Join(*lawKeep, a.File()), []byte(a.Text()), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d cases in %v, %d ran", result.Cases, result.Elapsed, result.Ran)
	for _, f := range result.Known {
		t.Logf("known: %s: %s (case %d, %d times)", f.Law.Name, f.Message, f.Number, f.Times)
	}
	if hunt.Count >= coverCases {
		for _, missing := range result.Missing {
			t.Errorf("no case that ran says %s", missing)
		}
	}
	if hunt.Count >= knownCases {
		for _, finding := range result.Unneeded {
			t.Errorf("a known fault did not show: %s; remove it from mustShrinkToNothing", finding)
		}
	}
	if *lawKnown {
		result.New = append(result.New, result.Known...)
	}
	small := must.Get(hunt.Shrink(result.New, shrinkTime))(t)
	for _, f := range small {
		t.Errorf("case %d, %d times:\n%s", f.Number, f.Times, f.Text())
		if *lawKeep != "" {
			if err := os.WriteFile(filepath.Join(*lawKeep, f.File()), []byte(f.Text()), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
}

// Cases that broke a law once are checked against all laws.
func TestKeptCases(t *testing.T) {
	must.Long(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	judge, err := NewJudge(t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			text := must.Get(os.ReadFile(file))(t)
			c := must.Get(ReadCase(text))(t)
			for _, f := range judge.Faults(c) {
				if finding, known := Known(f.Law.Name, f.Message); known {
					t.Logf("known (%s): %s: %s", finding, f.Law.Name, f.Message)
				} else {
					t.Errorf("%s: %s", f.Law.Name, f.Message)
				}
			}
		})
	}
}

// A message takes 10,000 s on any number of ranks, in the mean and for each.
func TestTotalsOfManyRanks(t *testing.T) {
	many := 20_000
	if *lawCases >= 100_000 {
		many = 1_000_000
	}
	few, all := manyRanks(t, 4), manyRanks(t, many)
	if want := few.Messages / 4 * uint64(many); all.Messages != want {
		t.Errorf("%d ranks send %d messages, want %d", many, all.Messages, want)
	}
	for i, term := range few.Ledger {
		if got := all.Ledger[i].Value; got != term.Value {
			message := fmt.Sprintf("the ledger of %d ranks has %g s of %s, that of 4 has %g s", many, got, term.Name, term.Value)
			if finding, known := Known("totals", message); known {
				t.Skipf("known (%s): %s", finding, message)
			}
			t.Error(message)
		}
	}
}

// manyRanks runs a shift over that many nodes that are 10,000 s apart.
func manyRanks(t *testing.T, ranks int) *outcomes.RunRecord {
	t.Helper()
	file := filepath.Join(t.TempDir(), "many.yaml")
	text := fmt.Sprintf(`{machine: loggp, changes: {network.latency: 10000s, nodes: 0}, ranks: %d, processes_per_node: 1,
		workload: {name: shift, bytes: 1B, repeat: 1}}`, ranks)
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	study := must.Get(scenarios.Load(file, nil))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	return o.Record()
}
