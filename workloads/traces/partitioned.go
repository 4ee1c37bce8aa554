package traces

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"overlapsim/nodes/programs"
)

// Messages in partitions (MPI 4). Sends and receives match when they are made, by rank and tag; so does the n-th start of one
// with the n-th start of the other, and all on one channel have the same partitions.

// cutting is how the sender of such messages cuts them.
type cutting struct {
	parts int32
	bytes int64 // of a partition
}

// partitions is the channel of a message in partitions. Messages of other kinds never match it.
func (c *Call) partitions(from, to int32) channel { return channel{^c.Comm, from, to, c.Tag} }

// maxParts is the largest number of partitions of a message.
const maxParts = 1 << 20

// cuts notes how a message in partitions is cut.
func (s *Survey) cuts(rank int32, c *Call) error {
	if c.Peer == Nobody {
		return nil
	}
	if c.Peer == AnySource || c.Tag == AnyTag || c.Among < 1 || c.Among > maxParts || c.Bytes > math.MaxInt64/int64(c.Among) {
		return fmt.Errorf("%s: %d partitions of %d bytes with rank %d and tag %d are not possible", c.Kind, c.Among, c.Bytes, c.Peer, c.Tag)
	}
	at, of := c.partitions(rank, c.Peer), cutting{c.Among, c.Bytes}
	if c.Kind == Precv { // in bytes, as the sender may cut them otherwise
		at, of = channel{at.comm, c.Peer, ^rank, c.Tag}, cutting{1, int64(c.Among) * c.Bytes}
	}
	if before, ok := s.parted[at]; ok && before != of {
		return fmt.Errorf("%s: %d partitions of %d bytes, and others before with the same rank and tag", c.Kind, c.Among, c.Bytes)
	}
	s.parted[at] = of
	return nil
}

// partition gives messages in partitions their tags and requests. The error says that two ends do not fit.
func (s *Survey) partition() error {
	most := make([]int32, s.h.Ranks)
	for _, at := range slices.SortedFunc(maps.Keys(s.parted), compareChannels) {
		if at.to < 0 {
			continue
		}
		of := s.parted[at]
		got, ok := s.parted[channel{at.comm, at.from, ^at.to, at.tag}]
		if sent := int64(of.parts) * of.bytes; ok && got.bytes != sent {
			return fmt.Errorf("rank %d sends %d bytes in partitions with tag %d to rank %d, which receives %d", at.from, sent, at.tag,
				at.to, got.bytes)
		}
		tags := context{at.comm, at.tag}
		s.partTags[tags] = max(s.partTags[tags], of.parts)
		for _, rank := range [2]int32{at.from, at.to} {
			most[rank] = max(most[rank], of.parts)
		}
	}
	for _, tags := range slices.SortedFunc(maps.Keys(s.partTags), func(a, b context) int {
		return cmp.Or(cmp.Compare(a.comm, b.comm), cmp.Compare(a.tag, b.tag))
	}) {
		parts := s.partTags[tags]
		if int64(s.largest)+int64(parts)+int64(len(s.h.Comms)+1)*perComm >= math.MaxInt32 {
			return fmt.Errorf("%d tags are too many", s.largest)
		}
		s.partTags[tags] = s.largest + 1
		s.largest += parts + 1
	}
	for rank, open := range s.parting {
		if s.requests[rank] += open * (most[rank] + 2); s.requests[rank] > maxRequests {
			return fmt.Errorf("rank %d: %d messages in %d partitions are too many", rank, open, most[rank])
		}
	}
	return nil
}

// partitions follows messages in partitions.
func (u *usage) partitions(c *Call) error {
	switch c.Kind {
	case Psend, Precv:
		u.holding++
		u.parted = max(u.parted, u.holding)
		if c.Peer == Nobody {
			return nil
		}
		if u.cut += max(0, int64(c.Among)); u.cut > maxRequests {
			return fmt.Errorf("%s: %d partitions at a time are too many", c.Kind, u.cut)
		}
		of := &readiness{ready: make([]bool, max(0, c.Among))}
		if c.Kind == Psend {
			of.left = c.Among
		}
		u.parts[c.Request] = of
	case Pready, Parrived:
		want := Psend
		if c.Kind == Parrived {
			want = Precv
		}
		if u.open[c.Request] != want {
			return fmt.Errorf("%s of request %d, which is not a %s in use", c.Kind, c.Request, want)
		}
		if c.Kind == Parrived {
			if of, ok := u.parts[c.Request]; ok && (c.Tag < 0 || int(c.Tag) >= len(of.ready)) {
				return fmt.Errorf("%s: partition %d of request %d, which has %d", c.Kind, c.Tag, c.Request, len(of.ready))
			}
			return nil
		}
		if of, ok := u.parts[c.Request]; ok && !of.make(c.Tag, c.Among) {
			return fmt.Errorf("%s: %d partitions of request %d from number %d on, where %d of %d are not ready", c.Kind, c.Among, c.Request,
				c.Tag, of.left, len(of.ready))
		}
	}
	return nil
}

