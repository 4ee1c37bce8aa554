package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// runner runs studies and presents the results, following the flags.
type runner struct {
	command  string
	json     *bool
	perRank  *bool
	host     *bool
	all      *bool
	gradient *bool
	links    *bool
	htmlFile *string
	trace    *string
	pictures
	notes      []string // printed below the tables
	live       *bool    // the report has the simulator; nil: not offered
	playground bool     // ... and a choice of patterns
	factors    *string  // file for a calibration; nil: not offered
	asker      *asker
	typed      string       // the command that runs the scenario, without what it writes; "": not a run of one
	saved      []savedAt    // results of earlier runs
	inPage     *report.Live // of the report; nil: it computes nothing
}

// newRunner adds the flags for presentation.
func newRunner(command string, flags *pflag.FlagSet) *runner {
	return &runner{
		command:  command,
		htmlFile: outputFlag(flags, "html", "write a report to `FILE`: charts, timeline, times"),
		trace:    outputFlag(flags, "trace", "write the timeline to `FILE`.perfetto-trace or .json"),
		pictures: newPictures(flags),
		json:     flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes"),
		perRank:  flags.Bool("per-rank", false, "add a table by rank"),
		host:     flags.Bool("host", false, "add how fast the simulator was"),
		all:      flags.Bool("no-symmetry", false, "simulate all ranks, without symmetry reduction"),
		links:    flags.Bool("links", false, "add when links are used, and queues at injection"),
		gradient: flags.Bool("gradient", false, "add the critical path and derivatives along it"),
		asker:    newAsker(flags),
	}
}

// outcome is a run, and the time that the simulator took for it; or the saved record of
// an earlier run, without an Outcome.
type outcome struct {
	*outcomes.Outcome
	pathed *outcomes.Outcome // the same with its critical path, for the answer; nil: it was not recorded for that
	record *outcomes.RunRecord
	host   *outcomes.Host
}

// run runs all runs of the study and presents them.
func (r *runner) run(c *call, study *scenarios.Study) error {
	if err := r.asker.check(r.command, study); err != nil {
		return err
	}
	if err := answer.Charge(study); err != nil {
		return err
	}
	files, err := r.files(study)
	if err != nil {
		return err
	}
	timeline, calls, traffic := false, false, *r.links
	for _, f := range files {
		if f.wrong != "" {
			return &usageError{r.command, fmt.Sprintf("%s %s: %s", f.flag, f.path, f.wrong)}
		}
		if err := f.path.check(r.command, f.flag); err != nil {
			return err
		}
		timeline, calls, traffic = timeline || f.timeline, calls || f.calls, traffic || f.traffic
	}
	if err := errors.Join(r.checkCalibration(study), r.checkLive(study)); err != nil {
		return err
	}
	var spills disk.Spills
	defer spills.Close()
	i := interruptible(io.Discard)
	defer i.end()
	made, err := r.simulate(c, study, i, nodes.Options{
		Timeline: timeline, Calls: calls, Spill: spilling(&spills), Traffic: traffic, Critical: *r.gradient, NoSymmetry: *r.all,
		Cores: runtime.GOMAXPROCS(0)})
	if err == nil {
		err = r.asker.of(c, study, made, i)
	}
	if isStopped(err) {
		return r.partial(c, study, made)
	}
	if err != nil {
		return err
	}
	simulator, err := r.simulator(c, study, made)
	if err != nil {
		return err
	}
	r.inPage = simulator
	made = r.among(made)
	// A file that cannot be written does not stop the others.
	var missing []error
	for _, f := range files {
		if err := f.path.write(func(w io.Writer) error { return f.content(w, made) }); err != nil {
			missing = append(missing, fmt.Errorf("%s %s: %w", f.flag, f.path, err))
		}
	}
	missing = append(missing, r.writeCalibration(study, made), r.present(c, study, made))
	return errors.Join(missing...)
}

