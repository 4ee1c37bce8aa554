package report

import (
	"overlapsim/nodes"
)

// look is how a ledger term is shown, everywhere on the page.
type look struct {
	Title    string `json:"title"`
	Color    string `json:"color"` // #rrggbb
	Sentence string `json:"-"`     // what the term means
	Doing    string `json:"doing"` // what a process does meanwhile; {message} is filled in
}

// looks is the one place for colours and words of the terms. Any two colours
// are at least 20 apart in CIE L*a*b* for normal sight and for each of the
// three kinds of colour blindness (a test computes it).
var looks = [nodes.NumTerms]look{
	nodes.Compute: {"Compute", "#058d5e",
		"The processor computes, at the speed of an idle machine.",
		"computes"},
	nodes.Interference: {"Interference", "#9cd49a",
		"What SMT siblings and shared memory added to the computation.",
		"computes on, slowed down by SMT siblings or shared memory"},
	nodes.Overhead: {"Overhead", "#e98700",
		"Processor time spent on messages: posting, copying, matching, packing.",
		"spends processor time on {message}"},
	nodes.NICStall: {"NIC stall", "#b7400e",
		"The NIC's queue was full, or it was still taking an earlier message.",
		"cannot hand over {message}: the NIC takes no more"},
	nodes.Progress: {"Progress", "#660037",
		"Somebody should have moved a message on, and nobody did.",
		"waits for {message}, which nobody moves on"},
	nodes.Transfer: {"Transfer", "#4d61df",
		"Waiting while this rank's own bytes leave at full speed.",
		"waits while the bytes of {message} leave"},
	nodes.Contention: {"Contention", "#252d72",
		"Waiting while other bytes leave first, or share the way.",
		"waits for {message}, which other traffic holds up"},
	nodes.Latency: {"Latency", "#7dccff",
		"Waiting for bytes that have all left and have not arrived.",
		"waits for {message}: all bytes have left and are on the way"},
	nodes.Partner: {"Partner", "#bb6da6",
		"Waiting for the other side, which was not there yet.",
		"waits for the other side of {message}"},
	nodes.BarrierTime: {"Barrier", "#ffd876",
		"In a barrier, until the last rank has come and the news is back.",
		"waits in the barrier"},
	nodes.Idle: {"Idle", "#e3e6ea",
		"Nothing to do.",
		"has nothing to do"},
}

// TermColor returns the colour of a term, as #rrggbb.
func TermColor(t nodes.Term) string { return looks[t].Color }
