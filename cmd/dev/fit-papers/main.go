// Command fit-papers finds the unpublished parameters of machines, by
// a procedure that is written down: fits/NAME.yaml says which parameters,
// inside which bounds, by which claims. It writes fits/NAME.result.yaml.
//
//	go run ./cmd/dev/fit-papers probes
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overlapsim/scenarios/papers"
)

const usage = `usage: go run ./cmd/dev/fit-papers NAME

Fits the unpublished parameters of machines that scenarios/papers/fits/NAME.yaml
names, and writes NAME.result.yaml there; the fit of cray writes
scenarios/papers/densefits/cray.result.yaml. Takes minutes.
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the fit of that name, writes its result file and prints it.
func run(name string, out, log io.Writer) error {
	folder, err := fits()
	if err != nil {
		return err
	}
	if name == "cray" {
		return fitDense(folder, out, log)
	}
	text, err := os.ReadFile(filepath.Join(folder, name+".yaml"))
	if err != nil {
		return err
	}
	f, err := papers.ReadFit("fits/"+name+".yaml", text)
	if err != nil {
		return err
	}
	result, err := solve(f, papers.Simulate, log)
	if err != nil {
		return err
	}
	if text, err = result.Marshal(); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".result.yaml"), text, 0o666)
}

// fitDense runs the fit of the models of dense linear algebra.
func fitDense(folder string, out, log io.Writer) error {
	result, err := fitCray(log)
	if err != nil {
		return err
	}
	text, err := result.Marshal()
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "..", "densefits", "cray.result.yaml"), text, 0o666)
}

// solve searches, rounds what it finds, and judges the rounded values.
func solve(f *papers.Fit, runner papers.Runner, log io.Writer) (*papers.FitResult, error) {
	runs, err := f.Runs()
	if err != nil {
		return nil, err
	}
	s := &search{Fit: f, runner: runner}
	end, err := s.run(func(start int, sum float64) {
		fmt.Fprintf(log, "start %d of %d: sum of squares %.4g after %d evaluations in all\n", start+1, f.Starts, sum, len(s.tried))
	})
	if err != nil {
		return nil, err
	}
	for i := range end.values {
		end.values[i] = papers.Significant(end.values[i])
	}
	residuals, err := f.Residuals(end.values, runner)
	if err != nil {
		return nil, err
	}
	result := f.Result(end.values, residuals, s.tried, len(runs)*(len(s.tried)+1))
	result.Converged, result.Directions = end.converged, papers.Directions(f.Parameters, end.jacobian)
	return result, nil
}

// fits returns the folder of the fits, from anywhere inside the module.
func fits() (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			return filepath.Join(folder, "scenarios", "papers", "fits"), nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			err = errors.New("run this inside the module")
		}
		folder = parent
	}
	return "", err
}
