package workloads

import (
	"math"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/sim"
)

// denseOps appends the operations of a process, or of one of its two ranks: the rank that computes
// or the rank that communicates.
type denseOps struct {
	*denseProgram
	do                     *programs.Ops
	me                     int // the process
	computes, communicates bool
	exchanges              int // exchanges begun in this step
}

const word = 8 // bytes of a matrix element

// compute runs a routine on the given number of blocks.
func (d *denseOps) compute(t machines.Task, blocks float64) {
	if d.computes {
		d.do.Phase(0)
		d.do.Compute(machines.Task{Time: sim.Time(math.Round(float64(t.Time) * blocks)), Activity: t.Activity, Kernel: t.Kernel}, 1)
	}
}

// meet makes the two ranks of a process wait for each other.
func (d *denseOps) meet() {
	switch {
	case !d.twins:
	case d.computes:
		d.do.Meet(2*d.me + 1)
	default:
		d.do.Meet(2 * d.me)
	}
}

// rank is the rank that communicates for a process.
func (d *denseOps) rank(process int) int {
	if d.twins {
		return 2*process + 1
	}
	return process
}

// nobody marks communication in which no process waits for the slowest one.
const nobody = 0

// pattern describes the messages that follow: communication over a distance in ranks,
// after which the given number of processes wait for the slowest.
func (d *denseOps) pattern(distance, waiting int) {
	if waiting == nobody {
		d.do.Pattern(distance, false)
	} else {
		d.do.PatternAmong(waiting, min(distance, waiting-distance))
	}
}

// size returns the size in bytes of a message of the given number of words.
func (d *denseOps) size(words float64) int64 { return max(1, WholeBytes(word*words)) }

// send starts a message to one process and the receipt of one from another.
func (d *denseOps) send(to, from int, words float64, tag int) {
	d.do.Irecv(d.rank(from), d.size(words), tag, 2*tag)
	d.do.Signal(d.rank(to), d.size(words), tag, 2*tag+1)
}

// sent waits for both messages.
func (d *denseOps) sent(tag int) {
	d.do.Wait(2 * tag)
	d.do.Wait(2*tag + 1)
}

// exchange swaps words with the process at a distance that is a power of two. It waits
// for the completion of its send only in the next exchange, because the notice needs the
// way back.
func (d *denseOps) exchange(words float64, distance, waiting int) {
	d.do.Phase(1)
	d.pattern(distance, waiting)
	this := d.exchanges % 2
	d.send(d.me^distance, d.me^distance, words, this)
	d.do.Wait(2 * this)
	if d.exchanges > 0 {
		d.do.Wait(2*(1-this) + 1)
	}
	d.exchanges++
}

// exchanged waits for the messages of the last exchange.
func (d *denseOps) exchanged() {
	if d.exchanges > 0 {
		d.do.Wait(2*((d.exchanges-1)%2) + 1)
		d.exchanges = 0
	}
}

// scatter is the recursive halving of dense.Machine.reduceScatter over q processes that
// are a distance apart, with w words for each. Its messages have the words that the
// paper's equation counts.
func (d *denseOps) scatter(q int, w float64, distance, waiting int) {
	for i := 1; i < q; i *= 2 {
		last := nobody
		if 2*i >= q {
			last = waiting
		}
		d.exchange(w*float64(q)/float64(i), i*distance, last)
	}
}

// gather is the recursive doubling that collects w words.
func (d *denseOps) gather(q int, w float64, distance, waiting int) {
	for i := 1; i < q; i *= 2 {
		last := nobody
		if 2*i >= q {
			last = waiting
		}
		d.exchange(w/float64(q)*float64(i), i*distance, last)
	}
}

// broadcast is a scatter and an all-gather of w words. The waiting processes synchronise
// after the scatter and, if together is set, after the gather.
func (d *denseOps) broadcast(q int, w float64, distance, waiting int, together bool) {
	if !d.communicates || w == 0 {
		return
	}
	d.scatter(q, w/float64(q), distance, waiting)
	if !together {
		waiting = nobody
	}
	d.gather(q, w, distance, waiting)
	d.exchanged()
}

// reduce is Rabenseifner's reduction over the layers.
func (d *denseOps) reduce(w float64) {
	if d.communicates && d.Layers > 1 {
		layer := d.Processes / d.Layers
		d.scatter(d.Layers, w, layer, d.Processes)
		d.gather(d.Layers, w, layer, nobody)
		d.exchanged()
	}
}

// words is the number of words of a block.
func (d *denseOps) words() float64 { return d.Block * d.Block }

// layer is the number of processes in a layer.
func (d *denseOps) layer() int { return d.Processes / d.Layers }
