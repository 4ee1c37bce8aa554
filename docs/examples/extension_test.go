package main

import (
	_ "embed"
	"fmt"

	"overlapsim/nodes"
	"overlapsim/scenarios"
)

//go:embed gather.yaml
var scenario []byte

// A scenario with a workload, a topology and a fabric of one's own.
func Example() {
	for _, fabric := range []string{"ideal", "flow", "my-bus"} {
		study, err := scenarios.Read("gather.yaml", scenario, []string{"fabric.kind=" + fabric})
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome, err := study.Runs[0].Run(nodes.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-5s %9v  %v\n", fabric, outcome.Result.Makespan(), outcome.Metrics)
	}
	// Output:
	// ideal     202us  [{bandwidth_Bps 9.900990099009901e+08}]
	// flow    203.5us  [{bandwidth_Bps 9.828009828009827e+08}]
	// my-bus     402us  [{bandwidth_Bps 4.975124378109453e+08}]
}
