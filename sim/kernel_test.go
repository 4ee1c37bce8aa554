package sim

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/sim/must"
)

// program schedules at random while it runs. It does the same on every kernel that
// dispatches in the same order, and soon diverges on any other.
type program struct {
	k         scheduler
	ids       []HandlerID
	random    *Stream
	distances []Time // between an event and those it schedules
	budget    int    // events still to schedule
	trace     []Event
}

func newProgram(k scheduler, seed uint64, distances []Time, initial, budget int) *program {
	p := &program{k: k, random: NewStream(seed), distances: distances, budget: budget}
	p.ids = []HandlerID{k.Register(p), k.Register(p)}
	for range initial {
		p.schedule()
	}
	return p
}

func (p *program) schedule() {
	if p.budget == 0 {
		return
	}
	p.budget--
	at := Later(p.k.Now(), p.distances[p.random.Intn(len(p.distances))])
	p.k.Schedule(at, p.ids[p.random.Intn(2)], uint32(p.budget), p.random.Uint64())
}

func (p *program) Handle(e Event) {
	p.trace = append(p.trace, e)
	for n := p.random.Intn(20); n > 0; n /= 2 { // 2.8 on average, in bursts
		if p.random.Intn(3) > 0 {
			p.schedule()
		}
	}
}

// drawDistances draws a mixture of distances: ties, zeros, neighbours, powers of the
// radix and their neighbours, arbitrary ones, and some near Forever.
func drawDistances(t *rapid.T) []Time {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Just(Time(0)),
		rapid.Custom(func(t *rapid.T) Time { return Time(rapid.IntRange(1, 100).Draw(t, "near")) }),
		rapid.Custom(func(t *rapid.T) Time {
			return Time(1)<<rapid.IntRange(1, 62).Draw(t, "bit") + Time(rapid.IntRange(-1, 1).Draw(t, "side"))
		}),
		rapid.Custom(func(t *rapid.T) Time { return Time(rapid.Int64Range(0, 1<<45).Draw(t, "any")) }),
		rapid.Custom(func(t *rapid.T) Time { return Forever - Time(rapid.IntRange(0, 3).Draw(t, "from forever")) }),
	), 1, 12).Draw(t, "distances")
}

// drive runs the program's kernel dry by a random mixture of Step, RunUntil,
// Peek and bursts of Schedule, and returns what it saw.
func drive(p *program, seed uint64) (seen []Time) {
	k, random := p.k, NewStream(seed)
	for k.Pending() > 0 {
		next, _ := k.Peek()
		switch random.Intn(6) {
		case 0:
			k.RunUntil(next + (Forever-next)/2>>random.Intn(63))
		case 1:
			k.RunUntil(k.Now() + (next-k.Now())/2) // nothing to dispatch, yet time moves
		case 2:
			for range random.Intn(2 * frontCap) {
				p.schedule()
			}
		default:
			for range random.Intn(200) {
				k.Step()
			}
		}
		seen = append(seen, next, k.Now(), Time(k.Pending()), Time(k.Processed()))
	}
	return seen
}

func TestKernelMatchesReference(t *testing.T) {
	must.Long(t)
	rapid.Check(t, func(t *rapid.T) {
		distances := drawDistances(t)
		initial := rapid.IntRange(1, 300).Draw(t, "initial")
		for range 10 {
			seed := rapid.Uint64().Draw(t, "seed")
			var traces [2][]Event
			var seen [2][]Time
			kernel := NewKernel() // with the memory of the one before
			for i, k := range []scheduler{kernel, new(reference)} {
				p := newProgram(k, seed, distances, initial, 2*initial+1500)
				seen[i] = drive(p, seed+1)
				traces[i] = p.trace
			}
			kernel.Release()
			if !slices.Equal(traces[0], traces[1]) {
				i := 0
				for traces[0][i] == traces[1][i] {
					i++
				}
				t.Fatalf("event %d is %+v, want %+v", i, traces[0][i], traces[1][i])
			}
			if !slices.Equal(seen[0], seen[1]) {
				t.Fatalf("next, now, pending, processed over the run:\n%v, want\n%v", seen[0], seen[1])
			}
		}
	})
}

// A kernel whose events have not all happened is not used again.
func TestRelease(t *testing.T) {
	for n := range 10 {
		k := NewKernel()
		if k.Now() != 0 || k.Processed() != 0 || k.Charged() != 0 || k.Pending() != 0 || k.Step() || k.Register(handlerFunc(func(Event) {})) != 0 {
			t.Fatalf("%d: now %v, %d of %d events happened", n, k.Now(), k.Processed(), k.scheduled)
		}
		for i := range 1000 {
			k.Schedule(Time(i*i), 0, 0, 0)
		}
		k.Charge(7)
		for range 999 + n%2 {
			k.Step()
		}
		k.Release()
	}
}

