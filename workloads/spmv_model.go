package workloads

import "overlapsim/sim"

// SpMVModel is the closed-form model of Gather with prefetch depth 0 in Nishtala,
// "Architectural Probes", section 8.1. All times are exact.
//
// The paper assumes RDMA, a NIC for every process, and that a get begins when
// the data of the get before have arrived.
type SpMVModel struct {
	P        int64    // processes
	Compute  sim.Time // T_comp^{N/P}: one block
	Overhead sim.Time // o
	Gap      sim.Time // g
	Latency  sim.Time // L
	Transfer sim.Time // gamma N/P G: a piece of the source vector on the wire
}

// Computation is M_comp, eq. (10): computation hides all but the overheads.
func (m SpMVModel) Computation() sim.Time {
	return (m.Overhead+m.Compute)*sim.Time(m.P-1) + m.Compute
}

// Communication is M_comm, eq. (11) and (12): one get after another, each with two
// latencies.
func (m SpMVModel) Communication() sim.Time {
	get := 2*m.Latency + m.Transfer
	return m.Overhead + get + (max(m.Overhead, m.Gap)+get)*sim.Time(m.P-2) + m.Compute
}

// Total is M, eq. (13).
func (m SpMVModel) Total() sim.Time { return max(m.Computation(), m.Communication()) }
