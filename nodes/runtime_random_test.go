package nodes

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/parts"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// drawRuntime draws a library for a machine.
func drawRuntime(t *rapid.T, d times, m *machines.Machine) *machines.Runtime {
	agents := machines.Agents()
	if m.Copying != nil {
		agents = slices.DeleteFunc(agents, func(a machines.Agent) bool { return a.OfNIC() })
		m.Copying.Interrupts = false
	}
	pipeline := func() machines.Pipeline {
		return machines.Pipeline{
			Chunk: int64(rapid.IntRange(0, 8).Draw(t, "fragment")), Depth: rapid.IntRange(0, 3).Draw(t, "depth"),
			First: int64(rapid.IntRange(0, 20).Draw(t, "first")), Acknowledged: rapid.Bool().Draw(t, "acknowledged"),
		}
	}
	rt := &machines.Runtime{
		Progress: machines.Progression{
			By: rapid.SampledFrom(agents).Draw(t, "agent"), Every: 1 + d.draw(t, "every"), Ahead: int64(rapid.IntRange(0, 30).Draw(t, "ahead")),
			OneRead: rapid.Bool().Draw(t, "one read"),
		},
		CopyLimit:  int64(rapid.IntRange(0, 10).Draw(t, "copy limit")),
		Rendezvous: machines.Protocol(rapid.IntRange(0, int(machines.Copy)).Draw(t, "protocol")), Pipeline: pipeline(),
		Strided: machines.Strided{Pipeline: pipeline()},
	}
	drawTimes(t, d, &machines.Machine{Runtime: rt}, "runtime.")
	rt.Search *= 2 // half of it counts
	rt.Wakeup = 0  // it depends on how processes wait
	rt.Unexpected, rt.Request = d.cost(t, "unexpected"), d.cost(t, "request")
	return rt
}

// drawTimes draws all times, and times per byte, of a section of a machine that are parameters.
func drawTimes(t *rapid.T, d times, m *machines.Machine, section string) {
	for _, p := range parts.Parameters(m) {
		if !strings.HasPrefix(p.Name, section) {
			continue
		}
		for _, x := range p.Times {
			*x = d.draw(t, p.Name)
		}
		for _, x := range p.Floats {
			*x = d.perByte(t, p.Name)
		}
	}
}

// drawLibrary draws an instance with a library; some sends are strided.
func drawLibrary(t *rapid.T) *instance { return drawWithLibrary(t, numActions) }

func drawWithLibrary(t *rapid.T, actions int) *instance {
	in := drawActions(t, rapid.Bool().Draw(t, "copying"), actions)
	d := times{rapid.Bool().Draw(t, "wide library")}
	in.machine.Runtime = drawRuntime(t, d, in.machine)
	if rapid.Bool().Draw(t, "block") {
		in.machine.Runtime.Waiting, in.machine.Runtime.Wakeup = machines.Block, d.draw(t, "wakeup")
	}
	for _, ops := range in.script.ops {
		for i := range ops {
			ops[i].Strided = ops[i].Kind == programs.OpSend && rapid.IntRange(0, 3).Draw(t, "strided") == 3
		}
	}
	return in
}

// known are the ways in which a run may fail.
var known = map[string]bool{"deadlock": true, "unreceived": true, "unmatched": true}

// certain tells whether the program ends regardless of what the library does. It does if it ends
// with the library of LogGOPS and no receive may take one of several messages.
func (in *instance) certain() bool {
	for _, ops := range in.script.ops {
		for _, op := range ops {
			if op.Kind == programs.OpReceive && (op.Peer == programs.AnySource || op.Tag == programs.AnyTag) {
				return false
			}
		}
	}
	m := *in.machine
	m.Runtime, m.Copying = nil, nil
	_, err := Run(&m, in.script, in.perNode, Options{})
	return err == nil
}

// With every library the invariants of a run hold, a run repeats, and a live process takes the
// time of a compiled one, on contended and calibrated fabrics too.
func TestLibraries(t *testing.T) {
	var ended, cases int
	calibration := testCalibration(t)
	often(t, 8, func(t *rapid.T) {
		in := drawLibrary(t)
		o := Options{Timeline: true}
		switch rapid.IntRange(0, 2).Draw(t, "fabric") {
		case 1:
			o.Fabric = newAlone(&in.machine.Network)
		case 2:
			o.Calibration = calibration
		}
		want, wantErr := Run(in.machine, in.script, in.perNode, o)
		cases++
		if wantErr == nil {
			ended++
			if o.Calibration == nil { // its NICs are not the NICs of nodes
				in.conserves(t, want)
			}
			want.Timeline = nil
		} else if in.certain() || !known[engineOutcome(nil, wantErr).failure] {
			t.Fatalf("%v%v", in, wantErr)
		}
		o.Timeline = false
		got, err := RunLive(in.machine, len(in.script.ops), in.script.Phases(), func(p *Process) {
			perform(p, in.script.ops[p.Rank()])
		}, in.perNode, o)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%vlive: %v, compiled: %v", in, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%vlive: %+v\ncompiled: %+v", in, got, want)
		}
	})
	if ended < cases/2 {
		t.Errorf("only %d of %d cases end", ended, cases)
	}
}

