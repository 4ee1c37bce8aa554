package network

import (
	"cmp"
	"slices"

	"overlapsim/sim"
)

// Traffic is what a network carries over time.
type Traffic struct {
	Carried *Series // parts of bytes, by the numbers of Links; nil: the fabric does not say
	// Waiting is, for each node of the fabric, the sum of the times in ps that transfers wait at
	// its NIC or are leaving it.
	Waiting *Series
	// Links are the links with their totals; nil: the fabric has none.
	Links *Links
	End   sim.Time // of the run
}

// ByteParts is the number of parts into which a byte is divided in Traffic.Carried. If whole bytes were counted, a
// short bin could get one too many at each end, and a link would seem to carry 101 % of its capacity.
const ByteParts = 1 << 10

// Watch begins to record what the links of a fabric carry, and what waits at its end points. If
// the fabric has no links, nodes is the number of end points.
func Watch(fabric Contended, nodes int) *Traffic {
	t := new(Traffic)
	if l := fabric.Links(); l != nil {
		nodes = l.Shape.Nodes()
		t.Carried = NewSeries(len(l.Loads))
		fabric.Record(t.Carried)
	}
	t.Waiting = NewSeries(nodes)
	return t
}

// Waited records that a transfer waited at the NIC of a node, or was leaving it, from one time to
// another.
func (t *Traffic) Waited(node int, from, to sim.Time) {
	t.Waiting.Add(node, from, to, int64(to-from))
}

// Finish ends the record of a run.
func (t *Traffic) Finish(links *Links, end sim.Time) {
	t.Links, t.End = links, end
	if t.Carried != nil {
		t.End = links.Elapsed
		t.Carried.coarsen(t.Waiting.Bin)
		t.Waiting.coarsen(t.Carried.Bin)
	}
}

// Bin is the length of a bin; the last one may be shorter.
func (t *Traffic) Bin() sim.Time { return t.Waiting.Bin }

// Bins is the number of bins until the end, which both series share.
func (t *Traffic) Bins() int { return int(max(0, t.End-1)/t.Waiting.Bin) + 1 }

// Starts returns when a bin starts. The bin after the last one starts at the end of the run.
func (t *Traffic) Starts(bin int) sim.Time { return min(t.End, sim.Time(bin)*t.Waiting.Bin) }

// amount adds up the bins of a row from one bin up to, but not including, another.
func amount(row []int64, from, until int) (sum float64) {
	for _, x := range row[min(from, len(row)):min(until, len(row))] {
		sum += float64(x)
	}
	return sum
}

// Used is what a link carried in the bins from one up to, but not including, another, as a
// fraction of what it could have carried.
func (t *Traffic) Used(link, from, until int) float64 {
	time := (t.Starts(until) - t.Starts(from)).Seconds()
	if time == 0 {
		return 0
	}
	return amount(t.Carried.Row(link), from, until) / ByteParts / float64(t.Links.Loads[link].Capacity) / time
}

// Bytes returns how many bytes a link carried in each bin. They are whole, and add up to what the link carried. nil: it
// carried nothing.
func (t *Traffic) Bytes(link int) (bytes []int64) {
	left := int64(0)
	for _, parts := range t.Carried.Row(link) {
		left += parts % ByteParts
		bytes = append(bytes, parts/ByteParts+left/ByteParts)
		left %= ByteParts
	}
	return bytes
}

// Queue is the mean number of transfers that wait at the NIC of a node or are leaving it.
func (t *Traffic) Queue(node, from, until int) float64 {
	time := t.Starts(until) - t.Starts(from)
	if time == 0 {
		return 0
	}
	return amount(t.Waiting.Row(node), from, until) / float64(time)
}

// Fullest returns the bin in which a link is used most; the first one if there are several.
func (t *Traffic) Fullest(link int) int {
	return t.most(func(bin int) float64 { return t.Used(link, bin, bin+1) })
}

// Longest returns the bin in which the queue of a node is longest; the first one if there are
// several.
func (t *Traffic) Longest(node int) int {
	return t.most(func(bin int) float64 { return t.Queue(node, bin, bin+1) })
}

func (t *Traffic) most(of func(bin int) float64) (most int) {
	best := 0.0
	for bin := range t.Bins() {
		if x := of(bin); x > best {
			most, best = bin, x
		}
	}
	return most
}

// LongestQueues returns at most n nodes, those with the longest mean queues over the run first. Nodes
// where nothing waited are omitted.
func (t *Traffic) LongestQueues(n int) (nodes []int) {
	for node := range t.Waiting.Rows() {
		if t.Waiting.Sum(node) > 0 {
			nodes = append(nodes, node)
		}
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(t.Waiting.Sum(b), t.Waiting.Sum(a)) })
	return nodes[:min(n, len(nodes))]
}
