package scenarios

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/sim"
)

// cost decodes a time or a gap per byte that may depend on the size of the
// message: one value for all sizes, or a list of pieces.
func (d *decoder) cost(row Row, to *network.Cost, n *node, path string) {
	if n.shape != list {
		var time sim.Time
		var perByte float64
		row.To = &perByte
		if row.Is == Time {
			row.To = &time
		}
		d.scalar(row, n, path)
		*to = network.Cost{{Base: time, PerByte: perByte}}
		return
	}
	before := len(*d.problems)
	pieces := make(network.Cost, len(n.items))
	for i, item := range n.items {
		d.element(item, fmt.Sprintf("%s[%d]", path, i), pieceRows(&pieces[i]))
	}
	if len(pieces) == 0 {
		d.problems.add(n.place, path, "is an empty list; give at least one piece such as {from: 0B, time: 1us}")
	}
	if len(*d.problems) == before {
		d.checkPieces(pieces, n, path)
	}
	*to = pieces
}

// checkPieces reports a problem unless the pieces begin at 0 bytes and ascend.
func (d *decoder) checkPieces(pieces network.Cost, n *node, path string) {
	if pieces[0].From != 0 {
		d.problems.add(n.items[0].place, path+"[0].from", "must be 0B, so that every size has a cost, got %s", FormatBytes(pieces[0].From))
	}
	for i := 1; i < len(pieces); i++ {
		if pieces[i].From <= pieces[i-1].From {
			d.problems.add(n.items[i].place, fmt.Sprintf("%s[%d].from", path, i), "must be larger than %s of the piece before, got %s",
				FormatBytes(pieces[i-1].From), FormatBytes(pieces[i].From))
		}
	}
}

// pieceRows are the keys of a piece of a cost.
func pieceRows(p *network.Piece) table {
	return table{
		{Path: "from", To: &p.From, Is: Bytes, Doc: "smallest message of the piece; 0B for the first one"},
		{Path: "time", To: &p.Base, Is: Time, Doc: "time per message"},
		{Path: "per_byte", To: &p.PerByte, Is: PerByte, Doc: "time per byte, over all bytes of the message"},
	}
}

// rates decodes the speed of a kernel: one rate for all problem sizes, or a
// list of points between which it is interpolated.
func (d *decoder) rates(row Row, to *[]nodes.RatePoint, n *node, path string) {
	if n.shape != list {
		point := nodes.RatePoint{N: 1}
		row.To = &point.Rate
		d.scalar(row, n, path)
		*to = []nodes.RatePoint{point}
		return
	}
	before := len(*d.problems)
	points := make([]nodes.RatePoint, len(n.items))
	for i, item := range n.items {
		d.element(item, fmt.Sprintf("%s[%d]", path, i), pointRows(&points[i], row.Is))
	}
	if len(points) == 0 {
		d.problems.add(n.place, path, "is an empty list; give at least one point such as {n: 1024, rate: %s}", row.Is.Example())
	}
	for i := 1; i < len(points) && len(*d.problems) == before; i++ {
		if points[i].N <= points[i-1].N {
			d.problems.add(n.items[i].place, fmt.Sprintf("%s[%d].n", path, i), "must be larger than %s of the point before, got %s",
				Format(Number, points[i-1].N), Format(Number, points[i].N))
		}
	}
	*to = points
}

// pointRows are the keys of a point of a kernel's speed.
func pointRows(p *nodes.RatePoint, is Dimension) table {
	return table{
		{Path: "n", To: &p.N, Is: Number, Needs: Required, Range: Positive, Doc: "problem size"},
		{Path: "rate", To: &p.Rate, Is: is, Needs: Required, Range: Positive, Doc: "speed at that size"},
	}
}

// element decodes an entry of a list by its own rows.
func (d *decoder) element(n *node, path string, rows table) {
	inner := decoder{table: rows, problems: d.problems, origins: d.origins, stated: d.stated}
	inner.decode(n, path)
	d.facts = append(d.facts, inner.facts...)
}