// end says which message in partitions cannot be sent because the calls of the rank end.
func (u *usage) end() error {
	for _, request := range slices.Sorted(maps.Keys(u.parts)) {
		if of := u.parts[request]; of.left > 0 {
			return fmt.Errorf("ends with request %d, of which %d partitions are not ready", request, of.left)
		}
	}
	return nil
}

// readiness is which partitions of a message are ready; of a receive, none has to be.
type readiness struct {
	left  int32 // that are not
	ready []bool
}

// make makes some partitions ready, each once.
func (r *readiness) make(first, n int32) bool {
	if first < 0 || n < 1 || n > r.left || int(first) > len(r.ready)-int(n) {
		return false
	}
	of := r.ready[first : first+n]
	if slices.Contains(of, true) {
		return false
	}
	for i := range of {
		of[i] = true
	}
	r.left -= n
	return true
}

// Partitions tells whether the trace has messages in partitions.
func (p *Program) Partitions() bool { return len(p.s.parted) > 0 }

// partitioned is a message in partitions that a rank has started.
type partitioned struct {
	programs.Partitioned
	sends bool
	cut   int32        // partitions of this rank
	done  map[int]bool // requests that were waited for
}

// open are the numbers of requests that no call has waited for.
func (p *partitioned) open() (list []int32) {
	if p == nil {
		return nil
	}
	all := p.Received()
	if p.sends {
		all = p.Sent()
	}
	for _, number := range all {
		if !p.done[number] {
			list = append(list, int32(number))
		}
	}
	return list
}

// partitioned starts a message in partitions.
func (x *player) partitioned(c *Call, do *programs.Ops) {
	from, to := int32(x.me), c.Peer
	if c.Kind == Precv {
		from, to = to, from
	}
	of, ok := x.s.parted[c.partitions(from, to)]
	if c.Peer == Nobody || !ok {
		x.assign(c, slot{})
		return
	}
	p := &partitioned{sends: c.Kind == Psend, cut: c.Among, done: map[int]bool{}}
	p.Partitioned = programs.Partitioned{Peer: int(c.Peer), Bytes: of.bytes, Parts: int(of.parts), Library: x.o.Partitioned,
		Tag: int(x.s.partTags[context{^c.Comm, c.Tag}])}
	for range p.Messages() {
		p.Requests = append(p.Requests, int(x.number()))
	}
	if x.assign(c, slot{parts: p}); !p.sends {
		p.Receive(do)
	}
	inner := len(p.open()) // what a schedule does itself, or nothing needs
	for _, number := range p.Requests[inner:] {
		x.inner[int32(p.Requests[0])] = append(x.inner[int32(p.Requests[0])], int32(number))
	}
}

// ready makes partitions of a message ready.
func (x *player) ready(c *Call, do *programs.Ops) {
	if p := x.slots[c.Request].parts; p != nil {
		for i := range c.Among {
			p.Ready(do, int(c.Tag+i))
		}
	}
}

// arrived looks for a partition, and waits for it if the program polled. The sender may have cut the message otherwise.
func (x *player) arrived(c *Call, do *programs.Ops) {
	p := x.slots[c.Request].parts
	if p == nil {
		return
	}
	if c.Tries == 0 {
		do.Test(int(own))
		return
	}
	first := int64(c.Tag) * int64(p.Parts) / int64(p.cut)
	last := ((int64(c.Tag)+1)*int64(p.Parts)+int64(p.cut)-1)/int64(p.cut) - 1
	for part := first; part <= min(last, int64(p.Parts)-1); part++ {
		if number := p.Arrives(int(part)); !p.done[number] {
			p.done[number] = true
			x.pending = append(x.pending, int32(number))
		}
	}
}
