package nodes

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// instance is a random machine and a program for it.
type instance struct {
	machine *machines.Machine
	script  *script
	perNode int

	background int // threads next to each process
}

func (in *instance) String() string {
	m := in.machine
	s := fmt.Sprintf("%d per node, barrier %+v\n%+v\n", in.perNode, m.Barrier, m.Network)
	if m.Copying != nil {
		s += fmt.Sprintf("copying %+v\n", *m.Copying)
	}
	if m.Runtime != nil {
		s += fmt.Sprintf("runtime %+v, %d background threads, slice %d\n", *m.Runtime, in.background, m.Slice)
	}
	if m.Noise != nil {
		s += fmt.Sprintf("noise %+v\n", *m.Noise)
	}
	if m.IntraNode != nil {
		s += fmt.Sprintf("inside a node %+v\n", *m.IntraNode)
	}
	if m.Sockets != nil {
		s += fmt.Sprintf("sockets %+v\n", *m.Sockets)
	}
	if m.NICs != nil {
		s += fmt.Sprintf("NICs %+v\n", *m.NICs)
	}
	return s + in.script.String()
}

// points is how many end points of a fabric the NICs of all nodes need.
func (in *instance) points() int {
	return (len(in.script.ops) + in.perNode - 1) / in.perNode * in.machine.Rails()
}

// times draws times. Wide ones seldom coincide.
type times struct{ wide bool }

func (d times) draw(t *rapid.T, name string) sim.Time {
	if d.wide {
		return sim.Time(rapid.IntRange(0, 331).Draw(t, name))
	}
	return sim.Time(rapid.IntRange(0, 20).Draw(t, name))
}

func (d times) perByte(t *rapid.T, name string) float64 {
	if d.wide {
		return float64(rapid.IntRange(1, 61).Draw(t, name))
	}
	return float64(rapid.IntRange(0, 3).Draw(t, name))
}

func (d times) cost(t *rapid.T, name string) network.Cost {
	var c network.Cost
	from := 0
	for range rapid.IntRange(0, 2).Draw(t, name+" pieces") {
		c = append(c, network.Piece{From: int64(from), Base: d.draw(t, name), PerByte: d.perByte(t, name+" per byte")})
		from += rapid.IntRange(1, 15).Draw(t, name+" from")
	}
	return c
}

func drawMachine(t *rapid.T, d times) *machines.Machine {
	small := rapid.IntRange(0, 3)
	m := &machines.Machine{Name: "drawn", Cores: 4, Processes: 1, Network: network.LogGOPS{
		Latency: d.draw(t, "L"), SendOverhead: d.cost(t, "o send"), ReceiveOverhead: d.cost(t, "o receive"),
		Gap: d.draw(t, "g"), Transfer: d.cost(t, "G"), QueueDepth: small.Draw(t, "queue depth"),
		Outstanding: small.Draw(t, "outstanding"), PerPeer: rapid.IntRange(0, 1).Draw(t, "per peer"),
	}}
	m.Network.Early = rapid.IntRange(0, 3).Draw(t, "early?") == 3
	if rapid.Bool().Draw(t, "startup?") {
		m.Network.Startup = d.draw(t, "startup")
	}
	if rapid.Bool().Draw(t, "rendezvous?") {
		m.Network.Rendezvous = int64(rapid.IntRange(1, 15).Draw(t, "S"))
		if rapid.Bool().Draw(t, "asking?") {
			m.Network.Asking = d.cost(t, "asking")
		}
	}
	if rapid.Bool().Draw(t, "delivery?") {
		m.Network.Delivery = d.cost(t, "delivery")
	}
	if rapid.Bool().Draw(t, "inside a node?") {
		m.IntraNode = &machines.IntraNode{Latency: d.draw(t, "latency inside"), Copy: d.cost(t, "inside"),
			Threshold: int64(rapid.IntRange(0, 10).Draw(t, "threshold inside"))}
	}
	drawSockets(t, d, m)
	if seldom := rapid.IntRange(0, 3).Draw(t, "noise?"); seldom == 3 {
		length := rapid.IntRange(1, 20).Draw(t, "noise length")
		m.Noise = &machines.Noise{Rate: 1e12 / float64(length+rapid.IntRange(30, 300).Draw(t, "quiet")), Length: sim.Time(length)}
	}
	m.Barrier = machines.Barrier{Base: d.draw(t, "barrier base"), PerRound: d.draw(t, "barrier per round"), Inside: d.draw(t, "barrier inside")}
	return m
}

