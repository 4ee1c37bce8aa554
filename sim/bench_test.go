package sim

import (
	"container/heap"
	"fmt"
	"math"
	"testing"
	"time"
)

// distribution is one of the increments of the hold model: each event, when
// dispatched, schedules its successor at its own time plus an increment.
type distribution struct {
	name       string
	increments [4096]Time
	spread     Time // between the starts of the initial events
}

// start returns the time of initial event i, without the increment.
func (d *distribution) start(i int) Time { return Time(i) * d.spread }

// increments returns the distributions that every queue is measured with. The first three
// are the usual ones, the others are bad cases.
func increments() []*distribution {
	random := NewStream(1)
	draw := func(name string, increment func(i int) Time) *distribution {
		d := &distribution{name: name}
		for i := range d.increments {
			d.increments[i] = increment(i)
		}
		return d
	}
	spread := func(s Time, d *distribution) *distribution {
		d.spread = s
		return d
	}
	return []*distribution{
		draw("exponential", func(int) Time { return random.Exp(Microsecond) }),
		draw("bimodal", func(int) Time {
			if random.Intn(10) > 0 {
				return Time(random.Intn(100_000))
			}
			return 10*Microsecond + Time(random.Intn(1_000_000))
		}),
		draw("ties", func(int) Time { return Time(random.Intn(8)) * 100 * Nanosecond }),
		draw("all-equal", func(int) Time { return Microsecond }),
		spread(7*Picosecond, draw("constant", func(int) Time { return Microsecond })),
		draw("narrow", func(i int) Time { return Microsecond + Time(i) }),
		draw("heavy-tailed", func(int) Time {
			return Seconds(1e-9 * min(math.Pow(1-random.Float64(), -1/1.1), 1e9))
		}),
		draw("log-uniform", func(int) Time { return Seconds(math.Pow(10, 12*random.Float64()-12)) }),
		draw("near-and-far", func(int) Time {
			if random.Intn(1000) > 0 {
				return Time(random.Intn(1000))
			}
			return Time(random.Intn(int(Millisecond)))
		}),
	}
}

// hold is the state of the hold model; it is the same for all queues.
type hold struct {
	d      *distribution
	random uint64
}

// next returns an increment; the multiplier is Knuth's (MMIX).
func (h *hold) next() Time {
	h.random = h.random*6364136223846793005 + 1442695040888963407
	return h.d.increments[h.random>>52]
}

// holdModel is a hold model on some queue.
type holdModel interface {
	run(events int)
	now() Time
	counts() (pending int, processed uint64)
}

// kernelHold is the hold model on Kernel.
type kernelHold struct {
	hold
	k *Kernel
}

func newKernelHold(d *distribution, pending int) *kernelHold {
	h := &kernelHold{hold{d, 1}, NewKernel()}
	h.k.Register(h)
	for i := range pending {
		h.k.Schedule(d.start(i)+h.next(), 0, 0, uint64(i))
	}
	return h
}

func (h *kernelHold) Handle(e Event) { h.k.Schedule(e.At+h.next(), e.To, e.Kind, e.Arg) }
func (h *kernelHold) now() Time      { return h.k.Now() }
func (h *kernelHold) counts() (int, uint64) {
	return h.k.Pending(), h.k.Processed()
}

func (h *kernelHold) run(events int) {
	for range events {
		h.k.Step()
	}
}

// pointerHeap is the queue that most simulators have: container/heap over pointers to
// events, with a sequence number.
type pointerHeap []*sequenced

type sequenced struct {
	Event
	order uint64
}

func (q pointerHeap) Len() int      { return len(q) }
func (q pointerHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q pointerHeap) Less(i, j int) bool {
	if q[i].At != q[j].At {
		return q[i].At < q[j].At
	}
	return q[i].order < q[j].order
}
func (q *pointerHeap) Push(x any) { *q = append(*q, x.(*sequenced)) }
func (q *pointerHeap) Pop() any {
	n := len(*q) - 1
	x := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	return x
}

// pointerHold is the hold model on pointerHeap, with the kernel's dispatch.
type pointerHold struct {
	hold
	queue     pointerHeap
	handlers  []Handler
	time      Time
	scheduled uint64
	processed uint64
}

func newPointerHold(d *distribution, pending int) *pointerHold {
	h := &pointerHold{hold: hold{d, 1}}
	h.handlers = []Handler{h}
	for i := range pending {
		h.schedule(Event{At: d.start(i) + h.next(), Arg: uint64(i)})
	}
	return h
}

func (h *pointerHold) schedule(e Event) {
	heap.Push(&h.queue, &sequenced{e, h.scheduled})
	h.scheduled++
}

