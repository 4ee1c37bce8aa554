package network

import (
	"slices"
	"testing"

	"overlapsim/sim"

	"pgregory.net/rapid"
)

// bruteNIC remembers every descriptor and transfer and looks through all of
// them.
type bruteNIC struct {
	gap       sim.Time
	depth     int
	early     bool
	inserted  []sim.Time // ends
	transfers []transfer
	passing   []transfer // without bytes
	taken     []sim.Time
	delivered sim.Time // the last of them
}

func (n *bruteNIC) insert(now, overhead sim.Time) (accepted, begin, ready sim.Time) {
	for accepted = now; n.depth > 0 && n.waiting(accepted) >= n.depth; accepted++ {
	}
	for begin = accepted; n.waiting(begin) > 0; begin++ {
	}
	n.inserted = append(n.inserted, begin+n.gap)
	for ready = begin + n.gap; !n.early && ready < accepted+overhead; ready++ {
	}
	return accepted, begin, ready
}

// waiting counts the descriptors that are not inserted.
func (n *bruteNIC) waiting(at sim.Time) (count int) {
	for _, end := range n.inserted {
		if end > at {
			count++
		}
	}
	return count
}

func (n *bruteNIC) send(ready sim.Time, process int, to int32, length sim.Time) (start, end sim.Time) {
	start = n.behind(ready, process, to, n.passing)
	for _, t := range n.transfers {
		start = max(start, t.end)
	}
	n.transfers = append(n.transfers, transfer{start, start + length, int32(process), to})
	return start, start + length
}

// behind returns when what a process sent to another one before has left.
func (n *bruteNIC) behind(ready sim.Time, process int, to int32, before ...[]transfer) sim.Time {
	for _, t := range slices.Concat(before...) {
		if int(t.process) == process && t.to == to && to >= 0 {
			ready = max(ready, t.end)
		}
	}
	return ready
}

// sending counts the transfers of a process that are booked and not over.
func (n *bruteNIC) sending(at sim.Time, process int) (count int) {
	for _, t := range n.transfers {
		if int(t.process) == process && t.end > at {
			count++
		}
	}
	return count
}

func (n *bruteNIC) served(now sim.Time, process int) (s Served) {
	for _, t := range n.transfers {
		part := max(0, min(t.end, now)-t.start)
		s.All += part
		if int(t.process) == process {
			s.Own += part
		}
	}
	return s
}

const bruteProcesses = 3

// drive does the same with a NIC and with a bruteNIC, and compares.
type drive struct {
	*rapid.T
	nic         *NIC
	brute       *bruteNIC
	outstanding int
	now         sim.Time
	before      [bruteProcesses]Served
}

func (d *drive) small(name string) sim.Time { return sim.Time(rapid.IntRange(0, 9).Draw(d.T, name)) }

func (d *drive) post(process int) {
	overhead, length := d.small("overhead"), d.small("length")
	if d.outstanding > 0 {
		room := d.now
		for d.brute.sending(room, process) >= d.outstanding {
			room++
		}
		if got := max(d.now, d.nic.Room(process)); got != room {
			d.Fatalf("at %d process %d has room at %d, want %d", d.now, process, got, room)
		}
		d.now = room
	}
	accepted, begin, ready := d.nic.Insert(d.now, overhead)
	a, b, r := d.brute.insert(d.now, overhead)
	if accepted != a || begin != b || ready != r {
		d.Fatalf("at %d insert gives %d %d %d, want %d %d %d", d.now, accepted, begin, ready, a, b, r)
	}
	d.send(process, ready, length)
}

func (d *drive) send(process int, ready, length sim.Time) {
	to := int32(rapid.IntRange(-1, 2).Draw(d.T, "to"))
	start, end, through := d.nic.Send(d.now, ready, process, to, length)
	s, e := d.brute.send(ready, process, to, length)
	if want := d.brute.served(e, process); start != s || end != e || through != want {
		d.Fatalf("at %d sent %d to %d, through %+v, want %d to %d, %+v", d.now, start, end, through, s, e, want)
	}
}

// pass sends a message without bytes, as a request that is written now.
func (d *drive) pass(process int) {
	to, want := int32(rapid.IntRange(0, 2).Draw(d.T, "to")), d.now+d.small("ready")
	length := d.small("length")
	start, end := d.nic.Pass(want, process, to, length)
	want = d.brute.behind(want, process, to, d.brute.transfers, d.brute.passing)
	d.brute.passing = append(d.brute.passing, transfer{want, want + length, int32(process), to})
	if start != want || end != want+length {
		d.Fatalf("at %d passes from %d to %d, want %d", d.now, start, end, want)
	}
}

func (d *drive) receive() {
	length, delivery := d.small("length"), d.small("delivery")
	want := d.now
	if n := len(d.brute.taken); n > 0 {
		want = max(want, d.brute.taken[n-1]+length)
	} else if d.now < length {
		return // nothing can have come so soon
	}
	d.brute.taken = append(d.brute.taken, want)
	d.brute.delivered = max(d.brute.delivered, want+delivery)
	if got := d.nic.Receive(d.now-length, d.now, length, delivery); got != d.brute.delivered {
		d.Fatalf("at %d taken in at %d, want %d", d.now, got, d.brute.delivered)
	}
}

