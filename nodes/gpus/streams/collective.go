package streams

import (
	"math/bits"
	"slices"

	"overlapsim/nodes/cores"
	"overlapsim/sim"
)

// group is the state of a collective.
type group struct {
	missing      int32
	came         int32
	transferring bool
	left         cores.Work // of the transfer
	speed        uint64
	since        sim.Time
	generation   uint32
	flows        int32    // under way
	own          bool     // its transfer is over, as far as links inside domains and memories determine it
	paces        []uint64 // during its transfer: the speed that the memory of each member allows
}

// link is a link that collectives share.
type link struct{ groups []int32 }

// arrive lets a member of a collective arrive.
func (e *engine) arrive(n int32) {
	number, now := e.joins[n]-1, e.kernel.Now()
	k := &e.groups[number]
	e.result.Starts[n] = now
	e.bookTo(n, Starved, now)
	k.came++
	if k.missing--; k.missing > 0 {
		return
	}
	e.result.Begun[number], e.result.last[number] = now, n
	if latency := e.Collectives[number].Latency; latency > 0 {
		e.schedule(now+latency, advanced, number, k.generation)
		return
	}
	e.transfer(number)
}

// phase continues a collective whose latency or transfer is over.
func (e *engine) phase(number int32, generation uint32) {
	k := &e.groups[number]
	switch {
	case generation != k.generation:
	case k.transferring:
		e.over(number)
	default:
		e.transfer(number)
	}
}

// transfer begins the transfer of a collective.
func (e *engine) transfer(number int32) {
	k, now := &e.groups[number], e.kernel.Now()
	about := &e.Collectives[number]
	k.transferring, k.left, k.since = true, cores.Alone(about.Transfer), now
	k.paces = slices.Repeat([]uint64{cores.Full}, len(e.members.of(number)))
	k.speed = e.speedOf(number)
	if e.fabric != nil && about.Transfer > 0 && len(about.Flows) > 0 {
		e.fabric.send(number, about)
		e.expect(number)
	} else if n := about.Link; n > 0 && k.left != (cores.Work{}) {
		l := &e.links[n-1]
		l.groups = append(l.groups, number)
		e.shareLink(l)
	} else {
		e.expect(number)
	}
	e.touchMembers(number)
}

// expect schedules the end of a transfer.
func (e *engine) expect(number int32) {
	k := &e.groups[number]
	k.generation++
	end := k.left.End(k.since, k.speed)
	if end == e.kernel.Now() {
		e.over(number)
		return
	}
	e.schedule(end, advanced, number, k.generation)
}

// shareLink gives all transfers of a link the same speed. A transfer whose end event is due at
// this instant keeps its speed.
func (e *engine) shareLink(l *link) {
	now := e.kernel.Now()
	for _, number := range l.groups {
		e.repace(number, now)
		e.touchMembers(number)
	}
}

// repace gives a transfer the speed that its link and the memories of its members allow now. If its end event is due at this
// instant, it keeps its speed.
func (e *engine) repace(number int32, now sim.Time) {
	k := &e.groups[number]
	if !k.transferring || k.own {
		return
	}
	k.left, k.since, k.speed = k.left.Less(now-k.since, k.speed), now, e.speedOf(number)
	if k.left != (cores.Work{}) {
		k.generation++
		e.schedule(k.left.End(now, k.speed), advanced, number, k.generation)
	}
}

// speedOf is the speed of a transfer: its share of its link, times the speed of the slowest member's memory.
func (e *engine) speedOf(number int32) uint64 {
	pace := uint64(cores.Full)
	for _, one := range e.groups[number].paces {
		pace = min(pace, one)
	}
	share := cores.Ratio(1, e.onLink(number))
	if pace == cores.Full {
		return share
	}
	hi, lo := bits.Mul64(share, pace)
	if lo += cores.Full - 1; lo < cores.Full-1 {
		hi++
	}
	return hi<<32 | lo>>32
}

// over ends a collective whose own transfer is over, unless some of its flows have not arrived.
func (e *engine) over(number int32) {
	k := &e.groups[number]
	if k.own = true; k.flows == 0 {
		e.leave(number)
	}
}

// leave ends a collective.
func (e *engine) leave(number int32) {
	k, about := &e.groups[number], &e.Collectives[number]
	k.transferring, k.paces = false, nil
	k.generation++
	if about.Link > 0 {
		l := &e.links[about.Link-1]
		if i := slices.Index(l.groups, number); i >= 0 {
			l.groups = slices.Delete(l.groups, i, i+1)
			e.shareLink(l)
		}
	}
	for _, n := range e.members.of(number) {
		if e.op(n).Blocks > 0 {
			e.retire(n)
		}
		e.leaves(n, number)
		e.end(n)
	}
}

// retire gives the SMs of a member back.
func (e *engine) retire(n int32) {
	d := &e.devices[e.laid.devices[n]]
	i := slices.IndexFunc(d.kernels, func(k kernel) bool { return k.op == n })
	d.free += d.kernels[i].resident
	d.freed = n
	d.kernels = slices.Delete(d.kernels, i, i+1)
	e.touch(d.index)
}

// touchMembers has the memories of all members shared again.
func (e *engine) touchMembers(number int32) {
	for _, n := range e.members.of(number) {
		if o := e.op(n); o.Blocks > 0 && (o.Demand > 0 || o.Incoming > 0) {
			e.touch(e.laid.devices[n])
		}
	}
}
