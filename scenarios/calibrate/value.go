package calibrate

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// kind is how a number was found.
type kind uint8

const (
	measured     kind = iota + 1 // read off a straight piece through measured times
	derived                      // arithmetic on measured times
	assumed                      // within bounds that measured times give
	undetermined                 // nothing measured bounds it
)

func (k kind) String() string {
	return [...]string{"", "measured", "derived", "assumed", "not determined"}[k]
}

// origin is the word of machine files.
func (k kind) origin() string { return [...]string{"", "fitted", "derived", "chosen", "chosen"}[k] }

// value is a number, where it comes from, and what it may be.
type value struct {
	value     float64
	low, high float64 // a 95 % interval, or bounds
	bounds    bool
	kind      kind
	source    string
	text      string // of a choice
}

// says is the source of a number in a file.
func says(k kind, source string) string { return k.String() + ": " + source }

// curve is a cost by size.
type curve struct {
	Pieces
	bands  []band // of the pieces; fewer: unknown
	kind   kind
	source string
}

// band is half the width of the 95 % interval of a piece's parameters.
type band struct{ base, perByte float64 }

// band returns the band of a piece; 0 where it is unknown.
func (c *curve) band(i int) band {
	if i < len(c.bands) {
		return c.bands[i]
	}
	return band{}
}

// measure finds the bands from the points that the curve was fitted to, by least squares of
// relative errors with Student's t. It takes the breaks as known.
func (c *curve) measure(points []Point) {
	if c.throughAll() { // no residual tells how exact it is
		c.bands = nil
		return
	}
	c.bands = make([]band, len(c.Pieces))
	for i, piece := range c.Pieces {
		var mine []Point
		for _, p := range points {
			if p.Bytes >= piece.From && (i+1 == len(c.Pieces) || p.Bytes < c.Pieces[i+1].From) {
				mine = append(mine, p)
			}
		}
		c.bands[i] = uncertainty(mine, piece)
	}
}

// uncertainty is the band of a straight piece through points. With two points or fewer it is the whole value.
func uncertainty(points []Point, piece Piece) band {
	n := float64(len(points))
	if n <= 2 {
		return band{piece.Base, piece.PerByte}
	}
	var w, x, xx, squares float64
	for _, p := range points {
		e := min(math.Abs(piece.time(p.Bytes)-p.Seconds)/p.scale(), outlier)
		weight, size := 1/(p.scale()*p.scale()), float64(p.Bytes)
		w, x, xx, squares = w+weight, x+weight*size, xx+weight*size*size, squares+e*e
	}
	det := w*xx - x*x
	if det <= 1e-9*w*xx {
		return band{piece.Base, piece.PerByte}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Quantile(0.975) * math.Sqrt(squares/(n-2))
	return band{t * math.Sqrt(xx/det), t * math.Sqrt(w/det)}
}

// add is the half width of a sum of independent values.
func add(widths ...float64) float64 {
	var squares float64
	for _, w := range widths {
		squares += w * w
	}
	return math.Sqrt(squares)
}

// says is what a source says about a quantity: lines, and their content.
func (d *Data) says(q Quantity) string { return d.where(q) + ": " + quantities[q].column }

// join puts sources side by side.
func join(parts ...string) string { return strings.Join(parts, "; ") }
