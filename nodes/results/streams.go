package results

import "overlapsim/sim"

// Stream is the time of a stream of GPUs that are alike, split exactly: its parts add up to the makespan.
type Stream struct {
	GPU, Alike int // the first of the GPUs, and how many there are
	Name       string
	Parts      []StreamPart // in the order in which all streams have them
}

// StreamPart is a part of the time of a stream.
type StreamPart struct {
	Name string
	Time sim.Time
}
