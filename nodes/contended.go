package nodes

import (
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// carrier runs the sending side of the NICs on a contended fabric. Messages wait in the NIC until
// one of its channels is free. Then they take as long as the fabric says.
type carrier struct {
	c         *cluster
	fabric    network.Contended
	channels  int     // transfers that leave a NIC at the same time
	stripes   int     // NICs over which each transfer is split
	points    []int32 // end points of the fabric: of each NIC; if transfers are split, of all NICs of each node in turn
	nics      []channelQueue
	processes []busyTime // by rank
	transfers slab[carried]
	asked     uint64           // transfers so far
	landings  landings         // transfers whose arrival time is known
	arriving  carried          // what arrives now
	traffic   *network.Traffic // nil: not recorded
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
	unknown bool     // its arrival time was not known when it had left
	unsent  int32    // parts that have not left
	coming  int32    // parts that have not arrived, if arrival times are not known
	arrives sim.Time // of the last part among those that have left
	last    int32    // the part that arrives last among those that have left
	bytes   int64
	startup sim.Time // of a message's first bytes: the channel's time before they leave
	length  sim.Time // how long the NIC needs for the bytes
	asked   uint64   // how many transfers asked before it
	ready   sim.Time // it starts neither before this nor before it asked
	started sim.Time
	begun   sim.Time // when the first byte leaves, if the time that sharing adds is counted before it
	took    sim.Time // until its last byte left
}

// busyTime adds up the time in which at least one transfer is under way.
type busyTime struct {
	active int
	total  sim.Time // up to since
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

// lanes returns how many messages a NIC of a machine moves at once in each direction on a
// contended fabric.
func lanes(m *machines.Machine) int { return max(1, m.Network.Channels) }

// newCarrier returns the carrier of a cluster whose fabric is not ideal.
func newCarrier(c *cluster, point func(node, nic int) int) *carrier {
	k := &carrier{
		c: c, channels: lanes(c.machine), stripes: c.machine.Stripes(),
		nics: make([]channelQueue, len(c.nics)), processes: make([]busyTime, len(c.ranks)),
	}
	rails := c.machine.Rails()
	if point == nil {
		point = func(node, nic int) int { return node*rails + nic }
	}
	for _, node := range c.place.fabric {
		for nic := range rails {
			k.points = append(k.points, int32(point(int(node), nic)))
		}
	}
	return k
}

// way returns the end points of one part of a message between two ranks.
func (k *carrier) way(from, to int32, part int) (one, other int32) {
	nic := k.c.place.nic
	return k.points[int(nic[from])*k.stripes+part], k.points[int(nic[to])*k.stripes+part]
}

// send queues a transfer.
func (k *carrier) send(t carried, now sim.Time) {
	id, n := k.take(t)
	nic := &k.nics[n]
	nic.waiting.push(id)
	switch {
	case t.ready > now:
		k.c.schedule(t.ready, evReady, uint64(id))
	case nic.waiting.first() == id:
		k.fill(n, now)
	}
}

// follow gives a transfer the channel that another transfer of its NIC leaves now.
func (k *carrier) follow(t carried) {
	id, n := k.take(t)
	k.nics[n].waiting.pushFront(id)
}

// take gives a transfer a number.
func (k *carrier) take(t carried) (id, nic int32) {
	id = k.transfers.add()
	t.length = k.c.machine.Network.Transfer.Of(k.c.stripe(t.bytes))
	t.asked, t.ready = k.asked, max(t.ready, k.c.kernel.Now())
	t.unsent, t.coming = int32(k.stripes), int32(k.stripes)
	k.asked++
	*k.transfers.at(id) = t
	k.c.causes.hands(id)
	return id, k.nicOf(id)
}

// nicOf returns the NIC that a transfer leaves.
func (k *carrier) nicOf(id int32) int32 {
	from, _ := k.ends(k.transfers.at(id))
	return k.c.place.nic[from]
}

// isReady starts a transfer that is ready now, if it is its turn.
func (k *carrier) isReady(id int32, now sim.Time) {
	n := k.nicOf(id)
	nic := &k.nics[n]
	if nic.active == k.channels || nic.waiting.empty() || nic.waiting.first() != id {
		return
	}
	k.c.causes.isReady(id, now)
	k.fill(n, now)
}

// fill starts waiting transfers while a channel is free. They start in the order in which they
// asked, and none before it is ready.
func (k *carrier) fill(n int32, now sim.Time) {
	nic := &k.nics[n]
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
	k.c.causes.departs(id, k.stripes, k.c.kernel.Now())
	for part := range k.stripes {
		k.fabric.Start(k.transfer(id, part))
	}
}

// transfer returns a part of a transfer as the fabric sees it.
func (k *carrier) transfer(id int32, part int) network.Transfer {
	t, n := k.transfers.at(id), int64(k.stripes)
	from, to := k.ends(t)
	one, other := k.way(from, to, part)
	return network.Transfer{
		ID: uint32(int(id)*k.stripes + part), From: one, To: other, Bytes: (t.bytes + n - 1 - int64(part)) / n,
		Length: t.length, Kind: k.c.messages.at(t.message).kind(t.leg),
	}
}

// point returns the end point of the NIC of a rank, or of the first of its NICs.
func (k *carrier) point(r int32) int32 { return k.points[int(k.c.place.nic[r])*k.stripes] }

// watch records what the links of a fabric carry, and what waits at the NICs.
func (k *carrier) watch(fabric network.Contended) {
	k.traffic = network.Watch(fabric, int(slices.Max(k.points))+1)
}

// kind returns the kind of a leg of a message for the fabric. Bytes that a rendezvous reads are
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

// carries tells whether a transfer is under way. If one is when no event is left, it takes longer
// than the fabric can express.
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

// shared returns how much longer bytes that have just left took than they would have alone. It
// returns 0 if a NIC sends several messages at once, because the time is not known then.
func (k *carrier) shared(id int32, now sim.Time) sim.Time {
	if k.channels > 1 {
		return 0
	}
	t := k.transfers.at(id)
	alone := sim.Time(0)
	for part := range k.stripes {
		alone = max(alone, k.fabric.Alone(k.transfer(id, part)))
	}
	return max(0, now-t.started-t.startup-alone)
}

// Sent implements network.Sink.
func (k *carrier) Sent(part uint32, now, arrives sim.Time) {
	id := int32(part) / int32(k.stripes)
	t := k.transfers.at(id)
	if arrives > t.arrives {
		t.arrives, t.last = arrives, int32(part)%int32(k.stripes)
	}
	k.c.causes.left(k.c, part, t, now)
	if t.unsent--; t.unsent == 0 {
		k.sent(id, t, now)
	}
}

// sent says that the last part of a transfer has left.
func (k *carrier) sent(id int32, t *carried, now sim.Time) {
	t.took, t.unknown = now-t.started, t.arrives == sim.Forever
	if !t.unknown {
		k.landings.push(landing{t.arrives + k.far(t), t.asked, id})
	}
	from, _ := k.ends(t)
	x := k.shared(id, now)
	k.processes[from].total -= x // this time was not at full speed
	t.begun = t.started + x
	n := k.c.place.nic[from]
	nic := &k.nics[n]
	nic.active--
	nic.busy.change(now, -1)
	k.processes[from].change(now, -1)
	k.c.loadMemory(from, t, -1, now)
	if k.traffic != nil {
		k.traffic.Waited(int(k.point(from)), t.ready, now)
	}
	if rec := k.c.recorder; rec != nil {
		rec.send(k.c.messages.at(t.message).record, n, t.started, now, t.leg == load || t.bytes > 0)
	}
	k.c.sentAt(t, now)
	k.fill(n, now)
}

// far returns the additional time of a transfer beyond that from NIC to NIC.
func (k *carrier) far(t *carried) sim.Time {
	if k.c.place.far == nil {
		return 0
	}
	from, to := k.ends(t)
	return k.c.far(from) + k.c.far(to)
}

// Arrived implements network.Sink.
func (k *carrier) Arrived(part uint32, now sim.Time) {
	id := int32(part) / int32(k.stripes)
	t := k.transfers.at(id)
	if t.unknown { // the part that is here last counts
		t.last = int32(part) % int32(k.stripes)
	}
	if far := k.far(t); far > 0 {
		k.c.schedule(now+far, evLand, uint64(id))
		return
	}
	k.land(id, now)
}

// land takes in a part of a transfer. The first transfer to arrive at an instant also takes in
// the others that the fabric has announced for that instant. Later calls for those do nothing.
func (k *carrier) land(id int32, now sim.Time) {
	t := k.transfers.at(id)
	if t.coming--; t.unknown {
		if t.coming == 0 {
			k.arrive(id, now)
		}
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
	return network.Served{Own: k.processes[r].at(now), All: k.nics[k.c.place.nic[r]].busy.at(now)}
}
