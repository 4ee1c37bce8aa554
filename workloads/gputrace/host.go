package gputrace

import (
	"cmp"
	"slices"
	"strings"
)

// hostTimes is what the host did while it launched, as far as it says why a GPU had nothing to do.
type hostTimes struct {
	busy    []span // calls of CUDA and operations of PyTorch, of any thread
	loading []span // waits for a data loader
	known   int    // of busy, how many there were when they were merged last
}

// leastPause is the shortest time that a host pauses, in ns. In 39 measured steps that were also run as CUDA graphs, which take away all that
// the host does (data set cuda-graphs), the longest time between two calls was 3.3 ms.
const leastPause = 5_000_000

// load is how the ranges begin in which PyTorch waits for data.
const load = "enumerate(DataLoader)"

// does adds what the host does.
func (h *hostTimes) does(name string, at span) {
	if strings.HasPrefix(name, load) {
		h.loading = append(h.loading, at)
		return
	}
	if h.busy = append(h.busy, at); len(h.busy) > 2*h.known+1<<16 {
		h.busy = union(h.busy)
		h.known = len(h.busy)
	}
}

// union merges times that touch or overlap.
func union(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// pauses are the times in which the host waits for data, or neither calls CUDA nor runs an operation of PyTorch for leastPause or longer.
// Launches in a graph would not shorten them.
func (h *hostTimes) pauses() []span {
	busy, all := union(h.busy), h.loading
	for i := 1; i < len(busy); i++ {
		if gap := (span{busy[i-1].end, busy[i].start}); gap.end-gap.start >= leastPause {
			all = append(all, gap)
		}
	}
	return slices.Clip(union(all))
}

// paused is how long the host pauses between two times.
func (r *rank) paused(from, to int64) (sum int64) {
	first, _ := slices.BinarySearchFunc(r.pauses, from, func(s span, at int64) int { return cmp.Compare(s.end, at) })
	for _, s := range r.pauses[first:] {
		if s.start >= to {
			break
		}
		sum += max(0, min(s.end, to)-max(s.start, from))
	}
	return sum
}
