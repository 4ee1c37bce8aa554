package flow

// slopes are the derivatives of levels by the logarithms of capacities, which are
// those of some classes of links: how much more the flows that a link holds would
// get if all links of a class had more.
//
// A link that is full divides what the flows of others leave,
//
//	level = (capacity - rates of others) / n,
//
// and a rate of others is the level of their own bottleneck, which is lower, and so
// known. The derivatives by all classes add up to the level, because if all
// capacities are twice as large, so are all rates.
type slopes struct {
	classes int
	class   []int32   // by link
	level   []float64 // by link and class, while the link holds flows
	hear    func(flow int32, rate float64, by []float64)
}

// differentiate lets hear know of rates as they change, in bytes per picosecond, and
// of their derivatives. Links that are added from now on are of the last class.
func (s *sharing) differentiate(class []int32, classes int, hear func(flow int32, rate float64, by []float64)) {
	s.slopes = &slopes{classes, class, make([]float64, len(class)*classes), hear}
}

// of returns the derivatives of the level of a link.
func (d *slopes) of(l int32) []float64 {
	for int(l) >= len(d.class) {
		d.class = append(d.class, int32(d.classes-1))
		d.level = append(d.level, make([]float64, d.classes)...)
	}
	return d.level[int(l)*d.classes:][:d.classes]
}

// tell finds the derivatives of the level that a link has just got, and tells of
// the flows that it holds.
func (s *sharing) tell(l int32, level float64) {
	by := s.slopes.of(l)
	clear(by)
	at := &s.links[l]
	by[s.slopes.class[l]] = at.capacity
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
			s.slopes.hear(u.flow, level, by)
		}
	}
}
