package laws

import "strings"

// known is a fault of today's program that has been written down.
type known struct {
	law     string // "" for any
	has     string // a part of what the law says
	finding string // what it is called there
}

// mustShrinkToNothing are the faults that do not fail a test yet. Who mends one
// removes its row.
var mustShrinkToNothing = []known{
	{"status", "panic at scenarios/tree.go", "contention-diagonal panics"},
	{"status", "panic at network/backlog/fabric.go", "backlog panics"},
	{"status", "panic at network/topology/", "backlog panics"},
	{"status", "cannot meet rank", "statuses"},
	{"status", "has no context", "statuses"},
	{"status", "background threads take turns", "statuses"},
	{"status", "its core is shared with", "statuses"},
	{"status", "the run recorded no timeline", "words"},
	{"status", "runs no program, so it has no critical path", "statuses"},
	{"status", "uses request -1 again", "dissemination"},
	{"", "the metric percent_", "dense without peak"},
	{"", "the metric ratio", "overlap ratios"},
	{"totals", "", "totals wrap"},
	{"bound-alone", "", "bound"},
	{"bound-monotone", "", "bound"},
	{"no-latency", "", "latency term"},
	{"fabrics-agree", "", "fabrics apart"},
	{"one-at-a-time", "gap (nic_stall)", "latency term"},
	{"one-at-a-time", "startup (transfer)", "latency term"},
	{"one-at-a-time", "calibrated transfer (transfer)", "crowded path"},
	{"one-at-a-time", "calibrated chunk (overhead)", "crowded path"},
	{"one-at-a-time", "latency (latency) on wire", "copies are partner"},
	{"one-at-a-time", "copy in (overhead)", "copies are partner"},
	{"one-at-a-time", "transfer (transfer)", "copies are partner"},
	{"one-at-a-time", "fabric (transfer)", "copies are partner"},
	{"one-at-a-time", "chunk (transfer)", "copies are partner"},
	{"schema", "by its enum", "schema without none"},
	{"json", "is null", "path of nothing"},
	{"messages", "before it is inserted", "insertion of copies"},
}

// knownFault returns the row of a fault; nil: it is new.
func knownFault(law, message string) *known {
	for i := range mustShrinkToNothing {
		k := &mustShrinkToNothing[i]
		if (k.law == "" || k.law == law) && strings.Contains(message, k.has) {
			return k
		}
	}
	return nil
}

// Known tells what a fault is called that has been written down.
func Known(law, message string) (finding string, ok bool) {
	if k := knownFault(law, message); k != nil {
		return k.finding, true
	}
	return "", false
}
