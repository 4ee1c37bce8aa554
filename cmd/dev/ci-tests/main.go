// Command ci-tests reads what "go test -json" writes, prints a line for each package and all
// that failing tests say, and fails if a test fails or skips that is not expected to. Given
// packages, it runs each of their tests by itself and lists the most expensive:
//
//	EVERY_TEST=1 TURN=1 nice go run ./cmd/dev/ci-tests ./cmd/cli ./nodes
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
)

// event is a line of "go test -json".
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// skips are the tests that may skip, as "package Test", with the words of their reason.
var skips = []struct{ test, reason string }{
	{"overlapsim/scenarios/sweep TestSlurm*", "Slurm"}, // none, and no way to install it
	{"overlapsim/cmd/cli TestNoSockets", "no filter of system calls here"},
	{"overlapsim/scenarios/papers TestFiguresAreThoseOfTheText", "the texts of the papers are not here"}, // not ours to keep
	{"overlapsim/cmd/cli TestFreshMachine", "no machine with nothing can be made here"},
	{"overlapsim/cmd/cli TestFullDisk", "no small disk can be mounted here"},
	{"overlapsim/cmd/cli TestDiskFillsDuringSweep", "no small disk can be mounted here"},
	{"overlapsim/cmd/cli TestLittleAddressSpace", "ulimit -v sets no limit here"},
	{"overlapsim/cmd/cli TestLittleControlGroup", "no control group can limit memory here"},
	{"overlapsim/cmd/cli TestFullDevice", "there is no /dev/full here"},
	{"overlapsim/cmd/cli TestInterrupted", "^C is ignored here"},
	{"overlapsim/scenarios/report *", "Chromium is not installed"},
	{"overlapsim/scenarios/live *", "Chromium is not installed"},
	{"overlapsim/cmd/cli TestEveryPageInBrowser", "Chromium is not installed"},
	{"overlapsim/scenarios/record *", "MPI is not installed"},
	{"overlapsim/cmd/cli TestGradientShowsFirstResultsAtOnce", "no terminals here"},
	{"overlapsim/cmd/cli TestForecastOfTime", "-forecasts runs it"}, // processor time, on a machine with nothing else to do
}

// expected tells whether a test may skip for what it said.
func expected(test, said string) bool {
	for _, s := range skips {
		fits, _ := path.Match(strings.ReplaceAll(s.test, "/", "|"), strings.ReplaceAll(test, "/", "|"))
		if fits && strings.Contains(said, s.reason) {
			return true
		}
	}
	return false
}

const usage = `usage: go test -json ./... | go run ./cmd/dev/ci-tests
       go run ./cmd/dev/ci-tests PACKAGE...

Prints a line for each package and the output of failing tests. It fails if a
test fails, or skips and is not expected to. With packages it runs each of
their tests by itself and lists the ten that take most processor time.

Example: EVERY_TEST=1 TURN=1 nice go run ./cmd/dev/ci-tests ./cmd/cli ./nodes
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if flag.NArg() > 0 {
		if err := costs(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	said := map[string][]string{} // by test
	wrong := false
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Print(string(line))
			continue
		}
		test := e.Package + e.ImportPath + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			said[test] = append(said[test], e.Output)
		case "fail", "build-fail":
			wrong = true
			fmt.Printf("FAIL %s %.1fs\n%s", test, e.Elapsed, strings.Join(said[test], ""))
		case "pass":
			delete(said, test)
			if e.Test == "" {
				fmt.Printf("ok   %s %.1fs\n", e.Package, e.Elapsed)
			}
		case "skip":
			if words := strings.Join(said[test], ""); e.Test != "" && !expected(test, words) {
				wrong = true
				fmt.Printf("skips and is not expected to (see cmd/dev/ci-tests): %s\n%s", test, words)
			}
		}
	}
	if wrong {
		os.Exit(1)
	}
}
