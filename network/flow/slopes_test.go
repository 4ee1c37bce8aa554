package flow

import (
	"math"
	"testing"

	"overlapsim/sim"
)

// TestSlopes compares the derivatives of rates by the capacities of classes of links
// with finite differences of water-filling, whenever rates have changed. They add
// up to the rates.
func TestSlopes(t *testing.T) {
	var compared, bent int
	for c := range uint64(3000) {
		stream := sim.NewStream(5, c)
		capacity, plans := scenario(stream)
		w := &watched{t: t, capacity: capacity, plans: plans, by: make([][]float64, len(plans))}
		for range capacity {
			w.class = append(w.class, int32(stream.Intn(2)))
		}
		k := sim.NewKernel()
		n, err := NewNetwork(k, newRecorder(len(plans)), capacity, false)
		if err != nil {
			t.Fatal(err)
		}
		n.sharing.differentiate(w.class, classes, func(flow int32, rate float64, by []float64) {
			if flow := n.slots[flow].id; rate > 0 {
				w.by[flow] = append(w.by[flow][:0], by...)
			}
		})
		self := k.Register(&starter{n, plans})
		for i, p := range plans {
			k.Schedule(sim.Seconds(p.start), self, 0, uint64(i))
		}
		for k.Step() {
			if !n.unsolved {
				w.check(n)
			}
		}
		if t.Failed() {
			t.Fatalf("case %d: capacity %v\n%+v", c, capacity, plans)
		}
		compared, bent = compared+w.compared, bent+w.bent
	}
	t.Logf("%d compared, %d bent", compared, bent)
	if compared < 100_000 || bent*10 > compared {
		t.Error("too few could be compared")
	}
}

// classes of links in TestSlopes: two, and the limits of flows.
const classes = 3

// watched is what a run has told of its rates.
type watched struct {
	t              *testing.T
	capacity       []float64
	class          []int32
	plans          []plan
	by             [][]float64 // by flow
	compared, bent int
}

// check compares what was told of the flows under way.
func (w *watched) check(n *Network) {
	var ids []uint32
	var now []float64
	for i := range n.sharing.flows {
		if f := &n.sharing.flows[i]; f.holder != none && f.length > 0 && n.sharing.uses(int32(i)) {
			ids, now = append(ids, n.slots[i].id), append(now, f.rate)
		}
	}
	for k := range int32(classes) {
		up, down := w.rates(ids, k, 1+1e-6), w.rates(ids, k, 1-1e-6)
		for i, id := range ids {
			left, right := (now[i]*1e12-down[i])/1e-6, (up[i]-now[i]*1e12)/1e-6
			if math.Abs(left-right) > 1e-3*now[i]*1e12 {
				w.bent++
				continue
			}
			w.compared++
			if d := w.by[id][k] * 1e12; math.Abs(d-left) > 1e-3*now[i]*1e12 {
				w.t.Fatalf("rate %g of flow %d by class %d: %g, finite differences %g and %g", now[i]*1e12, id, k, d, left, right)
			}
		}
	}
	for i, id := range ids {
		if sum := w.by[id][0] + w.by[id][1] + w.by[id][2]; math.Abs(sum-now[i]) > 1e-9*now[i] {
			w.t.Fatalf("derivatives of flow %d add up to %g, its rate is %g", id, sum, now[i])
		}
	}
}

// uses tells whether a flow is under way.
func (s *sharing) uses(f int32) bool {
	for _, u := range s.links[s.route(f)[0]].users {
		if u.flow == f {
			return true
		}
	}
	return false
}

// rates returns those of flows when the capacities of a class are so many times as
// large.
func (w *watched) rates(ids []uint32, class int32, factor float64) []float64 {
	capacity := make([]float64, len(w.capacity))
	for l, c := range w.capacity {
		if capacity[l] = c; w.class[l] == class {
			capacity[l] *= factor
		}
	}
	var routes [][]int32
	var limits []float64
	for _, id := range ids {
		limit := w.plans[id].limit
		if class == classes-1 {
			limit *= factor
		}
		routes, limits = append(routes, w.plans[id].route), append(limits, limit)
	}
	return waterfill(capacity, routes, limits)
}
