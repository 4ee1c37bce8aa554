package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"overlapsim/cmd/overlapsim/internal/laws"
)

var (
	lawCases = flag.Uint64("laws", 0, "try this many random scenarios; 0: some hundred")
	lawFrom  = flag.Uint64("laws-from", 0, "number of the first random scenario")
	lawKeep  = flag.String("laws-keep", "", "write shrunk failures into this folder")
)

// The random scenarios of every run of the tests, and the time to shrink one that
// fails.
const (
	someCases  = 600
	shrinkTime = 20 * time.Second
)

func lawCommand(args []string, out, errs *bytes.Buffer) int { return run(args, out, errs) }

// Random small scenarios obey the laws. The long run is
//
//	go test ./cmd/overlapsim -run TestLaws -laws 1000000 -timeout 0
func TestLaws(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	hunt := laws.Hunt{Command: lawCommand, Dir: t.TempDir(), From: *lawFrom, Count: *lawCases, Workers: runtime.GOMAXPROCS(0)}
	if long := hunt.Count > 0; long {
		hunt.Progress = os.Stderr
	} else {
		hunt.Count = someCases
	}
	result, err := hunt.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range laws.Laws {
		t.Logf("%-18s %8d cases", law.Name, result.Asked[law.Name])
	}
	t.Logf("%d cases in %v, %d ran", result.Cases, result.Elapsed, result.Ran)
	for _, f := range result.Known {
		t.Logf("known: %s: %s (case %d, %d times)", f.Law.Name, f.Message, f.Number, f.Times)
	}
	small, err := hunt.Shrink(result.New, shrinkTime)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range small {
		t.Errorf("case %d, %d times:\n%s", f.Number, f.Times, f.Text())
		if *lawKeep != "" {
			if err := os.WriteFile(filepath.Join(*lawKeep, f.File()), []byte(f.Text()), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
}