// A library whose work takes no time and is done at once takes the time of the library of
// LogGOPS, where all is eager and receiving has no overhead.
func TestFreeLibrary(t *testing.T) {
	often(t, 5, func(t *rapid.T) {
		in := drawInstance(t, false)
		net := &in.machine.Network
		// A post takes its place in the NIC at once, in both. A limited post may be
		// accepted before, and leave after, what comes at the same instant.
		net.SendOverhead, net.ReceiveOverhead, net.Gap = nil, nil, 0
		net.QueueDepth, net.Outstanding, net.PerPeer = 0, 0, 0
		in.machine.Network.Rendezvous = 0
		in.apartFromSignals()
		if !in.certain() {
			return
		}
		want, wantErr := Run(in.machine, in.script, in.perNode, Options{})
		in.machine.Runtime = &machines.Runtime{Progress: machines.Progression{By: machines.Offload}}
		got, err := Run(in.machine, in.script, in.perNode, Options{})
		if err != nil || wantErr != nil {
			t.Fatalf("%v%v, LogGOPS: %v", in, err, wantErr)
		}
		in.machine.Runtime = nil
		if !slices.Equal(got.Finish, want.Finish) && !in.mayEnd(got.Finish) {
			t.Fatalf("%vranks end at %v, with LogGOPS at %v", in, got.Finish, want.Finish)
		}
	})
}

// apartFromSignals replaces signals by sends where a rank also sends to the same rank with the same tag. With a library a message is matched
// when it has passed the receiving NIC, which a signal does not pass: it may come first (rule 18).
func (in *instance) apartFromSignals() {
	for _, ops := range in.script.ops {
		for i := range ops {
			sends := func(op programs.Op) bool {
				return op.Kind == programs.OpSend && op.Peer == ops[i].Peer && op.Tag == ops[i].Tag
			}
			if ops[i].Kind == programs.OpSignal && slices.ContainsFunc(ops, sends) {
				ops[i].Kind = programs.OpSend
			}
		}
	}
}

// mayEnd tells whether some order of the events of one instant makes the ranks end at those
// times.
func (in *instance) mayEnd(finish []sim.Time) bool {
	random := rand.New(rand.NewPCG(5, 6))
	for range ways {
		if slices.Equal(in.reference(disorder(random)).finish, finish) {
			return true
		}
	}
	return false
}

func TestReferenceRuntime(t *testing.T) {
	must.Long(t)
	compare(t, 25, drawLibrary)
}

// drawCombining draws programs whose ranks give data to switches, at any places of their programs.
func drawCombining(t *rapid.T) *instance {
	in := drawLibrary(t)
	m := in.machine
	m.Copying, in.perNode = nil, 1
	m.Runtime.Offload.FanIn, m.Runtime.Offload.Segment = rapid.IntRange(2, 3).Draw(t, "fan in"), int64(rapid.IntRange(0, 4).Draw(t, "segment"))
	ranks := len(in.script.ops)
	for call := range rapid.IntRange(1, 2).Draw(t, "calls") {
		bytes := rapid.IntRange(0, 12).Draw(t, "bytes")
		for r := 0; ranks > 1 && r < ranks; r++ {
			var do programs.Ops
			do.Combine((r+1)%ranks, 0, ranks, int64(bytes), 9, 1000+call)
			ops := in.script.ops[r]
			first := 0
			for i, op := range ops { // behind the calls before
				if op.Kind == programs.OpPut && op.Request >= 1000 {
					first = i + 1
				}
			}
			at := rapid.IntRange(first, len(ops)).Draw(t, "place")
			in.script.ops[r] = slices.Insert(slices.Clone(ops), at, do.List()[0])
		}
	}
	for r := range in.script.ops {
		for call := int32(0); ranks > 1 && call < 2; call++ {
			in.script.ops[r] = append(in.script.ops[r], programs.Op{Kind: programs.OpWait, Request: 1000 + call})
		}
	}
	return in
}

func TestReferenceCombining(t *testing.T) {
	must.Long(t)
	compare(t, 10, drawCombining)
}

// drawBackground draws a library whose processes share their cores with threads in
// the background, and do not compute.
func drawBackground(t *rapid.T) *instance { return drawWithBackground(t, numActions) }

func drawWithBackground(t *rapid.T, actions int) *instance {
	in := drawWithLibrary(t, actions)
	in.machine.Noise = nil
	// A process knows what a job leads to at its end. Through a network that takes no
	// time that could be all of a put, of which the slow version learns later.
	in.machine.Network.Latency = max(1, in.machine.Network.Latency)
	in.machine.Runtime.Bound = rapid.Bool().Draw(t, "bound")
	in.machine.Runtime.Waiting = machines.Waiting(rapid.IntRange(0, int(machines.Block)).Draw(t, "waiting"))
	in.machine.Slice = sim.Time(rapid.IntRange(1, 300).Draw(t, "slice"))
	in.background = rapid.IntRange(1, 3).Draw(t, "threads")
	for r, ops := range in.script.ops {
		in.script.ops[r] = slices.DeleteFunc(ops, func(op programs.Op) bool { return op.Kind == programs.OpCompute })
	}
	return in
}

func TestReferenceBackground(t *testing.T) {
	must.Long(t)
	compare(t, 5, drawBackground)
}
