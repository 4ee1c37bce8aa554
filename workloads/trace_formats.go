package workloads

// The formats of traces.
import (
	_ "overlapsim/workloads/traces/allprof"
	_ "overlapsim/workloads/traces/dumpi"
	_ "overlapsim/workloads/traces/ti"
)
