package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// mostSVGSpans is the largest number of spans in a picture. With more, viewers are slow
// and readers cannot see them.
const mostSVGSpans = 20000

// Sizes of the picture in px.
const (
	svgWidth  = 1200.0
	svgGutter = 130.0
	svgTop    = 64.0 // legend and axis
	svgCPU    = 22.0
	svgNIC    = 12.0
	svgGap    = 3.0
	svgNode   = 8.0 // more between nodes
)

// WriteSVG writes the timeline as a picture: a static Gantt chart with the
// messages as arrows, the critical path as a line, and in the title of each span
// what happens in it. It is for small runs: more than 20,000 spans are an error.
func WriteSVG(w io.Writer, r *results.Result) error {
	if r.Timeline == nil {
		return errNoTimeline
	}
	if err := checkTimeline(r); err != nil {
		return err
	}
	spans := 0
	for _, l := range r.Timeline.Lanes {
		spans += l.Len()
	}
	if spans > mostSVGSpans {
		return fmt.Errorf("a picture holds at most %s spans, the run has %s: the HTML report shows them all", Count(mostSVGSpans), Count(spans))
	}
	p := &picture{w: bufio.NewWriter(w), places: placesOf(r.Timeline), end: max(1, r.Makespan()), phases: r.Phases}
	p.draw(r)
	return cmp.Or(p.w.Flush(), r.Timeline.Err())
}

// picture writes SVG; errors stay in the buffered writer until Flush.
type picture struct {
	w      *bufio.Writer
	places places
	tops   []float64 // of the rows, by lane
	height float64
	end    sim.Time
	phases []string
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (p *picture) draw(r *results.Result) {
	p.place()
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%[1]g" height="%[2]g" font-family="system-ui, sans-serif" font-size="11">`+"\n",
		svgWidth, p.height)
	p.printf(`<defs><marker id="head" viewBox="0 0 8 6" refX="8" refY="3" markerWidth="8" markerHeight="6" orient="auto">` +
		`<path d="M0,0 8,3 0,6z" fill="#3a4250"/></marker></defs>` + "\n")
	p.printf(`<rect width="%g" height="%g" fill="#fff"/>`+"\n", svgWidth, p.height)
	p.legend(r)
	p.axis()
	for i := range p.places.lanes {
		p.lane(i)
	}
	for _, m := range r.Timeline.AllMessages() {
		p.message(m)
	}
	p.path(pathOf(r, p.places.lanes))
	p.printf("</svg>\n")
}

// path draws a line along the critical path, from lane to lane.
func (p *picture) path(critical *path) {
	if critical == nil {
		return
	}
	var line strings.Builder
	verb, at := 'M', -1.0
	for i, s := range critical.Spans {
		lane := critical.where[i]
		if lane < 0 {
			continue
		}
		y := p.tops[lane] + p.tall(lane)
		if y != at {
			fmt.Fprintf(&line, "%c%.1f,%.1f", verb, p.x(s.Start), y)
		}
		fmt.Fprintf(&line, "H%.1f", p.x(s.End))
		verb, at = 'L', y
	}
	for _, style := range []string{`stroke="#fff" stroke-width="4.5"`, `stroke="#10151c" stroke-width="2"`} {
		p.printf(`<path d="%s" fill="none" %s><title>critical path</title></path>`+"\n", line.String(), style)
	}
}

// place finds where each lane is drawn.
func (p *picture) place() {
	y := svgTop
	for i, l := range p.places.lanes {
		if i > 0 && l.node != p.places.lanes[i-1].node {
			y += svgNode
		}
		p.tops = append(p.tops, y)
		y += p.tall(i) + svgGap
	}
	p.height = y + svgNode
}

func (p *picture) tall(lane int) float64 {
	if p.places.lanes[lane].Kind == results.CPULane {
		return svgCPU
	}
	return svgNIC
}

