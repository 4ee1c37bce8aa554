package workloads

import "overlapsim/sim"

// FTModel is the closed-form model of Pencils in Nishtala, "Architectural
// Probes", section 7, with the paper's numbers. All times are exact.
//
// The paper assumes that L = 0, that every process has its own NIC, that the send
// queue takes the next descriptor when the one before is inserted, and that there is no
// limit on the messages that are inserted and not yet sent.
type FTModel struct {
	P, N     int64    // processes; rows of each process
	Compute  sim.Time // T_comp^R: FFT of one row
	Overhead sim.Time // o
	Gap      sim.Time // g
	Transfer sim.Time // gamma R G: bytes of one row on the wire
}

// Init is the time of lines 2 to 9, eq. (6): the pipeline of computation and puts. It
// assumes that the first put of a row group does not wait for the gap of the group
// before.
func (m FTModel) Init() sim.Time {
	group := 2*m.Compute + m.Overhead + max(m.Gap, m.Compute+m.Overhead)*sim.Time(m.P-2)
	return group * sim.Time(m.N/m.P)
}

// TransferAll is M_transfer, eq. (2).
func (m FTModel) TransferAll() sim.Time {
	return m.Transfer * sim.Time((m.P-1)*(m.N/m.P))
}

// Communication is M_total^comm, eq. (4): the first row is computed, then the wire is
// busy to the end.
func (m FTModel) Communication() sim.Time {
	return m.Compute + max(m.Overhead, m.Gap) + m.TransferAll()
}

// Total is eq. (7), with eq. (6) in place of eq. (1): the longer of initiation and
// communication.
func (m FTModel) Total() sim.Time { return max(m.Init(), m.Communication()) }

// Wait is the time of lines 10 to 12, eq. (8).
func (m FTModel) Wait() sim.Time { return m.Total() - m.Init() }

// CommInit is the time of line 7, eq. (9).
func (m FTModel) CommInit() sim.Time { return m.Init() - m.Compute*sim.Time(m.N) }
