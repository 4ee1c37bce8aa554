package report_test

import (
	"bytes"
	"fmt"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// exchange is a program of two ranks that swap a block while they compute.
type exchange struct{}

func (exchange) Ranks() int       { return 2 }
func (exchange) Phases() []string { return []string{"exchange"} }

func (exchange) Step(rank, step int, do *programs.Ops) bool {
	if step > 0 {
		return false
	}
	do.Irecv(1-rank, 1<<20, 0, 0)
	do.Isend(1-rank, 1<<20, 0, 1)
	do.Compute(machines.Task{Time: sim.Millisecond}, 1)
	do.Wait(0)
	do.Wait(1)
	return true
}

// The page of a run of one's own program, and its trace for Perfetto: both need the
// timeline.
func Example() {
	machine := &machines.Machine{Name: "pair", Title: "two nodes", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 5 * sim.Microsecond, SendOverhead: network.Constant(sim.Microsecond), Transfer: network.PerByte(1000),
	}}
	result, err := nodes.Run(machine, exchange{}, 1, nodes.Options{Timeline: true, Critical: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	var page, trace bytes.Buffer // or files
	err = report.Write(&page, &report.Page{
		Title: "A swap",
		Runs:  []report.Run{{Name: "swap", Machine: machine.Title, Workload: "exchange", Result: result}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.WriteTrace(&trace, result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a page with a timeline:", strings.Contains(page.String(), `id="timeline-0"`))
	fmt.Println("slices of the trace:", strings.Count(trace.String(), `"ph":"X"`))
	// Output:
	// a page with a timeline: true
	// slices of the trace: 13
}

// A page that compares the runs of a scenario.
func ExampleOf() {
	page := report.Page{Title: "Two ways to do FT"}
	for _, name := range []string{"ft-exchange-jacquard", "ft-pencils-jacquard"} {
		study, err := scenarios.Load(name, []string{"ranks=4", "workload.rows=64"})
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome, err := study.Runs[0].Run(nodes.Options{Timeline: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		page.Runs = append(page.Runs, report.Of(outcome))
	}
	var out bytes.Buffer
	if err := report.Write(&out, &page); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("timelines:", strings.Count(out.String(), `id="timeline-`))
	// Output:
	// timelines: 2
}
