package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/record"
	"overlapsim/scenarios/report"
	"overlapsim/workloads/traces"
)

var recordCommand = command{
	name:  "record",
	args:  "-- COMMAND",
	title: "record an MPI program as a trace",
	text: `Runs a program that uses MPI, such as mpirun -n 8 ./app, and writes what its
ranks call and how long they compute in between (docs/howto/mpi-program.md);
'overlapsim run app.trace --machine NAME' then runs it on any machine. The
program need not be changed. The recorder is compiled once, with the mpicc that
belongs to the launcher. Where programs are started by other means, compile the
source yourself, set LD_PRELOAD to it and ` + traces.RecorderFolder + ` to a folder, and
merge what the ranks write there.`,
	example: "overlapsim record --source",
	setup: func(flags *pflag.FlagSet) action {
		out := "app.trace"
		flags.VarP((*output)(&out), "out", "o", "write the trace to `FILE`; a file that exists must be named")
		r := &recorder{
			out:    &out,
			mpicc:  flags.String("mpicc", "", "compile the recorder with `COMMAND`"),
			merge:  flags.String("merge", "", "run nothing: merge what the ranks wrote into `FOLDER`"),
			source: flags.Bool("source", false, "run nothing: print the source of the recorder"),
		}
		flags.SetInterspersed(false)
		return r.run
	},
}

// recorder records a program, following the flags.
type recorder struct {
	out, mpicc, merge *string
	source            *bool
}

func (r *recorder) run(c *call, args []string) error {
	switch {
	case *r.source:
		_, err := c.out.Write(traces.Recorder)
		return err
	case *r.merge == "" && len(args) == 0:
		return &usageError{"record", "wants a command, as in: overlapsim record -- mpirun -n 8 ./app"}
	case *r.merge != "" && len(args) > 0:
		return &usageError{"record", "--merge runs no command"}
	}
	if _, err := os.Stat(*r.out); err == nil && !c.flags.Changed("out") {
		return &usageError{"record", *r.out + ": exists; name another file with -o, or the same one to overwrite it"}
	}
	if err := output(*r.out).check("record", "--out"); err != nil {
		return err
	}
	p := &record.Program{Command: args, Folder: *r.merge}
	if *r.merge != "" {
		return r.write(c, p)
	}
	return r.record(c, p)
}

// record runs the program and writes its trace, even if the program failed in the end.
func (r *recorder) record(c *call, p *record.Program) error {
	if _, err := exec.LookPath(p.Command[0]); err != nil {
		return noProgram(p.Command[0], err)
	}
	compiler := *r.mpicc
	if compiler == "" {
		compiler = record.Compiler(p.Command[0])
	}
	library, err := record.Library(compiler)
	if err != nil {
		return &inputError{err.Error()}
	}
	p.Library = library
	return disk.Scratch(func(root *os.Root) error {
		p.Folder = root.Name()
		return r.ran(c, p)
	})
}

// noProgram says why a command does not run, and what does.
func noProgram(name string, err error) error {
	text := fmt.Sprintf("%s: %s", name, errors.Unwrap(err))
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		if text += "; compile it, and record the program: overlapsim record -- mpirun -n 8 ./app"; info.Mode()&0o111 != 0 {
			text = name + ": is a file here, not a command; did you mean ./" + name + "?"
		}
	}
	return &inputError{text}
}

// ran runs the program in its folder, and writes the trace.
func (r *recorder) ran(c *call, p *record.Program) error {
	ran := p.Run()
	if err := r.write(c, p); err != nil {
		if ran != nil {
			return &inputError{fmt.Sprintf("%s: %s; %s", filepath.Base(p.Command[0]), ran, err)}
		}
		return err
	}
	if ran != nil {
		return &inputError{fmt.Sprintf("%s: %s; the trace is written", filepath.Base(p.Command[0]), ran)}
	}
	return nil
}

// write merges what the ranks wrote, and says what it is.
func (r *recorder) write(c *call, p *record.Program) error {
	t, err := p.Merge()
	if err != nil {
		return &inputError{err.Error()}
	}
	size := &counter{}
	err = output(*r.out).write(func(w io.Writer) error { return traces.Write(io.MultiWriter(w, size), t) })
	if err != nil {
		return err
	}
	s, err := traces.Look(t)
	if err != nil {
		return &inputError{err.Error()}
	}
	return r.tell(c, t, s, size.bytes)
}

// counter counts the bytes that are written.
type counter struct{ bytes int64 }

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}

// tell says what was recorded, and what may be wrong with it.
func (r *recorder) tell(c *call, t *traces.Raw, s *traces.Survey, bytes int64) error {
	p := &printer{out: c.out}
	h := t.Header()
	p.print("%s: %s, %s calls in %s; the trace has %.1f bytes a call\n", *r.out, keys.Plural(h.Ranks, "rank"), report.Count(s.Calls()),
		report.Seconds(s.Recorded().Seconds()), float64(bytes)/float64(max(1, s.Calls())))
	var sum traces.Total
	for _, one := range t.Totals() {
		sum.Compute, sum.Away, sum.Calls = sum.Compute+one.Compute, sum.Away+one.Away, sum.Calls+one.Calls
	}
	if all := sum.Compute + sum.Away + sum.Calls; all > 0 {
		p.print("%.1f %% computation, %.1f %% in calls, %.1f %% neither\n", 100*sum.Compute/all, 100*sum.Calls/all, 100*sum.Away/all)
	}
	how := ""
	if s.Away() > traces.MuchAway {
		if _, err := (traces.Cut{Phase: "loop", Median: true}).New(t); err == nil { // what others took of the time differs between repetitions
			how = " --phase loop --set workload.median=true"
		}
		p.print("between calls ranks did not run for %.1f %% of the time: they waited for something else, or shared their cores.\n"+
			"The trace has the CPU time; --set workload.wall_time=true runs it with the time of the clock.\n", 100*s.Away())
	}
	for _, one := range h.Missing {
		p.print("not recorded: %s, %s calls\n", one.Name, report.Count(one.Calls))
	}
	p.print("To run it: overlapsim run %s%s\n", keys.ForShell(*r.out), how)
	return p.err
}
