package traces

import "strings"

// Sizes gives the bytes of a collective of MPI, from its arguments in another format. A block is what one
// member sends to, or receives from, another one.
type Sizes interface {
	// Block returns the bytes of each block that is sent, or received, where all are alike.
	Block(received bool) int64
	// Blocks appends the bytes of the blocks of all members.
	Blocks(to []int64, received bool, members int64) []int64
}

// Collected is a collective function of MPI.
type Collected struct {
	Kind CallKind
	fill func(to *Call, root bool, members int64, s Sizes)
}

// Fill fills in the sizes of a call by a rank in a communicator with this number of members.
func (c *Collected) Fill(to *Call, rank int, members int64, s Sizes) {
	c.fill(to, int(to.Peer) == rank, members, s)
}

// CollectedBy returns the collective that a function does, such as MPI_Gatherv or MPI_Igatherv; nil: it is
// none of them.
func CollectedBy(function string) *Collected {
	if name, started := strings.CutPrefix(function, "MPI_I"); started && name != "" {
		function = "MPI_" + strings.ToUpper(name[:1]) + name[1:]
	}
	if c, ok := collected[function]; ok {
		return &c
	}
	return nil
}

// collected are the functions that a program begins, or does, in the same way on all members.
var collected = map[string]Collected{
	"MPI_Barrier": {Barrier, func(*Call, bool, int64, Sizes) {}}, "MPI_Bcast": {Broadcast, vector}, "MPI_Reduce": {Reduce, vector},
	"MPI_Allreduce": {Allreduce, vector}, "MPI_Scan": {Scan, vector}, "MPI_Exscan": {Scan, vector},
	"MPI_Gather": {Gather, gathered}, "MPI_Scatter": {Scatter, scattered}, "MPI_Allgather": {Allgather, exchanged},
	"MPI_Alltoall": {Alltoall, exchanged}, "MPI_Gatherv": {Gather, unevenlyGathered}, "MPI_Scatterv": {Scatter, unevenlyScattered},
	"MPI_Allgatherv": {Allgather, unevenlyAllgathered}, "MPI_Alltoallv": {Alltoall, unevenlyExchanged},
	"MPI_Reduce_scatter": {ReduceScatter, reducedUnevenly},
}

func vector(to *Call, _ bool, _ int64, s Sizes) { to.Bytes = s.Block(false) }

// gathered and scattered: at the root its own block may be in place.
func gathered(to *Call, root bool, members int64, s Sizes)  { to.Bytes = members * s.Block(root) }
func scattered(to *Call, root bool, members int64, s Sizes) { to.Bytes = members * s.Block(!root) }

// exchanged: what is sent may be in place.
func exchanged(to *Call, _ bool, members int64, s Sizes) { to.Bytes = members * s.Block(true) }

func unevenlyGathered(to *Call, root bool, members int64, s Sizes) {
	to.Uneven = true
	if !root {
		to.Bytes = s.Block(false)
		return
	}
	to.Into = s.Blocks(to.Into, true, members)
	to.Bytes = sum(to.Into)
}

func unevenlyScattered(to *Call, root bool, members int64, s Sizes) {
	to.Uneven = true
	if !root {
		to.Bytes = s.Block(true)
		return
	}
	to.Out = s.Blocks(to.Out, false, members)
	to.Bytes = sum(to.Out)
}

func unevenlyAllgathered(to *Call, _ bool, members int64, s Sizes) {
	to.Uneven = true
	to.Into = s.Blocks(to.Into, true, members)
	to.Bytes = sum(to.Into)
}

func unevenlyExchanged(to *Call, _ bool, members int64, s Sizes) {
	to.Uneven = true
	to.Out, to.Into = s.Blocks(to.Out, false, members), s.Blocks(to.Into, true, members)
	to.Bytes = sum(to.Out)
}

// reducedUnevenly: the counts are the blocks of the sum that members receive.
func reducedUnevenly(to *Call, _ bool, members int64, s Sizes) {
	to.Uneven = true
	to.Out = s.Blocks(to.Out, true, members)
	to.Bytes = sum(to.Out)
}

func sum(all []int64) (bytes int64) {
	for _, b := range all {
		bytes += b
	}
	return bytes
}
