package scenarios_test

import (
	"encoding/json"
	"fmt"
	"os"

	"overlapsim/nodes"
	"overlapsim/scenarios"
)

// A scenario of the library with settings, run, and its record as JSON.
func ExampleLoad() {
	study, err := scenarios.Load("ft-pencils-jacquard", []string{"ranks=4", "workload.rows=64", "machine.network.latency=3us"})
	if err != nil {
		fmt.Println(err) // all mistakes, each with its place
		return
	}
	outcome, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	record := outcome.Record()
	record.Phases = nil // their ledgers are as long as that of the run
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(record); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "scenario": "ft-pencils-jacquard",
	//   "machine": "jacquard",
	//   "workload": "ft-pencils",
	//   "ranks": 4,
	//   "nodes": 2,
	//   "events": 1228,
	//   "messages": 256,
	//   "bytes": 2097152,
	//   "makespan_s": 0.001250925332,
	//   "ledger": {
	//     "compute_s": 0.001179648,
	//     "interference_s": 0,
	//     "overhead_s": 0.0000528,
	//     "nic_stall_s": 5.4e-7,
	//     "progress_s": 0,
	//     "transfer_s": 5.98666e-7,
	//     "contention_s": 0,
	//     "latency_s": 0.000003,
	//     "partner_s": 0,
	//     "barrier_s": 0.000014338666,
	//     "idle_s": 0
	//   },
	//   "in_flight_while_computing_s": 0.000888859974,
	//   "communicating_s": 0.000056938666,
	//   "bound_s": 0.001242648,
	//   "bound_of": "a chain of work and messages",
	//   "metrics": {
	//     "local_computation_s": 0.001179648,
	//     "comm_init_s": 0.00005334,
	//     "comm_sync_s": 0.000003598666,
	//     "barrier_s": 0.000014338666000000002,
	//     "total_s": 0.001250925332
	//   }
	// }
}
