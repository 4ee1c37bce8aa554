package streams

import (
	"cmp"
	"math"
	"slices"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// device is the state of a GPU and its host.
type device struct {
	*Device
	index   int32
	streams []stream

	queue    []int32 // of the host: places in Ops
	behind   int32   // by how much numbers exceed these
	launched int     // of the queue
	host     sim.Time

	free       int32
	freed      int32 // the last operation that freed SMs; -1: none
	fresh      []int32
	ended      []int32    // kernels, at this instant
	spare      [][]cohort // of kernels that have ended
	kernels    []kernel   // ready kernels, in the order in which they get SMs
	generation uint32
	touched    bool
}

// queued is the operation at a place in the queue of the host.
func (d *device) queued(at int) int32 { return d.queue[at] + d.behind }

// kernel is a ready operation that has blocks.
type kernel struct {
	op       int32
	group    int32 // of a member of a collective; -1: none
	priority int
	ready    sim.Time
	waiting  int32 // blocks without an SM
	resident int32
	cohorts  []cohort // groups of blocks with the same work left; a member of a collective has none
	whole    int32    // waves after the wave of the only cohort, without the last one, if nothing else happens
	speed    uint64
	since    sim.Time // the time for which the cohorts are valid
}

type cohort struct {
	blocks int32
	left   cores.Work
}

// share puts waiting blocks on free SMs, finds the speeds, and schedules the next end.
func (e *engine) share(d *device, now sim.Time) {
	e.advance(d, now)
	e.admit(d, now)
	waiting := 0
	for i := range d.kernels {
		k := &d.kernels[i]
		e.place(d, k, now)
		if k.waiting > 0 {
			waiting++
		}
	}
	e.speeds(d)
	next, working := sim.Forever, false
	for i := range d.kernels {
		k := &d.kernels[i]
		k.whole = 0
		if k.group >= 0 || len(k.cohorts) == 0 {
			continue
		}
		if (waiting == 1 || e.Apart) && k.waiting > 0 && len(k.cohorts) == 1 {
			k.whole = (k.waiting - 1) / k.cohorts[0].blocks
		}
		next, working = min(next, k.next(e.op(k.op).Work)), true
	}
	e.endless = e.endless || working && next == sim.Forever
	if d.generation++; next < sim.Forever {
		e.schedule(next, moved, d.index, d.generation)
	}
}

// admit adds the kernels that have become ready.
func (e *engine) admit(d *device, now sim.Time) {
	for _, n := range d.fresh {
		o := e.op(n)
		d.kernels = append(d.kernels, kernel{op: n, group: e.joins[n] - 1, priority: d.Streams[o.Stream].Priority, ready: now,
			waiting: o.Blocks, since: now})
		if last := len(d.spare) - 1; last >= 0 && o.Collective == 0 {
			d.kernels[len(d.kernels)-1].cohorts, d.spare = d.spare[last], d.spare[:last]
		}
	}
	if len(d.fresh) == 0 {
		return
	}
	d.fresh = d.fresh[:0]
	slices.SortStableFunc(d.kernels, func(a, b kernel) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.ready, b.ready), e.order(a.op, b.op))
	})
}

