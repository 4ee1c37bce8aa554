package gpus

// Operation is what a group of GPUs does. Its bytes are the size of the largest buffer of a GPU, as
// nccl-tests prints them: the vector of an all-reduce, or all blocks of an all-gather.
type Operation struct {
	Name   string
	steps  func(n int) int // of a ring
	blocks bool            // a buffer has a block for each GPU
}

// The operations.
var (
	AllReduce     = &Operation{"all-reduce", func(n int) int { return 2 * (n - 1) }, false}
	AllGather     = &Operation{"all-gather", func(n int) int { return n - 1 }, true}
	ReduceScatter = &Operation{"reduce-scatter", func(n int) int { return n - 1 }, true}
	Broadcast     = &Operation{"broadcast", func(n int) int { return n }, false}
	Reduce        = &Operation{"reduce", func(n int) int { return n }, false}
	AllToAll      = &Operation{"all-to-all", func(n int) int { return n - 1 }, true}
	SendReceive   = &Operation{"send-receive", func(int) int { return 1 }, false}
)

// Operations are all operations.
var Operations = []*Operation{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, AllToAll, SendReceive}

func (o *Operation) String() string { return o.Name }

// Bus is the factor from algorithm bandwidth (bytes divided by time) to bus bandwidth, as
// nccl-tests prints it. It is the least that each GPU sends, divided by the bytes.
func (o *Operation) Bus(n int) float64 {
	if o == SendReceive || o == Broadcast || o == Reduce {
		return 1
	}
	return float64(o.steps(n)) / float64(n)
}
