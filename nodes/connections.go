package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// connections are the connections of a machine without RDMA whose buffers hold a limited number of bytes. A
// sender has to wait until the receiver has copied earlier bytes. The zero connections hold any
// number of bytes.
type connections struct {
	bytes int64              // capacity of each
	all   []connection       // in the order of their first bytes
	of    map[rankPair]int32 // indexes
}

// connection holds the bytes that one rank has copied out for another.
type connection struct {
	from int32
	held int64       // bytes that the sender has copied out, not knowing yet that they were copied in
	open fifo[cause] // when it will know
}

func newConnections(cp *machines.Copying) connections {
	if cp == nil || cp.Window <= 0 {
		return connections{}
	}
	return connections{bytes: cp.Window, of: map[rankPair]int32{}}
}

// limited tells whether connections hold a limited number of bytes.
func (w *connections) limited() bool { return w.bytes > 0 }

// at returns the connection of a message.
func (w *connections) at(e rankPair) int32 {
	i, ok := w.of[e]
	if !ok {
		i = int32(len(w.all))
		w.of[e] = i
		w.all = append(w.all, connection{from: e.from})
	}
	return i
}

// fits tells whether the connection of a message has room for bytes.
func (w *connections) fits(m *message, bytes int64) bool {
	return !w.limited() || w.all[w.at(m.pair())].held+bytes <= w.bytes
}

// fill puts bytes into the connection of a message.
func (w *connections) fill(m *message, bytes int64) {
	if w.limited() {
		w.all[w.at(m.pair())].held += bytes
	}
}

// emptied tells the sender of a message, a latency later, that its bytes were copied in.
func (c *cluster) emptied(id int32, bytes int64, now sim.Time) {
	if !c.connections.limited() {
		return
	}
	m := c.messages.at(id)
	i, at := c.connections.at(m.pair()), now+c.latency(m.to, m.from)
	c.causes.opens(c, &c.connections.all[i], id, at)
	c.schedule(at, evOpened, uint64(uint32(i))|uint64(bytes)<<32)
}

// opened makes room in a connection and lets its sender continue.
func (c *cluster) opened(i int32, bytes int64, now sim.Time) {
	w := &c.connections.all[i]
	c.causes.opened(w, now)
	w.held -= bytes
	c.progress(w.from, now)
}
