package nodes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// drawFabric draws how the messages of an instance travel.
func drawFabric(t *rapid.T, in *instance, p *flow.Params) Options {
	o := Options{Background: in.background}
	switch rapid.SampledFrom([]string{"ideal", "alone", "calibrated", "a ring"}).Draw(t, "fabric") {
	case "alone":
		o.Fabric = newAlone(&in.machine.Network)
	case "calibrated":
		o.Calibration = testCalibration(t)
	case "a ring":
		o.Fabric = newRing(in.points(), p)
	}
	return o
}

// Latency comes only from L. Without L there is none, in no ledger and on no critical path,
// regardless of what moves the messages.
func TestNoLatencyWithoutL(t *testing.T) {
	ended := 0
	often(t, 4, func(t *rapid.T) {
		in := rapid.SampledFrom([]func(*rapid.T) *instance{drawRDMA, drawCopied, drawLibrary, drawBackground}).Draw(t, "kind")(t)
		in.machine.Network.Latency, in.machine.Network.Asking, in.machine.Network.Delivery = 0, nil, nil
		if in.machine.NICs != nil {
			in.machine.NICs.Far = 0
		}
		if in.machine.IntraNode != nil {
			in.machine.IntraNode.Latency, in.machine.IntraNode.Across = 0, nil
		}
		o := drawFabric(t, in, &flow.Params{Capacity: []sim.Rate{1e12}, Injection: 9e11})
		o.Critical = true
		r, err := Run(in.machine, in.script, in.perNode, o)
		if err != nil {
			return
		}
		ended++
		for rank, phases := range r.Ledgers {
			for _, l := range phases {
				if l[results.Latency] != 0 {
					t.Fatalf("%vrank %d: L = 0, and latency is %v", in, rank, l[results.Latency])
				}
			}
		}
		for _, p := range r.Critical {
			if (p.Part == parts.Latency || p.Part == parts.FabricLatency || p.Part == parts.IntraLatency) && p.End > p.Start {
				t.Fatalf("%vL = 0, and %+v is on the critical path", in, p)
			}
		}
	})
	if ended < enough(200) {
		t.Errorf("only %d runs ended", ended)
	}
}

// waits are the terms in which a waiting rank books the parts of a critical path without contention.
var waits = []results.Term{results.Overhead, results.Transfer, results.Latency, results.Progress}

// For a run of one message whose receiver waits from the start, the ledger of the rank
// that ends last and the critical path have the same parts: leg by leg, with every
// library, protocol and agent.
func TestLedgerIsThePath(t *testing.T) {
	terms := map[results.Term]int{}
	often(t, 4, func(t *rapid.T) {
		in := &instance{perNode: rapid.IntRange(1, 2).Draw(t, "per node")}
		d := times{true}
		p := network.LogGOPS{Latency: d.draw(t, "L"), Transfer: network.PerByte(d.perByte(t, "G")),
			Rendezvous: int64(rapid.IntRange(0, 15).Draw(t, "S"))}
		p.SendOverhead, p.ReceiveOverhead = network.Constant(d.draw(t, "o send")), network.Constant(d.draw(t, "o receive"))
		in.machine = &machines.Machine{Name: "drawn", Cores: 4, Processes: 1, Network: p}
		if rapid.Bool().Draw(t, "inside a node?") {
			in.machine.IntraNode = &machines.IntraNode{Latency: d.draw(t, "latency inside"), Copy: network.PerByte(d.perByte(t, "per byte inside"))}
		}
		drawSockets(t, d, in.machine)
		if rapid.Bool().Draw(t, "copying?") {
			in.machine.Copying = &machines.Copying{SendPerByte: d.perByte(t, "O send"),
				ReceivePerByte: d.perByte(t, "O receive"), Buffer: 100, Chunk: 100}
		}
		if rapid.Bool().Draw(t, "a library?") {
			rt := drawRuntime(t, d, in.machine)
			rt.Pipeline.Chunk, rt.Strided.Chunk = 0, 0 // one piece: several would be at several places
			in.machine.Runtime = rt
		}
		bytes := int32(rapid.IntRange(1, 30).Draw(t, "bytes"))
		send := rapid.SampledFrom([]programs.Op{isend(1, bytes, 0, 0), strided(isend(1, bytes, 0, 0)), signal(1, bytes, 0, 0)}).Draw(t, "send")
		in.script = &script{1, [][]programs.Op{{send, wait(0)}, {irecv(0, 0, 0), wait(0)}}, 1}
		o := Options{Critical: true}
		if rapid.Bool().Draw(t, "contended") {
			o.Fabric = newAlone(&in.machine.Network)
		}
		r, err := Run(in.machine, in.script, in.perNode, o)
		if err != nil {
			t.Fatalf("%v%v", in, err)
		}
		var path results.Ledger
		for _, p := range r.Critical {
			term := p.Part.Term()
			if !slices.Contains(waits, term) && p.End > p.Start {
				t.Fatalf("%v%v is no term", in, p.Part)
			}
			path[term] += p.End - p.Start
		}
		last := 0
		if r.Finish[1] >= r.Finish[0] {
			last = 1
		}
		if path != r.Ledgers[last][0] && r.Finish[0] != r.Finish[1] {
			t.Fatalf("%vrank %d: ledger %v, critical path %v\n%v", in, last, r.Ledgers[last][0], path, r.Critical)
		}
		for term, x := range path {
			if x > 0 {
				terms[results.Term(term)]++
			}
		}
	})
	for _, term := range waits {
		if terms[term] < enough(5) {
			t.Errorf("%v was on %d paths", term, terms[term])
		}
	}
}