// order compares two operations that are ready at the same time.
func (g *Graph) order(a, b int32) int {
	if g.Ties > 0 {
		return cmp.Or(cmp.Compare(g.drawn(a), g.drawn(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

func (g *Graph) drawn(n int32) uint64 { return sim.NewStream(g.Ties, uint64(n)).Uint64() }

// place puts waiting blocks of a kernel on the free SMs.
func (e *engine) place(d *device, k *kernel, now sim.Time) {
	free := d.free
	if e.Apart {
		free = d.SMs - k.resident
	}
	take := min(k.waiting, free)
	if take == 0 {
		return
	}
	d.free -= take
	k.waiting -= take
	if k.resident == 0 && k.waiting+take == e.op(k.op).Blocks {
		e.result.Starts[k.op] = now
		if now > k.ready {
			e.result.causes[k.op] = cause{op: d.freed, why: SMs}
		}
		if k.group >= 0 && k.waiting > 0 {
			e.result.waited[k.op] = now
		}
	}
	if k.resident += take; k.group < 0 {
		k.cohorts = append(k.cohorts, cohort{take, cores.Alone(e.op(k.op).Work)})
	} else if k.waiting == 0 {
		e.arrive(k.op)
	}
}

// next returns when blocks of a kernel will be done, counting all whole waves together.
func (k *kernel) next(work sim.Time) sim.Time {
	first := sim.Forever
	for _, c := range k.cohorts {
		first = min(first, c.left.End(k.since, k.speed))
	}
	if k.whole == 0 {
		return first
	}
	return sim.Later(first, cores.Alone(work).End(0, k.speed).Times(int64(k.whole)))
}

// advance brings the kernels of a device up to now, and ends those that are done.
func (e *engine) advance(d *device, now sim.Time) {
	done := false
	for i := range d.kernels {
		k := &d.kernels[i]
		if now == k.since {
			continue
		}
		e.spend(d, k, now)
		if k.group < 0 {
			done = e.progress(d, k, now) || done
		}
		k.since = now
	}
	if !done {
		return
	}
	d.ended = d.ended[:0]
	d.kernels = slices.DeleteFunc(d.kernels, func(k kernel) bool {
		over := k.group < 0 && k.resident == 0 && k.waiting == 0
		if over {
			d.ended, d.spare = append(d.ended, k.op), append(d.spare, k.cohorts[:0])
		}
		return over
	})
	for _, n := range d.ended {
		e.end(n)
	}
}

// progress does the work of a kernel up to now. It tells whether all of its blocks are done.
func (e *engine) progress(d *device, k *kernel, now sim.Time) bool {
	if k.whole > 0 {
		k.waves(e.op(k.op).Work, now)
	} else {
		for i := range k.cohorts {
			k.cohorts[i].left = k.cohorts[i].left.Less(now-k.since, k.speed)
		}
	}
	k.cohorts = slices.DeleteFunc(k.cohorts, func(c cohort) bool {
		if c.left != (cores.Work{}) {
			return false
		}
		k.resident -= c.blocks
		d.free += c.blocks
		d.freed = k.op
		return true
	})
	return k.resident == 0 && k.waiting == 0
}

// waves counts the whole waves of the only cohort that are over.
func (k *kernel) waves(work sim.Time, now sim.Time) {
	c := &k.cohorts[0]
	first := c.left.End(k.since, k.speed)
	if now < first {
		c.left = c.left.Less(now-k.since, k.speed)
		return
	}
	each := cores.Alone(work).End(0, k.speed)
	over, into := int64((now-first)/each), (now-first)%each
	if into > 0 {
		k.waiting -= int32(over+1) * c.blocks
		c.left = cores.Alone(work).Less(into, k.speed)
		return
	}
	k.waiting -= int32(over) * c.blocks
	c.left = cores.Work{}
}

// speeds shares the memory of a device. No block moves more than the level.
func (e *engine) speeds(d *device) {
	level := int64(math.MaxInt64)
	if d.Bandwidth > 0 && !e.Apart {
		level = e.level(d.kernels, d.Bandwidth)
	}
	for i := range d.kernels {
		k := &d.kernels[i]
		if d.Bandwidth > 0 && e.Apart {
			level = e.level(d.kernels[i:i+1], d.Bandwidth)
		}
		speed := uint64(cores.Full)
		if asks := e.asks(k); asks > level {
			speed = cores.Ratio(level, asks)
		}
		if k.speed = speed; k.group >= 0 {
			e.pace(k.group, k.op, speed)
		}
	}
}

// pace notes the speed that the memory of a member allows its collective.
func (e *engine) pace(number, member int32, speed uint64) {
	k := &e.groups[number]
	if !k.transferring {
		return
	}
	at, _ := slices.BinarySearch(e.members.of(number), member)
	if k.paces[at] != speed {
		k.paces[at] = speed
		e.paced = append(e.paced, number)
	}
}

// asks is what each block of a kernel asks of the memory: one of a collective during its transfer.
func (e *engine) asks(k *kernel) int64 {
	switch {
	case k.group < 0:
		return e.op(k.op).Demand
	case e.groups[k.group].transferring:
		return e.op(k.op).Demand / e.onLink(k.group)
	}
	return 0
}

// incoming is what other GPUs move in a memory during transfers.
func (e *engine) incoming(among []kernel) (all int64) {
	for i := range among {
		if k := &among[i]; k.group >= 0 && e.groups[k.group].transferring {
			all += e.op(k.op).Incoming / e.onLink(k.group)
		}
	}
	return all
}

// onLink is how many transfers share the link of one, itself included.
func (e *engine) onLink(number int32) int64 {
	if link := e.Collectives[number].Link; link > 0 {
		return max(1, int64(len(e.links[link-1].groups)))
	}
	return 1
}

// level finds the most that a block may move of some memory, by max-min fair sharing. Blocks that ask for less get what they ask
// for; each of the others gets the level. What other GPUs move comes first, up to half of the memory.
func (e *engine) level(among []kernel, memory int64) int64 {
	memory -= min(e.incoming(among), memory/2)
	for level := int64(0); ; {
		left, sharers := memory, int64(0)
		for i := range among {
			k := &among[i]
			if asks := e.asks(k); asks > level {
				sharers += int64(k.resident)
			} else {
				left -= asks * int64(k.resident)
			}
		}
		if sharers == 0 {
			return math.MaxInt64
		}
		next := max(1, left/sharers)
		if next <= level {
			return level
		}
		level = next
	}
}
