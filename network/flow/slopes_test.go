package flow

import (
	"math"
	"testing"

	"overlapsim/sim"
	"overlapsim/sim/must"
)

// TestSlopes compares the derivatives of rates by the capacities of classes of links
// with finite differences of water-filling, whenever rates have changed. They add
// up to the rates.
func TestSlopes(t *testing.T) {
	must.Long(t)
	var compared, bent int
	for c := range uint64(3000) {
		stream := sim.NewStream(5, c)
		capacity, plans := scenario(stream)
		w := &told{t: t, capacity: capacity, plans: plans, by: make([][]float64, len(plans))}
		for range capacity {
			w.class = append(w.class, int32(stream.Intn(2)))
		}
		k := sim.NewKernel()
		n := must.Get(NewNetwork(k, newRecorder(len(plans)), rates(capacity), false))(t)
		w.n = n
		n.sharing.differentiate(w.class, 2, parts, w)
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

// Links in TestSlopes are of two classes; the limits of flows are made of two parts.
const classes, parts = 2 + parts, 2

// told records the rates that a run reports.
type told struct {
	t              *testing.T
	n              *Network
	capacity       []float64
	class          []int32
	plans          []plan
	by             [][]float64 // by flow
	compared, bent int
}

// check compares the reported rates of the flows under way.
func (w *told) check(n *Network) {
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
		sum := 0.0
		for _, v := range w.by[id] {
			sum += v
		}
		if math.Abs(sum-now[i]) > 1e-9*now[i] {
			w.t.Fatalf("derivatives of flow %d add up to %g, its rate is %g", id, sum, now[i])
		}
	}
}

func (w *told) rate(flow int32, rate float64, by []float64) {
	w.by[w.n.slots[flow].id] = append(w.by[w.n.slots[flow].id][:0], by...)
}

// share is the share of a part in the limit of a flow.
func (w *told) share(id uint32, part int32) float64 {
	first := float64(id%5) / 4
	return []float64{first, 1 - first}[part]
}

func (w *told) shares(flow int32, shares []float64) {
	for part := range shares {
		shares[part] = w.share(w.n.slots[flow].id, int32(part))
	}
}

// uses tells whether a flow is under way.
func (s *sharing[T]) uses(f int32) bool {
	for _, u := range s.links[s.route(f)[0]].users {
		if u.flow == f {
			return true
		}
	}
	return false
}

// rates returns the rates of flows when the capacities of a class are scaled by a factor.
func (w *told) rates(ids []uint32, class int32, factor float64) []float64 {
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
		if class >= classes-parts { // which share of its time becomes so much shorter
			limit /= 1 + w.share(id, class-(classes-parts))*(1/factor-1)
		}
		routes, limits = append(routes, w.plans[id].route), append(limits, limit)
	}
	return waterfill(capacity, routes, limits)
}
