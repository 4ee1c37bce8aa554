package ti

// ActionKind is what an action does.
type ActionKind uint8

// The kinds of actions.
const (
	Init ActionKind = iota
	Finalize
	Ignored // communicators and places in the source, which do not affect times
	Compute
	Sleep
	Send
	Isend
	Recv
	Irecv
	SendRecv
	Wait
	Test
	Waitall
	Barrier
	Broadcast
	Reduce
	Allreduce
	Alltoall
	Alltoallv
	Gather
	Gatherv
	Allgather
	Allgatherv
	Scatter
	Scatterv
	ReduceScatter
	Scan
	Exscan
)

// unknown is the size of a receive that takes a message of any size.
const unknown = -1

// Action is a line of a trace.
type Action struct {
	Kind     ActionKind
	Rank     int
	From, To int     // ranks: of the message; a wait names both
	Root     int     // of a collective that has one
	Tag      int     // of the message
	Sends    int64   // bytes: of the message, of the vector, or of an outgoing block
	Receives int64   // bytes: of the message, or of an incoming block; unknown: not given
	Out, In  []int64 // bytes by rank: outgoing or incoming blocks, if they are not equal; valid until the next action
	Flops    float64 // of a computation, or of a reduction when its messages are over
	Seconds  float64 // of a sleep
}

// form is how a kind of action is written.
type form struct {
	kind  ActionKind
	takes string // its arguments, for messages
	read  func(l *line, a *Action)
}

// forms are the actions by their names.
var forms = map[string]form{
	"init":          {Init, "[1]", (*line).begin},
	"finalize":      {Finalize, "", (*line).nothing},
	"comm_size":     {Ignored, "...", (*line).skip},
	"comm_split":    {Ignored, "...", (*line).skip},
	"comm_dup":      {Ignored, "...", (*line).skip},
	"location":      {Ignored, "file line", (*line).skip},
	"compute":       {Compute, "flops", func(l *line, a *Action) { a.Flops = l.amount("flops") }},
	"sleep":         {Sleep, "seconds", func(l *line, a *Action) { a.Seconds = l.amount("seconds") }},
	"send":          {Send, "destination tag count [type]", (*line).send},
	"isend":         {Isend, "destination tag count [type]", (*line).send},
	"recv":          {Recv, "source tag count [type]", (*line).receive},
	"irecv":         {Irecv, "source tag count [type]", (*line).receive},
	"sendrecv":      {SendRecv, "send_count destination receive_count source [send_type receive_type]", (*line).exchange},
	"wait":          {Wait, "source destination tag", (*line).wait},
	"test":          {Test, "source destination tag", (*line).wait},
	"waitall":       {Waitall, "", (*line).nothing},
	"barrier":       {Barrier, "", (*line).nothing},
	"bcast":         {Broadcast, "count [root [type]]", (*line).broadcast},
	"reduce":        {Reduce, "count flops [root [type]]", (*line).reduce},
	"allreduce":     {Allreduce, "count flops [type]", (*line).reduceAll},
	"scan":          {Scan, "count flops [type]", (*line).reduceAll},
	"exscan":        {Exscan, "count flops [type]", (*line).reduceAll},
	"alltoall":      {Alltoall, "send_count receive_count [send_type receive_type]", (*line).blocks},
	"allgather":     {Allgather, "send_count receive_count [send_type receive_type]", (*line).blocks},
	"gather":        {Gather, "send_count receive_count [root [send_type receive_type]]", (*line).rootedBlocks},
	"scatter":       {Scatter, "send_count receive_count [root [send_type receive_type]]", (*line).rootedBlocks},
	"alltoallv":     {Alltoallv, "send_size send_counts receive_size receive_counts [send_type receive_type]", (*line).exchangeAll},
	"gatherv":       {Gatherv, "send_count receive_counts [root [send_type receive_type]]", (*line).gatherSizes},
	"allgatherv":    {Allgatherv, "send_count receive_counts [type] [displacements]", (*line).gatherAllSizes},
	"scatterv":      {Scatterv, "send_counts receive_count [root [send_type receive_type]]", (*line).scatterSizes},
	"reducescatter": {ReduceScatter, "receive_counts flops [type]", (*line).reduceSizes},
}
