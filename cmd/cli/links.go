package cli

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// networkRow says in a line what the network is, and what it has for all nodes that send to all; nil: it has no links.
func networkRow(l *network.Links) []string {
	part, class := l.AllToAll()
	if class < 0 {
		return nil
	}
	gets := "of what all nodes inject gets through if all send to all"
	if part < 1 {
		gets = "of what all nodes inject gets through at most if all send to all (" + l.Shape.Classes()[class] + " links)"
	}
	return []string{"network", report.Percent(part, 1), gets + ": " + l.Shape.String()}
}

// linksRow says in a line how loaded the links were.
func linksRow(l *network.Links) []string {
	busiest := l.Busiest(1)
	if len(busiest) == 0 {
		return []string{"links", report.Percent(0, 1), "no link carried anything"}
	}
	most := busiest[0]
	used := "of the capacity of the most used link, " + l.Name(most)
	if mean := l.Mean(); mean > 0 {
		used += "; mean of those used " + report.Percent(mean, 1)
	}
	return []string{"links", report.Percent(l.Used(most), 1), used}
}

// traffic prints which links were used most and when, and where most transfers waited.
func (p *printer) traffic(o outcome, named bool) {
	if named {
		p.print("\n%s\n", o.Name)
	}
	if o.Result.Traffic == nil {
		p.print("\nNothing happens on links: fabric %s has no contention\n", o.Fabric)
		return
	}
	p.tables(overTimeTables(o))
}

// overTimeTables say when each of the most used links and longest queues reached its
// maximum.
func overTimeTables(o outcome) (all []report.Section) {
	t := o.Result.Traffic
	when := func(bin int) string {
		return report.Seconds(t.Starts(bin).Seconds()) + " to " + report.Seconds(t.Starts(bin+1).Seconds())
	}
	note := "Most: over the " + report.Seconds(t.Bin().Seconds()) + " in which it is highest. When says which these are."
	add := func(title, unit string) *report.Table {
		table := &report.Table{Head: []string{"", unit, "most", "when"}, Words: []bool{true, false, false, true}}
		all = append(all, report.Section{Title: title, Note: note, Table: table})
		return table
	}
	if t.Carried != nil {
		links := add("Most used links", "used")
		for _, link := range o.Links.Busiest(outcomes.BusiestListed) {
			bin := t.Fullest(link)
			links.Rows = append(links.Rows,
				report.Cells(o.Links.Name(link), report.Percent(o.Links.Used(link), 1), report.Percent(t.Used(link, bin, bin+1), 1), when(bin)))
		}
	}
	queues := add("Longest queues of transfers that leave a NIC or wait there", "mean")
	for _, node := range t.LongestQueues(outcomes.BusiestListed) {
		bin := t.Longest(node)
		queues.Rows = append(queues.Rows,
			report.Cells(fmt.Sprintf("node %d", node), report.Ratio(t.Queue(node, 0, t.Bins())), report.Ratio(t.Queue(node, bin, bin+1)), when(bin)))
	}
	return all
}
