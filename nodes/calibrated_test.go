package nodes

import (
	"testing"

	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// testCalibration has C_avg(1) = 1.5, C_avg(2) = 4, C_avg(4) = 0.5 and, for 8 ranks,
// C_max(1) = 2, C_max(2) = 5.
func testCalibration(t must.Test) *calibrated.Calibration {
	c := must.Get(calibrated.New(calibrated.Curve{Distances: []int{1, 2, 4}, Factors: []float64{1.5, 4, 0.5}},
		[]calibrated.Row{{Processes: 8, Curve: calibrated.Curve{Distances: []int{1, 2}, Factors: []float64{2, 5}}}}, 1))(t)
	return c
}

// Each message takes o + C (L + Startup + G s), regardless of what the other ranks send, also
// inside a node. A rank's own messages follow each other. C is the factor of the pattern in
// force when the message was posted, or else of the ranks' distance (section IV, T_comm
// and T_comm_sync).
func TestCalibratedClosedForm(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 4, Processes: 4, IntraNode: &machines.IntraNode{}, Network: network.LogGOPS{
		Latency: 3000, Startup: 500, SendOverhead: network.Constant(700), Transfer: network.PerByte(2),
	}}
	const bytes = 10000
	alone := m.Network.Latency + m.Network.Startup + 2*bytes
	const o = 700
	for _, c := range []struct {
		name         string
		distance     int
		synchronised bool
		to           int
		factor       float64
	}{
		{"a neighbour", 0, false, 1, 1.5}, {"two ahead", 0, false, 2, 4}, {"by the pattern", 2, false, 1, 4},
		{"between", 3, false, 1, 4 + (0.5-4)*0.5849625007211562}, {"faster than alone", 4, false, 1, 0.5}, {"far", 400, false, 1, 0.5},
		{"synchronised", 1, true, 5, 2}, {"synchronised, two ahead", 0, true, 2, 5},
	} {
		for repeat := 1; repeat < 4; repeat++ {
			p := &script{ops: make([][]programs.Op, 8), atOnce: 100}
			for r := range p.ops {
				var do programs.Ops
				do.Pattern(c.distance, c.synchronised)
				for i := range repeat {
					do.Put((r+c.to)%8, bytes, i)
				}
				for i := range repeat {
					do.Wait(i)
				}
				p.ops[r] = do.List()
			}
			if c.distance == 0 { // messages that wrap around travel farther, and are omitted
				for r := 8 - c.to; r < 8; r++ {
					p.ops[r] = nil
				}
			}
			r := must.Get(Run(m, p, 4, Options{Calibration: testCalibration(t)}))(t)
			each := sim.PerByte(int64(alone), c.factor) // C (L + G s)
			occupied := each - m.Network.Latency
			want := o + sim.Time(repeat)*occupied + 2*m.Network.Latency // delivered, and known to be
			if got := r.Finish[0]; absolute(got-want) > sim.Time(repeat) {
				t.Errorf("%s, %d times: %v, want %v", c.name, repeat, got, want)
			}
			if got, want := r.Makespan(), r.Finish[0]; got != want {
				t.Errorf("%s: rank 0 ends at %v, the last at %v", c.name, want, got)
			}
		}
	}
}

func absolute(t sim.Time) sim.Time { return max(t, -t) }

// A get is slower both ways, by the factor of the pattern of the rank that posts it.
func TestCalibratedGet(t *testing.T) {
	const o, bytes = 700, 10000
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
		Latency: 3000, Startup: 500, SendOverhead: network.Constant(o), Transfer: network.PerByte(2),
	}}
	p := &script{ops: make([][]programs.Op, 8), atOnce: 100}
	for _, r := range []int{0, 2} { // from 1 and 3, which do nothing else
		var do programs.Ops
		do.Pattern(2, r == 0)
		do.Get(r+1, bytes, 0)
		do.Wait(0)
		p.ops[r] = do.List()
	}
	r := must.Get(Run(m, p, 1, Options{Calibration: testCalibration(t)}))(t)
	for rank, factor := range map[int]sim.Time{0: 5, 2: 4} {
		if want := o + factor*(500+3000) + factor*(500+2*bytes+3000); r.Finish[rank] != want {
			t.Errorf("factor %v: %v, want %v", factor, r.Finish[rank], want)
		}
	}
}

