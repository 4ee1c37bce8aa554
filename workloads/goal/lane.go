package goal

// A lane is a queue of all elements that wait for the same resources of one host: the
// calcs of a CPU, the sends from a CPU through a NIC, and so on. As they wait for the
// same resources, only the element with the lowest running number need be tried. A lane
// therefore needs one entry in the agenda, however many elements wait in it.
type lane struct {
	wake       uint64 // time of the valid entry in the agenda
	head, tail uint32 // the elements that came in order of seq
	late       uint32 // index+1 of the heap of the other elements, all before the tail
	host       uint32
	kind       uint8
	cpu, nic   uint8
}

// waiting is one element of a lane: an operation and its rank, or a message and the rank
// of its sender.
type waiting struct{ what, rank, seq, next uint32 }

// lanes holds the lanes of all hosts; a lane takes memory only after its first use.
type lanes struct {
	lanes      []lane
	slots      []uint32          // index+1 of each possible lane
	sparse     map[uint64]uint32 // replaces slots if there would be many more slots than operations
	kinds      uint64
	cpus, nics uint64

	nodes []waiting // node 0 ends lists
	free  uint32
	late  []agenda
	spare []uint32 // heaps not in use
}

func newLanes(s *Schedule, kinds int) *lanes {
	l := &lanes{kinds: uint64(kinds), cpus: uint64(s.cpus), nics: uint64(s.nics), nodes: make([]waiting, 1)}
	if n := uint64(s.Ranks()) * l.kinds * l.cpus * l.nics; n <= 1<<10+8*uint64(len(s.ops)) {
		l.slots = make([]uint32, n)
	} else {
		l.sparse = make(map[uint64]uint32)
	}
	return l
}

// at returns the index of a lane.
func (l *lanes) at(host uint32, kind, cpu, nic uint8) uint32 {
	key := ((uint64(host)*l.kinds+uint64(kind))*l.cpus+uint64(cpu))*l.nics + uint64(nic)
	if l.slots == nil {
		if i, ok := l.sparse[key]; ok {
			return i
		}
		l.sparse[key] = l.add(host, kind, cpu, nic)
		return l.sparse[key]
	}
	if l.slots[key] == 0 {
		l.slots[key] = l.add(host, kind, cpu, nic) + 1
	}
	return l.slots[key] - 1
}

func (l *lanes) add(host uint32, kind, cpu, nic uint8) uint32 {
	l.lanes = append(l.lanes, lane{host: host, kind: kind, cpu: cpu, nic: nic})
	return uint32(len(l.lanes) - 1)
}

// push adds an element and returns whether it is the first of its lane now.
func (l *lanes) push(i, what, rank, seq uint32) (first bool) {
	q := &l.lanes[i]
	if q.tail != 0 && l.nodes[q.tail].seq > seq {
		head, _ := l.first(i)
		l.pushLate(q, entry{seq: seq, what: what, rank: rank})
		return seq < head
	}
	n := l.free
	if n == 0 {
		l.nodes = append(l.nodes, waiting{})
		n = uint32(len(l.nodes) - 1)
	} else {
		l.free = l.nodes[n].next
	}
	l.nodes[n] = waiting{what: what, rank: rank, seq: seq}
	if first = q.tail == 0; first {
		q.head = n
	} else {
		l.nodes[q.tail].next = n
	}
	q.tail = n
	return first
}

func (l *lanes) pushLate(q *lane, x entry) {
	if q.late == 0 {
		if n := len(l.spare); n > 0 {
			q.late = l.spare[n-1]
			l.spare = l.spare[:n-1]
		} else {
			l.late = append(l.late, nil)
			q.late = uint32(len(l.late))
		}
	}
	l.late[q.late-1].push(x)
}

// first returns the running number of the first element.
func (l *lanes) first(i uint32) (seq uint32, ok bool) {
	q := &l.lanes[i]
	seq = l.nodes[q.head].seq
	if q.late != 0 {
		seq = min(seq, l.late[q.late-1][0].seq)
	}
	return seq, q.head != 0
}

// pop removes and returns the first element of a lane that has one.
func (l *lanes) pop(i uint32) (what, rank uint32) {
	q := &l.lanes[i]
	n := q.head
	if q.late != 0 && l.late[q.late-1][0].seq < l.nodes[n].seq {
		return l.popLate(q)
	}
	what, rank = l.nodes[n].what, l.nodes[n].rank
	if q.head = l.nodes[n].next; q.head == 0 {
		q.tail = 0
	}
	l.nodes[n].next, l.free = l.free, n
	return what, rank
}

func (l *lanes) popLate(q *lane) (what, rank uint32) {
	h := &l.late[q.late-1]
	x := h.pop()
	if len(*h) == 0 {
		l.spare = append(l.spare, q.late)
		q.late = 0
	}
	return x.what, x.rank
}
