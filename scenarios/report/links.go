package report

// Links describe what the links of a network carried.
type Links struct {
	Note    string // about all of them
	Peaks   string // head of the column LinkRow.Peak
	Busiest []LinkRow
	Map     []*HeatMap
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
	Rows []linkRow
	Maps []chart
	Wide bool // each map has a row of its own
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
	for _, m := range l.Map {
		v.Maps = append(v.Maps, m.chart())
		v.Wide = v.Wide || len(m.X) > widest
	}
	return v
}
