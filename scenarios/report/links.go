package report

import (
	"encoding/json"
	"slices"
)

// Links describe what the links of a network carried.
type Links struct {
	Note    string // about all of them
	Peaks   string // head of the column LinkRow.Peak
	Busiest []LinkRow
	Map     []*HeatMap
	Over    *OverTime // nil: not recorded
}

// OverTime is what links and queues did in each part of a run.
type OverTime struct {
	Starts []float64 // of each part in seconds, and the end
	Charts []Chart
	Queues *HeatMap // where transfers wait; nil: the network has no links and no map
}

// LinkRow is one link.
type LinkRow struct {
	Name  string
	Bytes float64
	Used  float64 // fraction of what it could have carried
	Busy  float64 // part of the run
	Peak  int
}

// widest is the largest number of columns of a map that shares a row of the page.
const widest = 80

// linksView is the part of Links that the template uses.
type linksView struct {
	*Links
	Rows   []linkRow
	Maps   []chart
	Wide   bool    // each map has its own row
	Parts  string  // of the run: from when to when, as a list in JSON; "": not recorded
	Count  int     // of parts
	Charts []chart // over time
}

// Title is the title of the section.
func (l *linksView) Title() string {
	if l.Maps == nil {
		return "Queues"
	}
	return "Links"
}

type linkRow struct{ Name, Bytes, Used, Busy, Peak string }

func (l *Links) view() *linksView {
	if l == nil {
		return nil
	}
	v := &linksView{Links: l}
	for _, r := range l.Busiest {
		v.Rows = append(v.Rows, linkRow{r.Name, Bytes(r.Bytes), Percent(r.Used, 1), Percent(r.Busy, 1), Count(r.Peak)})
	}
	maps := l.Map
	if o := l.Over; o != nil {
		if o.Queues != nil {
			maps = append(slices.Clone(maps), o.Queues)
		}
		v.Parts, v.Count = o.parts(), len(o.Starts)-1
		for _, c := range o.Charts {
			v.Charts = append(v.Charts, c.Figure.chart())
		}
	}
	for _, m := range maps {
		v.Maps = append(v.Maps, m.chart())
		v.Wide = v.Wide || len(m.X) > widest
	}
	return v
}

// parts says from when to when each part is.
func (o *OverTime) parts() string {
	var all []string
	for i, start := range o.Starts[:len(o.Starts)-1] {
		all = append(all, Seconds(start)+" to "+Seconds(o.Starts[i+1]))
	}
	text, _ := json.Marshal(all) // texts can always be written
	return string(text)
}
