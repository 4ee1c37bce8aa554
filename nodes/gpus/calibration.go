package gpus

import (
	"strings"

	"overlapsim/sim"
)

// Calibration holds the numbers that no data sheet gives. They are fitted to measured rows.
// Bandwidths are in bytes per second. docs/reference/gpus.md has the formulas.
type Calibration struct {
	Rows string // rows to which it was fitted

	Start sim.Time // t0: a collective of no bytes in a domain, without its steps
	Step  sim.Time // a: a step of a ring with whole chunks, protocol Simple
	Send  sim.Time // a message between two GPUs of a domain, without its bytes

	Ring     float64 // W: bus bandwidth of the rings of a domain; without a switch: of one ring
	Channels int     // of the rings of a domain
	Searched float64 // bus bandwidth that NCCL expects of its rings; 0: it follows from NCCL's speeds for the links
	Low      float64 // k: factor on the latencies of LL and LL128 in NCCL's tables

	InSwitch     float64  // algorithm bandwidth of NVLS, before the factor n/(n+1); 0: there is no NVLS
	SwitchStart  sim.Time // of NVLS without its bytes
	SwitchStep   sim.Time // of NVLS, with whole chunks
	SwitchBlocks int      // channels of NVLS
	SwitchGPUs   int      // of a domain in the rows of SwitchStep, which grows with the GPUs; 0: it is the same for all numbers

	Network float64 // fraction of the NICs' bandwidth that operations reach
	Far     float64 // factor on the latencies over the network in NCCL's tables
}

// unfitted says what the numbers are if no collective was measured on these GPUs: their rows begin with "none".
func (c *Calibration) unfitted() string {
	numbers, none := strings.CutPrefix(c.Rows, "none")
	if !none {
		return ""
	}
	return "assumed: no collective was measured on these GPUs (gpu_calibration: " + strings.TrimLeft(numbers, ":; ") + ")"
}
