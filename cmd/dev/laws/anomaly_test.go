package laws

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// Anomaly is a kind of runs that a law expects otherwise, with the reason.
type Anomaly struct {
	Law, Why string
	Times    int
	Above    int     // how many are off by more than 5 %
	Most     float64 // the largest, relative to the makespan
	Number   uint64  // of the case with the largest
	Message  string  // of that case
	Case     Case
}

// Text is the anomaly as a kept case.
func (a *Anomaly) Text() string {
	return string(a.Case.Archive(fmt.Sprintf("law %s, anomaly: %s\n%s\n", a.Law, a.Why, a.Message)))
}

// File is the name of the kept case.
func (a *Anomaly) File() string {
	return fmt.Sprintf("anomaly-%s-%s-%d.txtar", a.Law, strings.ReplaceAll(a.Why, " ", "-"), a.Number)
}

// mostUnexplained is the largest anomaly that needs no reason.
const mostUnexplained = 0.05

// odd is an anomaly of one case.
type odd struct {
	error
	why  string
	size float64
}

func isOdd(err error) bool {
	var o *odd
	return errors.As(err, &o)
}

// count adds an anomaly to the anomalies of the same law and reason.
func (w *hunter) count(law Law, err error, number uint64, c Case) {
	var o *odd
	errors.As(err, &o)
	a := &Anomaly{Law: law.Name, Why: o.why, Times: 1, Most: o.size, Number: number, Message: o.Error(), Case: c}
	if o.size > mostUnexplained {
		a.Above = 1
	}
	w.odd[law.Name+": "+o.why] = a.and(w.odd[law.Name+": "+o.why])
}

// and joins anomalies of the same kind.
func (a *Anomaly) and(b *Anomaly) *Anomaly {
	if b == nil {
		return a
	}
	if b.Most > a.Most || b.Most == a.Most && b.Number < a.Number {
		a, b = b, a
	}
	both := *a
	both.Times, both.Above = a.Times+b.Times, a.Above+b.Above
	return &both
}

// unexplained is what has no reason.
const unexplained = "unexplained"

// anomaly says why one of two cases is longer than expected. If nothing explains it, and it is large, the law is broken.
func (t *trial) anomaly(a, b Case, size float64, message string) error {
	why := t.reason(a, b)
	if why == unexplained && t.byTies(size, a, b) {
		why = "what happens at the same moment goes in another order"
	}
	if why == unexplained && size > mostUnexplained {
		return fmt.Errorf("%s, and all happens in the same order", message)
	}
	return &odd{errors.New(message), why, size}
}

// reason says what two runs do in a different order, or share. As long as each resource serves the same in the same order and at a
// separate rate, a run is a graph of times that add up, and nothing becomes longer when one of them becomes shorter.
func (t *trial) reason(a, b Case) string {
	one, err := t.seen(a)
	if err != nil {
		return "a run without a timeline"
	}
	two, err := t.seen(b)
	if err != nil {
		return "a run without a timeline"
	}
	switch {
	case one.Result.On == results.GPUs:
		return gpuReason(one, two)
	case !slices.Equal(served(one, fromNIC), served(two, fromNIC)):
		return "NICs send messages in another order"
	case !slices.Equal(served(one, atTarget), served(two, atTarget)):
		return "messages arrive in another order"
	case !sameWork(one, two):
		return "processors do what they do in another order"
	case !slices.Equal(met(one, results.Compute), met(two, results.Compute)):
		return "messages move during other computations"
	case !slices.Equal(met(one, results.Overhead), met(two, results.Overhead)):
		return "messages move during other work on messages"
	case one.Contended() || two.Contended():
		return "messages share links for other times"
	case one.Machine.Sharing != nil:
		return "processes share cores or memory for other times"
	case one.Machine.Noise.Takes():
		return "the noise strikes elsewhere"
	}
	return unexplained
}

// byTies tells whether another order of equal moments moves one of the cases as much as a size, relative to the makespan of the first one.
func (t *trial) byTies(size float64, a, b Case) bool {
	whole := 0.0
	for _, c := range []Case{a, b} {
		o, err := t.variant(c)
		if err != nil {
			return false
		}
		makespan := o.Result.Makespan()
		whole = cmp.Or(whole, float64(makespan))
		if float64(t.spread(c, makespan)+2*sim.Nanosecond) >= size*whole { // ranks begin up to 1 ns later
			return true
		}
	}
	return false
}

