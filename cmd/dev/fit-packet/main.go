// Command fit-packet repeats how the parameters of BlueGene/P in package packet were
// found, and writes its results to network/packet/fit:
//
//	go run ./cmd/dev/fit-packet [-steps overheads,grid,rows,mechanisms,gets]
//
// overheads prints the processor times that follow from the latencies of two nodes. grid
// tries all combinations of the unpublished parameters on the rows of 16 KiB. rows
// simulates every measured row. mechanisms switches the parts of the model one by one. gets
// simulates gets under each rule of arbitration.
// All runs are seeded; a result depends on nothing else.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/network/packet/ospri"
	"overlapsim/scenarios"
)

func main() {
	root := flag.String("root", ".", "folder of the project")
	steps := flag.String("steps", "overheads,grid,rows,mechanisms,gets", "what to do")
	flag.Parse()
	do := map[string]func(study) error{"overheads": overheads, "grid": grid, "rows": rows, "mechanisms": mechanisms, "gets": gets}
	for _, step := range strings.Split(*steps, ",") {
		err := fmt.Errorf("unknown step %q", step)
		if do[step] != nil {
			err = do[step](study{*root})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "fit-packet:", err)
			os.Exit(1)
		}
	}
}

// study has the folder of the project.
type study struct{ root string }

// at is the path of a file of the project.
func (s study) at(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

// fitted are the rows that the parameters were fitted to: one size of each
// experiment.
func (s study) fitted() ([]row, error) {
	all, err := s.measured()
	return slices.DeleteFunc(all, func(r row) bool { return r.bytes != 16384 }), err
}

// simulate returns the simulated value of each row.
func simulate(b ospri.Benchmark, rows []row) ([]float64, error) {
	values, errs := make([]float64, len(rows)), make([]error, len(rows))
	scenarios.Parallel(len(rows), func(i int) { values[i], errs[i] = rows[i].simulate(b) })
	return values, cmp.Or(errs...)
}

// quality returns mean, median and maximum of |ln(simulated/measured)|.
func quality(rows []row, values []float64) (mean, median, most float64) {
	var errors []float64
	for i, r := range rows {
		errors = append(errors, math.Abs(math.Log(values[i]/r.measured)))
	}
	slices.Sort(errors)
	for _, e := range errors {
		mean += e / float64(len(errors))
	}
	return mean, errors[len(errors)/2], errors[len(errors)-1]
}

// write makes a file of lines.
func (s study) write(name string, lines []string) error {
	return os.WriteFile(s.at("network/packet/fit/"+name), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
