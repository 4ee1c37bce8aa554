package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// mostArrows is the largest number of messages of a window that are drawn: more hide
// what is below them.
const mostArrows = 120

// over is what is drawn over the rows: messages, and the critical path.
type over struct {
	t   *Timeline
	at  func(sim.Time) vg.Length
	top map[*results.Lane]vg.Rectangle // of lanes with their own row
}

// draw draws messages as arrows from where their last bytes leave to where they arrive, and the
// critical path as a line.
func (o *over) draw(c *draw.Canvas) {
	style := draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.45)}
	for _, ends := range o.arrows() {
		c.StrokeLines(style, c.ClipLinesXY(ends[:])...)
		o.head(c, ends[0], ends[1])
	}
	line := o.path()
	for _, s := range []draw.LineStyle{{Color: color.White, Width: vg.Points(2.2)}, {Color: color.Black, Width: vg.Points(1)}} {
		c.StrokeLines(s, c.ClipLinesXY(line)...)
	}
}

// arrows are the ends of the messages; none if there are too many.
func (o *over) arrows() (all [][2]vg.Point) {
	process, nic := o.lanes()
	for _, m := range o.t.Result.Timeline.AllMessages() {
		if m.Delivered < m.Sent || m.Delivered < o.t.From || m.Sent > o.t.end() {
			continue
		}
		from, sent := nic[int(m.From)]
		if !sent {
			from, sent = process[int(m.From)]
		}
		to, ok := process[int(m.To)]
		if !sent || !ok {
			continue
		}
		y0, y1 := from.Min.Y, to.Max.Y
		if from.Min.Y < to.Min.Y {
			y0, y1 = from.Max.Y, to.Min.Y
		}
		if all = append(all, [2]vg.Point{{X: o.at(m.Sent), Y: y0}, {X: o.at(m.Delivered), Y: y1}}); len(all) > mostArrows {
			return nil
		}
	}
	return all
}

// lanes finds the rows of the ranks, and of the NICs that send for them.
func (o *over) lanes() (process, nic map[int]vg.Rectangle) {
	process, nic = map[int]vg.Rectangle{}, map[int]vg.Rectangle{}
	var node []int
	for i := range o.t.Result.Timeline.Lanes {
		l := &o.t.Result.Timeline.Lanes[i]
		where, shown := o.top[l]
		switch {
		case l.Kind == results.CPULane:
			if node = append(node, l.Index); shown {
				process[l.Index] = where
			}
		case l.Kind == results.SendLane:
			for _, rank := range node {
				if shown {
					nic[rank] = where
				}
			}
			node = nil
		}
	}
	return process, nic
}

// head draws the head of an arrow.
func (o *over) head(c *draw.Canvas, from, to vg.Point) {
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	long := math.Hypot(dx, dy)
	if long == 0 || !c.Contains(to) {
		return
	}
	size := float64(vg.Points(2.6))
	back := vg.Point{X: to.X - vg.Length(dx/long*size), Y: to.Y - vg.Length(dy/long*size)}
	aside := vg.Point{X: vg.Length(-dy / long * size * 0.4), Y: vg.Length(dx / long * size * 0.4)}
	c.FillPolygon(color.Gray{0x30}, []vg.Point{to, {X: back.X + aside.X, Y: back.Y + aside.Y}, {X: back.X - aside.X, Y: back.Y - aside.Y}})
}

// path is the line along the critical path, on the rows that are shown.
func (o *over) path() (line []vg.Point) {
	spans, lanes := report.Path(o.t.Result)
	for i, s := range spans {
		if lanes[i] < 0 || s.End < o.t.From || s.Start > o.t.end() {
			continue
		}
		if where, shown := o.top[&o.t.Result.Timeline.Lanes[lanes[i]]]; shown {
			y := where.Min.Y + vg.Points(0.6)
			line = append(line, vg.Point{X: o.at(s.Start), Y: y}, vg.Point{X: o.at(s.End), Y: y})
		}
	}
	return line
}
