package traces

import (
	"errors"
	"io"
	"iter"

	"overlapsim/sim"
)

// Trace is a recorded program. Several of its streams may be read at the same time, also by
// several goroutines, and each any number of times.
type Trace interface {
	Header() *Header
	// Calls returns the stream of a rank, from its first call on.
	Calls(rank int) Stream
}

// Stream is the calls of a rank in their order.
type Stream interface {
	// Next fills in the next call, or returns io.EOF after the last one. The call's slices are
	// valid until the next call of Next. Other errors name the file, and the line or the offset.
	Next(c *Call) error
}

// Header is the information about all ranks.
type Header struct {
	Format  string // such as overlapsim, ti, dumpi
	Program string // the command that was recorded; "": not known
	Where   string // the host and the MPI library; "": not known
	Ranks   int
	Comms   []Comm   // communicators by their number; the first one has all ranks
	Phases  []string // names of Call.Phase; none: the trace has no phases
	Timed   bool     // calls have the time that they took
	Missing []Count  // functions that were called and not recorded
}

// Comm is a communicator: its members' ranks, in the order of the members. Nil: all ranks.
type Comm struct{ Ranks []int32 }

// Count is how often a function was called, over all ranks.
type Count struct {
	Name  string
	Calls int64
}

// Size returns the number of members, given the number of ranks of the trace.
func (c *Comm) Size(ranks int) int {
	if c.Ranks == nil {
		return ranks
	}
	return len(c.Ranks)
}

// Rank returns the rank of a member.
func (c *Comm) Rank(member int) int {
	if c.Ranks == nil {
		return member
	}
	return int(c.Ranks[member])
}

// Wildcards of a receive whose message is not known.
const (
	AnySource int32 = -1
	AnyTag    int32 = -1
)

// Nobody is the peer of a message to or from MPI_PROC_NULL: there is no message.
const Nobody int32 = -2

// Call is a call of a rank. Ranks are numbered as in the program, in every communicator.
// Requests are numbers that the rank chose: one is in use from the call that starts it
// until the call that completes it, and may then be used again.
type Call struct {
	Kind   CallKind
	Phase  uint8    // the computation before the call and the call belong to it
	Comm   int32    // its number in the header
	Before sim.Time // CPU time since the end of the previous call
	Away   sim.Time // wall time since then in which the rank did not run
	Took   sim.Time // how long the call took when it was recorded; 0 if not Header.Timed

	Peer    int32 // of messages: the other rank, or AnySource, or Nobody; of collectives: the root
	Tag     int32 // or AnyTag; of Pready and Parrived: the first partition
	Bytes   int64 // of messages: what is sent, or what came; of collectives: what collectives.Operation says
	Strided bool  // of a message that is sent: its bytes are not contiguous
	Sync    bool  // of Send and Isend: it ends when the receiver has the message, regardless of its size (MPI_Ssend)
	Copied  bool  // of Send and Isend: it is complete at once (MPI_Bsend)
	Start   bool  // of collectives: the call only starts Request
	Uneven  bool  // of collectives on blocks: the sizes differ (v-variants); Bytes are then those that this rank knows

	Request  int32   // that is started, or of Pready and Parrived: the request of the message; NoRequest: nothing completes it
	Requests []int32 // of Wait and its like: those that the call completed
	Among    int32   // of WaitAny, WaitSome and Test: how many requests were asked for; of Psend, Precv and Pready: how many partitions
	Tries    int64   // of Test: how many calls, one after the other, found nothing

	From    int32 // of Sendrecv: the rank it receives from, the tag and the bytes that came
	FromTag int32
	In      int64

	// Out is what the rank sends to each member, and Into what it receives from each, for
	// collectives on blocks of unequal sizes. nil: the sizes are equal, or not known to this
	// rank.
	Out, Into []int64
	// Sinks are the ranks to which a neighbourhood's call sends Out, and Sources those from
	// which it gets Into.
	Sinks, Sources []int32
}

// All are the calls of a stream. After an error it goes on with the next call.
func All(s Stream) iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		var c Call
		for {
			if err := s.Next(&c); errors.Is(err, io.EOF) || !yield(&c, err) {
				return
			}
		}
	}
}

// starts tells whether a call starts its Request.
func (c *Call) starts() bool {
	return c.Kind == Isend || c.Kind == Irecv || c.Kind == Put || c.Kind == Get || c.Kind == Psend || c.Kind == Precv || c.Start
}

// NoRequest is the Request of a call that starts none.
const NoRequest int32 = -1

// Memory is a trace in memory.
type Memory struct {
	Head  Header
	Ranks [][]Call
}

// Header implements Trace.
func (m *Memory) Header() *Header { return &m.Head }

// Calls implements Trace.
func (m *Memory) Calls(rank int) Stream { return &memoryStream{m.Ranks[rank]} }

type memoryStream struct{ left []Call }

// Next implements Stream.
func (s *memoryStream) Next(c *Call) error {
	if len(s.left) == 0 {
		return io.EOF
	}
	*c, s.left = s.left[0], s.left[1:]
	return nil
}