func (p *picture) x(t sim.Time) float64 {
	return svgGutter + (svgWidth-svgGutter-12)*(float64(t)/float64(p.end))
}

func (p *picture) legend(r *results.Result) {
	x := svgGutter
	for _, t := range present([]Run{{Result: r}}) {
		p.printf(`<rect x="%.1f" y="12" width="11" height="11" rx="2" fill="%s"/><text x="%.1f" y="21.5" fill="#1d232c">%s</text>`+"\n", x,
			looks[t].Color, x+16, looks[t].Title)
		x += 32 + 6.5*float64(len(looks[t].Title))
	}
	if len(r.Critical) > 0 {
		p.printf(`<path d="M%.1f,17.5h14" stroke="#10151c" stroke-width="2"/><text x="%.1f" y="21.5" fill="#1d232c">Critical path</text>`+"\n",
			x, x+19)
	}
}

// axis draws about ten round instants.
func (p *picture) axis() {
	rough := p.end.Seconds() / 10
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{5, 2} {
		if f*step <= rough {
			step *= f
			break
		}
	}
	for i := 0; float64(i)*step <= p.end.Seconds(); i++ {
		x := p.x(sim.Seconds(float64(i) * step))
		p.printf(`<path d="M%.1f,%gV%g" stroke="#e6e9ee"/><text x="%.1f" y="50" text-anchor="middle" fill="#5b6472">%s</text>`+"\n", x,
			svgTop-8, p.height-svgNode, x, Quantity(float64(i)*step, "s"))
	}
}

func (p *picture) lane(i int) {
	l, top, tall := p.places.lanes[i], p.tops[i], p.tall(i)
	p.printf(`<text x="%g" y="%.1f" text-anchor="end" fill="#1d232c">%s</text>`+"\n", svgGutter-8, top+tall/2+4, escaped(l.Name))
	for _, s := range l.All() {
		x, width := p.x(s.Start), p.x(s.End)-p.x(s.Start)
		p.printf(`<rect x="%.2f" y="%.1f" width="%.2f" height="%.1f" fill="%s" stroke="#fff" stroke-width=".4"><title>%s</title></rect>`+"\n",
			x, top, width, tall, looks[s.Term].Color, escaped(p.title(&l, s)))
		if text := strings.ToLower(looks[s.Term].Title); l.Kind == results.CPULane && width > 7*float64(len(text)) {
			p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`+"\n", x+width/2, top+tall/2+4, ink(looks[s.Term].Color),
				text)
		}
	}
}

// title says what happens in a span.
func (p *picture) title(l *placed, s *results.Span) string {
	text := fmt.Sprintf("%s: %s, %s from %s", l.Name, strings.ToLower(looks[s.Term].Title), Seconds((s.End - s.Start).Seconds()),
		Seconds(s.Start.Seconds()))
	if l.Kind == results.CPULane && int(s.Phase) < len(p.phases) {
		text += ", phase " + p.phases[s.Phase]
	}
	if s.Message >= 0 {
		text += fmt.Sprintf(", message %d", s.Message)
	}
	return text
}

// message draws an arrow from where the last byte leaves to where it arrives.
func (p *picture) message(m *results.Message) {
	from, to, ok := p.places.ends(m)
	if !ok || m.Delivered < m.Sent {
		return
	}
	y0, y1 := p.tops[from], p.tops[to]
	if y0 < y1 {
		y0 += p.tall(from)
	} else {
		y1 += p.tall(to)
	}
	p.printf(`<path d="M%.1f,%.1f %.1f,%.1f" stroke="#3a4250" fill="none" marker-end="url(#head)"/>`+"\n", p.x(m.Sent), y0, p.x(m.Delivered),
		y1)
}

// ink is black or white, whichever is easier to read on a colour.
func ink(color string) string {
	var r, g, b int
	fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b)
	if 299*r+587*g+114*b > 130*1000 {
		return "#141a22"
	}
	return "#fff"
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}
