package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overlapsim/network/flow"
	"overlapsim/scenarios"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/workloads/goal"
	"overlapsim/workloads/inputs"
	"overlapsim/workloads/traces"
)

var replayCommand = command{
	name:  "replay",
	args:  "FILE.goal|CASE.json",
	title: "run a GOAL schedule, or flows over links",
	text: `Runs a GOAL schedule (text or binary) on a built-in machine or by LogGOPS
parameters: numbers in ns, ns per byte (G, O) and bytes (S), or with units. The
defaults are ` + scenarios.DefaultLogGOPS + `.
--compat loggopsim follows the rules of LogGOPSim exactly.
A .json file holds links, and flows with their routes. The flows share the links
max-min fairly.`,
	example: "overlapsim replay fig22.goal --loggops L=2us,o=500,g=200,G=0.5",
	setup: func(flags *pflag.FlagSet) action {
		r := &replayer{
			machine: flags.String("machine", "", "run on the machine `NAME`, a built-in one or a file"),
			loggops: flags.String("loggops", scenarios.DefaultLogGOPS, "LogGOPS `parameters`"),
			compat:  flags.String("compat", "", "`loggopsim`: its semantics; whole numbers only"),
			perRank: flags.Bool("per-rank", false, "add when each rank finishes"),
			json:    flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes"),
			host:    flags.Bool("host", false, "add how fast the simulator was"),
			flags:   flags,
		}
		return r.run
	},
}

// replayer replays a file, following the flags.
type replayer struct {
	machine, loggops, compat *string
	perRank, json, host      *bool
	flags                    *pflag.FlagSet
}

func (r *replayer) run(c *call, args []string) error {
	if err := want("replay", args, 1, 1, "one file"); err != nil {
		return err
	}
	if filepath.Ext(args[0]) == ".json" {
		return r.flows(c, args[0])
	}
	if traces.Is(args[0]) {
		return &inputError{fmt.Sprintf("%s is a recorded MPI trace, which has calls but no schedule: overlapsim run %[2]s runs it, or with --phase a "+
			"part of it; overlapsim export %[2]s --goal FILE writes a schedule of it", args[0], keys.ForShell(args[0]))}
	}
	again, err := r.prepare(stem(args[0]))
	if err != nil {
		return err
	}
	if again.Schedule, err = readSchedule(args[0]); err != nil {
		return err
	}
	if err := again.Schedule.Ambiguous(); err != nil && !again.Compat {
		return &inputError{err.Error()}
	}
	start := time.Now()
	record, finish, err := again.Run()
	var unfinished *goal.Unfinished
	switch {
	case errors.As(err, &unfinished):
		return fmt.Errorf("%s: %w", args[0], err)
	case err != nil:
		return &usageError{"replay", args[0] + ": " + err.Error()}
	}
	if err := r.print(c, record, finish, time.Since(start), "rank"); err != nil {
		return err
	}
	return r.leftOut(c, again.Machine, args[0])
}

// leftOut says which parameters a replay takes, and how to run with a machine, or with all of it.
func (r *replayer) leftOut(c *call, m *files.Machine, file string) error {
	p := &printer{out: c.out}
	switch {
	case *r.json:
	case m == nil:
		p.print("\nLogGOPS parameters: %s; --machine NAME takes those of a machine\n", *r.loggops)
	default:
		p.print("\nThis follows the rules of GOAL, with one rank per node: %s. To include nodes, memory, library and network: overlapsim run %s --set "+
			"machine=%s\n",
			scenarios.ReplayRules(m), keys.ForShell(file), keys.ForShell(*r.machine))
	}
	return p.err
}

// prepare reads the flags.
func (r *replayer) prepare(name string) (*scenarios.Replay, error) {
	var wrong []string
	if *r.compat != "" && *r.compat != "loggopsim" {
		wrong = append(wrong, fmt.Sprintf("--compat %s: must be loggopsim", *r.compat))
	}
	if *r.machine != "" && (*r.compat != "" || r.flags.Changed("loggops")) {
		wrong = append(wrong, "--machine cannot be used together with --loggops or --compat")
	}
	params, err := scenarios.ParseLogGOPS(*r.loggops)
	if err != nil {
		wrong = append(wrong, "--loggops "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if wrong != nil {
		return nil, &usageError{"replay", strings.Join(wrong, "; ")}
	}
	again := &scenarios.Replay{Name: name, LogGOPS: params, Compat: *r.compat != ""}
	if *r.machine != "" {
		again.Machine, err = files.LoadMachine(*r.machine)
		if err == nil && again.Machine.Limited() {
			err = &usageError{"replay", fmt.Sprintf("--machine %s: it has a token bucket, which the rules of GOAL do not; overlapsim run FILE "+
				"--set machine=%s runs the schedule through it", *r.machine, keys.ForShell(*r.machine))}
		}
	}
	return again, err
}

// stem is the name of a file without folder and ending; a packed file has two endings.
func stem(file string) string {
	if goal.Named(file) {
		file = strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst")
	}
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// readSchedule reads a schedule; mistakes in it are bad input.
func readSchedule(file string) (*goal.Schedule, error) {
	if ext := filepath.Ext(file); ext == ".yaml" || ext == ".yml" {
		return nil, &inputError{file + ": is not a schedule; 'overlapsim run' runs a scenario, and 'overlapsim export' writes its schedule"}
	}
	f, err := inputs.Open(file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer f.Close()
	s, err := goal.Read(f, file)
	if err != nil {
		return nil, &inputError{err.Error()}
	}
	return s, nil
}

// flows runs a case of flows over links.
func (r *replayer) flows(c *call, file string) error {
	f, err := inputs.Open(file)
	if err != nil {
		return unreadable(file, err)
	}
	defer f.Close()
	flows, err := flow.ReadCase(f, file)
	if err != nil {
		return &inputError{err.Error()}
	}
	start := time.Now()
	record, finish, err := scenarios.Flows(flows)
	if err != nil {
		return err
	}
	return r.print(c, record, finish, time.Since(start), "flow")
}

// print presents a replay; finish is by rank or by flow.
func (r *replayer) print(c *call, record *outcomes.RunRecord, finish []float64, took time.Duration, of string) error {
	if *r.perRank {
		record.Finish = finish
	}
	if *r.host {
		record.Host = hostOf(record.Events, record.Messages, took)
	}
	if *r.json {
		return writeJSON(c.out, outcomes.NewPrinted([]*outcomes.RunRecord{record}, ""))
	}
	p := &printer{out: c.out}
	p.print("%s: %s ranks, %s messages, %s events\n\nmakespan  %s\n", record.Scenario,
		report.Count(record.Ranks), report.Count(record.Messages), report.Count(record.Events), report.Seconds(record.Makespan))
	p.terms(record)
	if *r.perRank || of == "flow" {
		p.print("\n%-8s %s\n", of, "finish")
		for i, t := range finish {
			p.print("%-8d %s\n", i, strconv.FormatFloat(t, 'g', -1, 64)+" s")
		}
	}
	if *r.host {
		p.print("\nsimulated in %s\n", hostLine(record.Host))
	}
	return p.err
}
