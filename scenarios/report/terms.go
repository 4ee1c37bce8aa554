package report

import "overlapsim/nodes/results"

// look is how a ledger term is shown, everywhere on the page. The words for what a process
// does meanwhile depend on the progress of its message; {message} is filled in.
type look struct {
	Title    string `json:"title"`
	Color    string `json:"color"` // #rrggbb
	Sentence string `json:"-"`     // what the term means
	Doing    string `json:"doing"`
	Early    string `json:"early,omitempty"`  // before the bytes of the message begin to leave
	Across   string `json:"across,omitempty"` // until it has been delivered, and on
	Late     string `json:"late,omitempty"`   // after it has been delivered
	Alone    string `json:"alone,omitempty"`  // for no message in particular
	NoWait   bool   `json:"noWait,omitempty"` // it is not time that a message or another rank costs
}

// looks is the one place for colours and words of the terms, on pages, in the terminal and in figures. Each colour has a contrast of at
// least 3 to the paper of a light and of a dark page, and any two are at least 19 apart in CIE L*a*b* for normal sight and for each of the
// three kinds of colour blindness (a test computes it). Such colours are about as light as each other: greys for print and hatching are the
// figures' (package picture).
var looks = [results.NumTerms]look{
	results.Compute: {NoWait: true, Title: "Compute", Color: "#207520",
		Sentence: "The processor computes, at the speed of an idle machine.",
		Doing:    "computes"},
	results.Interference: {NoWait: true, Title: "Interference", Color: "#32a47f",
		Sentence: "What SMT siblings and shared memory added to the computation.",
		Doing:    "computes on, slowed down by SMT siblings or shared memory"},
	results.Overhead: {Title: "Overhead", Color: "#d28200",
		Sentence: "Processor time spent on messages: posting, copying, matching, packing.",
		Doing:    "spends processor time on {message}",
		Early:    "spends processor time on {message}, or waits while the other side does"},
	results.NICStall: {Title: "NIC stall", Color: "#d90b24",
		Sentence: "The NIC took no more, or the awaited message waited in a NIC.",
		Doing:    "waits for {message}, which waits for its turn in a NIC",
		Alone:    "cannot hand over a message: the NIC takes no more"},
	results.Progress: {Title: "Progress", Color: "#bb0c9a",
		Sentence: "A message needed a processor or an agent to make progress, and none worked on it.",
		Doing:    "waits for {message}, for which no processor or agent makes progress"},
	results.Transfer: {Title: "Transfer", Color: "#5e42fd",
		Sentence: "Waiting while this rank's own bytes leave, or those that it waits for, at full speed.",
		Doing:    "waits while the bytes of {message} leave",
		Early:    "waits for {message}: other bytes of this rank leave first, or its request does",
		Late:     "waits for {message}: the note that it is there leaves"},
	results.Contention: {Title: "Contention", Color: "#9f6afd",
		Sentence: "Waiting while other bytes leave or arrive first, or share the way.",
		Doing:    "waits for {message}, which other traffic holds up"},
	results.Latency: {Title: "Latency", Color: "#7991db",
		Sentence: "Waiting for something that has left and has not arrived.",
		Doing:    "waits for {message}: all bytes have left and are on the way",
		Early:    "waits for {message}: its request, or the reply to it, is on the way",
		Across:   "waits for {message}: its bytes are on the way, and then the news that they have come",
		Late:     "waits for {message}: it is there, and the news of that is on the way"},
	results.Partner: {Title: "Partner", Color: "#bd81af",
		Sentence: "Waiting for the other side, which was not there yet.",
		Doing:    "waits for the other side of {message}"},
	results.BarrierTime: {Title: "Barrier", Color: "#969859",
		Sentence: "In a barrier, until the last rank has come and the news is back.",
		Doing:    "waits in the barrier"},
	results.Idle: {NoWait: true, Title: "Idle", Color: "#5d676c",
		Sentence: "Nothing to do.",
		Doing:    "has nothing to do"},
}

// TermColor returns the colour of a term, as #rrggbb.
func TermColor(t results.Term) string { return looks[t].Color }

// TermTitle returns the name of a term, as pages show it.
func TermTitle(t results.Term) string { return looks[t].Title }
