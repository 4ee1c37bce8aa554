package workloads

import (
	"errors"
	"fmt"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/nodes/results"
	"overlapsim/workloads/collectives"
)

// The saturation benchmark of platform calibration for SimGrid (T. Cornebize,
// platform-calibration, saturation): the two halves of a cluster communicate, rank r of
// the first half with rank r of the second.
func init() {
	Register(Kind{"saturation", "the halves of a cluster send to each other, again and again, all at once",
		func() Workload { return &saturation{Partners: "one-way", Bytes: 4_000_000, Repeat: 5} }})
}

type saturation struct {
	Partners string `key:"partners" unit:"text" doc:"one-way: the first half sends to the second; same: each rank sends to a rank and receives from it; different: it sends to one and receives from another; all: all-to-all, one partner after another"`
	Bytes    int64  `key:"bytes" unit:"bytes" doc:"size of a message"`
	Repeat   int64  `key:"repeat" unit:"times" doc:"operations of each rank, one after the other"`
}

// partnership tells a rank what to do in an operation.
type partnership func(ranks, me, tag int, bytes int64, do *programs.Ops)

var partnerships = map[string]partnership{
	"one-way": func(ranks, me, tag int, bytes int64, do *programs.Ops) {
		if half := ranks / 2; me < half {
			do.Send(me+half, bytes, tag)
		} else {
			do.Recv(me-half, bytes, tag)
		}
	},
	"same": func(ranks, me, tag int, bytes int64, do *programs.Ops) {
		partner := (me + ranks/2) % ranks
		swap(partner, partner, tag, bytes, do)
	},
	"different": func(ranks, me, tag int, bytes int64, do *programs.Ops) {
		half := ranks / 2
		if r := me - half; r >= 0 {
			swap((r+1)%half, r, tag, bytes, do)
		} else {
			swap(me+half, half+(me+half-1)%half, tag, bytes, do)
		}
	},
	"all": func(ranks, me, tag int, bytes int64, do *programs.Ops) {
		g := collectives.Group{Ranks: ranks, Me: me, Bytes: product(bytes, int64(ranks)), Tag: tag}
		collectives.AlltoallPairwise.Call(g, do)
	},
}

// swap sends to one rank and receives from another at the same time.
func swap(to, from, tag int, bytes int64, do *programs.Ops) {
	do.Irecv(from, bytes, tag, 0)
	do.Isend(to, bytes, tag, 1)
	do.Wait(0)
	do.Wait(1)
}

func (w *saturation) Program(_ *machines.Machine, ranks int) (programs.Program, error) {
	var errs []error
	if partnerships[w.Partners] == nil {
		errs = append(errs, &KeyError{"partners", fmt.Sprintf("must be one-way, same, different or all, got %q", w.Partners)})
	}
	if ranks < 2 || ranks%2 != 0 {
		errs = append(errs, fmt.Errorf("two halves need an even number of ranks, got %d", ranks))
	}
	if w.Bytes < 1 {
		errs = append(errs, &KeyError{"bytes", "must be at least 1"})
	}
	if w.Repeat < 1 {
		errs = append(errs, &KeyError{"repeat", "must be at least 1"})
	}
	return &saturationProgram{*w, ranks}, errors.Join(errs...)
}

type saturationProgram struct {
	saturation
	ranks int
}

func (p *saturationProgram) Ranks() int       { return p.ranks }
func (p *saturationProgram) Phases() []string { return []string{"communication"} }

// Step is one operation.
func (p *saturationProgram) Step(me, step int, do *programs.Ops) bool {
	if step >= int(p.Repeat) {
		return false
	}
	partnerships[p.Partners](p.ranks, me, step, p.Bytes, do)
	return true
}

// Metrics are the time of an operation, until the last rank has done it.
func (w *saturation) Metrics(_ *machines.Machine, r *results.Result) Metrics {
	return metrics(Metric{"operation_s", r.Makespan().Seconds() / float64(w.Repeat)})
}
