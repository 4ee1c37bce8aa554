package allprof

import (
	"errors"
	"math"

	"overlapsim/workloads/traces"
)

// converter turns the lines of a rank into calls.
type converter struct {
	t        *trace
	rank     int
	begun    bool
	last     moment // end of the previous call in the trace
	args     arguments
	name     string
	to       *traces.Call
	more     []traces.Call // that follow the one that is filled in
	made     []int32       // communicators that MPI_Comm_split gave the rank
	splitted int
	requests requests
	missing  map[string]int64 // functions that cannot be followed
}

func (t *trace) converter(rank int) *converter {
	return &converter{t: t, rank: rank, missing: map[string]int64{},
		requests: requests{open: map[uint64]int32{}, tested: map[uint64]bool{}, persistent: map[uint64]traces.Call{}}}
}

// call fills in the call of a line, and tells whether it is one. The time of any other line is computation.
func (c *converter) call(l *line, to *traces.Call) (ok bool, err error) {
	if !c.begun {
		c.begun, c.last = true, l.start
	}
	if l.name == "MPI_Init" || l.name == "MPI_Init_thread" {
		c.last = l.end
		return false, nil
	}
	f, followed := functions[l.name]
	if !followed {
		if !isHarmless(l.name) {
			c.missing[l.name]++
		}
		return false, nil
	}
	before, far := l.start.since(c.last)
	took, further := l.end.since(l.start)
	if !far || !further {
		return false, errFar
	}
	if err := c.args.read(f.takes, l.args); err != nil {
		return false, err
	}
	*to = traces.Call{Before: max(0, before), Took: max(0, took), Request: traces.NoRequest, Requests: to.Requests[:0],
		Out: to.Out[:0], Into: to.Into[:0]}
	c.to, c.name = to, l.name
	f.do(c)
	if c.args.wrong != nil {
		return false, c.args.wrong
	}
	if to.Kind == traces.End && len(c.more) == 0 { // nothing that takes part in communication
		return false, nil
	}
	if len(to.Out) == 0 {
		to.Out = nil
	}
	if len(to.Into) == 0 {
		to.Into = nil
	}
	c.last = l.end
	return to.Kind != traces.End, nil
}

// end fills in the end of the rank, at the beginning of MPI_Finalize.
func (c *converter) end(l *line, to *traces.Call) error {
	if !c.begun {
		c.last = l.start
	}
	before, ok := l.start.since(c.last)
	if *to = (traces.Call{Kind: traces.End, Before: max(0, before), Request: traces.NoRequest}); ok {
		return nil
	}
	return errFar
}

var errFar = errors.New("its times are more than 53 days away from those of the call before")

// alone is the communicator of the rank itself.
const alone int32 = -1

// comm returns the communicator of the call.
func (c *converter) comm() int32 {
	three := c.args.triple("comm")
	member, size := three[1], three[2]
	switch {
	case c.args.wrong != nil:
		return 0
	case int(size) == c.t.head.Ranks && int(member) == c.rank:
		return 0
	case size == 1:
		return alone
	}
	found := int32(0)
	for _, number := range c.made {
		of := &c.t.head.Comms[number]
		if of.Size(c.t.head.Ranks) != int(size) || member < 0 || member >= size || of.Rank(int(member)) != c.rank || found == number {
			continue
		}
		if found != 0 {
			c.args.fail("the communicator of %d ranks may be one of several that MPI_Comm_split made", size)
			return 0
		}
		found = number
	}
	if found == 0 {
		c.args.fail("the trace does not tell the members of this communicator of %d ranks, in which rank %d is number %d: %s", size, c.rank, member,
			"only those that MPI_Comm_split of all ranks made are known")
	}
	return found
}

// peer returns the rank that is a member of the communicator.
func (c *converter) peer(name string, comm int32) int32 {
	member := c.args.whole(name)
	anySource, nobody := int64(-1), int64(-2)
	if c.t.mpich {
		anySource, nobody = nobody, anySource
	}
	size := 1
	if comm != alone {
		size = c.t.head.Comms[comm].Size(c.t.head.Ranks)
	}
	switch {
	case name == "source" && member == anySource:
		return traces.AnySource
	case member == nobody && name != "root":
		return traces.Nobody
	case member < 0 || member >= int64(size):
		c.args.fail("%s %d is not a member of the communicator of %d ranks", name, member, size)
		return 0
	case comm == alone:
		return int32(c.rank)
	}
	return int32(c.t.head.Comms[comm].Rank(int(member)))
}

func (c *converter) tag(name string) int32 {
	tag := c.args.whole(name)
	if tag < int64(traces.AnyTag) || tag > math.MaxInt32 {
		c.args.fail("%s %d is not possible", name, tag)
		return 0
	}
	return int32(tag)
}

// size is the number of bytes of an element.
func (c *converter) size(datatype string) (bytes int64, strided bool) {
	three := c.args.triple(datatype)
	if three[1] < 0 {
		c.args.fail("%s has %d bytes", datatype, three[1])
		return 0, false
	}
	return three[1], three[1] != three[2]
}

// bytes is the size of some elements.
func (c *converter) bytes(count int64, datatype string) int64 {
	each, _ := c.size(datatype)
	if count < 0 || each > 0 && count > math.MaxInt64/each/int64(c.t.head.Ranks) {
		c.args.fail("%d elements of %d bytes are not possible", count, each)
		return 0
	}
	return count * each
}

func message(kind traces.CallKind) func(c *converter) {
	return func(c *converter) {
		comm := c.comm()
		partner := "dest"
		if c.args.has("source") {
			partner = "source"
		}
		c.to.Kind, c.to.Comm, c.to.Tag = kind, max(0, comm), c.tag("tag")
		c.to.Peer, c.to.Bytes = c.peer(partner, comm), c.bytes(c.args.whole("count"), "type")
		_, c.to.Strided = c.size("type")
		c.to.Mode(c.name)
		if kind == traces.Isend || kind == traces.Irecv {
			c.begins(c.args.address("request"))
		}
	}
}

func (c *converter) exchange() {
	comm := c.comm()
	c.to.Kind, c.to.Comm = traces.Sendrecv, max(0, comm)
	c.to.Peer, c.to.From, c.to.Tag, c.to.FromTag = c.peer("dest", comm), c.peer("source", comm), c.tag("tag"), c.tag("rtag")
	c.to.Bytes = c.bytes(c.args.whole("count"), "type")
	_, c.to.Strided = c.size("type")
	if c.to.In = c.to.Bytes; c.args.has("rtype") {
		c.to.In = c.bytes(c.args.whole("rcount"), "rtype")
	}
}

// probe is a probe for a message of a known rank and tag. What other probes found is not in the
// trace.
func (c *converter) probe() {
	comm := c.comm()
	peer, tag := c.peer("source", comm), c.tag("tag")
	if peer == traces.AnySource || tag == traces.AnyTag {
		c.missing["MPI_Probe of any source or tag"]++
		return
	}
	c.to.Kind, c.to.Comm, c.to.Peer, c.to.Tag = traces.Probe, max(0, comm), peer, tag
}

// makes makes a communicator of members of another one.
func (c *converter) makes() {
	if comm := c.comm(); comm != alone {
		c.to.Kind, c.to.Comm = traces.Make, comm
	}
}

// splits makes communicators whose members are known, if the old one contains all ranks.
func (c *converter) splits() {
	if c.makes(); c.args.wrong == nil && c.to.Kind == traces.Make && c.to.Comm == 0 {
		if number := c.t.splits[c.rank][c.splitted].became; number != 0 {
			c.made = append(c.made, number)
		}
		c.splitted++
	}
}
