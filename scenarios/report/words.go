package report

import "overlapsim/nodes/results"

// words are the texts for the numbers of a run, whose ranks are processes or GPUs. Text and page use the same.
type words struct {
	Hidden, Exposed string // what these times are
	sent            func(*results.Result) string
	tile            func(*results.Result) Fact // the same at the top of a page
	sentences       [results.NumTerms]string   // in place of those of looks, where they differ
}

var wordsOf = [results.NumWorkers]words{
	results.Processes: {
		Hidden:  "own messages under way while the processor computed",
		Exposed: "processor time that communication took or waited for",
		sent: func(r *results.Result) string {
			return Count(r.Messages) + " messages, " + Bytes(float64(r.Bytes))
		},
		tile: func(r *results.Result) Fact {
			return Fact{"Messages", Count(r.Messages), Bytes(float64(r.Bytes)) + " in all"}
		},
	},
	results.GPUs: {
		Hidden:  "operations of other streams under way while kernels of the compute stream ran",
		Exposed: "time of the compute stream that communication took, or launches",
		sent:    func(r *results.Result) string { return Bytes(float64(r.Bytes)) + " sent by the GPUs" },
		tile:    func(r *results.Result) Fact { return Fact{"Sent", Bytes(float64(r.Bytes)), "by all GPUs"} },
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

// Words returns the texts for a run.
func Words(r *results.Result) *words { return &wordsOf[r.On] }

// Sent says what a run sent.
func Sent(r *results.Result) string { return Words(r).sent(r) }

// look is how a term of a run is shown.
func (w *words) look(t results.Term) look {
	l := looks[t]
	if s := w.sentences[t]; s != "" {
		l.Sentence = s
	}
	return l
}
