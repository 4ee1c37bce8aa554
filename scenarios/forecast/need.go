package forecast

import (
	"fmt"
	"math"
	"reflect"
	"sync"

	"overlapsim/nodes"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/workloads/experiments"
)

// Need is memory that a part of a run needs.
type Need struct {
	Key    string // of the scenario: what to change
	What   string // "messages in flight"
	Count  int64  // of What; 0: Bytes are for all of it together
	Each   int64  // bytes of one
	Bytes  float64
	More   float64 // next to Bytes, which most runs take and some do without
	AtMost bool    // an upper limit: all ranks would need their most at the same time
}

// Ranks returns what the ranks of a run and their nodes need, before their program is made.
func Ranks(ranks, used, phases int) []Need {
	return []Need{
		part("ranks", float64(ranks), "ranks", nodes.RankBytes(phases)),
		part("ranks", float64(used), "nodes", nodes.NodeBytes),
	}
}

// Results returns what ranks need that are not simulated.
func Results(ranks int) Need {
	return part("ranks", float64(ranks), "ranks in the result", nodes.ResultBytes)
}

// Regions returns what ranks need more in a run on several cores.
func Regions(ranks int) Need {
	return part("ranks", float64(ranks), "ranks in regions", nodes.RegionBytes)
}

// Cores returns what the contexts of a machine need in a run on n nodes.
func Cores(m *machines.Machine, used int) Need {
	return part("machine.cores", float64(used)*float64(m.Contexts()), "hardware contexts", nodes.ContextBytes(m))
}

// Links returns what a fabric needs for the links of a topology.
func Links(links int, each int64) Need { return part("topology", float64(links), "links", each) }

// Nodes returns what a fabric needs for the nodes of a topology.
func Nodes(nodes int, each int64) Need {
	return part("topology", float64(nodes), "nodes of the topology", each)
}

// Queues returns what NICs need to remember the last messages of each rank, as many as may
// be inserted and not sent.
func (w *Work) Queues(limit int) Need {
	each := min(float64(limit), w.Messaged/float64(max(1, w.Ranks)))
	return part("machine.network.outstanding", each*float64(w.Ranks), "messages that NICs remember", 8)
}

// Messages returns what the operations of the largest step of a rank, and the messages
// that are under way at a time, need.
func (w *Work) Messages(m *machines.Machine) []Need {
	needs := []Need{
		part("ranks", w.Largest*float64(w.Ranks), "operations in the steps of all ranks", nodes.OpBytes),
		part("ranks", w.Open*float64(w.Ranks), "messages under way", nodes.MessageBytes),
		part("ranks", w.Posted*float64(w.Ranks), "receives without a message", nodes.ReceiveBytes),
	}
	needs[1].AtMost, needs[2].AtMost = true, true
	needs[1].More = w.Open * float64(w.Ranks) * float64(nodes.StagingBytes(m))
	return needs
}

// Streams returns what a run on the streams of GPUs needs, and what it records of them.
func Streams(l experiments.Load, recorded bool) []Need {
	key := "workload." + l.Key
	written := l.Written
	if written == 0 {
		written = l.Operations
	}
	needs := []Need{
		part(key, l.Operations, "operations on streams of GPUs", streams.OpBytes),
		part(key, written, "different operations on streams of GPUs", streams.WrittenBytes),
		part("ranks", float64(l.Streams)*float64(l.Kinds), "streams by kinds of operations", streams.LedgerBytes),
	}
	if recorded {
		needs = append(needs, part(key, float64(l.Operations), "operations in a timeline of streams", streams.SpanBytes))
	}
	return needs
}

// keptOperations is for how many operations of each rank a critical path keeps what led to
// them, before what leads to nothing any more is forgotten: measured on halo exchanges.
const keptOperations = 256

// Path returns what a critical path takes. It forgets, so it is no reason to refuse a run.
func (w *Work) Path() Need {
	kept := min(w.Operations, keptOperations*float64(w.Ranks))
	return Need{Key: "--gradient", What: "a critical path", More: kept * float64(nodes.PathBytes)}
}

// Timeline returns what the timeline of a run needs, or the part of it that memory holds if
// there is a file for the rest.
func (w *Work) Timeline(spills bool) []Need {
	spans, messages := w.Operations, w.Messaged
	if spills {
		spans, messages = min(spans, float64(nodes.SpansInMemory(w.Ranks))), min(messages, nodes.RecordsInMemory)
	}
	return []Need{
		part("--html, --figure or --trace", spans, "operations in a timeline", nodes.SpanBytes),
		part("--html, --figure or --trace", messages, "messages in a timeline", nodes.RecordBytes),
	}
}

// part is a need of this many bytes for each of any number of items.
func part(key string, count float64, what string, each int64) Need {
	return Need{Key: key, What: what, Count: int64(min(count, 1<<62)), Each: each, Bytes: count * float64(each)}
}

// String returns "16 million messages in flight at 200 B".
func (n Need) String() string {
	if n.Count == 0 {
		return n.What
	}
	return fmt.Sprintf("%s %s at %d B", short(float64(n.Count)), n.What, n.Each)
}

