package picture

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// Timeline is a window of a timeline, and the ranks that it shows.
type Timeline struct {
	Result   *results.Result
	From, To sim.Time // the window; To 0: until the end
	Ranks    []int    // nil: all
	NICs     bool     // and the lanes of NICs
	Calls    bool     // colours say in which phase ranks are, not where time goes; and when libraries call the NIC
}

// row is a part of the picture: a lane, or neighbours that share the height of one.
type row struct {
	name  string
	lanes []*results.Lane
}

// Sizes of rows in mm.
const (
	rowTall    = 3.4
	leastRow   = 1.0
	mostTall   = 160.0 // of all rows, unless the picture has a height
	columnWide = 0.1   // spans of less share a column
)

// Check says what is wrong with the window and the ranks.
func (t *Timeline) Check() error {
	switch end := t.Result.Makespan(); {
	case t.Result.Timeline == nil:
		return fmt.Errorf("the run has no timeline")
	case t.From >= end && end > 0:
		return fmt.Errorf("window: the run ends at %v, before %v", end, t.From)
	}
	return nil
}

func (t *Timeline) end() sim.Time {
	if t.To == 0 {
		return max(1, t.Result.Makespan())
	}
	return t.To
}

// lanes are those that are shown.
func (t *Timeline) lanes() (all []*results.Lane) {
	wanted := map[int]bool{}
	for _, rank := range t.Ranks {
		wanted[rank] = true
	}
	pending := false // lanes of a node come before the lanes of its NIC
	for i := range t.Result.Timeline.Lanes {
		l := &t.Result.Timeline.Lanes[i]
		switch {
		case l.Kind == results.CPULane || l.Kind == results.HelperLane:
			if t.Ranks == nil || wanted[l.Index] {
				all, pending = append(all, l), true
			}
		case t.NICs && pending:
			all = append(all, l)
			pending = l.Kind != results.SendLane
		}
	}
	return all
}

// rows are the lanes, or as many groups of neighbours as have room.
func (t *Timeline) rows(s *Style) (rows []row) {
	lanes := t.lanes()
	room := mostTall
	if s.Height > 0 {
		room = s.Height - 15
	}
	size := max(1, (len(lanes)+int(room/leastRow)-1)/max(1, int(room/leastRow)))
	for group := range slices.Chunk(lanes, size) {
		name := group[0].Name
		if size > 1 {
			name += " to " + group[len(group)-1].Name
		}
		rows = append(rows, row{name, group})
	}
	return rows
}

func (t *Timeline) titles() (title, note string) { return "Timeline", "" }

func (t *Timeline) legend(s *Style) (all []entry) {
	if t.byCalls(s) {
		return t.callLegend(s)
	}
	var seen [results.NumTerms]bool
	for _, l := range t.lanes() {
		for x := range t.within(l) {
			seen[x.Term] = true
		}
	}
	for term, is := range seen {
		if is {
			f := s.fill(report.TermColor(results.Term(term)), term)
			all = append(all, entry{report.TermTitle(results.Term(term)), swatch(f)})
		}
	}
	return all
}

// within goes through the spans of a lane that are in the window.
func (t *Timeline) within(l *results.Lane) iter.Seq[*results.Span] {
	return func(yield func(*results.Span) bool) {
		for _, s := range l.All() {
			if s.Start >= t.end() || s.End > t.From && !yield(s) {
				return
			}
		}
	}
}

// few are the spans in the window; false: there are more than that.
func (t *Timeline) few(l *results.Lane, most int) (spans []results.Span, ok bool) {
	for s := range t.within(l) {
		if spans = append(spans, *s); len(spans) > most {
			return nil, false
		}
	}
	return spans, true
}

func (t *Timeline) tall(s *Style) float64 { return 12 + min(mostTall, float64(len(t.rows(s)))*rowTall) }

