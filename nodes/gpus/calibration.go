package gpus

import "overlapsim/sim"

// Calibration is what no data sheet says and measured rows do.
type Calibration struct {
	Rows string // that it was fitted to

	Start      sim.Time // t0: a collective of no bytes between GPUs of a domain, without its steps
	Step       sim.Time // a: one step of a ring with whole chunks, protocol Simple
	Ring       float64  // W: bus bandwidth of rings inside a domain, bytes per second
	InSwitch   float64  // algorithm bandwidth (n+1)/n times that of NVLS, bytes per second; 0: none
	Channels   int      // of a ring in a domain
	Latencies  float64  // k: the tables' latencies of LL and LL128 times it
	Network    float64  // part of the NICs' bandwidth that a ring over nodes reaches
	FarLatency float64  // the tables' latencies over the network times it
}
