package flow

// slopes are the derivatives of levels by the logarithms of capacities. The derivative by a class
// of links says how much more each flow held by a link would get if all links of the class had
// more capacity. There are also derivatives by the parts of which the limits of flows are made.
//
// A full link divides the capacity that flows held by other links leave over,
//
//	level = (capacity - rates of others) / n,
//
// and the rate of each of those flows is the level of its bottleneck. That level is lower,
// and so already known. The derivatives by all classes add up to the level, because doubling all
// capacities doubles all rates.
type slopes struct {
	classes int // of links; the parts of which limits of flows are made follow them
	parts   int
	class   []int32   // by link; limit: the link is the limit of a flow
	level   []float64 // by link, class and part, while the link holds flows
	rateObserver
}

// limit is the class of a link that is the limit of one flow.
const limit int32 = -1

// rateObserver receives the rates, and says of which parts the limits of flows are made.
type rateObserver interface {
	shares(flow int32, shares []float64)
	rate(flow int32, rate float64, by []float64)
}

// differentiate reports rates and their derivatives to a rateObserver as they change. Links that are
// added from now on are limits of flows, unless they are classified.
func (s *sharing[T]) differentiate(class []int32, classes, parts int, h rateObserver) {
	s.slopes = &slopes{classes, parts, class, make([]float64, len(class)*(classes+parts)), h}
}

// classify puts a link that was added later into a class.
func (s *sharing[T]) classify(l, class int32) {
	if s.slopes != nil {
		s.slopes.of(l)
		s.slopes.class[l] = class
	}
}

// of returns the derivatives of the level of a link.
func (d *slopes) of(l int32) []float64 {
	n := d.classes + d.parts
	for int(l) >= len(d.class) {
		d.class = append(d.class, limit)
		d.level = append(d.level, make([]float64, n)...)
	}
	return d.level[int(l)*n:][:n]
}

// own puts the derivatives of the capacity of a link into by. The link has at least one flow.
func (d *slopes) own(l int32, capacity float64, flow int32, by []float64) {
	clear(by)
	if k := d.class[l]; k != limit {
		by[k] = capacity
		return
	}
	parts := by[d.classes:]
	d.shares(flow, parts)
	for k := range parts {
		parts[k] *= capacity
	}
}

// tell finds the derivatives of a link's new level, and reports the flows that the link holds.
func (s *sharing[T]) tell(l int32, level float64) {
	by := s.slopes.of(l)
	at := &s.links[l]
	s.slopes.own(l, at.capacity, at.users[0].flow, by)
	n := 0.0
	for _, u := range at.users {
		f := &s.flows[u.flow]
		if f.holder == l {
			n++
			continue
		}
		for k, v := range s.slopes.of(f.holder) {
			by[k] -= v
		}
	}
	for k := range by {
		by[k] /= n
	}
	for _, u := range at.users {
		if s.flows[u.flow].holder == l {
			s.slopes.rate(u.flow, level, by)
		}
	}
}
