package report

import (
	"math"

	"overlapsim/network"
	"overlapsim/scenarios/outcomes"
)

// mostParts is the largest number of parts of a run on a page, and mostPartCells the number of
// their cells in a map.
const (
	mostParts     = 64
	mostPartCells = 1 << 19
)

// runParts are a run in parts of equal length, each made of some recorded bins.
type runParts struct {
	*network.Traffic
	bins int // of a part
}

// partsOf returns nil if nothing was recorded.
func partsOf(t *network.Traffic) *runParts {
	if t == nil {
		return nil
	}
	rows := t.Waiting.Rows()
	if t.Carried != nil {
		rows = t.Carried.Rows()
	}
	p := &runParts{t, (t.Bins() + mostParts - 1) / mostParts}
	for p.bins < t.Bins() && p.count()*rows > mostPartCells {
		p.bins *= 2
	}
	return p
}

func (p *runParts) count() int { return (p.Bins() + p.bins - 1) / p.bins }

// starts are when the parts start, in seconds, and the end.
func (p *runParts) starts() (all []float64) {
	for part := range p.count() + 1 {
		all = append(all, p.Starts(part*p.bins).Seconds())
	}
	return all
}

// used is the share of its capacity that a link carried in a part, in per cent.
func (p *runParts) used(link, part int) float64 {
	return 100 * p.Used(link, part*p.bins, (part+1)*p.bins)
}

// queue is the mean number of transfers at the NIC of a node in a part.
func (p *runParts) queue(node, part int) float64 {
	return p.Queue(node, part*p.bins, (part+1)*p.bins)
}

// over returns the values of a map in each part; nil: none were recorded.
func (p *runParts) over(m *network.Map, of func(number, part int) float64) (all [][][]float64) {
	if p == nil {
		return nil
	}
	for part := range p.count() {
		all = append(all, m.Values(func(number int) float64 { return of(number, part) }))
	}
	return all
}

// linkMap draws how much of the links was used, in the whole run and in its parts.
func linkMap(m *network.Map, l *network.Links, p *runParts) *HeatMap {
	h := cells(m, func(link int) float64 { return 100 * l.Used(link) })
	h.Unit, h.Parts = "%", p.over(m, p.used)
	return h
}

func cells(m *network.Map, of func(number int) float64) *HeatMap {
	return &HeatMap{Title: m.Title, X: m.Columns, XTicks: Every(m.Plane, len(m.Columns)), Y: m.Rows, Values: m.Values(of)}
}

// hottest is the largest value of some maps, in any part.
func hottest(maps []*HeatMap) (most float64) {
	for _, m := range maps {
		for _, values := range append(m.Parts, m.Values) {
			for _, row := range values {
				for _, v := range row {
					most = max(most, orNothing(v))
				}
			}
		}
	}
	return most
}

// orNothing is a value, 0 if there is none.
func orNothing(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// overTime draws what links and queues did in the parts of a run.
func overTime(l *network.Links, p *runParts) *OverTime {
	nodes := network.NodeMap(l.Shape, "Transfers at the NIC of each node")
	queues := cells(&nodes, func(node int) float64 { return p.Queue(node, 0, p.Bins()) })
	queues.Parts = p.over(&nodes, p.queue)
	queues.Max = hottest([]*HeatMap{queues})
	return &OverTime{
		Starts: p.starts(), Queues: queues,
		Charts: []Chart{{OfLinks, p.shares(l)}, {OfBusiest, p.busiest(l)}, {OfQueues, p.queues(l.Shape.Nodes())}},
	}
}

// curve draws a number of each part as a step.
func (p *runParts) curve(name, group string, dashed bool, of func(part int) float64) Curve {
	c := Curve{Name: name, Group: group, Dashed: dashed, Marks: LineOnly}
	starts := p.starts()
	for part := range p.count() {
		v := of(part)
		c.X, c.Y = append(c.X, starts[part], starts[part+1]), append(c.Y, v, v)
	}
	return c
}

// meanMost returns the mean of some numbers and the largest.
func meanMost(numbers []int32, of func(int) float64) (mean, most float64) {
	for _, i := range numbers {
		v := of(int(i))
		mean, most = mean+v/float64(len(numbers)), max(most, v)
	}
	return mean, most
}

// shares draws how much of the links of each map was used: the mean, and the most used one.
func (p *runParts) shares(l *network.Links) *Curves {
	c := &Curves{Title: "Links over time", Note: "share of the capacity of a link", XName: "time", XUnit: "s", YUnit: "%", Y: Axis{High: 100}}
	for _, m := range l.Maps() {
		var links []int32
		for _, row := range m.Cells {
			for _, cell := range row {
				links = append(links, cell...)
			}
		}
		for i, which := range []string{"mean", "most used"} {
			c.Curves = append(c.Curves, p.curve(m.Title+", "+which, "", i == 0, func(part int) float64 {
				mean, most := meanMost(links, func(link int) float64 { return p.used(link, part) })
				return []float64{mean, most}[i]
			}))
		}
	}
	return c
}

// busiest draws how much the most used links carried over time.
func (p *runParts) busiest(l *network.Links) *HeatMap {
	h := &HeatMap{Title: "Most used links over time", XName: "time", Unit: "%", X: p.times()}
	for _, link := range l.Busiest(outcomes.BusiestListed) {
		row := make([]float64, p.count())
		for part := range row {
			row[part] = p.used(link, part)
		}
		// The first row is at the bottom.
		h.Y, h.Values = append([]string{l.Name(link)}, h.Y...), append([][]float64{row}, h.Values...)
	}
	return h
}

// times name the parts by when they start.
func (p *runParts) times() (names []string) {
	for _, start := range p.starts()[:p.count()] {
		names = append(names, Seconds(start))
	}
	return names
}

// queues draws how many transfers are at the NIC of a node: in the mean, and where the most are.
func (p *runParts) queues(nodes int) *Curves {
	c := &Curves{Title: "Queues at injection over time", Note: "transfers that wait at a NIC or leave it", XName: "time", XUnit: "s"}
	all := make([]int32, nodes)
	for i := range all {
		all[i] = int32(i)
	}
	for i, which := range []string{"mean of the nodes", "longest"} {
		c.Curves = append(c.Curves, p.curve(which, "", i == 0, func(part int) float64 {
			mean, most := meanMost(all, func(node int) float64 { return p.queue(node, part) })
			return []float64{mean, most}[i]
		}))
	}
	return c
}
