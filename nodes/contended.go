package nodes

import (
	"math"
	"slices"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// carrier runs the sending side of the NICs on a contended fabric. Messages wait in the NIC until
// one of its channels is free. If a machine does not say how many those are, a NIC serves many
// messages at once, in turns, as NICs of today do with their queue pairs: one between each pair of
// processes. Then messages take as long as the fabric says.
type carrier struct {
	c         *cluster
	fabric    network.Contended
	channels  int     // transfers that leave a NIC at the same time
	stripes   int     // NICs over which each transfer is split
	points    []int32 // end points of the fabric: of each NIC; if transfers are split, of all NICs of each node in turn
	nics      []channelQueue
	last      map[queue]int32 // the last transfer in a queue, until it has left
	processes []busyTime      // by rank
	transfers slab[carried]
	asked     uint64           // transfers so far
	arrivals  arrivals         // transfers whose arrival time is known
	arriving  carried          // what arrives now
	traffic   *network.Traffic // nil: not recorded
}

// channelQueue is the sending side of a NIC.
type channelQueue struct {
	waiting fifo[int32] // transfers in the order in which they asked; in turns: those that are ready and whose turn it is
	active  int         // transfers that occupy channels
	passing int         // others
	busy    busyTime
}

// carried is a transfer in flight: a message, or a chunk of one.
type carried struct {
	message int32
	leg     leg
	unknown bool     // its arrival time was not known when it had left
	next    int32    // the next transfer of its queue, which waits for this one; nobody: none
	behind  bool     // it waits so
	unsent  int32    // parts that have not left
	coming  int32    // parts that have not arrived, if arrival times are not known
	arrives sim.Time // of the last part among those that have left
	latest  int32    // the part that arrives last among those that have left
	bytes   int64
	startup sim.Time // of a message's first bytes: the channel's time before they leave
	length  sim.Time // how long the NIC needs for the bytes
	asked   uint64   // how many transfers asked before it
	ready   sim.Time // it starts neither before this nor before it asked
	started sim.Time
	begun   sim.Time // when the first byte leaves, if the time that sharing adds is counted before it
	took    sim.Time // until its last byte left
}

// busyTime adds up the time in which at least one transfer is in flight.
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

// newCarrier returns the carrier of a cluster whose fabric is not ideal.
func newCarrier(c *cluster, point func(node, nic int) int) *carrier {
	k := &carrier{
		c: c, channels: c.machine.Network.Channels, stripes: c.machine.Stripes(),
		nics: make([]channelQueue, len(c.nics)), processes: make([]busyTime, len(c.ranks)),
		last: map[queue]int32{},
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

// pairs is how many messages a NIC serves at once if its machine does not say it. It is chosen: of a NIC
// twice as fast as its links, an all-to-all of 256 nodes moves by 2 % with half or twice as many.
const pairs = 64

// uses connects the carrier to its fabric. If the fabric does not share a NIC's rate among the
// transfers of the NIC, that has one channel unless the machine says otherwise.
func (k *carrier) uses(fabric network.Contended) {
	k.fabric = fabric
	switch {
	case k.channels > 0:
	case fabric.Injection() == 0 && k.channels != network.InTurns:
		k.channels = 1
	default:
		k.channels, k.c.atOnce.inTurns = pairs, true
	}
	k.c.atOnce.lanes, k.c.atOnce.injection, k.c.atOnce.ejection = k.intake(), fabric.Injection(), fabric.Ejection()
	for i := range k.c.nics {
		k.c.nics[i].TakeIn(k.c.atOnce.lanes)
	}
}

// intake returns how many messages a NIC takes in at once. A fabric that shares what a NIC receives among
// its messages needs no limit; elsewhere more messages than its rate allows would multiply that.
func (k *carrier) intake() int {
	one, all := k.c.machine.Network.Rate(), k.fabric.Injection()
	switch {
	case k.fabric.Ejection() > 0:
		return 0
	case one == 0 || all == 0:
		return k.channels
	}
	return min(k.channels, max(1, int(math.Ceil(min(float64(all/one), pairs)))))
}

// send queues a transfer.
func (k *carrier) send(t carried, now sim.Time) {
	id, n := k.take(t)
	queue := k.queue(id)
	before, waits := k.last[queue]
	k.last[queue] = id
	if waits = waits && (k.c.atOnce.inTurns || k.passes(id) || k.passes(before)); waits {
		k.transfers.at(before).next, k.transfers.at(id).behind = id, true
	}
	if k.inTurns(id) {
		k.takeTurn(id, now)
		return
	}
	nic := &k.nics[n]
	nic.waiting.push(id)
	switch {
	case t.ready > now:
		k.c.schedule(t.ready, evReady, uint64(id))
	case nic.waiting.first() == id:
		k.fill(n, now)
	}
}

// passes tells whether a transfer waits only for those of its queue, and occupies no channel.
func (k *carrier) passes(id int32) bool {
	t := k.transfers.at(id)
	return t.leg.passes(t.bytes)
}

// inTurns tells whether a transfer is in line only once it is ready.
func (k *carrier) inTurns(id int32) bool { return k.c.atOnce.inTurns || k.passes(id) }

// takeTurn lets a transfer leave when it is its turn in its queue, it is ready, and a channel is free if it needs one.
func (k *carrier) takeTurn(id int32, now sim.Time) {
	t, n := k.transfers.at(id), k.nicOf(id)
	switch {
	case t.behind:
	case t.ready > now:
		k.c.schedule(t.ready, evReady, uint64(id))
	case k.passes(id):
		k.start(id, &k.nics[n], now)
	default:
		k.nics[n].waiting.push(id)
		k.fill(n, now)
	}
}

// queue is what a process sends to another one, or what that reads from it.
type queue struct {
	from, to int32
	read     bool
}

// queue returns the queue in which a transfer is.
func (k *carrier) queue(id int32) queue {
	t := k.transfers.at(id)
	from, to := k.endpoints(t)
	return queue{from, to, k.c.messages.at(t.message).answers(t.leg)}
}

// passTurn gives the turn of a transfer that has left to the next one.
func (k *carrier) passTurn(id int32, now sim.Time) {
	next := k.transfers.at(id).next
	if queue := k.queue(id); k.last[queue] == id {
		delete(k.last, queue)
	}
	if next == nobody {
		return
	}
	k.transfers.at(next).behind = false
	if k.inTurns(next) {
		k.takeTurn(next, now)
	}
}

// follow gives a transfer the turn that another one leaves now.
func (k *carrier) follow(before int32, t carried) {
	id, _ := k.take(t)
	at := k.transfers.at(before)
	switch queue := k.queue(id); {
	case k.last[queue] == before:
		k.last[queue] = id
	case at.next == nobody:
		at.next = k.waitsFor(id)
	}
	k.transfers.at(id).next, k.transfers.at(id).behind = at.next, true
	at.next = id
}

// waitsFor makes the first transfer in the NIC that is of the same queue wait for one.
func (k *carrier) waitsFor(id int32) int32 {
	for _, other := range k.nics[k.nicOf(id)].waiting.left() {
		if k.queue(other) == k.queue(id) {
			k.transfers.at(other).behind = true
			return other
		}
	}
	return nobody
}

// take gives a transfer a number.
func (k *carrier) take(t carried) (id, nic int32) {
	id = k.transfers.add()
	t.length = k.c.machine.Network.Transfer.Of(k.c.stripe(t.bytes))
	t.asked, t.ready = k.asked, max(t.ready, k.c.kernel.Now())
	t.unsent, t.coming, t.next = int32(k.stripes), int32(k.stripes), nobody
	k.asked++
	*k.transfers.at(id) = t
	k.c.causes.transferQueued(id)
	return id, k.nicOf(id)
}

// nicOf returns the NIC that a transfer leaves.
func (k *carrier) nicOf(id int32) int32 {
	from, _ := k.endpoints(k.transfers.at(id))
	return k.c.place.nic[from]
}

// isReady starts a transfer that is ready now, if it is its turn.
func (k *carrier) isReady(id int32, now sim.Time) {
	if k.inTurns(id) {
		k.c.causes.isReady(id, now)
		k.takeTurn(id, now)
		return
	}
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
	for nic.active < k.channels && !nic.waiting.empty() {
		if t := k.transfers.at(nic.waiting.first()); t.behind || t.ready > now {
			return
		}
		k.start(nic.waiting.pop(), nic, now)
	}
}

func (k *carrier) start(id int32, nic *channelQueue, now sim.Time) {
	t := k.transfers.at(id)
	m := k.c.messages.at(t.message)
	t.started = now
	from, to := k.endpoints(t)
	served := k.served(from, now)
	if t.leg == load && m.sent == sim.Forever && m.start < now {
		m.start, m.served = now, served
	}
	k.c.legStarts(t.message, t.leg, t.ready, now, served)
	k.occupy(id, nic, from, now, +1)
	k.c.causes.starts(k.c, id, from, t, now)
	k.c.loadMemories(from, to, t, now)
	if t.startup > 0 {
		k.c.schedule(now+t.startup, evLeave, uint64(id))
	} else {
		k.leave(id)
	}
}

// occupy begins (+1) or ends (-1) the time of a transfer in its NIC.
func (k *carrier) occupy(id int32, nic *channelQueue, from int32, now sim.Time, by int) {
	if k.passes(id) {
		nic.passing += by
		return
	}
	nic.active += by
	nic.busy.change(now, by)
	k.processes[from].change(now, by)
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
	from, to := k.endpoints(t)
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
func (m *message) kind(l leg) network.TransferKind {
	switch {
	case m.protocol == got && l == request:
		return network.Request
	case l == load && (m.protocol == got || m.protocol == rendezvous && m.way == machines.Read):
		return network.Answer
	}
	return network.Bytes
}

// carries tells whether a transfer is in flight. If one is when no event is left, it takes longer
// than the fabric can express.
func (k *carrier) carries() bool {
	for i := range k.nics {
		if k.nics[i].active+k.nics[i].passing > 0 {
			return true
		}
	}
	return false
}

// endpoints returns the ranks between which a transfer goes.
func (k *carrier) endpoints(t *carried) (from, to int32) {
	return k.c.messages.at(t.message).endpoints(t.leg)
}

// shared returns how much longer bytes that have just left took than they would have alone.
func (k *carrier) shared(id int32, now sim.Time) sim.Time {
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
		t.arrives, t.latest = arrives, int32(part)%int32(k.stripes)
	}
	k.c.causes.left(k.c, part, t, now)
	if t.unsent--; t.unsent == 0 {
		k.sent(id, t, now)
	}
	k.c.continueSchedules(now)
}

// sent says that the last part of a transfer has left.
func (k *carrier) sent(id int32, t *carried, now sim.Time) {
	t.took, t.unknown = now-t.started, t.arrives == sim.Forever
	if !t.unknown {
		k.arrivals.push(arrival{t.arrives + k.far(t), t.asked, id})
	}
	from, _ := k.endpoints(t)
	x := k.shared(id, now)
	if k.channels == 1 && !k.passes(id) {
		k.processes[from].total -= x // this time was not at full speed
	}
	t.begun = t.started + x
	n := k.c.place.nic[from]
	nic := &k.nics[n]
	k.occupy(id, nic, from, now, -1)
	k.c.loadMemory(from, t, -1, now)
	if k.traffic != nil {
		k.traffic.Waited(int(k.point(from)), t.ready, now)
	}
	if !t.leg.passes(t.bytes) {
		k.c.recorder.send(k.c.messages.at(t.message).record, n, t.started, now)
	}
	k.c.sentAt(id, t, now)
	k.passTurn(id, now)
	k.fill(n, now)
}

// far returns the additional time of a transfer beyond that from NIC to NIC.
func (k *carrier) far(t *carried) sim.Time {
	from, to := k.endpoints(t)
	return k.c.place.far(from) + k.c.place.far(to)
}

// Arrived implements network.Sink.
func (k *carrier) Arrived(part uint32, now sim.Time) {
	id := int32(part) / int32(k.stripes)
	t := k.transfers.at(id)
	if t.unknown { // the part that is here last counts
		t.latest = int32(part) % int32(k.stripes)
	}
	if far := k.far(t); far > 0 {
		k.c.schedule(now+far, evPartArrived, uint64(id))
		return
	}
	k.partArrived(id, now)
	k.c.continueSchedules(now)
}

// partArrived takes in a part of a transfer. The first transfer to arrive at an instant also takes in
// the others that the fabric has announced for that instant. Later calls for those do nothing.
func (k *carrier) partArrived(id int32, now sim.Time) {
	t := k.transfers.at(id)
	if t.coming--; t.unknown {
		if t.coming == 0 {
			k.arrive(id, now)
		}
		return
	}
	for first, ok := k.arrivals.pop(now); ok; first, ok = k.arrivals.pop(now) {
		k.arrive(first, now)
	}
}

func (k *carrier) arrive(id int32, now sim.Time) {
	k.arriving = *k.transfers.at(id)
	k.transfers.remove(id)
	t := &k.arriving
	from, to := k.endpoints(t)
	k.c.causes.arrives(k.c, id, from, t, now)
	k.c.loadMemory(to, t, -1, now)
	k.c.arrivedAt(t, now)
}

// served returns what the NIC of a rank has sent, as network.NIC.Served does.
func (k *carrier) served(r int32, now sim.Time) network.Served {
	return network.Served{Own: k.processes[r].at(now), All: k.nics[k.c.place.nic[r]].busy.at(now)}
}
