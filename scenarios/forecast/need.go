package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
)

// Need is memory that a part of a run needs.
type Need struct {
	Key   string // of the scenario: what to change
	What  string // "16 million messages under way at 200 B"
	Bytes float64
}

// Ranks returns what the ranks of a run need, before their program is made.
func Ranks(ranks, phases int) Need {
	return part("ranks", int64(ranks), "ranks", nodes.RankBytes(phases))
}

// Cores returns what the contexts of a machine need in a run on that many nodes.
func Cores(m *machines.Machine, used int) Need {
	return part("machine.cores", int64(used)*int64(m.Contexts()), "hardware contexts", nodes.ContextBytes(m))
}

// Links returns what a fabric needs for the links of a topology.
func Links(links int, each int64) Need { return part("topology", int64(links), "links", each) }

// Queues returns what NICs need to remember the last messages of each rank, as many as may
// be inserted and not sent.
func (w *Work) Queues(limit int) Need {
	each := min(float64(limit), w.Messaged/float64(max(1, w.Ranks)))
	return part("machine.network.outstanding", int64(each*float64(w.Ranks)), "messages that NICs remember", 8)
}

// Messages returns what the operations of the largest step of a rank, and the messages
// that are under way at a time, need.
func (w *Work) Messages() []Need {
	return []Need{
		part("ranks", int64(w.Largest*float64(w.Ranks)), "operations in the steps of all ranks", nodes.OpBytes),
		part("ranks", int64(w.Open*float64(w.Ranks)), "messages under way", nodes.MessageBytes),
	}
}

// Timeline returns what the timeline of a run needs.
func (w *Work) Timeline() []Need {
	return []Need{
		part("--html, --svg or --trace", int64(w.Operations), "operations in a timeline", nodes.SpanBytes),
		part("--html, --svg or --trace", int64(w.Messaged), "messages in a timeline", nodes.RecordBytes),
	}
}

func part(key string, count int64, what string, each int64) Need {
	return Need{key, fmt.Sprintf("%s %s at %d B", short(float64(count)), what, each), float64(count) * float64(each)}
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
	Total   float64 // in bytes, at least
	Limit   Limit
}

func (e *TooMuch) Error() string {
	return fmt.Sprintf("the run needs at least %s of memory, most of it for %s, and there are %s (%s); change %s",
		gibibytes(e.Total), e.Largest.What, gibibytes(float64(e.Limit.Bytes)), e.Limit.From, e.Largest.Key)
}

func gibibytes(bytes float64) string { return fmt.Sprintf("%.3g GiB", bytes/(1<<30)) }

// worth is how much memory in bytes a run must need before the system is asked how much
// there is, which takes longer than a small run.
const worth = 64 << 20

// Check returns an error of type *TooMuch if the parts together need more than there is.
func Check(needs ...Need) error {
	total := 0.0
	for _, n := range needs {
		total += n.Bytes
	}
	if total < worth {
		return nil
	}
	return Memory().Check(needs...)
}

// Check returns an error of type *TooMuch if the parts together need more than there is.
func (l Limit) Check(needs ...Need) error {
	total := 0.0
	for _, n := range needs {
		total += n.Bytes
	}
	if l.Bytes <= 0 || total <= float64(l.Bytes) {
		return nil
	}
	return &TooMuch{slices.MaxFunc(needs, func(a, b Need) int { return cmp.Compare(a.Bytes, b.Bytes) }), total, l}
}

// Work is how much a program does, from samples of its ranks and steps.
type Work struct {
	Ranks      int
	Steps      float64 // of all ranks
	Operations float64 // of all ranks
	Messaged   float64 // messages that all ranks send
	Largest    float64 // operations of the largest step of a rank
	Open       float64 // messages of a rank that it has not waited for, at most
}

// The sample of a program: its cost is small beside that of any run.
const (
	sampledRanks = 5
	sampledSteps = 1 << 16
	sampledOps   = 1 << 16 // after so many operations no further step is asked for
)

// operationsPerSecond is how many operations are simulated in a second, at least: a slow run on
// a slow computer.
const operationsPerSecond = 500_000

// Seconds returns how long the work takes, as a bound from above that fits most runs.
func (w *Work) Seconds() float64 { return w.Operations / operationsPerSecond }

// Of looks at some ranks and steps of a program; false: it is not known before it runs.
func Of(p programs.Program) (*Work, bool) {
	if _, ok := p.(programs.Reactive); ok {
		return nil, false
	}
	n := p.Ranks()
	w := &Work{Ranks: n}
	count := min(n, sampledRanks)
	for i := range count {
		w.rank(p, i*(n-1)/max(1, count-1))
	}
	scale := float64(n) / float64(count)
	w.Steps, w.Operations, w.Messaged = w.Steps*scale, w.Operations*scale, w.Messaged*scale
	w.Largest, w.Open = w.Largest/float64(count), w.Open/float64(count)
	return w, true
}

// rank adds one rank: the number of its steps, and some of them.
func (w *Work) rank(p programs.Program, rank int) {
	var do programs.Ops
	steps := length(p, rank)
	w.Steps += float64(steps)
	asked, ops, sent, largest, open := 0, 0, 0, 0, 0
	requests := map[int32]bool{}
	for i := 0; i < min(steps, sampledSteps) && ops < sampledOps; i++ {
		do.Reset()
		p.Step(rank, i, &do)
		asked, ops, largest = asked+1, ops+len(do.List()), max(largest, len(do.List()))
		for _, op := range do.List() {
			if track(requests, op) {
				sent++
			}
			open = max(open, len(requests))
		}
	}
	if asked > 0 {
		w.Operations += float64(ops) * float64(steps) / float64(asked)
		w.Messaged += float64(sent) * float64(steps) / float64(asked)
	}
	w.Largest += float64(largest)
	w.Open += float64(open)
}

// track follows the requests of a rank's messages, and tells whether an operation sends
// one.
func track(requests map[int32]bool, op programs.Op) bool {
	switch op.Kind {
	case programs.OpPut, programs.OpGet, programs.OpSignal, programs.OpSend:
		requests[op.Request] = true
		return true
	case programs.OpWait:
		delete(requests, op.Request)
	}
	return false
}

// length is the number of steps of a rank: steps follow each other without gap, so it is
// found by doubling and halving.
func length(p programs.Program, rank int) int {
	var do programs.Ops
	has := func(step int) bool {
		do.Reset()
		return p.Step(rank, step, &do)
	}
	most := 1
	for has(most - 1) {
		if most > math.MaxInt/4 {
			return most
		}
		most *= 2
	}
	low, high := most/2, most-1 // the first low steps are there
	for low < high {
		if middle := (low + high + 1) / 2; has(middle - 1) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