// drawSockets divides some nodes into sockets, and gives some several NICs.
func drawSockets(t *rapid.T, d times, m *machines.Machine) {
	if rapid.IntRange(0, 2).Draw(t, "sockets?") == 2 {
		m.Sockets = &machines.Sockets{Number: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "sockets"), Cyclic: rapid.Bool().Draw(t, "cyclic")}
		if m.IntraNode != nil && rapid.Bool().Draw(t, "across?") {
			m.IntraNode.Across = &machines.Across{Latency: d.draw(t, "latency across"), Copy: d.cost(t, "across")}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "NICs?") == 2 {
		uses := []machines.Use{machines.InBlocks, machines.RoundRobin, machines.Nearest, machines.Striped}
		m.NICs = &machines.NICs{Number: rapid.IntRange(1, 4).Draw(t, "NICs"), Use: rapid.SampledFrom(uses).Draw(t, "use"), Far: d.draw(t, "far")}
	}
}

func drawCopying(t *rapid.T, d times) *machines.Copying {
	c := &machines.Copying{
		SendPerByte: d.perByte(t, "O send"), ReceivePerByte: d.perByte(t, "O receive"),
		Buffer: int64(rapid.IntRange(1, 20).Draw(t, "buffer")), Interrupts: rapid.Bool().Draw(t, "interrupts"),
	}
	c.Chunk = int64(rapid.IntRange(1, int(c.Buffer)).Draw(t, "chunk"))
	if rapid.IntRange(0, 2).Draw(t, "window?") == 2 {
		c.Window = c.Chunk + int64(rapid.IntRange(0, 20).Draw(t, "window"))
	}
	if c.Interrupts {
		c.Interrupt = d.draw(t, "interrupt")
	}
	return c
}

// action is a line of the story from which the programs of all ranks are cut. Ranks that
// follow the story never block for ever; wildcards may spoil that.
type action struct {
	what       int
	rank, peer int
	bytes, tag int
	time       sim.Time
	anySource  bool
	anyTag     bool
}

const (
	actCompute = iota
	actPut
	actGet
	actSend
	actSignal
	actWait
	actTest
	actBarrier
	actPhase
	numActions
	actStart = numActions // in programs with schedules
)

func drawAction(t *rapid.T, d times, ranks, actions int) action {
	rank := rapid.IntRange(0, ranks-1)
	seldom := rapid.IntRange(0, 9)
	return action{
		what: rapid.IntRange(0, actions-1).Draw(t, "what"),
		rank: rank.Draw(t, "rank"), peer: rank.Draw(t, "peer"),
		bytes: rapid.IntRange(0, 20).Draw(t, "bytes"), tag: rapid.IntRange(0, 2).Draw(t, "tag"),
		time:      1 + d.draw(t, "time"),
		anySource: seldom.Draw(t, "any source") == 9, anyTag: seldom.Draw(t, "any tag") == 9,
	}
}

// author writes the programs.
type author struct {
	ops  [][]programs.Op
	open [][]int32 // by rank: requests to wait for
	next []int32

	schedules int32
}