// spilling makes files for the parts of timelines that are not in memory.
func spilling(s *disk.Spills) func() (results.File, error) {
	return func() (results.File, error) { return s.New() }
}

// resultFile is a file that a flag asks for.
type resultFile struct {
	flag     string
	path     output
	timeline bool   // it needs the timeline
	calls    bool   // and the calls of NICs in it
	traffic  bool   // and the loads of links over time
	wrong    string // why it cannot be written
	content  func(w io.Writer, made []outcome) error
}

// files lists the files that the flags ask for.
func (r *runner) files(study *scenarios.Study) (wanted []resultFile, err error) {
	runs := len(study.Runs) + r.savedRuns()
	single := runs == 1
	all := []resultFile{
		{flag: "--html", path: output(*r.htmlFile), timeline: runs <= mostTimelines, traffic: runs <= mostTimelines,
			content: func(w io.Writer, made []outcome) error {
				p := page(study, made)
				p.Command, p.Live = r.typed, r.inPage
				return report.Write(w, p)
			}},
		{flag: "--trace", path: output(*r.trace), timeline: true,
			content: func(w io.Writer, made []outcome) error {
				return packed(w, *r.trace, func(w io.Writer) error { return traceAs(*r.trace)(w, made[0].Result) })
			}},
	}
	if single && !study.Runs[0].Timed() {
		all[1].wrong = study.Runs[0].Kind + " runs no program and no streams, so it has no timeline"
	}
	if !single {
		all[1].wrong = fmt.Sprintf("a trace shows one run, and there are %d", runs)
		if r.command == "run" {
			all[1].wrong += "; --run NAME chooses one of " + some(study.Names())
		}
	}
	more, err := r.drawings(study)
	for _, f := range append(all, more...) {
		if f.path != "" {
			wanted = append(wanted, f)
		}
	}
	return wanted, err
}

// traceAs is the format of a trace by the name of its file.
func traceAs(file string) func(io.Writer, *results.Result) error {
	switch filepath.Ext(strings.TrimSuffix(file, ".gz")) {
	case ".perfetto-trace", ".pftrace":
		return report.WritePerfetto
	}
	return report.WriteTrace
}

// mostTimelines is the largest number of runs whose timelines a report has; with more
// runs it has only tables and charts.
const mostTimelines = 8

// partial prints the runs that were done when the command was told to stop. Files are not written.
func (r *runner) partial(c *call, study *scenarios.Study, made []outcome) error {
	if len(made) > 0 && !*r.json {
		done := &runner{json: r.json, perRank: r.perRank, host: r.host, gradient: r.gradient, links: r.links, htmlFile: new(string),
			trace: new(string), pictures: pictures{file: new(string)}}
		if err := done.present(c.unfiled(), study, made); err != nil {
			return err
		}
	}
	done := fmt.Sprintf("%d of %d runs are done", len(made), len(study.Runs))
	if len(made) == len(study.Runs) {
		done += ", not all that they would be without causes, or with changes"
	}
	return partial(r.command, done)
}

// simulate runs all runs in order.
func (r *runner) simulate(c *call, study *scenarios.Study, i *interruption, o nodes.Options) ([]outcome, error) {
	var made []outcome
	line := newProgress(c.errors, len(study.Runs))
	for _, s := range study.Runs {
		line.weights = append(line.weights, s.Effort(o).Seconds)
	}
	defer line.clear()
	sayLong(c.errors, cmp.Or(study.Name, r.command), o, study.Runs...)
	for _, s := range study.Runs {
		line.step(s.Name)
		collectAfter(s.Bytes(o))
		start := time.Now()
		of := o
		of.Critical = o.Critical || o.Timeline && *r.htmlFile != "" && s.Pathed() // a page shows it
		if !of.Critical && len(study.Runs) == 1 && r.asker.pathed(s, of) {
			of.Critical, of.PathOnly = true, true
		}
		result, err := untilStopped(i, func() (*outcomes.Outcome, error) { return s.Run(of) })
		if isStopped(err) {
			return made, err
		}
		if err != nil {
			return nil, ofRun(study, s, err)
		}
		one := outcome{Outcome: result, host: hostOf(result.Result.Events, result.Result.Messages, time.Since(start))}
		if of.PathOnly {
			one.Outcome, one.pathed = withoutPath(result), result
		}
		one.record = one.Outcome.Record()
		made = append(made, one)
	}
	return made, nil
}

