package chakra

import (
	"container/heap"
	"errors"
	"fmt"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// trace is what a rank does.
type trace struct {
	file  string
	nodes []node
	order []int   // of the nodes, none before one that it depends on
	after [][]int // what each node depends on
}

// mostMistakes is the number of mistakes of a file that an error lists.
const mostMistakes = 10

// operations are collectives by comm_type; nil: not modelled.
var operations = []*gpus.Operation{gpus.AllReduce, gpus.Reduce, gpus.AllGather, nil, nil, gpus.Broadcast, gpus.AllToAll, gpus.ReduceScatter,
	gpus.ReduceScatter, nil}

// open reads a file and joins its nodes.
func open(file string) (*trace, error) {
	nodes, err := readFile(file)
	if err != nil {
		return nil, err
	}
	t := &trace{file: file, nodes: nodes}
	return t, t.join()
}

// wrong is a mistake at a node.
func (t *trace) wrong(n *node, format string, args ...any) error {
	return fmt.Errorf("%s: at byte %d: node %d (%.60s): %s", t.file, n.offset, n.id, n.name, fmt.Sprintf(format, args...))
}

// join finds what each node depends on, and an order.
func (t *trace) join() error {
	var all []error
	at := make(map[uint64]int, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		at[n.id] = i
		if err := n.check(); err != nil {
			all = append(all, t.wrong(n, "%s", err))
		}
	}
	t.after = make([][]int, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		for _, id := range n.data {
			other, ok := at[id]
			if !ok {
				all = append(all, t.wrong(n, "data_deps names node %d, which is not in the file", id))
				continue
			}
			t.after[i] = append(t.after[i], other)
		}
		if len(all) >= mostMistakes {
			break
		}
	}
	if all != nil {
		return errors.Join(all[:min(len(all), mostMistakes)]...)
	}
	return t.sort()
}

// mostDuration is the longest time of a node in us, of which a run can last four. mostAmount and mostFlops keep bytes and
// operations within 64 bits.
const (
	mostDuration = uint64(machines.Longest / 4 / sim.Microsecond)
	mostAmount   = 1 << 46
	mostFlops    = 1 << 60
)

// check returns mistakes that can be found in a node alone.
func (n *node) check() error {
	switch {
	case n.kind < metadata || n.kind > collective:
		return fmt.Errorf("its type is %d; known are %d to %d", n.kind, metadata, collective)
	case n.duration > mostDuration:
		return fmt.Errorf("takes %d us, the most is %d: a run can take 53 days", n.duration, mostDuration)
	case n.bytes < 0 || n.bytes > mostAmount:
		return fmt.Errorf("comm_size must be 0 to %d, got %d", int64(mostAmount), n.bytes)
	case n.moved < 0 || n.moved > mostAmount || n.flops < 0 || n.flops > mostFlops:
		return fmt.Errorf("tensor_size %d or num_ops %d is out of bounds", n.moved, n.flops)
	case n.kind == send && !n.hasTo:
		return errors.New("comm_dst is missing; a send needs it")
	case n.kind == receive && !n.hasFrom:
		return errors.New("comm_src is missing; a receive needs it")
	case n.collects() && n.partly:
		return errors.New("involved_dim leaves dimensions of the network out, which is not modelled; give groups as pg_name")
	case n.collects() && n.operation >= 0 && (n.operation >= int64(len(operations)) || operations[n.operation] == nil):
		return fmt.Errorf("comm_type %d is not modelled; known are all-reduce 0, reduce 1, all-gather 2, broadcast 5, all-to-all 6, reduce-scatter 7, 8",
			n.operation)
	case n.collects() && n.duration == 0 && (n.operation < 0 || !n.hasBytes):
		return errors.New("a collective needs comm_type and comm_size, or a duration")
	}
	return nil
}

// collects tells whether a node is a collective of GPUs. A node of the host is only the call of
// one.
func (n *node) collects() bool { return n.kind == collective && !n.host }

// sort finds the order.
func (t *trace) sort() error {
	waits, next := make([]int, len(t.nodes)), make([][]int, len(t.nodes))
	for i, after := range t.after {
		waits[i] = len(after)
		for _, other := range after {
			next[other] = append(next[other], i)
		}
	}
	ready := &numbersHeap{}
	for i, n := range waits {
		if n == 0 {
			heap.Push(ready, i)
		}
	}
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		t.order = append(t.order, i)
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	if len(t.order) < len(t.nodes) {
		for i, n := range waits {
			if n > 0 {
				return t.wrong(&t.nodes[i], "it and %d other nodes depend on each other in a circle", len(t.nodes)-len(t.order)-1)
			}
		}
	}
	return nil
}

// numbersHeap is a heap of numbers.
type numbersHeap []int

func (h numbersHeap) Len() int           { return len(h) }
func (h numbersHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h numbersHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *numbersHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *numbersHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
