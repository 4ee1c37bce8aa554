package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// carrier runs the sending side of the NICs of a contended fabric: messages wait in
// the NIC until one of its channels is free, and then take as long as the fabric
// says.
type carrier struct {
	c         *cluster
	fabric    network.Contended
	channels  int // transfers of a NIC at once
	nics      []channelQueue
	processes []busyTime // by rank
	transfers slab[carried]
	asked     uint64           // transfers so far
	landings  landings         // those whose arrival time is known
	arriving  carried          // what arrives now
	traffic   *network.Traffic // nil: not asked for
}

// channelQueue is the sending side of a NIC.
type channelQueue struct {
	waiting fifo[int32] // transfers in the order in which they asked
	active  int
	busy    busyTime
}

// carried is a transfer under way: a message, or a chunk of one.
type carried struct {
	message int32
	leg     leg
	unknown bool // when it had left, its arrival time was not known
	bytes   int64
	startup sim.Time // of a message's first bytes: the channel's time before they leave
	length  sim.Time // how long the NIC needs for the bytes
	asked   uint64   // how many transfers asked before it
	ready   sim.Time // it does not start before this; not before it asked
	started sim.Time
	begun   sim.Time // the first byte leaves, if what sharing adds is counted first
	took    sim.Time // until its last byte had left
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

// lanes returns how many messages a NIC of a machine moves at once each way on a contended fabric.
func lanes(m *machines.Machine) int { return max(1, m.Network.Channels) }

// newCarrier returns the carrier of a cluster whose fabric is not ideal.
func newCarrier(c *cluster) *carrier {
	return &carrier{
		c: c, channels: lanes(c.machine),
		nics: make([]channelQueue, len(c.nics)), processes: make([]busyTime, len(c.ranks)),
	}
}

// send queues a transfer.
func (k *carrier) send(t carried, now sim.Time) {
	id, node := k.take(t)
	nic := &k.nics[node]
	nic.waiting.push(id)
	switch {
	case t.ready > now:
		k.c.schedule(t.ready, evReady, uint64(id))
	case nic.waiting.first() == id:
		k.fill(node, now)
	}
}

// follow lets a transfer take over the channel that another transfer of its NIC leaves now.
func (k *carrier) follow(t carried) {
	id, node := k.take(t)
	k.nics[node].waiting.pushFront(id)
}

// take gives a transfer a number.
func (k *carrier) take(t carried) (id, node int32) {
	id = k.transfers.add()
	t.length = k.c.machine.Network.Transfer.Of(t.bytes)
	t.asked, t.ready = k.asked, max(t.ready, k.c.kernel.Now())
	k.asked++
	*k.transfers.at(id) = t
	k.c.causes.hands(id)
	return id, k.node(id)
}

// node returns the node of a transfer's NIC.
func (k *carrier) node(id int32) int32 {
	from, _ := k.ends(k.transfers.at(id))
	return k.c.node(from)
}

// isReady lets a transfer that is ready now start, if it is its turn.
func (k *carrier) isReady(id int32, now sim.Time) {
	node := k.node(id)
	nic := &k.nics[node]
	if nic.active == k.channels || nic.waiting.empty() || nic.waiting.first() != id {
		return
	}
	k.c.causes.isReady(id, now)
	k.fill(node, now)
}

// fill starts waiting transfers while a channel is free, in the order in which they asked
// and none before it is ready.
func (k *carrier) fill(node int32, now sim.Time) {
	nic := &k.nics[node]
	for nic.active < k.channels && !nic.waiting.empty() && k.transfers.at(nic.waiting.first()).ready <= now {
		k.start(nic.waiting.pop(), nic, now)
	}
}

func (k *carrier) start(id int32, nic *channelQueue, now sim.Time) {
	t := k.transfers.at(id)
	m := k.c.messages.at(t.message)
	t.started = now
	from, to := k.ends(t)
	served := k.served(from, now)
	if t.leg == load && m.sent == sim.Forever && m.start < now {
		m.start, m.served = now, served
	}
	k.c.turns(t.message, t.leg, now, served)
	nic.active++
	nic.busy.change(now, +1)
	k.processes[from].change(now, +1)
	k.c.causes.starts(k.c, id, from, t, now)
	k.c.loadMemories(from, to, t, now)
	if t.startup > 0 {
		k.c.schedule(now+t.startup, evLeave, uint64(id))
	} else {
		k.leave(id)
	}
}

// leave hands a transfer to the fabric.
func (k *carrier) leave(id int32) {
	k.c.causes.departs(id, k.c.kernel.Now())
	k.fabric.Start(k.transfer(id))
}

// transfer returns a transfer as the fabric sees it.
func (k *carrier) transfer(id int32) network.Transfer {
	t := k.transfers.at(id)
	from, to := k.ends(t)
	return network.Transfer{
		ID: uint32(id), From: k.place(from), To: k.place(to),
		Bytes: t.bytes, Length: t.length, Kind: k.c.messages.at(t.message).kind(t.leg),
	}
}

// place returns the node of the fabric where a rank is.
func (k *carrier) place(r int32) int32 { return k.c.place.fabric[k.c.place.home[r]] }

// watch records what the links of a fabric carry, and what waits at the NICs.
func (k *carrier) watch(fabric network.Contended) {
	k.traffic = new(network.Traffic)
	nodes := int(slices.Max(k.c.place.fabric)) + 1
	if l := fabric.Links(); l != nil {
		nodes = l.Shape.Nodes()
		k.traffic.Carried = network.NewSeries(len(l.Loads))
		fabric.Record(k.traffic.Carried)
	}
	k.traffic.Waiting = network.NewSeries(nodes)
}

// kind returns what a leg of a message is to a fabric. Bytes that a rendezvous reads are
// the answer to a get.
func (m *message) kind(l leg) network.Kind {
	switch {
	case m.protocol == got && l == request:
		return network.Request
	case l == load && (m.protocol == got || m.protocol == rendezvous && m.way == machines.Read):
		return network.Answer
	}
	return network.Bytes
}

// carries tells whether a transfer is under way. If so when no event is left, that
// transfer takes longer than the fabric can express.
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

// shared returns how much longer bytes that have left now took than they would have
// alone. Where a NIC sends several messages at once that is not known, and it returns 0.
func (k *carrier) shared(id int32, now sim.Time) sim.Time {
	if k.channels > 1 {
		return 0
	}
	t := k.transfers.at(id)
	return max(0, now-t.started-t.startup-k.fabric.Alone(k.transfer(id)))
}

// Sent implements network.Sink.
func (k *carrier) Sent(id uint32, now, arrives sim.Time) {
	t := k.transfers.at(int32(id))
	t.took, t.unknown = now-t.started, arrives == sim.Forever
	if !t.unknown {
		k.landings.push(landing{arrives, t.asked, int32(id)})
	}
	from, _ := k.ends(t)
	x := k.shared(int32(id), now)
	k.processes[from].total -= x // this time was not at full speed
	t.begun = t.started + x
	k.c.causes.left(k.c, int32(id), from, t, now)
	node := k.c.node(from)
	nic := &k.nics[node]
	nic.active--
	nic.busy.change(now, -1)
	k.processes[from].change(now, -1)
	k.c.loadMemory(from, t, -1, now)
	if k.traffic != nil {
		k.traffic.Waiting.Add(int(k.place(from)), t.ready, now, int64(now-t.ready))
	}
	if rec := k.c.recorder; rec != nil {
		rec.send(k.c.messages.at(t.message).record, node, t.started, now, t.leg == load || t.bytes > 0)
	}
	k.c.sentAt(t, now)
	k.fill(node, now)
}

// Arrived implements network.Sink. The first transfer to arrive at an instant also takes
// in the others that the fabric has announced for that instant. Later calls for those do
// nothing.
func (k *carrier) Arrived(id uint32, now sim.Time) {
	if k.transfers.at(int32(id)).unknown {
		k.arrive(int32(id), now)
		return
	}
	for first, ok := k.landings.pop(now); ok; first, ok = k.landings.pop(now) {
		k.arrive(first, now)
	}
}

func (k *carrier) arrive(id int32, now sim.Time) {
	k.arriving = *k.transfers.at(id)
	k.transfers.remove(id)
	t := &k.arriving
	from, to := k.ends(t)
	k.c.causes.arrives(k.c, id, from, t, now)
	k.c.loadMemory(to, t, -1, now)
	k.c.arrivedAt(t, now)
}

// served returns what the NIC of a rank has sent, as network.NIC.Served does.
func (k *carrier) served(r int32, now sim.Time) network.Served {
	return network.Served{Own: k.processes[r].at(now), All: k.nics[k.c.node(r)].busy.at(now)}
}