func (h *pointerHold) Handle(e Event) {
	e.At += h.next()
	h.schedule(e)
}

func (h *pointerHold) now() Time             { return h.time }
func (h *pointerHold) counts() (int, uint64) { return len(h.queue), h.processed }

func (h *pointerHold) run(events int) {
	for range events {
		e := heap.Pop(&h.queue).(*sequenced)
		h.time = e.At
		h.processed++
		h.handlers[e.To].Handle(e.Event)
	}
}

// valueHold is the hold model on a binary heap of 24-byte values. It has no
// room for a sequence number: ties come in any order, which the hold model
// cannot see.
type valueHold struct {
	hold
	queue     []Event
	handlers  []Handler
	time      Time
	processed uint64
}

func newValueHold(d *distribution, pending int) *valueHold {
	h := &valueHold{hold: hold{d, 1}}
	h.handlers = []Handler{h}
	for i := range pending {
		h.schedule(Event{At: d.start(i) + h.next(), Arg: uint64(i)})
	}
	return h
}

func (h *valueHold) schedule(e Event) {
	q := append(h.queue, e)
	h.queue = q
	i := len(q) - 1
	for i > 0 && q[(i-1)/2].At > e.At {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = e
}

func (h *valueHold) pop() Event {
	top := h.queue[0]
	n := len(h.queue) - 1
	e := h.queue[n]
	q := h.queue[:n]
	h.queue = q
	i := 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && q[child+1].At < q[child].At {
			child++
		}
		if q[child].At >= e.At {
			break
		}
		q[i] = q[child]
		i = child
	}
	if n > 0 {
		q[i] = e
	}
	return top
}

func (h *valueHold) Handle(e Event) {
	e.At += h.next()
	h.schedule(e)
}

func (h *valueHold) now() Time             { return h.time }
func (h *valueHold) counts() (int, uint64) { return len(h.queue), h.processed }

func (h *valueHold) run(events int) {
	for range events {
		e := h.pop()
		h.time = e.At
		h.processed++
		h.handlers[e.To].Handle(e)
	}
}

var contenders = [3]struct {
	name string
	new  func(*distribution, int) holdModel
}{
	{"kernel", func(d *distribution, n int) holdModel { return newKernelHold(d, n) }},
	{"values", func(d *distribution, n int) holdModel { return newValueHold(d, n) }},
	{"container-heap", func(d *distribution, n int) holdModel { return newPointerHold(d, n) }},
}

// BenchmarkHold measures events/s of each queue, dispatch included.
func BenchmarkHold(b *testing.B) {
	for _, d := range increments() {
		for _, pending := range []int{1e3, 1e5, 1e6} {
			for _, c := range contenders {
				b.Run(fmt.Sprintf("%s/%d/%s", d.name, pending, c.name), func(b *testing.B) {
					h := c.new(d, pending)
					h.run(2 * pending)
					b.ReportAllocs()
					b.ResetTimer()
					h.run(b.N)
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
					checkCounts(b, h, pending, 2*pending+b.N)
				})
			}
		}
	}
}

func checkCounts(b *testing.B, h holdModel, pending, processed int) {
	b.Helper()
	if p, n := h.counts(); p != pending || n != uint64(processed) {
		b.Fatalf("%d pending, %d processed, want %d, %d", p, n, pending, processed)
	}
}

// BenchmarkRatio runs all queues in turn in one benchmark, so that the ratios depend
// little on the other load of the machine.
func BenchmarkRatio(b *testing.B) {
	for _, d := range increments() {
		for _, pending := range []int{1e3, 1e5, 1e6} {
			b.Run(fmt.Sprintf("%s/%d", d.name, pending), func(b *testing.B) { ratio(b, d, pending) })
		}
	}
}

func ratio(b *testing.B, d *distribution, pending int) {
	const batch = 50_000
	batches := (b.N + batch - 1) / batch
	var models [3]holdModel
	var spent [3]time.Duration
	for i, c := range contenders {
		models[i] = c.new(d, pending)
		models[i].run(2 * pending)
	}
	for range batches {
		for i, h := range models {
			start := time.Now()
			h.run(batch)
			spent[i] += time.Since(start)
		}
	}
	for _, h := range models {
		checkCounts(b, h, pending, 2*pending+batches*batch)
		if h.now() != models[0].now() {
			b.Fatalf("one queue is at %v, another at %v", models[0].now(), h.now())
		}
	}
	kernel := spent[0].Seconds()
	b.ReportMetric(float64(batches*batch)/kernel, "events/s")
	b.ReportMetric(spent[1].Seconds()/kernel, "x-values")
	b.ReportMetric(spent[2].Seconds()/kernel, "x-container-heap")
	b.ReportMetric(0, "ns/op")
}
