package nodes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/network/backlog"
	"overlapsim/network/flow"
	"overlapsim/network/packet"
	"overlapsim/network/topology"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Where only NICs contend, every fabric gives what the ideal one gives.

// plenty is a link bandwidth that no NIC of these tests comes near, in bytes per second.
const plenty = 1e15

// loose returns contended fabrics on which only NICs contend, for nodes whose network has
// a latency: a crossbar, and a topology whose links are far faster than all NICs
// together.
func loose(t *rapid.T, nodes int, latency sim.Time) map[string]network.Maker {
	crossbar := must.Get(topology.NewCrossbar(nodes))(t)
	wired := drawTopology(t, nodes)
	all := map[string]network.Maker{"alone": newAlone(&network.LogGOPS{Latency: latency})}
	for _, shape := range []topology.Topology{crossbar, wired} {
		fast := slices.Repeat([]sim.Rate{plenty}, len(shape.Classes()))
		all[fmt.Sprint("flow on ", shape)] = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			return flow.New(k, sink, shape, flow.Params{Capacity: fast, Latency: latency})
		}
		all[fmt.Sprint("backlog on ", shape)] = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
			return backlog.New(k, sink, shape, backlog.Params{Capacity: fast, Latency: latency, Window: 1, Turn: 1.5})
		}
	}
	torus := must.Get(topology.NewTorus(topology.Grid{Sizes: []int{2, (nodes + 1) / 2}}))(t)
	p := packet.Params{
		PayloadBytes: rapid.IntRange(1, 9).Draw(t, "payload"), PacketBytes: 10, ControlBytes: 2, Bandwidth: plenty, Latency: latency,
		Slots: 4, Bubble: 1, AdaptiveChannels: 1, InjectionFIFOs: 2, Put: packet.Routing(rapid.IntRange(0, 1).Draw(t, "routing")),
	}
	all["packet"] = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		return packet.New(k, sink, torus, p)
	}
	return all
}

// drawTopology returns a topology with links and with room for that many nodes.
func drawTopology(t *rapid.T, nodes int) topology.Topology {
	var shape topology.Topology
	var err error
	switch rapid.IntRange(0, 2).Draw(t, "topology") {
	case 0:
		shape, err = topology.NewTorus(topology.Grid{Sizes: []int{2, (nodes + 1) / 2}, PerRouter: rapid.IntRange(1, 2).Draw(t, "per router")})
	case 1:
		shape, err = topology.NewFatTree(topology.Tree{Down: []int{2, (nodes + 1) / 2}, Up: []int{2}})
	case 2:
		shape, err = topology.NewDragonfly(topology.Groups{Number: 2, Routers: (nodes + 1) / 2, Global: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

// agrees compares the run of an instance on every loose fabric with its run on the ideal one:
// when each rank ends, where its time goes, and when each message is delivered. A fabric rounds
// each time that it computes, so times may differ by a ps for each message on the way.
func (in *instance) agrees(t *rapid.T, sum *agreement) {
	o := Options{Timeline: true, Background: in.background}
	want, wantErr := Run(in.machine, in.script, in.perNode, o)
	asks := in.machine.Network.Rendezvous > 0
	for name, fabric := range loose(t, in.points(), in.machine.Network.Latency) {
		if asks && (strings.HasPrefix(name, "backlog") || name == "packet") {
			continue // there messages of one NIC wait for each other on links, which requests on the ideal fabric do not
		}
		o.Fabric = fabric
		got, err := Run(in.machine, in.script, in.perNode, o)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v%s: %v, ideal: %v", in, name, err, wantErr)
		}
		if err != nil {
			continue
		}
		sum.runs++
		slack := sim.Time(want.Messages)
		switch why := in.differ(got, want, slack); {
		case in.differ(got, want, 0) == "":
			sum.exact++
		case why != "" && in.inOtherOrder(got, slack):
			sum.reordered++
		case why != "":
			t.Fatalf("%v%s: %s", in, name, why)
		}
	}
}

// agreement counts comparisons: those that are equal to the picosecond, and those in which events
// of the same instant came in another order.
type agreement struct{ runs, exact, reordered int }

// inOtherOrder tells whether some order of the events of the same instant makes the ranks end at
// those times by the rules of the ideal fabric.
func (in *instance) inOtherOrder(got *results.Result, slack sim.Time) bool {
	random := rand.New(rand.NewPCG(7, 8))
	for range ways {
		s := in.newReference(disorder(random))
		s.run()
		if !slices.ContainsFunc(s.ranks, func(k *refRank) bool { return off(k.finish, got.Finish[k.id]) > slack }) {
			return true
		}
	}
	return false
}

// differ says how a result differs from another one by more than slack, in what the rules define.
func (in *instance) differ(got, want *results.Result, slack sim.Time) string {
	g, w := in.fold(engineOutcome(got, nil)), in.fold(engineOutcome(want, nil))
	for r := range w.finish {
		if off(g.finish[r], w.finish[r]) > slack {
			return fmt.Sprintf("rank %d ends at %v, on the ideal fabric at %v", r, int64(g.finish[r]), int64(w.finish[r]))
		}
		if off(g.hidden[r], w.hidden[r]) > slack {
			return fmt.Sprintf("rank %d hides %v, on the ideal fabric %v", r, int64(g.hidden[r]), int64(w.hidden[r]))
		}
		for phase := range w.ledgers[r] {
			for term, time := range w.ledgers[r][phase] {
				if off(g.ledgers[r][phase][term], time) > slack {
					return fmt.Sprintf("rank %d: %v of %v, on the ideal fabric %v", r, int64(g.ledgers[r][phase][term]), results.Term(term), int64(time))
				}
			}
		}
	}
	for i, m := range want.Timeline.Messages {
		if off(got.Timeline.Messages[i].Delivered, m.Delivered) > slack {
			return fmt.Sprintf("message %d from %d to %d is delivered at %v, on the ideal fabric at %v", i, m.From, m.To,
				int64(got.Timeline.Messages[i].Delivered), int64(m.Delivered))
		}
	}
	return ""
}

func off(a, b sim.Time) sim.Time { return max(a-b, b-a) }

// apart makes ranks compute for different times at the start and after barriers, so that events
// seldom coincide; those that do may come in any order.
func (in *instance) apart(t *rapid.T) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pauses"), 1))
	pause := func() programs.Op {
		return programs.Op{Kind: programs.OpCompute, Amount: 1 + random.Int64N(100_000_000)}
	}
	for r, ops := range in.script.ops {
		all := []programs.Op{pause()}
		for _, op := range ops {
			if all = append(all, op); op.Kind == programs.OpBarrier {
				all = append(all, pause())
			}
		}
		in.script.ops[r] = all
	}
}

// takesTime makes sure that no message or chunk leaves or arrives at the instant at which
// it is ready.
func (in *instance) takesTime() {
	net := &in.machine.Network
	net.Startup, net.Latency = max(1, net.Startup), max(1, net.Latency)
	if len(net.Transfer) == 0 {
		net.Transfer = network.Constant(1)
	}
	for i := range net.Transfer {
		net.Transfer[i].Base = max(1, net.Transfer[i].Base)
	}
}

// agree checks random instances.
func agree(t *testing.T, draw func(*rapid.T) *instance) {
	var sum agreement
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		in.takesTime()
		(&slopeCase{instance: in}).finer(t, 100_000)
		in.apart(t)
		in.agrees(t, &sum)
	})
	t.Logf("%+v", sum)
	// An instance in another order counts once for each of its fabrics, up to six; one in a hundred
	// may be.
	if sum.runs < enough(200) || sum.exact*10 < sum.runs*9 || sum.reordered > max(12, sum.runs/50) {
		t.Errorf("too few can be compared: %+v", sum)
	}
}

