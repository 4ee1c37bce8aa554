package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
)

// words are the texts for the numbers of a run, whose ranks are processes or GPUs. Text and page use the same.
type words struct {
	sent      func(*results.Result) string
	tile      func(*results.Result) Fact // the same at the top of a page
	who       [2]string                  // the heading of the states: what is in them, and over what means are
	sentences [results.NumTerms]string   // in place of the sentences of looks, where they differ
	// What a rank does in a term. These are states, not causes: the absence of a wait says what it costs
	// (AnswerSections).
	states [results.NumTerms]string
}

var wordsOf = [results.NumWorkers]words{
	results.Processes: {
		who: [2]string{"ranks", "ranks"},
		states: [results.NumTerms]string{
			results.Compute:      "computing",
			results.Interference: "computing slower than alone",
			results.Overhead:     "working on messages",
			results.NICStall:     "waiting for a place in a NIC",
			results.Progress:     "waiting for a message that makes no progress",
			results.Transfer:     "waiting while bytes leave",
			results.Contention:   "waiting while other bytes pass",
			results.Latency:      "waiting for a message in flight",
			results.Partner:      "waiting for the other side",
			results.BarrierTime:  "in a barrier",
			results.Idle:         "nothing to do",
		},
		sent: func(r *results.Result) string {
			return Count(r.Messages) + " messages, " + Bytes(float64(r.Bytes))
		},
		tile: func(r *results.Result) Fact {
			return Fact{"Messages", Count(r.Messages), Bytes(float64(r.Bytes)) + " in all"}
		},
	},
	results.GPUs: {
		who: [2]string{"compute streams", "GPUs"},
		states: [results.NumTerms]string{
			results.Compute:      "computing",
			results.Interference: "computing, short of blocks, SMs or memory",
			results.Overhead:     "waiting for launches",
			results.NICStall:     "waiting for the end of a round",
			results.Progress:     "waiting for an operation that makes no progress",
			results.Transfer:     "waiting for bytes of operations",
			results.Contention:   "waiting while links carry other bytes",
			results.Latency:      "waiting for steps of operations",
			results.Partner:      "waiting for another stream or GPU",
			results.BarrierTime:  "in a barrier",
			results.Idle:         "nothing to do",
		},
		sent: func(r *results.Result) string {
			if unsized(r) {
				return "the trace does not say how many bytes were sent"
			}
			return SentBytes(r) + " sent by the GPUs"
		},
		tile: func(r *results.Result) Fact {
			if unsized(r) {
				return Fact{"Sent", SentBytes(r), "the trace does not say"}
			}
			return Fact{"Sent", SentBytes(r), "by all GPUs"}
		},
		sentences: [results.NumTerms]string{
			results.Compute:      "Kernels run, on the part of the SMs that they have.",
			results.Interference: "Blocks of kernels wait for memory or for SMs that others have, or are too few for the SMs in their last wave.",
			results.Overhead:     "The host has not launched the operation yet, or its kernel starts.",
			results.NICStall:     "Channels of an operation wait for the end of a round.",
			results.Transfer:     "Bytes of an operation, this one or one that it waits for, at the full speed of their links.",
			results.Contention:   "Other operations have a part of the operation's links.",
			results.Latency:      "Steps of an operation, this one or one that it waits for, without their bytes.",
			results.Partner:      "What the operation comes after has not ended and is no operation between GPUs, or another GPU has not arrived.",
			results.Idle:         "Nothing is left to do, or nothing has begun.",
		},
	},
}

// SentBytes is how many bytes a run sent, or a dash.
func SentBytes(r *results.Result) string {
	if unsized(r) {
		return Dash
	}
	return Bytes(float64(r.Bytes))
}

// unsized tells whether a run replays a trace with communication whose bytes it does not say.
func unsized(r *results.Result) bool {
	return r.Bytes == 0 && r.Traced != nil && slices.ContainsFunc(r.Traced.Ranks, func(x results.TracedRank) bool { return x.Communication > 0 })
}

// Doing is the heading of what ranks, or the compute streams of GPUs, were doing.
func Doing(onGPUs bool, share string) string {
	who := of(onGPUs).who
	return fmt.Sprintf("What the %s were doing (%s)", who[0], cmp.Or(share, "mean over the "+who[1]))
}

// Doings say what terms that head a table are: "overhead: working on messages; ...".
func Doings(onGPUs bool, terms []results.Term) string {
	var all []string
	for _, t := range terms {
		all = append(all, strings.ReplaceAll(t.String(), "_", " ")+": "+of(onGPUs).states[t])
	}
	return strings.Join(all, "; ") + "."
}

func of(onGPUs bool) *words {
	if onGPUs {
		return &wordsOf[results.GPUs]
	}
	return &wordsOf[results.Processes]
}

// Words returns the texts for a run.
func Words(r *results.Result) *words { return &wordsOf[r.On] }

// Sent says what a run sent.
func Sent(r *results.Result) string { return Words(r).sent(r) }

// State says what a rank does in a term.
func (w *words) State(t results.Term) string { return w.states[t] }

// look is how a term of a run is shown.
func (w *words) look(t results.Term) look {
	l := looks[t]
	if s := w.sentences[t]; s != "" {
		l.Sentence = s
	}
	return l
}
