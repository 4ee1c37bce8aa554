package nodes

import "overlapsim/sim"

// arrivals are transfers that have left and whose arrival time is known. The earliest arrival
// comes first. Of transfers that arrive at the same instant, the one that asked first comes
// first. This is the order in which they arrive on the ideal fabric.
type arrivals []arrival

type arrival struct {
	at    sim.Time
	asked uint64
	id    int32
}

func (l arrival) before(m arrival) bool { return l.at < m.at || l.at == m.at && l.asked < m.asked }

// push adds a transfer to the heap.
func (h *arrivals) push(l arrival) {
	*h = append(*h, l)
	all, i := *h, len(*h)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !l.before(all[parent]) {
			break
		}
		all[i] = all[parent]
		i = parent
	}
	all[i] = l
}

// pop removes the first transfer that has arrived now, if there is one.
func (h *arrivals) pop(now sim.Time) (id int32, ok bool) {
	all := *h
	if len(all) == 0 || all[0].at > now {
		return 0, false
	}
	first, last := all[0].id, all[len(all)-1]
	all = all[:len(all)-1]
	*h = all
	i := 0
	for child := 1; child < len(all); child = 2*i + 1 {
		if child+1 < len(all) && all[child+1].before(all[child]) {
			child++
		}
		if !all[child].before(last) {
			break
		}
		all[i] = all[child]
		i = child
	}
	if len(all) > 0 {
		all[i] = last
	}
	return first, true
}