// runOnly runs the only run of a study, which must take time, and says how far it is.
func runOnly(c *call, study *scenarios.Study, o nodes.Options) (*outcomes.Outcome, error) {
	s := study.Runs[0]
	sayLong(c.errors, study.Name, o, s)
	line := newProgress(c.errors, 1)
	line.weights = []float64{s.Effort(o).Seconds}
	defer line.clear()
	line.step(s.Name)
	result, err := s.Run(o)
	if err != nil {
		return nil, ofRun(study, s, err)
	}
	if result.Result.Makespan() == 0 {
		return nil, &inputError{study.Name + " takes no time: there is nothing to explain"}
	}
	return result, nil
}

// ofRun adds the name of the run to an error that does not have it in its place.
func ofRun(study *scenarios.Study, s *scenarios.Scenario, err error) error {
	var problems keys.Problems
	if !errors.As(err, &problems) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if len(study.Runs) == 1 {
		return problems
	}
	named := slices.Clone(problems)
	for i := range named {
		named[i].Message = fmt.Sprintf("run %s: %s", s.Name, named[i].Message)
	}
	return named
}

// present prints the outcomes as JSON or as tables.
func (r *runner) present(c *call, study *scenarios.Study, made []outcome) error {
	if *r.json {
		return cmp.Or(r.printJSON(c, made), c.files())
	}
	p := &printer{out: c.out}
	if len(made) == 1 && made[0].Outcome != nil {
		p.one(made[0])
	} else {
		p.several(study, made)
	}
	simulated := slices.DeleteFunc(slices.Clone(made), func(o outcome) bool { return o.Outcome == nil })
	for _, o := range simulated {
		if *r.links {
			p.traffic(o, len(made) > 1)
		}
		if *r.gradient {
			p.gradient(o, len(made) > 1)
		}
		if *r.perRank {
			p.ranks(o, len(made) > 1)
		}
	}
	for _, o := range simulated {
		if *r.host {
			p.host(o, len(made) > 1)
		}
	}
	for i, note := range r.notes {
		if i == 0 {
			p.print("\n")
		}
		p.print("%s\n", note)
	}
	if r.command != "run" || len(simulated) > 0 { // what was saved is printed alone
		p.charts(*r.htmlFile)
	}
	return cmp.Or(p.err, c.files())
}

// printJSON prints the records.
func (r *runner) printJSON(c *call, made []outcome) error {
	var records []*outcomes.RunRecord
	differences := differencesOf(made)
	for i, o := range made {
		record := o.record
		if o.Outcome != nil {
			r.complete(o)
		}
		if record.Difference = nil; i > 0 {
			record.Difference = differences[i-1].Record()
		}
		records = append(records, record)
	}
	return writeJSON(c.out, outcomes.NewPrinted(records, among(made)))
}

// complete adds the parts that the flags ask for to the record of a run.
func (r *runner) complete(o outcome) {
	o.record.NoEffect = o.NoEffect()
	if !*r.gradient { // the path was for a page
		o.record.Gradient, o.record.Critical = nil, nil
	}
	if *r.links {
		o.record.Traffic = o.TrafficRecord()
	}
	if *r.perRank {
		o.record.Finish, o.record.ByRank = o.FinishByRank(), o.LedgersByRank()
	}
	if *r.host {
		o.record.Host = o.host
	}
}