func (w *author) add(r int, op programs.Op) { w.ops[r] = append(w.ops[r], op) }

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
		w.add(r, programs.Op{Kind: programs.OpCompute, Phase: uint8(a.bytes % 2), Amount: int64(a.time)}) // of half of them, of a collective
	case actPut:
		w.add(r, programs.Op{Kind: programs.OpPut, Peer: int32(a.peer), Amount: int64(a.bytes), Request: w.request(r)})
	case actGet:
		w.add(r, programs.Op{Kind: programs.OpGet, Peer: int32(a.peer), Amount: int64(a.bytes), Request: w.request(r)})
	case actSend:
		w.send(a, programs.OpSend)
	case actSignal:
		w.send(a, programs.OpSignal)
	case actTest:
		w.add(r, programs.Op{Kind: programs.OpTest, Request: int32(a.tag)})
	case actWait:
		if n := len(w.open[r]); n > 0 {
			w.wait(r, a.tag%n)
		}
	case actBarrier:
		for i := range w.ops {
			w.add(i, programs.Op{Kind: programs.OpBarrier})
		}
	case actStart:
		w.start(a)
	case actPhase:
		w.add(r, programs.Op{Kind: programs.OpPhase, Phase: uint8(a.tag)})
	}
}

func (w *author) send(a action, kind programs.OpKind) {
	source, tag := int32(a.rank), int32(a.tag)
	if a.anySource {
		source = programs.AnySource
	}
	if a.anyTag {
		tag = programs.AnyTag
	}
	w.add(a.peer, programs.Op{Kind: programs.OpReceive, Peer: source, Tag: tag, Request: w.request(a.peer)})
	w.add(a.rank, programs.Op{Kind: kind, Peer: int32(a.peer), Tag: int32(a.tag), Amount: int64(a.bytes), Request: w.request(a.rank)})
}

func (w *author) wait(r, i int) {
	w.add(r, programs.Op{Kind: programs.OpWait, Request: w.open[r][i]})
	w.open[r] = append(w.open[r][:i:i], w.open[r][i+1:]...)
}

// spoil removes an operation, so that a rank may wait for ever.
func (w *author) spoil(t *rapid.T) {
	r := rapid.IntRange(0, len(w.ops)-1).Draw(t, "spoilt rank")
	if n := len(w.ops[r]); n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "spoilt operation")
		if w.ops[r][i].Kind >= programs.OpStart {
			return
		}
		w.ops[r] = append(w.ops[r][:i], w.ops[r][i+1:]...)
	}
}

const drawnPhases = 3

func drawScript(t *rapid.T, d times, actions int) *script {
	ranks := rapid.SampledFrom([]int{2, 3, 4, 1, 5}).Draw(t, "ranks")
	w := &author{ops: make([][]programs.Op, ranks), open: make([][]int32, ranks), next: make([]int32, ranks)}
	least := rapid.SampledFrom([]int{1, 5, 15, 30}).Draw(t, "least story")
	story := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) action { return drawAction(t, d, ranks, actions) }), least, 40).Draw(t, "story")
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

func drawInstance(t *rapid.T, copying bool) *instance { return drawActions(t, copying, numActions) }

func drawActions(t *rapid.T, copying bool, actions int) *instance {
	d := times{rapid.Bool().Draw(t, "wide")}
	in := &instance{machine: drawMachine(t, d), perNode: rapid.IntRange(1, 3).Draw(t, "per node")}
	if copying {
		in.machine.Copying = drawCopying(t, d)
	}
	in.script = drawScript(t, d, actions)
	return in
}

// ways is how many orders of the events of one instant are tried.
const ways = 1500

// tally counts how cases were decided.
type tally struct{ cases, reordered, undecided int }

// check compares the engine with the reference. The engine's result must be the result of the rules
// with some order of the events of one instant. A case is undecided if that order matters and
// none of those tried is the engine's.
func (in *instance) check(t *rapid.T, sum *tally) {
	result, err := Run(in.machine, in.script, in.perNode, Options{Timeline: true, Background: in.background})
	got := in.fold(engineOutcome(result, err))
	first := in.fold(in.reference(inOrder))
	sum.cases++
	if err == nil {
		in.conserves(t, result)
	}
	switch {
	case got.equals(first):
	case err == nil && in.follow(newGuide(result.Timeline, in.machine.Runtime != nil || in.machine.Copying != nil || in.starts()), got),
		err != nil && in.search(got):
		sum.reordered++
	case in.unique(first):
		t.Fatalf("%vengine:\n%vreference:\n%v", in, got, first)
	default:
		sum.undecided++
	}
}

