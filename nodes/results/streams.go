package results

import "overlapsim/sim"

// Stream is the time of a stream on GPUs that behave the same, split exactly: its parts add up to
// the makespan.
type Stream struct {
	GPU, Alike int // the first of the GPUs, and how many there are
	Name       string
	Parts      []StreamPart // in the same order for all streams
}

// StreamPart is a part of the time of a stream.
type StreamPart struct {
	Name string
	Time sim.Time
}
