package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cost is what commands took, in seconds, and how many messages the last one had; 0: it
// does not say.
type cost struct{ cpu, wall, messages float64 }

// row is a measured case.
type row struct {
	work
	ours, theirs cost // medians; theirs 0: not measured
}

// once runs a command.
func (b *bench) once(args []string) (cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	took := cost{cpu: used.Seconds(), wall: time.Since(start).Seconds()}
	if said := messages.FindSubmatch(out); said != nil {
		took.messages, err = strconv.ParseFloat(string(said[1]), 64)
	}
	return took, err
}

// messages finds how many messages a record has.
var messages = regexp.MustCompile(`"messages": ([0-9]+)`)

// all runs commands one after the other.
func (b *bench) all(commands [][]string) (sum cost, err error) {
	for _, args := range commands {
		one, err := b.once(args)
		if err != nil {
			return sum, err
		}
		sum = cost{sum.cpu + one.cpu, sum.wall + one.wall, one.messages}
	}
	return sum, nil
}

// measure runs the cases of a table, ours and theirs in turn.
func (b *bench) measure(g group) (rows []row, err error) {
	for _, w := range g.cases {
		if !b.only.MatchString(w.name) && !b.only.MatchString(g.title) {
			continue
		}
		fmt.Fprintln(os.Stderr, w.name)
		if err := g.prepare(b, &w); err != nil {
			return nil, err
		}
		var ours, theirs []cost
		for range b.times {
			one, err := b.all(w.ours)
			if err != nil {
				return nil, err
			}
			if one.messages > 0 && one.messages != w.messages {
				return nil, fmt.Errorf("%s has %.0f messages, not %.0f", w.name, one.messages, w.messages)
			}
			ours = append(ours, one)
			if one, err = b.all(w.theirs); err != nil {
				return nil, err
			}
			theirs = append(theirs, one)
		}
		rows = append(rows, row{w, median(ours), median(theirs)})
	}
	return rows, nil
}

// median is the median of each of the two times.
func median(all []cost) cost {
	of := func(take func(cost) float64) float64 {
		var times []float64
		for _, c := range all {
			times = append(times, take(c))
		}
		slices.Sort(times)
		n := len(times)
		return (times[(n-1)/2] + times[n/2]) / 2
	}
	return cost{cpu: of(func(c cost) float64 { return c.cpu }), wall: of(func(c cost) float64 { return c.wall })}
}

// about says when and where was measured.
func about(times int) string {
	model := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 0 {
			load = ", load " + fields[0] + " before"
		}
	}
	return fmt.Sprintf("Measured on %s: %s, %d cores%s, %s. Medians of %d.\n\n", time.Now().UTC().Format(time.DateOnly), model,
		runtime.NumCPU(), load, runtime.Version(), times)
}