// drawWhole draws a machine with any library or none, and a program for it.
func drawWhole(t *rapid.T) *instance {
	if rapid.IntRange(0, 2).Draw(t, "library") > 0 {
		return drawLibrary(t)
	}
	return drawInstance(t, rapid.Bool().Draw(t, "copying"))
}

// Two-sided messages, and all that queues at receivers.
func TestAgreementTwoSided(t *testing.T) {
	agree(t, func(t *rapid.T) *instance {
		in := drawWhole(t)
		in.sendOnly()
		return in
	})
}

// sendOnly replaces signals by sends, and removes puts and gets.
func (in *instance) sendOnly() {
	for r, ops := range in.script.ops {
		for i := range ops {
			if ops[i].Kind == programs.OpSignal {
				ops[i].Kind = programs.OpSend
			}
		}
		in.script.ops[r] = slices.DeleteFunc(ops, func(op programs.Op) bool { return op.Kind == programs.OpPut || op.Kind == programs.OpGet })
	}
}

// The same where processes share cores and memory, which NICs load too.
func TestAgreementShared(t *testing.T) {
	agree(t, func(t *rapid.T) *instance {
		in := drawAny(t)
		in.sendOnly()
		drawSharing(t, in.machine, in)
		in.machine.Sharing.Bandwidth = rapid.SampledFrom([]float64{0, 5e6, 2e7}).Draw(t, "little bandwidth")
		in.machine.Sharing.Scheduler = nil // a picosecond decides where a process wakes up
		for _, ops := range in.script.ops {
			for i := range ops {
				if ops[i].Kind == programs.OpCompute {
					ops[i].Peer /= 300
				}
			}
		}
		return in
	})
}

// One-sided messages as well, when one message is in flight at a time.
func TestAgreementOneSided(t *testing.T) {
	agree(t, func(t *rapid.T) *instance {
		in := drawWhole(t)
		d := times{true}
		ranks := rapid.IntRange(2, 5).Draw(t, "ranks in turn")
		w := &author{ops: make([][]programs.Op, ranks), open: make([][]int32, ranks), next: make([]int32, ranks)}
		for range rapid.IntRange(1, 8).Draw(t, "turns") {
			a := drawAction(t, d, ranks, numActions)
			a.anySource, a.anyTag = false, false
			if w.write(a); a.what == actBarrier {
				continue
			}
			for r := range w.ops {
				for len(w.open[r]) > 0 {
					w.wait(r, 0)
				}
			}
			w.write(action{what: actBarrier})
		}
		in.script.ops = w.ops
		return in
	})
}
