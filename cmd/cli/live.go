package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/live"
	"overlapsim/scenarios/live/compiled"
	"overlapsim/scenarios/report"
	"overlapsim/workloads/inputs"
)

// mostCarried is the largest size of the files that a page with a simulator carries.
const mostCarried = 16 << 20

// loadSimulator returns the simulator for pages, and simulatorThere says why there will be none; tests have none.
var loadSimulator, simulatorThere = compiled.Load, compiled.Missing

// checkLive says why a page cannot have a simulator.
func (r *runner) checkLive(study *scenarios.Study) error {
	if r.live == nil || !*r.live {
		return nil
	}
	if *r.htmlFile == "" {
		return &usageError{r.command, "--live puts the simulator into a report: give --html FILE too"}
	}
	if *r.all {
		return &usageError{r.command, "--live and --no-symmetry contradict each other: the simulator of a page simulates as few ranks as it may"}
	}
	if _, err := oneRun(r.command, "--live", study, ""); err != nil {
		return err
	}
	if err := simulatorThere(); err != nil {
		return fmt.Errorf("--live: %w", err)
	}
	return nil
}

// simulator is what a page of an outcome needs to run it again; nil: none was asked for, or the run cannot be run again.
func (r *runner) simulator(c *call, study *scenarios.Study, made []outcome) (*report.Live, error) {
	if r.live == nil || !*r.live {
		return nil, nil
	}
	o := made[0]
	if o.Result.Stragglers != nil || o.Result.Traced != nil && o.Result.On != results.GPUs {
		return nil, &usageError{r.command, "--live: what was measured is not simulated, so that no change can be tried"}
	}
	start := live.NewStart(o.Outcome, study.Runs[0], o.record.Answer, r.typed, r.playground)
	if err := carry(start, c.before); err != nil {
		return nil, &usageError{r.command, "--live: " + err.Error()}
	}
	p, err := loadSimulator(func() {
		onInterrupt.Store(nil) // the runs have ended: ^C ends the program
		fmt.Fprintln(c.errors, "overlapsim: compiles the simulator for pages; the first time takes a minute or two")
	})
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	return &report.Live{Program: p.Packed, Support: p.Support, Start: start}, nil
}

// carry puts the files that the run has read, beyond those that were read before it, into what a page carries.
func carry(start *live.Start, before []string) (err error) {
	var sum int64
	for _, path := range inputs.All() {
		if slices.Contains(before, path) {
			continue
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) { // and the run does not miss it
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("the run reads %s, which is not a file that a page can carry", path)
		}
		if sum += info.Size(); sum > mostCarried {
			return fmt.Errorf("the run reads files of more than %d MiB, the most that a page carries", mostCarried>>20)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if start.Files == nil {
			start.Files = map[string][]byte{}
		}
		start.Files[filepath.ToSlash(path)] = text
	}
	if start.Files != nil {
		start.Folder, err = os.Getwd()
	}
	return err
}
