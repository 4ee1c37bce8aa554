package dumpi

import (
	"fmt"
	"math"

	"overlapsim/sim"
	"overlapsim/workloads/traces"
)

// converter turns the records of a rank into calls.
type converter struct {
	rank, ranks int
	comms       []traces.Comm
	now         map[int64]int // communicators by the rank's numbers
	became      []int         // communicators that its makings gave it and that have not been made yet
	types       types
	requests    requests
	begun       bool
	last        sim.Time // end of the previous call in the trace
	r           *rawCall
	to          *traces.Call
	err         error
}

// kinds are the calls that become calls of a trace, and how.
var kinds = map[string]func(c *converter){
	"MPI_Send": message(traces.Send), "MPI_Rsend": message(traces.Send), "MPI_Recv": message(traces.Recv),
	"MPI_Bsend": message(traces.Send), "MPI_Ssend": message(traces.Send),
	"MPI_Isend": message(traces.Isend), "MPI_Irsend": message(traces.Isend), "MPI_Irecv": message(traces.Irecv),
	"MPI_Ibsend": message(traces.Isend), "MPI_Issend": message(traces.Isend),
	"MPI_Sendrecv": (*converter).exchange, "MPI_Sendrecv_replace": (*converter).exchange, "MPI_Probe": (*converter).probe,
	"MPI_Iprobe": (*converter).iprobe, "MPI_Wait": (*converter).wait, "MPI_Waitall": (*converter).wait,
	"MPI_Waitany": (*converter).waitAny, "MPI_Waitsome": (*converter).waitSome, "MPI_Test": (*converter).test,
	"MPI_Testall": (*converter).test, "MPI_Testany": (*converter).testAny, "MPI_Testsome": (*converter).testSome,
	"MPI_Request_free": (*converter).free, "MPI_Start": (*converter).restart,
	"MPI_Startall": (*converter).restartAll,
	"MPI_Barrier":  (*converter).collective, "MPI_Bcast": (*converter).collective,
	"MPI_Reduce": (*converter).collective, "MPI_Allreduce": (*converter).collective,
	"MPI_Scan": (*converter).collective, "MPI_Gather": (*converter).collective,
	"MPI_Scatter": (*converter).collective, "MPI_Allgather": (*converter).collective,
	"MPI_Alltoall": (*converter).collective, "MPI_Gatherv": (*converter).collective,
	"MPI_Scatterv": (*converter).collective, "MPI_Allgatherv": (*converter).collective,
	"MPI_Alltoallv": (*converter).collective, "MPI_Reduce_scatter": (*converter).collective,
	"MPI_Comm_dup": (*converter).makes, "MPI_Comm_split": (*converter).makes, "MPI_Cart_create": (*converter).makes,
}

// refused are the functions that a program cannot do, because their effects on messages or
// communicators are not followed.
var refused = map[string]bool{
	"MPI_Cancel": true, "MPI_Comm_create": true, "MPI_Cart_sub": true, "MPI_Graph_create": true, "MPI_Intercomm_create": true,
	"MPI_Intercomm_merge": true, "MPI_Abort": true,
}

// call fills in the call of a record, and tells whether the record is a call of the trace. The
// time of any other record is computation.
func (c *converter) call(r *rawCall, to *traces.Call) (ok bool, err error) {
	c.r, c.to, c.err = r, to, nil
	times := c.times()
	if !c.begun || r.Function.Name == "MPI_Init" { // what happens before MPI_Init does not belong to the program
		c.begun, c.last = true, times[1]
	}
	do := kinds[r.Function.Name]
	if do == nil {
		c.types.make(r)
		c.requests.prepare(c)
		return false, c.err
	}
	*to = traces.Call{Before: max(0, times[0]-c.last), Took: max(0, times[1]-times[0]), Request: traces.NoRequest,
		Requests: to.Requests[:0], Out: to.Out[:0], Into: to.Into[:0]}
	do(c)
	if to.Kind == traces.End { // nothing that takes part in communication
		return false, c.err
	}
	if len(to.Out) == 0 {
		to.Out = nil
	}
	if len(to.Into) == 0 {
		to.Into = nil
	}
	c.last = times[1]
	return true, c.err
}

// end fills in the end of the rank.
func (c *converter) end(r *rawCall, to *traces.Call) {
	*to = traces.Call{Kind: traces.End, Request: traces.NoRequest}
	if r.Function != nil {
		c.r = r
		to.Before = max(0, c.times()[0]-c.last)
	}
}

