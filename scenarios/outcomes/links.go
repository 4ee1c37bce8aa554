package outcomes

import "overlapsim/network"

// linksRecord is the part of a record that describes the links.
type linksRecord struct {
	Network  string        `json:"network"`
	Limit    *allToAll     `json:"all_to_all,omitempty"` // of a network whose links are known
	Links    int           `json:"links"`
	Used     int           `json:"used_links"`
	ByteHops float64       `json:"bytes_times_hops"`
	Mean     float64       `json:"mean_utilization"`
	Most     float64       `json:"max_utilization"`
	Unit     string        `json:"peak_of"`
	Busiest  []busiestLink `json:"busiest"`
}

// allToAll is what gets through of the injection of all nodes, at most, if all send to all.
type allToAll struct {
	Part  float64 `json:"of_injection"`
	Class string  `json:"limited_by"` // the links that allow least
}

type busiestLink struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`
	Used  float64 `json:"utilization"`
	Busy  float64 `json:"busy_s"`
	Peak  int     `json:"peak_queue"`
}

// BusiestListed is how many links a record and a report list.
const BusiestListed = 10

// newLinksRecord returns links in the stable form of a record; nil: there are none.
func newLinksRecord(l *network.Links) *linksRecord {
	if l == nil {
		return nil
	}
	busiest := l.Busiest(len(l.Loads))
	r := &linksRecord{Network: l.Shape.String(), Links: len(l.Loads), Used: len(busiest), ByteHops: l.ByteHops(), Mean: l.Mean(), Unit: l.Unit,
		Busiest: []busiestLink{}}
	if part, class := l.AllToAll(); class >= 0 {
		r.Limit = &allToAll{part, l.Shape.Classes()[class]}
	}
	for _, i := range busiest[:min(len(busiest), BusiestListed)] {
		a := &l.Loads[i]
		r.Most = max(r.Most, l.Used(i))
		r.Busiest = append(r.Busiest, busiestLink{l.Name(i), a.Bytes, l.Used(i), a.Busy.Seconds(), a.Peak})
	}
	return r
}