func (d *drive) look(process int) {
	got, want := d.nic.Served(d.now, process), d.brute.served(d.now, process)
	if got != want || got.Own < d.before[process].Own || got.All < d.before[process].All {
		d.Fatalf("at %d served %+v, want %+v, before %+v", d.now, got, want, d.before[process])
	}
	d.before[process] = got
}

// The NIC is first-in first-out but for messages without bytes, never idle while a transfer is ready, and exact at every
// instant.
func TestNICAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := LogGOPS{Gap: sim.Time(rapid.IntRange(0, 9).Draw(t, "gap")), QueueDepth: rapid.IntRange(0, 3).Draw(t, "depth"),
			Early: rapid.Bool().Draw(t, "early")}
		outstanding := rapid.IntRange(0, 3).Draw(t, "outstanding")
		nics := newNICs(&p, []int32{1, bruteProcesses}, outstanding, 1)
		d := &drive{T: t, nic: &nics[1], brute: &bruteNIC{gap: p.Gap, depth: p.QueueDepth, early: p.Early}, outstanding: outstanding}
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			d.now += d.small("pause")
			process := rapid.IntRange(0, bruteProcesses-1).Draw(t, "process")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				d.post(process)
			case 1:
				d.send(process, d.now, d.small("length")) // as a rendezvous read
			case 2:
				d.receive()
			case 3:
				d.look(process)
			case 4:
				d.pass(process)
			}
		}
		if got := nics[0].Served(d.now, 0); got != (Served{}) {
			t.Fatalf("the other NIC served %+v", got)
		}
	})
}

// Nishtala, equations (4) to (6): with one slot a post costs max(o, g), and
// the bytes follow each other without a gap when G n exceeds that.
func TestNICQueueOfOneSlot(t *testing.T) {
	p := LogGOPS{Gap: 10, QueueDepth: 1}
	nic := &newNICs(&p, []int32{1}, 0, 1)[0]
	var cpu sim.Time
	for i := range sim.Time(5) {
		accepted, begin, ready := nic.Insert(cpu, 4)
		if accepted != 10*i || begin != 10*i || ready != 10*i+10 {
			t.Errorf("message %d: accepted %d, begun %d, ready %d", i, accepted, begin, ready)
		}
		if start, end, _ := nic.Send(cpu, ready, 0, 0, 30); start != 10+30*i || end != start+30 {
			t.Errorf("message %d: sent from %d to %d", i, start, end)
		}
		cpu = accepted + 4
	}
}

// Bytes that arrive slowly, because they share links with others, cost the receiving NIC no more
// than others do. With several lanes, several messages come in at once, and none overtakes
// another.
func TestNICReceives(t *testing.T) {
	type message struct{ first, last, length, want sim.Time }
	for _, c := range []struct {
		name     string
		lanes    int
		messages []message
	}{
		{"one after the other", 1, []message{{0, 10, 10, 10}, {0, 10, 10, 20}, {5, 15, 10, 30}, {90, 100, 10, 100}}},
		{"two that share a link", 1, []message{{0, 20, 10, 20}, {0, 20, 10, 20}}},
		{"three that share it, of two nodes", 1, []message{{0, 20, 10, 20}, {0, 20, 10, 20}, {10, 20, 10, 30}}},
		{"a slow one and a fast one", 1, []message{{0, 100, 10, 100}, {80, 101, 20, 101}, {90, 101, 11, 111}}},
		{"two lanes", 2, []message{{0, 10, 10, 10}, {0, 10, 10, 10}, {0, 10, 10, 20}, {0, 10, 10, 20}, {0, 10, 10, 30}}},
		{"none overtakes", 2, []message{{0, 10, 10, 10}, {0, 10, 10, 10}, {0, 30, 30, 40}, {29, 30, 1, 40}, {29, 31, 2, 42}, {40, 42, 2, 42}}},
	} {
		nic := &newNICs(&LogGOPS{}, []int32{1}, 0, c.lanes)[0]
		for i, m := range c.messages {
			if got := nic.Receive(m.first, m.last, m.length, 0); got != m.want {
				t.Errorf("%s: message %d is in memory at %d, want %d", c.name, i, got, m.want)
			}
		}
	}
}

// However bytes arrive, the NIC never takes in more in an interval than it can.
func TestNICReceivesNoMoreThanItCan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.IntRange(1, 3).Draw(t, "lanes")
		nic := &newNICs(&LogGOPS{}, []int32{1}, 0, lanes)[0]
		now, sum, begin, most := sim.Time(100), sim.Time(0), sim.Time(100), sim.Time(0)
		for range rapid.IntRange(1, 40).Draw(t, "messages") {
			now += sim.Time(rapid.IntRange(0, 9).Draw(t, "pause"))
			length := sim.Time(rapid.IntRange(0, 20).Draw(t, "length"))
			first := now - length - sim.Time(rapid.IntRange(0, 20).Draw(t, "slow"))
			sum, begin, most = sum+length, min(begin, first), max(most, length)
			at := nic.Receive(first, now, length, 0)
			if at < now || at-begin < (sum-sim.Time(lanes-1)*most)/sim.Time(lanes) {
				t.Fatalf("%d of work is done at %d, begun at %d, with %d lanes", sum, at, begin, lanes)
			}
		}
	})
}

func newNICs(p *LogGOPS, processes []int32, outstanding, lanes int) []NIC {
	nics := make([]NIC, len(processes))
	PrepareNICs(nics, p, processes, outstanding)
	for i := range nics {
		nics[i].TakeIn(lanes)
	}
	return nics
}
