package main

import (
	"fmt"

	"overlapsim/network"
	"overlapsim/scenarios/report"
)

// linksRow says in a line how loaded the links were.
func linksRow(l *network.Links) []string {
	busiest := l.Busiest(1)
	if len(busiest) == 0 {
		return []string{"links", report.Percent(0, 1), "no link carried anything"}
	}
	most := busiest[0]
	return []string{"links", report.Percent(l.Used(most), 1),
		fmt.Sprintf("of the capacity of the most used link, %s; mean %s", l.Name(most), report.Percent(l.Mean(), 1))}
}
