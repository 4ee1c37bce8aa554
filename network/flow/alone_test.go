package flow

import (
	"reflect"
	"slices"
	"testing"

	"overlapsim/sim"
)

// Flows that are alone on their links get, to the last bit, what the sweep gives them.
func TestAlone(t *testing.T) {
	alone, all := 0, 0
	for c := range uint64(2000) {
		fast, slow := newHermits(c), newHermits(c)
		slow.eager = true
		for range 30 {
			fast.change()
			slow.change()
			all++
			alone += one(!fast.mixed)
			fast.solve()
			slow.sweep()
			slow.tidy()
			if !fast.equal(slow) {
				t.Fatalf("case %d:\n%+v\nwant\n%+v", c, fast.sharing, slow.sharing)
			}
		}
	}
	if alone < all/4 || alone > all*3/4 {
		t.Errorf("%d of %d times all flows were alone", alone, all)
	}
}

// hermits are random flows, most of which avoid links that others use.
type hermits struct {
	sharing[sim.Time]
	stream *sim.Stream
	unused []int32 // flows
	eager  bool    // links that flows have left are reset as soon as rates have been found, not when others come
}

func newHermits(seed uint64) *hermits {
	h := &hermits{stream: sim.NewStream(11, seed)}
	h.forever, h.whole = sim.Forever, true
	odd := h.stream.Intn(3) == 0
	for i := range 12 {
		capacity := 0.01
		if odd && i%4 == 0 {
			capacity = 0.02
		}
		h.addLink(capacity)
	}
	h.flows = make([]flow, 40)
	for f := range h.flows {
		h.unused = append(h.unused, int32(f))
	}
	return h
}

// change lets flows end that are done, and others come.
func (h *hermits) change() {
	h.now += sim.Time(h.stream.Intn(1000))
	if !h.next.empty() && h.stream.Intn(4) > 0 {
		h.now = h.next.entries[0].key
	}
	done := h.due(nil)
	slices.Sort(done)
	before := h.stream.Intn(2) == 0
	if before {
		h.come()
	}
	for _, f := range done {
		h.remove(f, 1)
		h.unused = append(h.unused, f)
	}
	if !before {
		h.come()
	}
}

// come lets flows begin.
func (h *hermits) come() {
	if loads, links := slices.Clone(h.loads), slices.Clone(h.links); h.eager {
		defer func() {
			for i := range h.links {
				h.loads[i].level, h.links[i].clock = loads[i].level, links[i].clock
			}
		}()
	}
	social := h.stream.Intn(6) == 0
	for range min(h.stream.Intn(4), len(h.unused)) {
		var route []int32
		for l := range int32(len(h.links)) {
			if h.stream.Intn(4) == 0 && (social || len(h.links[l].users) == 0) {
				route = append(route, l)
			}
		}
		if len(route) > 0 {
			shuffle(h.stream, route)
			last := len(h.unused) - 1
			h.setRoute(h.unused[last], route, none)
			h.add(h.unused[last], float64(1+h.stream.Intn(4)))
			h.unused = h.unused[:last]
		}
	}
}

// tidy resets the links that flows have left.
func (h *hermits) tidy() {
	for i := range h.links {
		if at := &h.links[i]; len(at.users) == 0 {
			h.loads[i].level, at.clock = free, 0
		}
	}
}

// equal reports whether all that matters for the future is the same.
func (h *hermits) equal(other *hermits) bool {
	for i := range h.links {
		if len(h.links[i].users) > 0 && (h.loads[i] != other.loads[i] || !reflect.DeepEqual(h.links[i], other.links[i])) {
			return false
		}
	}
	return slices.Equal(h.flows, other.flows) && slices.Equal(h.next.entries, other.next.entries) &&
		h.queue.empty() && len(h.lowered)+len(other.lowered) == 0
}
