package sweep

import (
	"fmt"

	"overlapsim/sim"
)

// Part is a part of the points of a sweep: every Of-th in the order in which they run, from the Index-th on. The
// zero value is all points.
type Part struct{ Index, Of int }

// MarshalText writes the part as INDEX/OF.
func (p Part) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d/%d", p.Index, p.Of), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Part) UnmarshalText(text []byte) error {
	if n, err := fmt.Sscanf(string(text), "%d/%d", &p.Index, &p.Of); n != 2 {
		return fmt.Errorf("%s is not a part: %w", text, err)
	}
	if p.Index < 0 || p.Index >= max(1, p.Of) {
		return fmt.Errorf("%s is not a part: there are the parts 0 to %d", text, p.Of-1)
	}
	return nil
}

// has tells whether the n-th point to run belongs to the part.
func (p Part) has(n int) bool { return p.Of == 0 || n%p.Of == p.Index }

// order returns all points in the order in which they run: a random one, which is always the same. Therefore the points that
// are done at any time are a fair sample of all points and of their times.
func (p *Plan) order() []int { return permutation(len(p.Points), sim.NewStream(1)) }

// left returns the points of a part that have no result, in the order in which they run.
func (d *Dir) left(part Part) (points []int, err error) {
	c, err := d.openClaims()
	if err != nil {
		return nil, err
	}
	marks, err := c.marks(0, len(d.Plan.Points))
	for n, point := range d.Plan.order() {
		if part.has(n) && !isDone(marks[point]) {
			points = append(points, point)
		}
	}
	return points, err
}