// times are the wall times, or CPU times if there are none.
func (c *converter) times() [2]sim.Time {
	if c.r.HasWall {
		return c.r.Wall
	}
	return c.r.CPU
}

func (c *converter) wrong(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// comm returns the communicator that an argument names.
func (c *converter) comm() (number int) {
	number, ok := c.now[c.r.number("comm")]
	if !ok || number == none {
		c.wrong("communicator %d is not one of this rank's, or it comes from a function that is not followed", c.r.number("comm"))
		return 0
	}
	return number
}

// peer returns the rank that an argument names as a member of the communicator.
func (c *converter) peer(argument string, comm int) int32 {
	switch member := c.r.number(argument); {
	case member == -1 && argument == "source":
		return traces.AnySource
	case member < 0:
		return traces.Nobody
	case comm == alone && member == 0:
		return int32(c.rank)
	case comm != alone && member < int64(c.comms[comm].Size(c.ranks)):
		return int32(c.comms[comm].Rank(int(member)))
	default:
		c.wrong("%s %d is not a member of the communicator", argument, member)
		return 0
	}
}

// bytes returns the size of a number of elements of the type that an argument names.
func (c *converter) bytes(count int64, argument string) (bytes int64, strided bool) {
	number := c.r.number(argument)
	d, ok := c.types.of(number)
	switch {
	case !ok:
		c.wrong("the size of datatype %d is not known", number)
	case count < 0 || d.bytes > 0 && count > math.MaxInt64/d.bytes/int64(c.ranks):
		c.wrong("%d elements of %d bytes are not possible", count, d.bytes)
	default:
		return count * d.bytes, d.strided
	}
	return 0, false
}

func message(kind traces.CallKind) func(c *converter) {
	return func(c *converter) {
		c.to.Kind = kind
		c.message()
		if kind == traces.Isend || kind == traces.Irecv {
			c.to.Request = c.requests.start(c, c.r.number("request"))
		}
	}
}

// message fills in what a message has.
func (c *converter) message() {
	comm := c.comm()
	c.to.Comm = int32(max(0, comm))
	c.to.Peer = c.peer(c.partner(), comm)
	c.to.Tag = c.tag("tag")
	c.to.Bytes, c.to.Strided = c.bytes(c.r.number("count"), "datatype")
	c.to.Mode(c.r.Function.Name)
	c.came()
}

func (c *converter) partner() string {
	if c.r.value("dest") != nil {
		return "dest"
	}
	return "source"
}

func (c *converter) tag(argument string) int32 {
	tag := c.r.number(argument)
	if tag < int64(traces.AnyTag) {
		c.wrong("%s %d is not possible", argument, tag)
	}
	return int32(max(tag, int64(traces.AnyTag)))
}

// came finds out from the status of a receive which message it received, if the receive has
// wildcards.
func (c *converter) came() {
	v := c.r.value("status")
	if v == nil || len(v.Statuses) != 1 || c.to.Peer != traces.AnySource {
		return
	}
	comm, s := c.comm(), v.Statuses[0]
	if comm == alone || s.Source < 0 || int(s.Source) >= c.comms[comm].Size(c.ranks) {
		return
	}
	c.to.Peer = int32(c.comms[comm].Rank(int(s.Source)))
	if c.to.Tag == traces.AnyTag && s.Tag >= 0 {
		c.to.Tag = s.Tag
	}
}

func (c *converter) exchange() {
	comm := c.comm()
	c.to.Kind, c.to.Comm = traces.Sendrecv, int32(max(0, comm))
	c.to.Peer, c.to.From = c.peer("dest", comm), c.peer("source", comm)
	c.to.Tag, c.to.FromTag = c.tag("sendtag"), c.tag("recvtag")
	if c.r.value("datatype") != nil { // one buffer
		c.to.Bytes, c.to.Strided = c.bytes(c.r.number("count"), "datatype")
		c.to.In = c.to.Bytes
		return
	}
	c.to.Bytes, c.to.Strided = c.bytes(c.r.number("sendcount"), "sendtype")
	c.to.In, _ = c.bytes(c.r.number("recvcount"), "recvtype")
}

func (c *converter) probe() {
	comm := c.comm()
	c.to.Kind, c.to.Comm, c.to.Peer, c.to.Tag = traces.Probe, int32(max(0, comm)), c.peer("source", comm), c.tag("tag")
	c.came()
}

func (c *converter) iprobe() {
	if c.r.number("flag") != 0 {
		c.probe()
		return
	}
	c.to.Kind, c.to.Tries = traces.Test, 1
}
