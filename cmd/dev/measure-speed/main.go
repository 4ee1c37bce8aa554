// Command measure-speed measures how fast overlapsim is and prints the table of
// docs/contributing/performance.md: whole commands, as a user gives them, each several times, in separate
// processes. Where a peer is installed it runs the same work next to it, in turn.
//
//	go run ./cmd/dev/measure-speed
//	go run ./cmd/dev/measure-speed -write docs/contributing/performance.md -loggopsim ~/LogGOPSim -simgrid
//
// LogGOPSim's folder holds its programs txt2bin and LogGOPSim. SimGrid needs libsimgrid-dev
// and g++.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/papers"
)

// options are the flags of the command.
type options struct {
	times     int
	only      *regexp.Regexp
	loggopsim string // folder; "": it is not measured
	simgrid   bool
	write     string // page; "": print
}

// part is the name of the page's part that this command writes.
const part = "speed"

const usage = `usage: go run ./cmd/dev/measure-speed [FLAGS]

Measures whole commands, each several times, and prints the table of
docs/contributing/performance.md. Peers run next to it where they are installed.

`

func main() {
	var o options
	flag.IntVar(&o.times, "times", 5, "run each command so `many` times, and take the median")
	only := flag.String("only", "", "measure only cases that match a regular `expression`")
	flag.StringVar(&o.loggopsim, "loggopsim", "", "`folder` of txt2bin and LogGOPSim")
	flag.BoolVar(&o.simgrid, "simgrid", false, "build and run SimGrid's program of the patterns")
	flag.StringVar(&o.write, "write", "", "write the table into a `page`, between its comments speed")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil && o.times < 1 {
		err = fmt.Errorf("-times %d: must be at least 1", o.times)
	}
	if err == nil {
		err = run(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o *options) error {
	work, err := os.MkdirTemp("", "measure-speed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b, err := newBench(o, work)
	if err != nil {
		return err
	}
	text := about(o.times)
	for _, group := range groups {
		rows, err := b.measure(group)
		if err != nil {
			return err
		}
		text += group.table(rows)
	}
	if o.write == "" {
		fmt.Print(text)
		return nil
	}
	page, err := os.ReadFile(o.write)
	if err != nil {
		return err
	}
	if page, err = papers.ReplacePart(page, part, []byte(text)); err != nil {
		return fmt.Errorf("%s: %w", o.write, err)
	}
	return disk.Write(o.write, func(out io.Writer) error {
		_, err := out.Write(page)
		return err
	})
}

// bench is what the cases run with.
type bench struct {
	*options
	work    string // folder for files
	program string // overlapsim
	flow    string // the patterns on the flow fabric
	peer    string // SimGrid's program of the same patterns; "": not measured
}

// newBench builds the programs.
func newBench(o *options, work string) (*bench, error) {
	b := &bench{options: o, work: work, program: filepath.Join(work, "overlapsim"), flow: filepath.Join(work, "flow-patterns")}
	build := [][]string{
		{"go", "build", "-o", b.program, "./cmd/overlapsim"},
		{"go", "build", "-o", b.flow, "./cmd/dev/flow-patterns"},
	}
	if o.simgrid {
		b.peer = filepath.Join(work, "patterns")
		build = append(build, []string{"g++", "-O2", "-std=c++17", "-o", b.peer, "docs/simgrid/patterns.cpp", "-lsimgrid"})
	}
	for _, args := range build {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return b, nil
}