// short writes a count for people: 384 million.
func short(count float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}} {
		if count >= unit.size {
			return fmt.Sprintf("%.3g%s", count/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f", count)
}

// TooMuch says that a run needs more memory than there is.
type TooMuch struct {
	Largest Need    // the largest part
	Total   float64 // in bytes
	AtMost  bool    // the total is an upper limit, and what is sure to be needed is there
	Limit   Limit
}

func (e *TooMuch) Error() string {
	needs, when := "needs at least", ""
	if e.AtMost {
		needs, when = "may need up to", " if all ranks have theirs at once"
	}
	return fmt.Sprintf("the run %s %s of memory, most of it for %s%s, and there are %s (%s); change %s",
		needs, gibibytes(e.Total), e.Largest, when, gibibytes(float64(e.Limit.Bytes)), e.Limit.From, e.Largest.Key)
}

func gibibytes(bytes float64) string { return fmt.Sprintf("%.3g GiB", bytes/(1<<30)) }

// worth is how much memory in bytes a run must need before the free memory of the system is read,
// which takes longer than a small run.
const worth = 64 << 20

// Check returns an error of type *TooMuch if the parts together need more than there is.
func Check(needs ...Need) error {
	if all, _ := sum(needs); all < worth {
		return nil
	}
	return Memory().Check(needs...)
}

// sum adds up all needs, and those that are no upper limits.
func sum(needs []Need) (all, sure float64) {
	for _, n := range needs {
		all += n.Bytes
		if !n.AtMost {
			sure += n.Bytes
		}
	}
	return all, sure
}

// The memory of the program itself, and how much more than what it uses the garbage
// collector lets it take: between nothing and as much again, here in the middle. Near the
// limit of memory it takes nothing more.
const (
	program   = 16 << 20
	collected = 1.5
)

// Taken returns the memory in bytes that a run with these needs will take from the system,
// where there is enough.
func Taken(needs ...Need) float64 {
	all, _ := sum(needs)
	for _, n := range needs {
		all += n.More
	}
	return program + collected*all
}

// Check returns an error of type *TooMuch if the parts together need more than there is.
func (l Limit) Check(needs ...Need) error {
	all, sure := sum(needs)
	if l.Bytes <= 0 || all <= float64(l.Bytes) {
		return nil
	}
	e := &TooMuch{Total: all, AtMost: sure <= float64(l.Bytes), Limit: l}
	if !e.AtMost {
		e.Total = sure
	}
	for _, n := range needs {
		if n.Bytes > e.Largest.Bytes && (e.AtMost || !n.AtMost) {
			e.Largest = n
		}
	}
	return e
}

// Work is how much a program does, from samples of its ranks and steps.
type Work struct {
	Ranks      int
	Steps      float64 // of all ranks
	Operations float64 // of all ranks
	Messaged   float64 // messages that all ranks send
	Largest    float64 // operations of the largest step of a rank
	Open       float64 // messages of a rank that it has not waited for, at most
	Posted     float64 // the same of its receives
}

// The sample of a program: its cost is small compared with the cost of any run.
const (
	sampledRanks = 5
	sampledSteps = 1 << 16
	sampledOps   = 1 << 16 // the forecast reads no further step after this many operations
)

// Effort is how many operations runs simulate, and how many seconds that takes, one after the other.
type Effort struct{ Operations, Seconds float64 }

// Processed and Streamed are the efforts of operations of processes, and on the streams of GPUs.
func Processed(operations float64) Effort {
	return Effort{operations, operations / operationsPerSecond}
}
func Streamed(operations float64) Effort { return Effort{operations, operations / streamedPerSecond} }

// Effort returns the effort of the program on a machine, without the pieces of messages and without contention.
func (w *Work) Effort(m *machines.Machine) Effort {
	e := Processed(w.Operations)
	if m.Sharing != nil { // each change on a core meets all its contexts
		e.Seconds += w.Operations * float64(max(1, m.Sharing.Contexts)) / contextsPerSecond
	}
	return e
}

// Moved is the effort of moving the operations of a program, beside that of running it.
func Moved(operations float64) Effort { return Effort{Seconds: operations / movedPerSecond} }

// Plus returns the effort of both.
func (e Effort) Plus(o Effort) Effort {
	return Effort{e.Operations + o.Operations, e.Seconds + o.Seconds}
}

// Times returns the effort of n such programs.
func (e Effort) Times(n float64) Effort { return Effort{e.Operations * n, e.Seconds * n} }

// operationsPerSecond is how many operations are simulated in a second without contention: 2 to 8 million in random scenarios
// (TestForecastOfTime), fewest with many ranks, whose state no cache holds.
const operationsPerSecond = 2_500_000

// contextsPerSecond is how many contexts of cores with thousands of them are looked at in a second, on its own core.
const contextsPerSecond = 50_000_000

// movedPerSecond is how many operations are moved in a second: 300,000 to a million with whole messages, and with a million
// pieces that travel as computation goes on.
const movedPerSecond = 600_000

// streamedPerSecond is the same for operations on the streams of GPUs, the building of their graph included: 320,000 to
// 360,000 in steps of training with 0.3 to 18 million operations.
const streamedPerSecond = 340_000

// Of looks at some ranks and steps of a program; false: it is not known before it runs.
func Of(p programs.Program) (*Work, bool) {
	w, _ := look(p)
	return w, w != nil
}

// look is Of; nil: it is not known. It also returns how many operations the steps had that it asked for in the sample.
func look(p programs.Program) (w *Work, asked int) {
	if _, ok := p.(programs.Reactive); ok {
		return nil, 0
	}
	n := p.Ranks()
	w = &Work{Ranks: n}
	count, steps := min(n, sampledRanks), 0
	for i := range count {
		var ops int
		steps, ops = w.rank(p, i*(n-1)/max(1, count-1), steps)
		asked += ops
	}
	scale := float64(n) / float64(count)
	w.Steps, w.Operations, w.Messaged = w.Steps*scale, w.Operations*scale, w.Messaged*scale
	w.Largest, w.Open, w.Posted = w.Largest/float64(count), w.Open/float64(count), w.Posted/float64(count)
	return w, asked
}

// Foreseen remembers what programs do: the one that it was last asked about, and some with very large steps. It may be asked by several
// goroutines, also for a scenario with other settings.
type Foreseen struct {
	lock  sync.Mutex
	last  foreseen
	large []foreseen
}

type foreseen struct {
	program programs.Program
	work    *Work // nil: not known
}

// A program is large if the forecast read more operations than these. This many large ones are remembered.
const (
	largeSample = 4 * sampledRanks * sampledOps
	mostLarge   = 4
)

// Of is [Of], which looks at a program once, and at no large one that is equal to another. The work is shared.
func (f *Foreseen) Of(p programs.Program) (*Work, bool) {
	if !reflect.ValueOf(p).Comparable() {
		return Of(p)
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.last.program != p {
		f.last = f.of(p)
	}
	return f.last.work, f.last.work != nil
}

// of returns what a program does that is not the last one.
func (f *Foreseen) of(p programs.Program) foreseen {
	for _, one := range f.large {
		if reflect.DeepEqual(one.program, p) {
			return foreseen{p, one.work}
		}
	}
	w, asked := look(p)
	if asked > largeSample {
		f.large = append(f.large[max(0, len(f.large)+1-mostLarge):], foreseen{p, w})
	}
	return foreseen{p, w}
}

// Few returns what some of the ranks do.
func (w *Work) Few(ranks int) *Work {
	few, share := *w, float64(ranks)/float64(w.Ranks)
	few.Ranks = ranks
	few.Steps, few.Operations, few.Messaged = w.Steps*share, w.Operations*share, w.Messaged*share
	return &few
}

// rank adds one rank: the number of its steps, which it returns, and the operations of some of them. Another rank has as many as are expected.
func (w *Work) rank(p programs.Program, rank, expected int) (steps, ops int) {
	var do programs.Ops
	asked, largest := 0, 0
	open := requests{sent: map[int32]bool{}, received: map[int32]bool{}}
	for asked < sampledSteps && ops < sampledOps {
		do.Reset()
		if !p.Step(rank, asked, &do) {
			break
		}
		asked, ops, largest = asked+1, ops+len(do.List()), max(largest, len(do.List()))
		for _, op := range do.List() {
			open.follow(op)
		}
	}
	steps = length(p, rank, asked, expected)
	w.Steps += float64(steps)
	if asked > 0 {
		w.Operations += float64(ops) * float64(steps) / float64(asked)
		w.Messaged += float64(open.messages) * float64(steps) / float64(asked)
	}
	w.Largest += float64(largest)
	w.Open += float64(open.mostSent)
	w.Posted += float64(open.mostReceived)
	return steps, ops
}

// requests are those that a rank has not waited for.
type requests struct {
	sent, received         map[int32]bool
	mostSent, mostReceived int
	messages               int // in all
}

// follow books an operation.
func (r *requests) follow(op programs.Op) {
	switch op.Kind {
	case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
		r.sent[op.Request] = true
		r.messages++
	case programs.OpReceive:
		r.received[op.Request] = true
	case programs.OpWait:
		delete(r.sent, op.Request)
		delete(r.received, op.Request)
	}
	r.mostSent, r.mostReceived = max(r.mostSent, len(r.sent)), max(r.mostReceived, len(r.received))
}

// length is the number of steps of a rank that has at least some, and maybe as many as are expected. Steps follow each other
// without gap, so it is found by doubling and halving. A step may have millions of operations, so few are asked for.
func length(p programs.Program, rank, least, expected int) int {
	var do programs.Ops
	has := func(step int) bool {
		do.Reset()
		return p.Step(rank, step, &do)
	}
	if !has(least) {
		return least
	}
	if expected > least && !has(expected) && (expected-1 == least || has(expected-1)) {
		return expected
	}
	low, most := least+1, 2*(least+1) // the first low steps are there
	for has(most - 1) {
		if low = most; most > math.MaxInt/4 {
			return most
		}
		most *= 2
	}
	for high := most - 1; low < high; {
		if middle := low + (high-low+1)/2; has(middle - 1) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