// unique tells whether the order of the events of one instant makes no difference.
func (in *instance) unique(first *outcome) bool {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		if !in.fold(in.reference(disorder(random))).equals(first) {
			return false
		}
	}
	return true
}

// search looks for an order that gives an outcome.
func (in *instance) search(want *outcome) bool {
	random := rand.New(rand.NewPCG(1, 2))
	for range ways {
		if in.fold(in.reference(disorder(random))).equals(want) {
			return true
		}
	}
	return false
}

// choice is one choice of a run between events of one instant.
type choice struct {
	now    sim.Time
	picked int
}

// follow searches for an order that gives an outcome and the timeline that belongs to it. After
// each failure it keeps the choices up to shortly before the run left the timeline.
func (in *instance) follow(g *guide, want *outcome) bool {
	var best []choice
	var farthest progress
	random := rand.New(rand.NewPCG(1, 2))
	for range ways {
		s, log := in.replay(g, best[:before(best, random)], disorder(random))
		if s.lost == sim.Forever && in.fold(s.outcome()).equals(want) {
			return true
		}
		if reached := s.reached(); !reached.before(farthest) {
			farthest, best = reached, log
		}
	}
	return false
}

// replay makes the given choices, then leaves the rest to others. It returns all choices.
func (in *instance) replay(g *guide, given []choice, others chooser) (*reference, []choice) {
	var log []choice
	s := in.newReference(nil)
	s.guide = g
	s.choose = func(who []refLane) int {
		c := choice{now: s.now}
		if len(log) < len(given) {
			c = given[len(log)]
		} else {
			c.picked = others(who)
		}
		log = append(log, c)
		return c.picked
	}
	s.run()
	return s, log
}

// before returns how many choices to keep: none, any number, all except a few, or all except
// the events of the last instant.
func before(log []choice, random *rand.Rand) int {
	n := len(log)
	switch random.IntN(4) {
	case 0:
		return 0
	case 1:
		return random.IntN(n + 1)
	case 2:
		return max(0, n-1-random.IntN(8))
	}
	for n > 0 && log[n-1].now == log[len(log)-1].now {
		n--
	}
	return n
}

func (in *instance) newReference(choose chooser) *reference {
	s := newReference(in.machine, in.script.ops, in.perNode, in.script.phases, choose)
	if rt := in.machine.Runtime; rt != nil && rt.Bound {
		s.sharing = in.background
	} else if in.background > 0 {
		for s.sharing = 0; (s.sharing+1)*in.machine.Cores < in.perNode*(1+in.background); s.sharing++ {
		}
	}
	return s
}

func (in *instance) reference(choose chooser) *outcome {
	s := in.newReference(choose)
	s.run()
	return s.outcome()
}

// inOrder lets events happen before ranks go on, and ranks in order.
func inOrder([]refLane) int { return 0 }

// disorder makes more or fewer exceptions from inOrder. A rank or lane that has just acted goes
// on as far as possible, or does not.
func disorder(random *rand.Rand) chooser {
	if random.IntN(3) == 0 {
		return preferring(random)
	}
	exceptions := 1 / float64(int(1)<<random.IntN(5))
	sticky := [...]float64{0, 0.5, 0.9, 1}[random.IntN(4)]
	var last refLane
	return func(who []refLane) int {
		i := slices.Index(who, last)
		if i < 0 || random.Float64() >= sticky {
			i = 0
			if random.Float64() < exceptions {
				i = random.IntN(len(who))
			}
		}
		last = who[i]
		return i
	}
}

