package why

// Ring remembers the last moments of something that happens repeatedly. A ring without room
// remembers none.
type Ring struct {
	All  []Moment // those that were pushed; it grows as long as there is room
	most int
	next int
}

// NewRing returns a ring for the last n moments.
func NewRing(n int) Ring {
	return Ring{most: n}
}

// Oldest returns the oldest of the last n moments; the start while there are fewer.
func (r *Ring) Oldest() Moment {
	if r.most == 0 || len(r.All) < r.most {
		return Moment{}
	}
	return r.All[r.next]
}

// Push adds a moment.
func (r *Ring) Push(m Moment) {
	if len(r.All) < r.most {
		r.All = append(r.All, m)
		return
	}
	if r.most == 0 {
		return
	}
	r.All[r.next] = m
	if r.next++; r.next == len(r.All) {
		r.next = 0
	}
}