// gpuReason is what operations on streams share in one of two runs.
func gpuReason(runs ...*outcomes.Outcome) string {
	for _, why := range []struct{ part, says string }{
		{"sm_starved", "operations of GPUs hold SMs for other times"}, {"memory", "operations of GPUs share memory for other times"},
		{"contention", "operations of GPUs share links for other times"},
	} {
		for _, o := range runs {
			for _, s := range o.Result.Streams {
				if slices.ContainsFunc(s.Parts, func(p results.StreamPart) bool { return p.Name == why.part && p.Time > 0 }) {
					return why.says
				}
			}
		}
	}
	return unexplained
}

// event is a message at a moment; a message is known by its ends, and how many there were between them before it.
type event struct{ from, to, number, place int32 }

// fromNIC and atTarget are where messages are put in order.
func fromNIC(m *results.Message) (place int32, at int64)  { return m.From, int64(m.Start) }
func atTarget(m *results.Message) (place int32, at int64) { return m.To, int64(m.Delivered) }

// served returns the messages of a run in the order in which each place serves them.
func served(o *outcomes.Outcome, by func(m *results.Message) (int32, int64)) (all []event) {
	type timed struct {
		event
		at int64
	}
	var list []timed
	number := map[[2]int32]int32{}
	for i := range o.Result.Timeline.Messages {
		m := &o.Result.Timeline.Messages[i]
		ends := [2]int32{m.From, m.To}
		place, at := by(m)
		list = append(list, timed{event{m.From, m.To, number[ends], nodeOf(o, place)}, at})
		number[ends]++
	}
	slices.SortStableFunc(list, func(a, b timed) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to),
			cmp.Compare(a.number, b.number))
	})
	for _, e := range list {
		all = append(all, e.event)
	}
	return all
}

// nodeOf is the node of a rank.
func nodeOf(o *outcomes.Outcome, rank int32) int32 {
	if o.Nodes != nil {
		return o.Nodes[rank]
	}
	return rank / int32(o.Processes)
}

// sameWork tells whether processors do what they do in both runs in the same order. What takes no time in one of them is omitted.
func sameWork(a, b *outcomes.Outcome) bool {
	one, two := worked(a), worked(b)
	return len(one) == len(two) && !slices.ContainsFunc(one, func(lane work) bool {
		i := slices.IndexFunc(two, func(other work) bool { return other.name == lane.name })
		return i < 0 || !slices.Equal(lane.both(two[i]), two[i].both(lane))
	})
}

// work is what a processor does, in order: computation, and work on messages between two ranks.
type work struct {
	name string
	did  []event
}

// both is what this processor does and the other one does too.
func (w work) both(other work) (all []event) {
	for _, e := range w.did {
		if slices.Contains(other.did, e) && (len(all) == 0 || all[len(all)-1] != e) {
			all = append(all, e)
		}
	}
	return all
}

func worked(o *outcomes.Outcome) (all []work) {
	line := o.Result.Timeline
	for _, lane := range line.Lanes {
		if lane.Kind != results.CPULane && lane.Kind != results.HelperLane {
			continue
		}
		w := work{name: lane.Name}
		for _, s := range lane.Spans {
			e := event{place: int32(s.Term)}
			if s.Message >= 0 && int(s.Message) < len(line.Messages) {
				e.from, e.to = line.Messages[s.Message].From, line.Messages[s.Message].To
			}
			if s.Term == results.Compute || s.Term == results.Overhead {
				w.did = append(w.did, e)
			}
		}
		all = append(all, w)
	}
	return all
}

// met returns, for each message in the order in which they are posted between two ranks, how many of some states of its two ranks had
// begun and how many had ended when it left, and when it came.
func met(o *outcomes.Outcome, states ...results.Term) (all [][10]int) {
	line := o.Result.Timeline
	for _, m := range line.Messages {
		row := [10]int{int(m.From), int(m.To)}
		for i, rank := range []int32{m.From, m.To} {
			for _, s := range spansOf(line, rank) {
				if slices.Contains(states, s.Term) {
					for k, at := range []sim.Time{m.Start, m.Delivered} {
						row[2+4*i+2*k] += oneIf(s.Start <= at)
						row[3+4*i+2*k] += oneIf(s.End <= at)
					}
				}
			}
		}
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b [10]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return all
}

func oneIf(so bool) int {
	if so {
		return 1
	}
	return 0
}
