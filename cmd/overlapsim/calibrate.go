package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/calibrate"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

var calibrateCommand = command{
	name:  "calibrate",
	args:  "FILES...",
	title: "find machine parameters from measurements",
	text: `Finds the parameters of a machine and its library (overheads, latency, gap per
byte, rendezvous threshold) from measured MPI times. It compares the times of
this machine with the measured ones, also for sizes that the fit has not seen.
FILES are CSV (or .csv.gz) with the columns call, bytes, start and duration, in s.
They hold MPI_Isend alone, MPI_Recv alone (late), or MPI_Send and MPI_Recv in
turn.`,
	example: "overlapsim calibrate --machine jacquard --out again.yaml",
	setup: func(flags *pflag.FlagSet) action {
		out := flags.String("out", "", "write the machine to `FILE`")
		html := flags.String("html", "", "write curves of measured and simulated times to `FILE`")
		asJSON := flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes")
		runtime := flags.String("runtime", "", "library `NAME` of the machine; none: the rules of LogGOPS")
		machine := flags.String("machine", "", "measure machine `NAME` by simulation instead")
		return func(c *call, args []string) error {
			if err := cmp.Or(output(*out).check("calibrate", "--out"), output(*html).check("calibrate", "--html")); err != nil {
				return err
			}
			if *runtime != "" && *runtime != "none" {
				if _, err := files.LoadRuntime(*runtime); err != nil {
					return err
				}
			}
			data, err := measurements(*machine, args)
			if err != nil {
				return err
			}
			name := "calibrated.yaml"
			if *out != "" {
				name = filepath.Base(*out)
			}
			for _, passed := range data.Passed {
				fmt.Fprintln(c.errors, passed)
			}
			r, err := calibrate.Run(data, name, *runtime)
			if err != nil {
				return err
			}
			if err := output(*out).write(func(w io.Writer) error { _, err := w.Write(r.Text); return err }); err != nil {
				return err
			}
			if err := output(*html).write(func(w io.Writer) error { return report.Write(w, r.Page()) }); err != nil {
				return err
			}
			return printCalibration(c, r, *asJSON, *out, *html)
		}
	},
}

// measurements reads files, or simulates them.
func measurements(machine string, names []string) (*calibrate.Data, error) {
	switch {
	case machine != "" && len(names) > 0:
		return nil, &usageError{"calibrate", "--machine measures by simulation; give it or files"}
	case machine == "" && len(names) == 0:
		return nil, want("calibrate", names, 1, 1, "files of measurements")
	case machine == "":
		data, err := calibrate.Read(names)
		if err != nil {
			return nil, &inputError{err.Error()}
		}
		return data, nil
	}
	m, err := files.LoadMachine(machine)
	if err != nil {
		return nil, err
	}
	return calibrate.Measure(m.Machine)
}

func printCalibration(c *call, r *calibrate.Report, asJSON bool, out, html string) error {
	if asJSON {
		return writeJSON(c.out, r.Record())
	}
	p := &printer{out: c.out}
	if r.Above == 0 {
		p.print("No rendezvous was seen: all messages are eager.\n")
	} else {
		p.print("Rendezvous threshold: %d B (late receives jump between %d and %d B)\n", r.Eager, r.Before, r.Above)
	}
	for _, q := range calibrate.Quantities() {
		rows := [][]string{{"  from", "time", "per byte"}}
		for _, piece := range r.Curves[q] {
			rows = append(rows, []string{fmt.Sprintf("  %d B", piece.From), report.Seconds(piece.Base), fmt.Sprintf("%.4g ns", piece.PerByte*1e9)})
		}
		p.print("\n%s, measured: %s\n", capital(q.String()), keys.Plural(len(r.Curves[q]), "straight piece"))
		p.grid(rows, 1)
	}
	p.print("\nSimulated against measured, relative errors over sizes\n")
	rows := [][]string{{"  quantity", "sizes", "median", "9 in 10 within", "most", "unseen: median", "9 in 10 within", "repeated: median"}}
	for _, q := range calibrate.Quantities() {
		fit, held := calibrate.Summarize(r.Against[q]), calibrate.Summarize(r.HeldOut[q])
		rows = append(rows, []string{"  " + q.String(), fmt.Sprint(fit.Sizes), report.Percent(fit.Median, 1), report.Percent(fit.Tenth, 1),
			report.Percent(fit.Most, 1),
			report.Percent(held.Median, 1), report.Percent(held.Tenth, 1), report.Percent(r.Repeat[q].Median, 1)})
	}
	p.grid(rows, 1)
	p.print("  unseen: sizes that the fit has not seen; repeated: one half of the calls of a size against the other\n")
	if out != "" {
		p.print("\nMachine: %s\n", out)
	}
	if html != "" {
		p.print("Report:  %s\n", html)
	}
	return p.err
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