// With factors of 1 a rank that sends to another node takes as long as on an ideal
// fabric, with every protocol.
func TestCalibratedByOneIsIdeal(t *testing.T) {
	one := must.Get(calibrated.New(calibrated.Curve{Distances: []int{1}, Factors: []float64{1}}, nil, 1))(t)
	for name, m := range map[string]*machines.Machine{
		"eager": {}, "rendezvous": {Network: network.LogGOPS{Rendezvous: 100}},
		"copying": {Copying: &machines.Copying{SendPerByte: 1, ReceivePerByte: 1, Buffer: 4096, Chunk: 1024}},
	} {
		m.Name, m.Cores, m.Processes = name, 1, 1
		m.Network.Latency, m.Network.SendOverhead, m.Network.Gap = 3000, network.Constant(700), 900
		m.Network.ReceiveOverhead, m.Network.Transfer = network.Constant(800), network.PerByte(2)
		p := &script{ops: make([][]programs.Op, 6), atOnce: 100}
		for r := range p.ops {
			var do programs.Ops
			for d := 1; d < 4; d++ {
				do.Irecv((r+6-d)%6, 5000, d, d)
				do.Isend((r+d)%6, 5000, d, 10+d)
				do.Wait(d)
				do.Wait(10 + d)
				do.Barrier()
			}
			p.ops[r] = do.List()
		}
		ideal := must.Get(Run(m, p, 1, Options{}))(t)
		same := must.Get(Run(m, p, 1, Options{Calibration: one}))(t)
		for r := range p.ops {
			if ideal.Finish[r] != same.Finish[r] {
				t.Errorf("%s: rank %d: %v, ideal %v", name, r, same.Finish[r], ideal.Finish[r])
			}
		}
	}
}

// What the factor adds is contention, for the waiting sender and for the receiver, and it
// makes every protocol take longer by that much.
func TestCalibratedLedger(t *testing.T) {
	const bytes = 100000
	for _, threshold := range []int64{0, 100} {
		m := &machines.Machine{Name: "m", Cores: 1, Processes: 1, Network: network.LogGOPS{
			Latency: 3000, SendOverhead: network.Constant(700), Transfer: network.PerByte(2), Rendezvous: threshold,
		}}
		var send, receive programs.Ops
		send.Isend(1, bytes, 0, 0)
		send.Wait(0)
		receive.Recv(0, bytes, 0)
		p := &script{ops: [][]programs.Op{send.List(), receive.List()}, atOnce: 100}
		r := must.Get(Run(m, p, 1, Options{Calibration: testCalibration(t)}))(t)
		ledger := r.Ledgers[1][0]
		added := calibrated.Added(1.5, 2*bytes+3000)
		if threshold > 0 {
			added += calibrated.Added(1.5, 3000) // of the request
			if sender := r.Ledgers[0][0]; sender[results.Contention] != added || sender[results.Transfer] != 2*bytes {
				t.Errorf("rendezvous: sender: contention %v, transfer %v; want %v, %v", sender[results.Contention],
					sender[results.Transfer], added, sim.Time(2*bytes))
			}
		}
		if ledger[results.Contention] != added || ledger[results.Transfer] != 2*bytes {
			t.Errorf("S = %d: receiver: contention %v, transfer %v; want %v, %v", threshold, ledger[results.Contention],
				ledger[results.Transfer], added, sim.Time(2*bytes))
		}
	}
}

// A fabric cannot be both calibrated and contended.
func TestCalibratedOrContended(t *testing.T) {
	m := &machines.Machine{Name: "m", Cores: 1, Processes: 1}
	p := &script{ops: make([][]programs.Op, 2), atOnce: 1}
	fabric := func(*sim.Kernel, network.Sink) (network.Contended, error) { return nil, nil }
	if _, err := Run(m, p, 1, Options{Calibration: testCalibration(t), Fabric: fabric}); err == nil {
		t.Error("no error")
	}
}
