package why

// Ring remembers the last moments of something that happens again and again. A ring
// without room remembers none.
type Ring struct {
	All  []Moment
	next int
}

// NewRing returns a ring for the last n moments.
func NewRing(n int) Ring {
	if n == 0 {
		return Ring{}
	}
	return Ring{All: make([]Moment, n)}
}

// Oldest returns the oldest of the last n moments; 0 while there are fewer.
func (r *Ring) Oldest() Moment {
	if r.All == nil {
		return 0
	}
	return r.All[r.next]
}

// Push adds a moment.
func (r *Ring) Push(m Moment) {
	if r.All == nil {
		return
	}
	r.All[r.next] = m
	if r.next++; r.next == len(r.All) {
		r.next = 0
	}
}