// TestPeekDoesNotChangeOrder runs the same program with and without Peek before every
// event; in between, it schedules events earlier than the one peeked at.
func TestPeekDoesNotChangeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distances := drawDistances(t)
		seed := rapid.Uint64().Draw(t, "seed")
		k := NewKernel()
		plain := newProgram(k, seed, distances, 100, 1000)
		k.Run()

		k = NewKernel()
		peeked := newProgram(k, seed, distances, 100, 1000)
		for at, ok := k.Peek(); ok; at, ok = k.Peek() {
			if again, _ := k.Peek(); again != at {
				t.Fatalf("Peek says %d, then %d", at, again)
			}
			k.Step()
			if k.Now() != at {
				t.Fatalf("Peek says %d, Step went to %d", at, k.Now())
			}
		}
		if !slices.Equal(plain.trace, peeked.trace) {
			t.Fatal("Peek changed the order of events")
		}
	})
}

// FuzzKernel reads bytes as a program: schedule at a distance, step, run for
// a while.
func FuzzKernel(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 251, 252, 253, 254, 255})
	f.Add(binary.LittleEndian.AppendUint64([]byte{255, 0, 0, 0, 1, 128}, 1<<60))
	f.Fuzz(func(t *testing.T, program []byte) {
		program = program[:min(len(program), 2000)] // the reference is quadratic
		k, r := NewKernel(), new(reference)
		got, want := newRecorder(k), newRecorder(r)
		for i, op := range program {
			distance := Time(op%4) << (op / 4) // 0..3, times a power of two to 2^61
			switch {
			case op >= 248:
				until := Later(k.Now(), Time(i)<<(op-248)*8)
				k.RunUntil(until)
				r.RunUntil(until)
			case op >= 240:
				k.Step()
				r.Step()
			default:
				at := Later(k.Now(), distance)
				k.Schedule(at, 0, 0, uint64(i))
				r.Schedule(at, 0, 0, uint64(i))
			}
			if k.Now() != r.Now() || k.Pending() != r.Pending() {
				t.Fatalf("after operation %d: now %d, pending %d, want %d, %d", i, k.Now(), k.Pending(), r.Now(), r.Pending())
			}
		}
		k.Run()
		r.Run()
		if !slices.Equal(got.trace, want.trace) {
			t.Fatalf("trace %v, want %v", got.trace, want.trace)
		}
	})
}

// recorder is a handler that keeps what it handles.
type recorder struct{ trace []Event }

func newRecorder(k scheduler) *recorder {
	r := new(recorder)
	k.Register(r)
	return r
}

func (r *recorder) Handle(e Event) { r.trace = append(r.trace, e) }

// args returns the arguments of the events recorded.
func (r *recorder) args() (args []uint64) {
	for _, e := range r.trace {
		args = append(args, e.Arg)
	}
	return args
}

func TestRunUntil(t *testing.T) {
	k := NewKernel()
	r := newRecorder(k)
	for i, at := range []Time{10, 30, 20, 10, 40} {
		k.Schedule(at, 0, 0, uint64(i))
	}
	k.RunUntil(5)
	if k.Now() != 5 || len(r.trace) != 0 {
		t.Fatalf("at %d, %d events", k.Now(), len(r.trace))
	}
	k.Schedule(7, 0, 0, 5) // between now and the earliest pending
	k.RunUntil(20)
	if k.Now() != 20 || !slices.Equal(r.args(), []uint64{5, 0, 3, 2}) {
		t.Fatalf("at %d, events %v", k.Now(), r.args())
	}
	k.RunUntil(20)
	k.Schedule(20, 0, 0, 6) // now itself is not over
	k.RunUntil(35)
	if k.Now() != 35 || !slices.Equal(r.args(), []uint64{5, 0, 3, 2, 6, 1}) || k.Pending() != 1 {
		t.Fatalf("at %d, events %v, pending %d", k.Now(), r.args(), k.Pending())
	}
	k.RunUntil(Forever)
	if k.Now() != Forever || k.Processed() != 7 {
		t.Fatalf("at %d, processed %d", k.Now(), k.Processed())
	}
}

// handlerFunc makes a function a Handler.
type handlerFunc func(Event)

func (f handlerFunc) Handle(e Event) { f(e) }

func TestStop(t *testing.T) {
	for name, run := range map[string]func(*Kernel){
		"Run":      (*Kernel).Run,
		"RunUntil": func(k *Kernel) { k.RunUntil(100) },
	} {
		k := NewKernel()
		id := k.Register(handlerFunc(func(e Event) {
			if e.Arg == 1 {
				k.Stop()
			}
		}))
		for i := range 4 {
			k.Schedule(Time(10*i), id, 0, uint64(i))
		}
		k.Stop() // no run to stop: no effect
		run(k)
		if k.Now() != 10 || k.Pending() != 2 {
			t.Errorf("%s: stopped at %d with %d pending, want 10 with 2", name, k.Now(), k.Pending())
		}
		run(k)
		if k.Pending() != 0 {
			t.Errorf("%s: did not go on after Stop", name)
		}
	}
}

