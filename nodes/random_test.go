package nodes

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"overlapsim/network"
	"overlapsim/sim"

	"pgregory.net/rapid"
)

// instance is a random machine and a program for it.
type instance struct {
	machine *Machine
	script  *script
	perNode int
}

func (in *instance) String() string {
	m := in.machine
	s := fmt.Sprintf("%d per node, barrier %+v\n%+v\n", in.perNode, m.Barrier, m.Network)
	if m.Copying != nil {
		s += fmt.Sprintf("copying %+v\n", *m.Copying)
	}
	if m.IntraNode != nil {
		s += fmt.Sprintf("inside a node %+v\n", *m.IntraNode)
	}
	return s + in.script.String()
}

// times draws times; wide ones seldom coincide.
type times struct{ wide bool }

func (d times) draw(t *rapid.T, name string) sim.Time {
	if d.wide {
		return sim.Time(rapid.IntRange(0, 331).Draw(t, name))
	}
	return sim.Time(rapid.IntRange(0, 20).Draw(t, name))
}

func (d times) cost(t *rapid.T, name string) network.Cost {
	var c network.Cost
	from := 0
	for range rapid.IntRange(0, 2).Draw(t, name+" pieces") {
		c = append(c, network.Piece{From: int64(from), Base: d.draw(t, name), PerByte: float64(rapid.IntRange(0, 3).Draw(t, name+" per byte"))})
		from += rapid.IntRange(1, 15).Draw(t, name+" from")
	}
	return c
}

func drawMachine(t *rapid.T, d times) *Machine {
	small := rapid.IntRange(0, 3)
	m := &Machine{Name: "drawn", Cores: 4, Processes: 1, Network: network.LogGOPS{
		Latency: d.draw(t, "L"), SendOverhead: d.cost(t, "o send"), ReceiveOverhead: d.cost(t, "o receive"),
		Gap: d.draw(t, "g"), Transfer: d.cost(t, "G"), QueueDepth: small.Draw(t, "queue depth"),
		Outstanding: small.Draw(t, "outstanding"), PerPeer: rapid.IntRange(0, 1).Draw(t, "per peer"),
	}}
	if rapid.Bool().Draw(t, "startup?") {
		m.Network.Startup = d.draw(t, "startup")
	}
	if rapid.Bool().Draw(t, "rendezvous?") {
		m.Network.Rendezvous = int64(rapid.IntRange(1, 15).Draw(t, "S"))
	}
	if rapid.Bool().Draw(t, "inside a node?") {
		m.IntraNode = &IntraNode{Latency: d.draw(t, "latency inside"), PerByte: float64(small.Draw(t, "per byte inside"))}
	}
	m.Barrier = Barrier{d.draw(t, "barrier base"), d.draw(t, "barrier per round")}
	return m
}

func drawCopying(t *rapid.T, d times) *Copying {
	small := rapid.IntRange(0, 3)
	c := &Copying{
		SendPerByte: float64(small.Draw(t, "O send")), ReceivePerByte: float64(small.Draw(t, "O receive")),
		Buffer: int64(rapid.IntRange(1, 20).Draw(t, "buffer")), Interrupts: rapid.Bool().Draw(t, "interrupts"),
	}
	c.Chunk = int64(rapid.IntRange(1, int(c.Buffer)).Draw(t, "chunk"))
	if c.Interrupts {
		c.Interrupt = d.draw(t, "interrupt")
	}
	return c
}

// action is a line of the story from which the programs of all ranks are cut.
// Whoever follows the story never blocks for ever; wildcards may spoil it.
type action struct {
	what       int
	rank, peer int
	bytes, tag int
	time       sim.Time
	anySource  bool
	anyTag     bool
	first      bool // the receive before the send
}

const (
	actCompute = iota
	actPut
	actSend
	actWait
	actBarrier
	actPhase
	numActions
)

func drawAction(t *rapid.T, d times, ranks int) action {
	rank := rapid.IntRange(0, ranks-1)
	seldom := rapid.IntRange(0, 9)
	return action{
		what: rapid.IntRange(0, numActions-1).Draw(t, "what"),
		rank: rank.Draw(t, "rank"), peer: rank.Draw(t, "peer"),
		bytes: rapid.IntRange(0, 20).Draw(t, "bytes"), tag: rapid.IntRange(0, 2).Draw(t, "tag"),
		time:      1 + d.draw(t, "time"),
		anySource: seldom.Draw(t, "any source") == 9, anyTag: seldom.Draw(t, "any tag") == 9,
	}
}

// author writes the programs.
type author struct {
	ops  [][]Op
	open [][]int32 // by rank: requests to wait for
	next []int32
}

func (w *author) add(r int, op Op) { w.ops[r] = append(w.ops[r], op) }

func (w *author) request(r int) int32 {
	q := w.next[r]
	w.next[r]++
	w.open[r] = append(w.open[r], q)
	return q
}

func (w *author) write(a action) {
	r := a.rank
	switch a.what {
	case actCompute:
		w.add(r, Op{Kind: OpCompute, Amount: int64(a.time)})
	case actPut:
		w.add(r, Op{Kind: OpPut, Peer: int32(a.peer), Amount: int64(a.bytes), Request: w.request(r)})
	case actSend:
		w.send(a)
	case actWait:
		if n := len(w.open[r]); n > 0 {
			w.wait(r, a.tag%n)
		}
	case actBarrier:
		for i := range w.ops {
			w.add(i, Op{Kind: OpBarrier})
		}
	case actPhase:
		w.add(r, Op{Kind: OpPhase, Phase: uint8(a.tag)})
	}
}

