package keys

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// cost is a time or a gap per byte that may depend on the size of the message: one value for
// all sizes, or a list of pieces.
type cost struct{ to *network.Cost }

func (cost) kind(row Row) string    { return row.Is.String() + ", or a list by size" }
func (cost) amount() bool           { return true }
func (cost) print(Row, bool) string { return "" }

func (cost) schema(row Row, origins bool) Object {
	return listSchema(row, quantity{}.schema(row, origins), GroupSchema(PieceRows(new(network.Piece)), "", origins))
}

func (c cost) decode(d *Decoder, row Row, n *Node, path string) {
	if n.Shape != List {
		var time sim.Time
		var perByte float64
		row.To = &perByte
		if row.Is == Time {
			row.To = &time
		}
		row.value().decode(d, row, n, path)
		*c.to = network.Cost{{Base: time, PerByte: perByte}}
		return
	}
	before := len(*d.Problems)
	pieces := make(network.Cost, len(n.Items))
	for i, item := range n.Items {
		d.element(item, fmt.Sprintf("%s[%d]", path, i), PieceRows(&pieces[i]))
	}
	if len(pieces) == 0 {
		d.Problems.Add(n.Place, path, "is an empty list; give at least one piece such as {from: 0B, time: 1us}")
	}
	if len(*d.Problems) == before {
		d.checkPieces(pieces, n, path)
	}
	*c.to = pieces
}

// checkPieces reports a problem unless the pieces begin at 0 bytes and ascend.
func (d *Decoder) checkPieces(pieces network.Cost, n *Node, path string) {
	if pieces[0].From != 0 {
		d.Problems.Add(n.Items[0].Place, path+"[0].from", "must be 0B, so that every size has a cost, got %s", FormatBytes(pieces[0].From))
	}
	for i := 1; i < len(pieces); i++ {
		if pieces[i].From <= pieces[i-1].From {
			d.Problems.Add(n.Items[i].Place, fmt.Sprintf("%s[%d].from", path, i), "must be larger than %s of the piece before, got %s",
				FormatBytes(pieces[i-1].From), FormatBytes(pieces[i].From))
		}
	}
}

// PieceRows are the keys of a piece of a cost.
func PieceRows(p *network.Piece) Table {
	return Table{
		{Path: "from", To: &p.From, Is: Bytes, Doc: "smallest message of the piece; 0B for the first one"},
		{Path: "time", To: &p.Base, Is: Time, Doc: "time per message"},
		{Path: "per_byte", To: &p.PerByte, Is: PerByte, Doc: "time per byte, over all bytes of the message"},
	}
}

// rates is the speed of a kernel: one rate for all problem sizes, or a list of points between
// which it is interpolated.
type rates struct{ to *[]machines.RatePoint }

func (rates) kind(row Row) string    { return row.Is.String() + ", or a list by size" }
func (rates) amount() bool           { return true }
func (rates) print(Row, bool) string { return "" }

func (rates) schema(row Row, origins bool) Object {
	return listSchema(row, quantity{}.schema(row, origins), GroupSchema(PointRows(new(machines.RatePoint), row.Is), "", origins))
}

func (r rates) decode(d *Decoder, row Row, n *Node, path string) {
	if n.Shape != List {
		point := machines.RatePoint{N: 1}
		row.To = &point.Rate
		row.value().decode(d, row, n, path)
		*r.to = []machines.RatePoint{point}
		return
	}
	before := len(*d.Problems)
	points := make([]machines.RatePoint, len(n.Items))
	for i, item := range n.Items {
		d.element(item, fmt.Sprintf("%s[%d]", path, i), PointRows(&points[i], row.Is))
	}
	if len(points) == 0 {
		d.Problems.Add(n.Place, path, "is an empty list; give at least one point such as {n: 1024, rate: %s}", row.Is.Example())
	}
	for i := 1; i < len(points) && len(*d.Problems) == before; i++ {
		if points[i].N <= points[i-1].N {
			d.Problems.Add(n.Items[i].Place, fmt.Sprintf("%s[%d].n", path, i), "must be larger than %s of the point before, got %s",
				Format(Number, points[i-1].N), Format(Number, points[i].N))
		}
	}
	*r.to = points
}

// PointRows are the keys of a point of a kernel's speed.
func PointRows(p *machines.RatePoint, is Dimension) Table {
	return Table{
		{Path: "n", To: &p.N, Is: Number, Needs: Required, Range: Positive, Doc: "problem size"},
		{Path: "rate", To: &p.Rate, Is: is, Needs: Required, Range: Positive, Doc: "speed at that size"},
	}
}

// element decodes an entry of a list by its own rows.
func (d *Decoder) element(n *Node, path string, rows Table) {
	inner := Decoder{Table: rows, Problems: d.Problems, Origins: d.Origins, stated: d.stated}
	inner.Decode(n, path)
	d.Facts = append(d.Facts, inner.Facts...)
}