// preferring draws preferences among ranks and lanes, and keeps them for a while.
func preferring(random *rand.Rand) chooser {
	change := 1 / float64(int(1)<<random.IntN(8))
	preference := map[refLane]float64{}
	return func(who []refLane) int {
		if random.Float64() < change {
			clear(preference)
		}
		best := 0
		for i, w := range who {
			if _, ok := preference[w]; !ok {
				preference[w] = random.Float64()
			}
			if preference[w] > preference[who[best]] {
				best = i
			}
		}
		return best
	}
}

// fold adds up terms of waits between which the rules leave time open.
func (in *instance) fold(o *outcome) *outcome {
	open := in.open()
	if open == nil {
		return o
	}
	f := *o
	f.ledgers = nil
	for _, phases := range o.ledgers {
		var merged []results.Ledger
		for _, l := range phases {
			for _, term := range open {
				l[results.NICStall] += l[term]
				l[term] = 0
			}
			merged = append(merged, l)
		}
		f.ledgers = append(f.ledgers, merged)
	}
	return &f
}

// open returns the terms of waits that the rules leave open: of messages in chunks, the time
// between two chunks until the CPU that must act begins. Whether that is missing progress decides whether it is for the other side.
func (in *instance) open() []results.Term {
	if rt := in.machine.Runtime; rt != nil && (rt.Progress.By == machines.Thread || rt.Waiting == machines.Block || in.background > 0) &&
		in.streams() {
		return []results.Term{results.Progress, results.Overhead, results.Partner}
	}
	return nil
}

// streams tells whether messages may travel in chunks or fragments.
func (in *instance) streams() bool {
	limit := in.machine.Network.Rendezvous
	for _, ops := range in.script.ops {
		for _, op := range ops {
			if op.Kind == programs.OpSend && limit > 0 && op.Amount > limit && (op.Strided || in.machine.Runtime.Rendezvous == machines.Pipelined) {
				return true
			}
		}
	}
	return in.machine.Copying != nil
}

// enough returns how many cases a test must have compared, of those that a full run must compare:
// with -short only a fifth is drawn.
func enough(cases int) int {
	if testing.Short() {
		return cases / 10
	}
	return cases
}

// sample returns how many hundreds of random cases a test draws: all where EVERY_TEST is set, else a third.
func sample(hundreds int) int {
	if os.Getenv("EVERY_TEST") != "" {
		return hundreds
	}
	return (hundreds + 2) / 3
}

// compare checks some thousand cases. Nearly all of those with ties must be decided.
func compare(t *testing.T, hundreds int, draw func(*rapid.T) *instance) {
	var sum tally
	often(t, sample(hundreds), func(t *rapid.T) { draw(t).check(t, &sum) })
	t.Logf("%d cases, %d only in another order, %d undecided", sum.cases, sum.reordered, sum.undecided)
	if byChance := 3; sum.undecided > sum.cases/200+byChance {
		t.Errorf("%d of %d cases are undecided", sum.undecided, sum.cases)
	}
}

func drawRDMA(t *rapid.T) *instance   { return drawInstance(t, false) }
func drawCopied(t *rapid.T) *instance { return drawInstance(t, true) }

func TestReferenceRDMA(t *testing.T) {
	must.Long(t)
	compare(t, 25, drawRDMA)
}

// FuzzReference compares machines with RDMA, without it and with a library.
func FuzzReference(f *testing.F) {
	draws := []func(*rapid.T) *instance{drawRDMA, drawCopied, drawLibrary}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { rapid.SampledFrom(draws).Draw(t, "kind")(t).check(t, new(tally)) }))
}

// often checks a property on some hundred random cases. Each hundred has a seed, also where the first
// one is given: CI gives the number of the commit, so that it draws the same cases for a commit each time
// and others for the next one.
func often(t *testing.T, hundreds int, property func(*rapid.T)) {
	seed := flag.Lookup("rapid.seed")
	given := seed.Value.String()
	first, _ := strconv.ParseUint(given, 10, 64)
	for i := range hundreds {
		if first > 0 {
			seed.Value.Set(strconv.FormatUint(first+uint64(i)<<32, 10))
		}
		rapid.Check(t, property)
	}
	seed.Value.Set(given)
}