func (w *author) send(a action) {
	source, tag := int32(a.rank), int32(a.tag)
	if a.anySource {
		source = AnySource
	}
	if a.anyTag {
		tag = AnyTag
	}
	w.add(a.peer, Op{Kind: OpReceive, Peer: source, Tag: tag, Request: w.request(a.peer)})
	w.add(a.rank, Op{Kind: OpSend, Peer: int32(a.peer), Tag: int32(a.tag), Amount: int64(a.bytes), Request: w.request(a.rank)})
}

func (w *author) wait(r, i int) {
	w.add(r, Op{Kind: OpWait, Request: w.open[r][i]})
	w.open[r] = append(w.open[r][:i:i], w.open[r][i+1:]...)
}

// spoil removes an operation, so that somebody may wait for ever.
func (w *author) spoil(t *rapid.T) {
	r := rapid.IntRange(0, len(w.ops)-1).Draw(t, "spoilt rank")
	if n := len(w.ops[r]); n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "spoilt operation")
		w.ops[r] = append(w.ops[r][:i], w.ops[r][i+1:]...)
	}
}

const drawnPhases = 3

func drawScript(t *rapid.T, d times) *script {
	ranks := rapid.SampledFrom([]int{2, 3, 4, 1, 5}).Draw(t, "ranks")
	w := &author{ops: make([][]Op, ranks), open: make([][]int32, ranks), next: make([]int32, ranks)}
	least := rapid.SampledFrom([]int{1, 5, 15, 30}).Draw(t, "least story")
	story := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) action { return drawAction(t, d, ranks) }), least, 40).Draw(t, "story")
	for _, a := range story {
		w.write(a)
	}
	for r := range w.ops {
		for len(w.open[r]) > 0 && rapid.IntRange(0, 7).Draw(t, "wait in the end") < 7 {
			w.wait(r, 0)
		}
	}
	if rapid.IntRange(0, 19).Draw(t, "spoil") == 19 {
		w.spoil(t)
	}
	return &script{drawnPhases, w.ops, rapid.IntRange(1, 3).Draw(t, "operations per step")}
}

func drawInstance(t *rapid.T, copying bool) *instance {
	d := times{rapid.Bool().Draw(t, "wide")}
	in := &instance{machine: drawMachine(t, d), perNode: rapid.IntRange(1, 3).Draw(t, "per node")}
	if copying {
		in.machine.Copying = drawCopying(t, d)
	}
	in.script = drawScript(t, d)
	return in
}

func (in *instance) reference(choose func(int) int) *outcome {
	s := newReference(in.machine, in.script.ops, in.perNode, in.script.phases, choose)
	s.run()
	return s.outcome()
}

// ways is how many orders of what happens at the same instant are tried.
const ways = 3000

var tally = map[string]int{}

// check compares the engine with the reference: what the engine gives must be
// what the rules give in some order of the things of one instant.
func (in *instance) check(t *rapid.T) {
	got := engineOutcome(Run(in.machine, in.script, in.perNode, Options{}))
	first := in.reference(func(int) int { return 0 })
	normal := func(o *outcome) *outcome { return o }
	if in.machine.Copying != nil || true {
		normal = fold
	}
	got = normal(got)
	for _, ops := range in.script.ops {
		tally["ops"] += len(ops)
		for _, op := range ops {
			if op.Kind == OpPut || op.Kind == OpSend {
				tally["msg"]++
			}
		}
	}
	if normal(first).equals(got) {
		tally["first"]++
		if got.failure != "" {
			tally[got.failure]++
		}
		return
	}
	var others []*outcome
	for i := range ways {
		o := normal(in.reference(disorder(i)))
		if o.equals(got) {
			tally["other"]++
			return
		}
		if !o.equals(first) {
			others = append(others, o)
		}
		if i == 40 && len(others) == 0 {
			break
		}
	}
	t.Fatalf("%vengine:\n%vreference:\n%v(other outcomes: %d of %d)", in, got, first, len(others), ways)
}

// disorder is the first order with more or fewer exceptions.
func disorder(seed int) func(int) int {
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	exceptions := 1 / float64(int(1)<<(seed%7))
	return func(n int) int {
		if random.Float64() < exceptions {
			return random.IntN(n)
		}
		return 0
	}
}

// fold puts the terms of waits together.
func fold(o *outcome) *outcome {
	f := *o
	f.hidden = make([]sim.Time, len(o.hidden))
	f.ledgers = nil
	for _, phases := range o.ledgers {
		var folded []Ledger
		for _, l := range phases {
			for _, term := range []Term{Progress, Transfer, Contention, Latency, Partner} {
				l[NICStall] += l[term]
				l[term] = 0
			}
			folded = append(folded, l)
		}
		f.ledgers = append(f.ledgers, folded)
	}
	return &f
}

func TestReferenceRDMA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { drawInstance(t, false).check(t) })
	t.Log(tally)
}

func TestReferenceCopying(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { drawInstance(t, true).check(t) })
	t.Log(tally)
}
