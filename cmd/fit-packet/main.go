// Command fit-packet repeats how the parameters of BlueGene/P in package packet were
// found, and writes its results to network/packet/fit:
//
//	go run ./cmd/fit-packet -data ../shared/data/bgp [-steps overheads,grid,rows,mechanisms,gets]
//
// overheads prints the processor times that follow from the latencies of two nodes. grid
// tries all combinations of the unpublished parameters on the rows of 16 KiB. rows
// simulates every measured row. mechanisms switches the parts of the model one by one. gets
// simulates gets under each rule of arbitration.
// All runs are seeded; a result depends on nothing else.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"overlapsim/network/packet/ospri"
)

func main() {
	data := flag.String("data", "../shared/data/bgp", "folder of the measurements")
	out := flag.String("out", "network/packet/fit", "folder of the results")
	steps := flag.String("steps", "overheads,grid,rows,mechanisms,gets", "what to do")
	workers := flag.Int("workers", 1, "simulations at once")
	flag.Parse()
	do := map[string]func(set) error{"overheads": overheads, "grid": grid, "rows": rows, "mechanisms": mechanisms, "gets": gets}
	s := set{data: *data, out: *out, workers: *workers}
	for _, step := range strings.Split(*steps, ",") {
		err := fmt.Errorf("unknown step %q", step)
		if do[step] != nil {
			err = do[step](s)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "fit-packet:", err)
			os.Exit(1)
		}
	}
}

// set holds the folders and the number of workers.
type set struct {
	data, out string
	workers   int
}

// fitted are the rows that the parameters were fitted to: one size of each
// experiment.
func (s set) fitted() ([]ospri.Row, error) {
	all, err := ospri.Rows(s.data)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(r ospri.Row) bool { return r.Bytes != 16384 }), nil
}

// simulate returns the simulated value of each row.
func (s set) simulate(b ospri.Benchmark, rows []ospri.Row) ([]float64, error) {
	values, errs := make([]float64, len(rows)), make([]error, len(rows))
	next := make(chan int)
	var group sync.WaitGroup
	for range s.workers {
		group.Go(func() {
			for i := range next {
				values[i], errs[i] = rows[i].Simulate(b)
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// quality returns mean, median and maximum of |ln(simulated/measured)|.
func quality(rows []ospri.Row, values []float64) (mean, median, most float64) {
	var errors []float64
	for i, r := range rows {
		errors = append(errors, math.Abs(math.Log(values[i]/r.Measured)))
	}
	slices.Sort(errors)
	for _, e := range errors {
		mean += e / float64(len(errors))
	}
	return mean, errors[len(errors)/2], errors[len(errors)-1]
}

// write makes a file of lines.
func (s set) write(name string, lines []string) error {
	return os.WriteFile(filepath.Join(s.out, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