// TestScheduleNow: events scheduled at Now follow all events that were scheduled for Now
// before, regardless of the part of the queue that holds them.
func TestScheduleNow(t *testing.T) {
	for _, n := range []int{2, sortMax, sortMax + 1, frontCap, 3 * chunkLen} {
		k := NewKernel()
		var order []uint64
		id := k.Register(handlerFunc(func(e Event) {
			order = append(order, e.Arg)
			if e.Arg < uint64(n) {
				k.Schedule(e.At, e.To, 0, e.Arg+uint64(n))
			}
		}))
		for i := range n {
			k.Schedule(1000, id, 0, uint64(i))
			k.Schedule(1001, id, 0, uint64(2*n+i))
		}
		k.Run()
		for i, arg := range order {
			if arg != uint64(i) {
				t.Fatalf("%d ties: event %d is %d", n, i, arg)
			}
		}
	}
}

// TestFarFuture: few events in the bucket of the widest range, whose offsets
// do not fit the front's keys.
func TestFarFuture(t *testing.T) {
	k := NewKernel()
	r := newRecorder(k)
	times := []Time{Forever, 1<<62 + 1<<61, 1 << 62, 1<<60 + 1<<59, 1<<60 + 1, 1 << 60, 1, Forever, Forever - 1}
	for i, at := range times {
		k.Schedule(at, 0, 0, uint64(i))
	}
	k.Run()
	if want := []uint64{6, 5, 4, 3, 2, 1, 8, 0, 7}; !slices.Equal(r.args(), want) {
		t.Errorf("order %v, want %v", r.args(), want)
	}
}

// TestPeekAfterSpill: Peek sees the events that overflow the front, regardless of which
// of them is the earliest.
func TestPeekAfterSpill(t *testing.T) {
	for _, step := range []Time{1, -1} {
		k := NewKernel()
		newRecorder(k)
		k.Schedule(1<<20, 0, 0, 0) // leaves an empty front that covers the next 2^18
		k.Schedule(1<<30, 0, 0, 0)
		k.Step()
		if at, _ := k.Peek(); at != 1<<30 {
			t.Fatalf("next is %d", at)
		}
		for i := range Time(frontCap + 1) {
			k.Schedule(1<<20+1000+i*step, 0, 0, 0)
		}
		want := min(Time(1<<20+1000), 1<<20+1000+frontCap*step)
		if at, _ := k.Peek(); at != want {
			t.Errorf("next is %d, want %d", at, want)
		}
	}
}

func TestPanics(t *testing.T) {
	k := NewKernel()
	newRecorder(k)
	k.RunUntil(5 * Microsecond)
	for _, c := range []struct {
		name string
		call func()
		want []string
	}{
		{"past", func() { k.Schedule(4*Microsecond, 3, 7, 9) },
			[]string{"sim: event {At:4us To:3 Kind:7 Arg:9}", "1us before now 5us"}},
		{"negative", func() { NewKernel().Schedule(-1, 0, 0, 0) }, []string{"1ps before now 0s"}},
		{"RunUntil", func() { k.RunUntil(Microsecond) }, []string{"RunUntil(1us)", "before now 5us"}},
	} {
		message := panicOf(c.call)
		for _, want := range c.want {
			if !strings.Contains(message, want) {
				t.Errorf("%s: panic %q lacks %q", c.name, message, want)
			}
		}
	}
}

// panicOf returns the message call panics with.
func panicOf(call func()) (message string) {
	defer func() {
		switch r := recover().(type) {
		case string:
			message = r
		case error:
			message = r.Error()
		}
	}()
	call()
	return ""
}

// TestNoAllocation runs the hold model until the pool holds enough chunks for the run;
// from then on nothing is allocated.
func TestNoAllocation(t *testing.T) {
	for _, d := range increments() {
		for _, pending := range []int{1, 100, 10_000} {
			h := newKernelHold(d, pending)
			for range 20 * pending {
				h.k.Step()
			}
			allocated := testing.AllocsPerRun(5, func() {
				for range pending {
					h.k.Step()
				}
			})
			if allocated > 0 {
				t.Errorf("%s, %d pending: %v allocations for %d events", d.name, pending, allocated, pending)
			}
		}
	}
}

// TestMemoryIsBounded: every chunk is in the pool or in a fifo that needs it, and the
// pool's peak is what the pending events and the partly filled buckets take.
func TestMemoryIsBounded(t *testing.T) {
	const pending = 20_000
	for _, d := range increments() {
		h := newKernelHold(d, pending)
		for range 10 * pending {
			h.k.Step()
		}
		free, used, events := chunks(&h.k.queue)
		if events != h.k.Pending() || events != pending {
			t.Errorf("%s: %d events in the queue, Pending %d, want %d", d.name, events, h.k.Pending(), pending)
		}
		if most := pending/chunkLen + levels*radix + 1; free+used > most {
			t.Errorf("%s: %d chunks free, %d used, want at most %d in all", d.name, free, used, most)
		}
	}
}

// chunks counts the chunks of q, and its events.
func chunks(q *queue) (free, used, events int) {
	for c := q.pool.free; c != nil; c = c.next {
		free++
	}
	count := func(f *fifo) {
		used += int(f.n+chunkLen-1) / chunkLen
		events += int(f.n)
	}
	for level := range q.buckets {
		for digit := range q.buckets[level] {
			count(&q.buckets[level][digit].fifo)
		}
	}
	count(&q.due)
	return free, used, events - int(q.head) + int(q.front.end-q.front.head)
}
