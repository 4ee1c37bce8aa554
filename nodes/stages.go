package nodes

import (
	"overlapsim/nodes/results"
	"overlapsim/sim"
)

// stage is where a chunk or fragment is.
type stage uint8

// The stages. A message is described by the first stage that has a chunk.
const (
	takenOn stage = iota // by the target's CPU, to be copied
	lying                // at the target, not yet taken on
	passing              // passing the receiving NIC
	flying
	inNIC     // of the sender
	copied    // taken on by the sender
	gone      // delivered, or not copied yet
	numStages = gone
)

var stageTerms = [numStages]results.Term{results.Overhead, results.Progress, results.Contention, results.Latency, results.Transfer,
	results.Overhead}

// move moves the oldest chunk of a stage to another stage. The message does what its oldest chunk
// does.
func (c *cluster) move(id int32, from, to stage, now sim.Time) {
	d := c.stagings.at(c.messages.at(id).staging)
	if from != gone {
		d.stages[from]--
	}
	if to != gone {
		d.stages[to]++
	}
	for s, n := range d.stages {
		if n > 0 {
			c.note(id, now, stageTerms[s])
			return
		}
	}
	c.note(id, now, results.Progress) // no CPU copies
}
