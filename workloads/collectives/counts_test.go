package collectives

import "testing"

// Eight members, on two nodes of four or in a grid of 4 x 2, with 64 bytes: a vector, or blocks of 8.
const (
	vector = 64
	block  = vector / 8
	each   = 8 * 7 // ordered pairs of members
	steps  = 8 * 3 // messages of a butterfly
)

// counts is the shared table of algorithms: the messages of all members and their bytes, from the
// papers. A new algorithm is a row.
var counts = []struct {
	of              *Operation
	name            string
	messages, bytes int
}{
	{Barrier, "dissemination", steps, steps * vector}, // a barrier's messages have Bytes
	{Barrier, "doubling", steps, steps * vector},
	{Barrier, "tournament", 2 * 7, 2 * 7 * vector},
	{Barrier, "tree", 2 * 7, 2 * 7 * vector},
	{Barrier, "linear", 2 * 7, 2 * 7 * vector},
	{Barrier, "two-level", 2*6 + 2, 14 * vector},
	{Barrier, "offload", 2*6 + 2, 14 * vector},
	{Broadcast, "offload", 6 + 2, 8 * vector}, // a message of each node goes to the switches, also where it says nothing
	{Allreduce, "offload", 2*6 + 2, 14 * vector},
	{Broadcast, "binomial", 7, 7 * vector},
	{Broadcast, "knomial", 7, 7 * vector},
	{Broadcast, "chain", 7, 7 * vector},
	{Broadcast, "pipeline", 7, 7 * vector},
	{Broadcast, "binary", 7, 7 * vector},
	{Broadcast, "linear", 7, 7 * vector},
	{Broadcast, "swing-latency", 7, 7 * vector},
	{Broadcast, "hierarchical", 7, 7 * vector},
	{Broadcast, "han", 7, 7 * vector},
	{Broadcast, "split-binary", 2 * 7, 2 * 7 * vector / 2},                            // one half down, the other one from the partner
	{Broadcast, "scatter-doubling", 7 + steps, (4*1+2*2+1*4)*block + 8*(1+2+4)*block}, // subtrees of 1, 2 and 4
	{Broadcast, "scatter-ring", 7 + each, 12*block + each*block},
	{Broadcast, "swing-bandwidth", 7 + steps, 12*block + 8*7*block},
	{Reduce, "binomial", 7, 7 * vector},
	{Reduce, "binomial-in-turn", 7, 7 * vector},
	{Reduce, "knomial", 7, 7 * vector},
	{Reduce, "chain", 7, 7 * vector},
	{Reduce, "pipeline", 7, 7 * vector},
	{Reduce, "binary", 7, 7 * vector},
	{Reduce, "linear", 7, 7 * vector},
	{Reduce, "swing-latency", 7, 7 * vector},
	{Reduce, "hierarchical", 7, 7 * vector},
	{Reduce, "han", 7, 7 * vector},
	{Reduce, "in-order-binary", 7 + 1, 8 * vector}, // from the last member to the root
	{Reduce, "rabenseifner", steps + 7, 8*7*block + 12*block},
	{Reduce, "swing-bandwidth", steps + 7, 8*7*block + 12*block},
	{Allreduce, "doubling", steps, steps * vector},
	{Allreduce, "swing-latency", steps, steps * vector},
	{Allreduce, "rabenseifner", 2 * steps, 2 * 8 * 7 * block},
	{Allreduce, "swing-bandwidth", 2 * steps, 2 * 8 * 7 * block},
	{Allreduce, "ring", 2 * each, 2 * each * block},
	{Allreduce, "segmented-ring", 2 * each, 2 * each * block},
	{Allreduce, "reduce-broadcast", 2 * 7, 2 * 7 * vector},
	{Allreduce, "reduce-in-turn-broadcast", 2 * 7, 2 * 7 * vector},
	{Allreduce, "linear", 2 * 7, 2 * 7 * vector},
	{Allreduce, "allgather-reduce", each, each * vector},
	{Allreduce, "han", 2*6 + 2, 14 * vector},
	{Allreduce, "two-level", 2*6 + 2, 14 * vector},
	{Allreduce, "two-level-rabenseifner", 2*6 + 4, 2*6*vector + 4*vector/2},
	{ReduceScatter, "halving", steps, 8 * 7 * block},
	{ReduceScatter, "swing-bandwidth", steps, 8 * 7 * block},
	{ReduceScatter, "swing-permuted", steps, 8 * 7 * block},
	{ReduceScatter, "swing-by-block", each, each * block},
	{ReduceScatter, "swing-remapped", steps + 7, 8*7*block + 7*block}, // seven blocks change members
	{ReduceScatter, "butterfly", steps + 4, 8*7*block + 4*block},      // four numbers of three bits are not their own mirror
	{ReduceScatter, "pairwise", each, each * block},
	{ReduceScatter, "ring", each, each * block},
	{ReduceScatter, "reduce-scatter", 7 + 7, 7*vector + 12*block},
	{Allgather, "doubling", steps, 8 * 7 * block},
	{Allgather, "bruck", steps, 8 * 7 * block},
	{Allgather, "swing-bandwidth", steps, 8 * 7 * block},
	{Allgather, "swing-permuted", steps, 8 * 7 * block},
	{Allgather, "swing-packed", steps, 8 * 7 * block},
	{Allgather, "swing-two-blocks", steps + 2, 8 * 7 * block}, // two ranges wrap around
	{Allgather, "swing-by-block", each, each * block},
	{Allgather, "swing-remapped", steps + 7, 8*7*block + 7*block},
	{Allgather, "sparbit", each, each * block},
	{Allgather, "linear", each, each * block},
	{Allgather, "ring", each, each * block},
	{Allgather, "neighbour-exchange", 8 * 4, 8 * (1 + 2*3) * block},
	{Allgather, "gather-broadcast", 7 + 7, 12*block + 7*vector},
	{Alltoall, "bruck", steps, steps * 4 * block}, // half of the blocks in each round
	{Alltoall, "linear", each, each * block},
	{Alltoall, "linear-at-once", each, each * block},
	{Alltoall, "linear-window", each, each * block},
	{Alltoall, "pairwise", each, each * block},
	{Gather, "binomial", 7, 12 * block},
	{Gather, "linear", 7, 7 * block},
	{Gather, "linear-sync", 2 * 7, 7 * block},
	{Scatter, "binomial", 7, 12 * block},
	{Scatter, "linear", 7, 7 * block},
	{Scatter, "linear-nonblocking", 7, 7 * block},
	{Scan, "linear", 7, 7 * vector},
	{Scan, "doubling", 7 + 6 + 4, 17 * vector},
	{NeighbourGather, "linear", 8 * 4, 8 * 4 * vector},
	{NeighbourExchange, "linear", 8 * 4, 8 * vector},
}

// Every algorithm has a row, and sends as much as it says.
func TestCounts(t *testing.T) {
	rows := map[*Algorithm]bool{}
	for _, c := range counts {
		a, known := c.of.Lookup(c.name)
		if !known || rows[a] {
			t.Fatalf("%s %s: no such algorithm, or two rows", c.of.Name, c.name)
		}
		rows[a] = true
		messages, bytes := 0, int64(0)
		for _, m := range proof(t, a, Group{Ranks: 8, Bytes: vector, Levels: []int{4}, Dims: []int{4, 2}}).members {
			messages, bytes = messages+m.messages, bytes+m.sent
		}
		if messages != c.messages || bytes != int64(c.bytes) {
			t.Errorf("%s %s: %d messages, %d bytes; want %d and %d", c.of.Name, c.name, messages, bytes, c.messages, c.bytes)
		}
	}
	for _, o := range Operations {
		for _, a := range o.Algorithms() {
			if !rows[a] {
				t.Errorf("%s %s has no row in counts", o.Name, a.Name)
			}
		}
	}
}
