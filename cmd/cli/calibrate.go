package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

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
	text: `Finds the parameters of a machine (latency, overheads, gaps, rendezvous
threshold, cost of unexpected messages) from what benchmarks print. FILES of one
machine, in any order, .gz too, are told apart by their content: OSU
micro-benchmarks (latency, multi_lat, bw, bibw, mbw_mr, non-blocking
collectives), IMB (PingPong, PingPing, Sendrecv, Exchange, NBC), NetPIPE,
netgauge loggp, nccl-tests, and CSV of single MPI calls: call, bytes, start,
duration in s. It prints each parameter with its interval, what the files cannot
determine and which benchmark would, errors (also for sizes that the fit has not
seen), and where and why the machine does not fit.`,
	example: "overlapsim calibrate --machine jacquard --out again.yaml",
	setup: func(flags *pflag.FlagSet) action {
		out := outputFlag(flags, "out", "write the machine to `FILE`")
		html := outputFlag(flags, "html", "write curves of measured and simulated times to `FILE`")
		asJSON := flags.Bool("json", false, "print JSON: times in seconds, sizes in bytes")
		runtime := flags.String("runtime", "", "library `NAME` of the machine; none: the rules of LogGOPS")
		bucket := flags.String("bucket", "", "`KEYS` of the token bucket that the messages passed: '{rate: 1Gbit/s, depth: 16KiB}'")
		machine := flags.String("machine", "", "measure machine `NAME` by simulation instead")
		gpus := flags.String("gpus", "", "nccl-tests: fit the gpu_calibration of machine `NAME`, whose GPUs ran them")
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
			if *bucket != "" {
				if err := data.Behind(*bucket); err != nil {
					return &inputError{err.Error()}
				}
			}
			name := "calibrated.yaml"
			if *out != "" {
				name = filepath.Base(*out)
			}
			for _, passed := range data.Passed {
				fmt.Fprintln(c.errors, passed)
			}
			if *gpus != "" {
				if *html != "" || *runtime != "" || *bucket != "" {
					return &usageError{"calibrate", "--gpus fits GPUs; it has no --html, --runtime and --bucket"}
				}
				return calibrateGPUs(c, data, *gpus, *asJSON, *out)
			}
			r, err := calibrate.Run(data, name, *runtime)
			if err != nil {
				return err
			}
			if err := output(*out).write(func(w io.Writer) error { _, err := w.Write(r.Text); return err }); err != nil {
				return err
			}
			if err := output(*html).writePage(r.Page()); err != nil {
				return err
			}
			return printCalibration(c, r, *asJSON)
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
	return calibrate.Measure(m)
}

func printCalibration(c *call, r *calibrate.Report, asJSON bool) error {
	return c.show(asJSON, r.Record(), func(p *printer) {
		switch {
		case r.Above == 0 && r.Eager == 0:
			p.print("No rendezvous threshold was found: all messages are taken as eager.\n")
		case r.Above == 0:
			p.print("No rendezvous threshold was found: the library's is %d B.\n", r.Eager)
		default:
			p.print("Rendezvous threshold: %d B (%s between %d and %d B)\n", r.Eager, r.How, r.Before, r.Above)
		}
		printParameters(p, r)
		printPieces(p, r)
		printResiduals(p, r)
		printWords(p, "Where a simpler model fits better", r.Worse())
		printTwoTimes(p, r)
		printWords(p, "Who makes progress", r.Progress())
		printWords(p, "Not determined, and what would determine it", r.Missing())
		printWords(p, "Where the machine does not fit", r.Doubts())
	})
}

// printWords prints sentences below a heading.
func printWords(p *printer, heading string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.print("\n%s\n", heading)
	for _, s := range sentences {
		p.print("  %s\n", s)
	}
}

func printParameters(p *printer, r *calibrate.Report) {
	p.print("\nParameters\n")
	p.grid(indented(r.ParameterRows()), 1)
}

// indented puts spaces before the first column.
func indented(rows [][]string) [][]string {
	for _, row := range rows {
		row[0] = "  " + row[0]
	}
	return rows
}

// readable is the largest number of pieces that are printed.
const readable = 20

func printPieces(p *printer, r *calibrate.Report) {
	for _, q := range r.Data.Quantities() {
		if sizes := r.ThroughAll(q); sizes > 0 {
			p.print("\n%s, measured: a curve through all %d sizes\n", keys.Capital(q.String()), sizes)
			continue
		}
		if n := len(r.Curves[q]); n > readable {
			p.print("\n%s, measured: %d straight pieces, most from one size to the next\n", keys.Capital(q.String()), n)
			continue
		}
		rows := [][]string{{"  from", "time", "per byte"}}
		for _, piece := range r.Curves[q] {
			rows = append(rows, []string{fmt.Sprintf("  %d B", piece.From), report.Seconds(piece.Base), calibrate.PerByte(piece.PerByte)})
		}
		p.print("\n%s, measured: %s\n", keys.Capital(q.String()), keys.Plural(len(r.Curves[q]), "straight piece"))
		p.grid(rows, 1)
	}
}

func printResiduals(p *printer, r *calibrate.Report) {
	p.print("\nSimulated against measured, relative errors over sizes\n")
	p.grid(indented(r.ResidualRows()), 1)
	for _, note := range calibrate.ResidualNotes {
		p.print("  %s\n", note)
	}
}

func printTwoTimes(p *printer, r *calibrate.Report) {
	for _, q := range r.Data.Quantities() {
		if len(r.Modes[q]) == 0 {
			continue
		}
		p.print("\n%s: sizes that take either of two times\n", keys.Capital(q.String()))
		rows := [][]string{{"  from", "to", "sizes with two", "of", "short", "long", "calls that take long"}}
		for _, m := range r.Modes[q] {
			rows = append(rows, []string{fmt.Sprintf("  %d B", m.From), fmt.Sprintf("%d B", m.To), fmt.Sprint(m.Sizes), fmt.Sprint(m.Of),
				report.Seconds(m.Short), report.Seconds(m.Long), report.Percent(m.Share, 1)})
		}
		p.grid(rows, 1)
	}
}