func (t *Timeline) plot(s *Style) *plot.Plot {
	p, rows := s.axes(), t.rows(s)
	p.X.Min, p.X.Max = t.From.Seconds(), t.end().Seconds()
	p.X.Tick.Marker = ticker("s", false, 6)
	p.Y.Min, p.Y.Max = 0, float64(max(1, len(rows)))
	p.Y.Tick.Marker, p.Y.Tick.Length = plot.ConstantTicks(t.names(s, rows)), 0
	p.Add(painter(func(c *draw.Canvas, x, y func(float64) vg.Length) {
		o := &over{t, func(time sim.Time) vg.Length { return x(time.Seconds()) }, map[*results.Lane]vg.Rectangle{}}
		for i, r := range rows {
			top := float64(len(rows) - i)
			bottom := top - 0.86
			if len(rows[i].lanes) > 1 || float64(len(rows))*rowTall > mostTall {
				bottom = top - 1
			}
			where := area(c.Min.X, c.Max.X, y(bottom), y(top))
			t.paint(c, s, r, where)
			if len(r.lanes) == 1 {
				o.top[r.lanes[0]] = where
			}
		}
		o.draw(c)
	}))
	return p
}

// names label the rows, as many as have room.
func (t *Timeline) names(s *Style, rows []row) (ticks []plot.Tick) {
	tall := t.tall(s)
	if s.Height > 0 {
		tall = s.Height
	}
	room := (tall - 12) * float64(vg.Millimeter) / (1.1 * s.Points)
	every := 1 + int(float64(len(rows))/max(1, room))
	for i := 0; i < len(rows); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(len(rows)-i) - 0.5, Label: rows[i].name})
	}
	return ticks
}

// paint draws a row: each of a few spans as it is, and of many their shares in columns.
func (t *Timeline) paint(c *draw.Canvas, s *Style, r row, where vg.Rectangle) {
	columns := max(1, int((where.Max.X-where.Min.X)/mm(columnWide)))
	at := func(time sim.Time) vg.Length {
		part := float64(time-t.From) / float64(t.end()-t.From)
		return where.Min.X + vg.Length(min(max(part, 0), 1))*(where.Max.X-where.Min.X)
	}
	if t.byCalls(s) {
		t.paintCalls(c, s, r.lanes[0], where, at)
		return
	}
	if spans, ok := t.few(r.lanes[0], columns/2); ok && len(r.lanes) == 1 {
		for i := range spans {
			f := s.fill(report.TermColor(spans[i].Term), int(spans[i].Term))
			rect := area(at(spans[i].Start), at(spans[i].End), where.Min.Y, where.Max.Y)
			f.paint(c, rect)
			frame(c, rect)
		}
		return
	}
	all := t.shares(r, columns)
	wide := (where.Max.X - where.Min.X) / vg.Length(columns)
	for k := 0; k < columns; {
		same := k + 1
		for same < columns && all[same] == all[k] {
			same++
		}
		end := where.Min.X + vg.Length(same)*wide
		s.stack(c, all[k], where.Min.X+vg.Length(k)*wide, min(where.Max.X, end+wide/2), where) // no seam before the next
		k = same
	}
}

// share is the part of the time of a column that each term has.
type share [results.NumTerms]float32

// shares adds up the spans of a row, column by column.
func (t *Timeline) shares(r row, columns int) []share {
	all := make([]share, columns)
	wide := float64(t.end()-t.From) / float64(columns)
	whole := wide * float64(len(r.lanes))
	for _, l := range r.lanes {
		for x := range t.within(l) {
			from, to := float64(max(x.Start, t.From)-t.From), float64(min(x.End, t.end())-t.From)
			for k := int(from / wide); k < columns && from < to; k++ {
				end := min(to, float64(k+1)*wide)
				all[k][x.Term] += float32((end - from) / whole)
				from = end
			}
		}
	}
	for k := range all {
		for term := range all[k] {
			all[k][term] = float32(int(all[k][term]*200+0.5)) / 200 // so that equal columns are one
		}
	}
	return all
}

// stack draws the shares of a column above each other.
func (s *Style) stack(c *draw.Canvas, part share, from, to vg.Length, where vg.Rectangle) {
	y := where.Min.Y
	for term, x := range part {
		if x == 0 {
			continue
		}
		top := min(where.Max.Y, y+vg.Length(x)*(where.Max.Y-where.Min.Y))
		s.fill(report.TermColor(results.Term(term)), term).paint(c, area(from, to, y, top))
		y = top
	}
}