// A run with all times doubled has every time and every sum over ranks doubled.
func TestTimesScale(t *testing.T) {
	often(t, 2, func(t *rapid.T) {
		in := rapid.SampledFrom([]func(*rapid.T) *instance{drawRDMA, drawCopied, drawLibrary}).Draw(t, "kind")(t)
		in.machine.Noise = nil // its moments do not depend on anything else
		one, err := Run(in.machine, in.script, in.perNode, Options{Timeline: true})
		if err != nil {
			return
		}
		in.stretch(2)
		two, err := Run(in.machine, in.script, in.perNode, Options{Timeline: true})
		if err != nil {
			t.Fatalf("%v%v", in, err)
		}
		for rank := range one.Ledgers {
			for phase := range one.Ledgers[rank] {
				for term, x := range one.Ledgers[rank][phase] {
					if two.Ledgers[rank][phase][term] != 2*x {
						t.Fatalf("%vrank %d, phase %d, %v: %v, and with times twice as long %v", in, rank, phase,
							results.Term(term), x, two.Ledgers[rank][phase][term])
					}
				}
			}
			if two.Hidden[rank] != 2*one.Hidden[rank] || two.Finish[rank] != 2*one.Finish[rank] {
				t.Fatalf("%vrank %d hides %v and %v, ends at %v and %v", in, rank, one.Hidden[rank], two.Hidden[rank],
					one.Finish[rank], two.Finish[rank])
			}
		}
		for i, m := range one.Timeline.Messages {
			if n := two.Timeline.Messages[i]; n.Posted != 2*m.Posted || n.Sent != 2*m.Sent || n.Delivered != 2*m.Delivered {
				t.Fatalf("%vmessage %+v, and with times twice as long %+v", in, m, n)
			}
		}
	})
}

// stretch multiplies all times of an instance.
func (in *instance) stretch(by sim.Time) {
	for _, p := range parts.Parameters(in.machine) {
		for _, x := range p.Times {
			*x *= by
		}
		for _, x := range p.Floats {
			if p.Unit == results.SecondPerByte {
				*x *= float64(by)
			}
		}
	}
	if rt := in.machine.Runtime; rt != nil {
		rt.Progress.Every *= by
	}
	in.machine.Slice *= by
	for _, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpCompute {
				ops[i].Amount *= int64(by)
			}
		}
	}
}
