package outcomes

// trafficRecord is what links and NICs did over time, in bins of one length; the last one
// ends with the run.
type trafficRecord struct {
	Bin   float64       `json:"bin_s"`
	End   float64       `json:"end_s"`
	Links []linkTraffic `json:"links"`  // that carried anything, the most used first
	Nodes []nodeTraffic `json:"queues"` // that are not empty, the longest first
}

type linkTraffic struct {
	Name  string  `json:"name"`
	Bytes []int64 `json:"bytes"` // by bin
}

// nodeTraffic is the queue of a NIC: the transfers that wait there or leave it.
type nodeTraffic struct {
	Node  int       `json:"node"`
	Queue []float64 `json:"mean_transfers"` // by bin
}

// TrafficRecord returns what was recorded of links over time; nil: nothing.
func (o *Outcome) TrafficRecord() *trafficRecord {
	t := o.Result.Traffic
	if t == nil {
		return nil
	}
	bins := t.Bins()
	r := &trafficRecord{Bin: t.Bin().Seconds(), End: t.End.Seconds(), Links: []linkTraffic{}, Nodes: []nodeTraffic{}}
	if t.Carried != nil {
		for _, link := range o.Links.Busiest(len(o.Links.Loads)) {
			bytes := t.Bytes(link)
			r.Links = append(r.Links, linkTraffic{o.Links.Name(link), bytes[:min(bins, len(bytes))]})
		}
	}
	for _, node := range t.LongestQueues(t.Waiting.Rows()) {
		n := nodeTraffic{Node: node}
		for bin := range bins {
			n.Queue = append(n.Queue, t.Queue(node, bin, bin+1))
		}
		r.Nodes = append(r.Nodes, n)
	}
	return r
}
