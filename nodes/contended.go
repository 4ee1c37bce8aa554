package nodes

import (
	"overlapsim/network"
	"overlapsim/sim"
)

// carrier runs the NICs of a contended fabric: messages wait in the NIC until
// one of its channels is free, and then take as long as the fabric says.
type carrier struct {
	c         *cluster
	fabric    network.Contended
	paced     network.Paced // nil: the fabric does not know how long bytes take alone
	channels  int           // transfers of a NIC at once; 0: no limit
	nics      []channelQueue
	processes []busyTime // by rank
	transfers slab[carried]
}

// channelQueue is the sending side of a NIC.
type channelQueue struct {
	waiting fifo[int32] // transfers
	active  int
	busy    busyTime
}

// carried is a transfer under way: a message, or a chunk of one.
type carried struct {
	message int32
	leg     leg
	bytes   int64
	startup sim.Time // of a message's first bytes: the channel's time before they leave
	started sim.Time
}

// busyTime adds up the time in which at least one transfer is under way.
type busyTime struct {
	active int
	total  sim.Time // until since
	since  sim.Time
}

func (b *busyTime) at(now sim.Time) sim.Time {
	if b.active == 0 {
		return b.total
	}
	return b.total + now - b.since
}

func (b *busyTime) change(now sim.Time, by int) {
	b.total = b.at(now)
	b.since = now
	b.active += by
}

// newCarrier returns the carrier of a cluster whose fabric is not ideal.
func newCarrier(c *cluster) *carrier {
	return &carrier{
		c: c, channels: max(1, c.machine.Network.Channels),
		nics: make([]channelQueue, len(c.nics)), processes: make([]busyTime, len(c.ranks)),
	}
}

// send queues a transfer that will be ready then.
func (k *carrier) send(t carried, now, ready sim.Time) {
	id := k.transfers.add()
	*k.transfers.at(id) = t
	if k.c.causes != nil {
		k.c.causes.hands(id)
	}
	if ready > now {
		k.c.schedule(ready, evReady, uint64(id))
		return
	}
	k.enqueue(id, now)
}

func (k *carrier) enqueue(id int32, now sim.Time) {
	if k.c.causes != nil {
		k.c.causes.isReady(id, now)
	}
	from, _ := k.ends(k.transfers.at(id))
	node := k.c.node(from)
	k.nics[node].waiting.push(id)
	k.fill(node, now)
}

// fill starts waiting transfers while a channel is free.
func (k *carrier) fill(node int32, now sim.Time) {
	nic := &k.nics[node]
	for nic.active < k.channels && !nic.waiting.empty() {
		id := nic.waiting.pop()
		t := k.transfers.at(id)
		m := k.c.messages.at(t.message)
		t.started = now
		from, _ := k.ends(t)
		if t.leg == load && m.sent == sim.Forever && m.start < now {
			m.start = now
		}
		nic.active++
		nic.busy.change(now, +1)
		k.processes[from].change(now, +1)
		if k.c.causes != nil {
			k.c.causes.starts(k.c, id, from, t, now)
		}
		if t.startup > 0 {
			k.c.schedule(now+t.startup, evLeave, uint64(id))
		} else {
			k.leave(id)
		}
	}
}

// leave hands a transfer to the fabric.
func (k *carrier) leave(id int32) {
	t := k.transfers.at(id)
	from, to := k.ends(t)
	place := k.c.place
	if k.c.causes != nil {
		k.c.causes.departs(id, k.c.kernel.Now())
	}
	k.c.moves(from, t.bytes, +1)
	k.c.moves(to, t.bytes, +1)
	k.fabric.Start(uint32(id), place.fabric[place.home[from]], place.fabric[place.home[to]], t.bytes)
}

// carries tells whether a transfer is under way. When nothing happens any more it
// takes longer than the fabric can tell.
func (k *carrier) carries() bool {
	for i := range k.nics {
		if k.nics[i].active > 0 {
			return true
		}
	}
	return false
}

// ends returns the ranks between which a transfer goes.
func (k *carrier) ends(t *carried) (from, to int32) {
	return k.c.messages.at(t.message).ends(t.leg)
}

// shared is how much longer bytes that have left now took than they would have
// alone. Where a NIC sends several messages at once, nobody can say.
func (k *carrier) shared(t *carried, now sim.Time) sim.Time {
	if k.paced == nil || k.channels > 1 {
		return 0
	}
	from, to := k.ends(t)
	place := k.c.place
	alone := k.paced.Alone(place.fabric[place.home[from]], place.fabric[place.home[to]], t.bytes)
	return max(0, now-t.started-t.startup-alone)
}

// Sent implements network.Sink.
func (k *carrier) Sent(id uint32, now sim.Time) {
	t := k.transfers.at(int32(id))
	from, _ := k.ends(t)
	if x := k.shared(t, now); x > 0 {
		k.processes[from].total -= x // not full speed
		if t.leg == load {
			k.c.messages.at(t.message).shared += x
		}
	}
	if k.c.causes != nil {
		k.c.causes.left(k.c, int32(id), from, t, now)
	}
	node := k.c.node(from)
	nic := &k.nics[node]
	nic.active--
	nic.busy.change(now, -1)
	k.processes[from].change(now, -1)
	k.c.moves(from, t.bytes, -1)
	if rec := k.c.recorder; rec != nil {
		rec.send(k.c.messages.at(t.message).record, node, t.started, now, t.leg == load || t.bytes > 0)
	}
	k.c.sentAt(t, now)
	k.fill(node, now)
}

// Arrived implements network.Sink.
func (k *carrier) Arrived(id uint32, now sim.Time) {
	t := *k.transfers.at(int32(id))
	k.transfers.remove(int32(id))
	from, to := k.ends(&t)
	if k.c.causes != nil {
		k.c.causes.arrives(k.c, int32(id), from, &t, now)
	}
	k.c.moves(to, t.bytes, -1)
	k.c.arrivedAt(&t, now)
}

// served is what the NIC of a rank has sent, as network.NIC.Served.
func (k *carrier) served(r int32, now sim.Time) network.Served {
	return network.Served{Own: k.processes[r].at(now), All: k.nics[k.c.node(r)].busy.at(now)}
}
