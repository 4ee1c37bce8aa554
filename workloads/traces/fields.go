package traces

import (
	"encoding/binary"
	"errors"
	"math"

	"overlapsim/sim"
)

// field is a part of a call that is written. A kind has some of them (Kind.fields); in a
// block each has its own column.
type field uint8

const (
	fieldKind field = iota
	fieldPhase
	fieldComm
	fieldBefore
	fieldAway
	fieldTook
	fieldPeer
	fieldTag
	fieldBytes
	fieldModes
	fieldRequest
	fieldRequests
	fieldAmong
	fieldTries
	fieldFrom
	fieldFromTag
	fieldIn
	fieldOut
	fieldInto
	fieldSinks
	fieldSources
	columns // how many
)

// fieldTable says how each field is written: with put behind others, and with take from
// what was written.
var fieldTable = [columns]struct {
	name, as string
	put      func(b []byte, c *Call) []byte
	take     func(r *reader, c *Call)
}{
	fieldKind: {"kind", "number of the kind", func(b []byte, c *Call) []byte { return putCount(b, int64(c.Kind)) },
		func(r *reader, c *Call) { c.Kind = CallKind(r.count(int64(kinds) - 1)) }},
	fieldPhase: {"phase", "number of the phase", func(b []byte, c *Call) []byte { return putCount(b, int64(c.Phase)) },
		func(r *reader, c *Call) { c.Phase = uint8(r.count(math.MaxUint8)) }},
	fieldComm: {"comm", "number of the communicator", func(b []byte, c *Call) []byte { return putCount(b, int64(c.Comm)) },
		func(r *reader, c *Call) { c.Comm = int32(r.count(math.MaxInt32)) }},
	fieldBefore: {"before", "CPU time since the previous call", func(b []byte, c *Call) []byte { return putTime(b, c.Before) },
		func(r *reader, c *Call) { c.Before = r.time() }},
	fieldAway: {"away", "wall time since then during which the rank did not run", func(b []byte, c *Call) []byte { return putTime(b, c.Away) },
		func(r *reader, c *Call) { c.Away = r.time() }},
	fieldTook: {"took", "time that the call took", func(b []byte, c *Call) []byte { return putTime(b, c.Took) },
		func(r *reader, c *Call) { c.Took = r.time() }},
	fieldPeer: {"peer", "the other rank, or the root; -1: any; -2: none (MPI_PROC_NULL)",
		func(b []byte, c *Call) []byte { return putSigned(b, c.Peer) },
		func(r *reader, c *Call) { c.Peer = r.signed() }},
	fieldTag: {"tag", "-1: any; of pready and parrived: the first partition", func(b []byte, c *Call) []byte { return putSigned(b, c.Tag) },
		func(r *reader, c *Call) { c.Tag = r.signed() }},
	fieldBytes: {"bytes", "size; of psend and precv: of a partition", func(b []byte, c *Call) []byte { return putCount(b, c.Bytes) },
		func(r *reader, c *Call) { c.Bytes = r.count(math.MaxInt64) }},
	fieldModes: {"modes", "1 strided + 2 synchronous + 4 copied + 8 only starts + 16 uneven",
		func(b []byte, c *Call) []byte { return putCount(b, modesOf(c)) }, func(r *reader, c *Call) { takeModes(r.count(31), c) }},
	fieldRequest: {"request", "the request that is started, or whose partitions these are; -1: none", func(b []byte, c *Call) []byte { return putSigned(b, c.Request) },
		func(r *reader, c *Call) { c.Request = r.signed() }},
	fieldRequests: {"requests", "number of completed requests, then each of them", func(b []byte, c *Call) []byte { return putSigneds(b, c.Requests) },
		func(r *reader, c *Call) { c.Requests = r.signeds(c.Requests[:0]) }},
	fieldAmong: {"among", "number of requests asked for, or of partitions", func(b []byte, c *Call) []byte { return putCount(b, int64(c.Among)) },
		func(r *reader, c *Call) { c.Among = int32(r.count(math.MaxInt32)) }},
	fieldTries: {"tries", "number of calls that found nothing", func(b []byte, c *Call) []byte { return putCount(b, c.Tries) },
		func(r *reader, c *Call) { c.Tries = r.count(math.MaxInt64) }},
	fieldFrom: {"from", "peer of the receive", func(b []byte, c *Call) []byte { return putSigned(b, c.From) },
		func(r *reader, c *Call) { c.From = r.signed() }},
	fieldFromTag: {"from tag", "tag of the receive", func(b []byte, c *Call) []byte { return putSigned(b, c.FromTag) },
		func(r *reader, c *Call) { c.FromTag = r.signed() }},
	fieldIn: {"in", "size of the receive", func(b []byte, c *Call) []byte { return putCount(b, c.In) },
		func(r *reader, c *Call) { c.In = r.count(math.MaxInt64) }},
	fieldOut: {"out", "1 + number of sizes of what is sent, then each of them; 0: not given",
		func(b []byte, c *Call) []byte { return putSizes(b, c.Out) },
		func(r *reader, c *Call) { c.Out = r.sizes(c.Out) }},
	fieldInto: {"into", "the same of what is received", func(b []byte, c *Call) []byte { return putSizes(b, c.Into) },
		func(r *reader, c *Call) { c.Into = r.sizes(c.Into) }},
	fieldSinks: {"sinks", "number of ranks that get `out`, then each of them", func(b []byte, c *Call) []byte { return putSigneds(b, c.Sinks) },
		func(r *reader, c *Call) { c.Sinks = r.signeds(c.Sinks[:0]) }},
	fieldSources: {"sources", "number of ranks that `into` comes from, then each of them", func(b []byte, c *Call) []byte { return putSigneds(b, c.Sources) },
		func(r *reader, c *Call) { c.Sources = r.signeds(c.Sources[:0]) }},
}

// always are the fields of every call, in their order.
var always = []field{fieldKind, fieldPhase, fieldComm, fieldBefore, fieldAway, fieldTook}

// Fields of groups of kinds.
var (
	messageFields     = []field{fieldPeer, fieldTag, fieldBytes, fieldModes}
	requestFields     = append(messageFields[:len(messageFields):len(messageFields)], fieldRequest)
	partitionedFields = append(requestFields[:len(requestFields):len(requestFields)], fieldAmong)
	remoteFields      = []field{fieldPeer, fieldBytes, fieldRequest}
	exchangeFields    = append(messageFields[:len(messageFields):len(messageFields)], fieldFrom, fieldFromTag, fieldIn)
	testFields        = []field{fieldRequests, fieldAmong, fieldTries}
	collectiveFields  = []field{fieldModes, fieldRequest, fieldBytes}
	rootedFields      = append(collectiveFields[:len(collectiveFields):len(collectiveFields)], fieldPeer)
	blockFields       = append(collectiveFields[:len(collectiveFields):len(collectiveFields)], fieldOut, fieldInto)
	rootBlockFields   = append(rootedFields[:len(rootedFields):len(rootedFields)], fieldOut, fieldInto)
	nearbyFields      = append(collectiveFields[:len(collectiveFields):len(collectiveFields)], fieldOut, fieldInto, fieldSinks, fieldSources)
)

// fields are the fields of a kind in addition to the fields of every call, in their order.
func (k CallKind) fields() []field { return kindTable[k].fields }

// modeList are the flags of a call; each is a bit.
func modeList(c *Call) [5]*bool {
	return [...]*bool{&c.Strided, &c.Sync, &c.Copied, &c.Start, &c.Uneven}
}

func modesOf(c *Call) (modes int64) {
	for i, mode := range modeList(c) {
		if *mode {
			modes |= 1 << i
		}
	}
	return modes
}

func takeModes(modes int64, c *Call) {
	for i, mode := range modeList(c) {
		*mode = modes&(1<<i) != 0
	}
}

// putCount writes a number that is not negative.
func putCount(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) }

// putSigned writes n as 2n, or as -2n-1 if it is negative.
func putSigned(b []byte, n int32) []byte { return binary.AppendVarint(b, int64(n)) }

func putSigneds(b []byte, list []int32) []byte {
	b = putCount(b, int64(len(list)))
	for _, n := range list {
		b = putSigned(b, n)
	}
	return b
}

func putSizes(b []byte, list []int64) []byte {
	if list == nil {
		return append(b, 0)
	}
	b = putCount(b, int64(len(list))+1)
	for _, n := range list {
		b = putCount(b, n)
	}
	return b
}

// putTime writes twice the ns, or twice the ps and one if they are no whole ns.
func putTime(b []byte, t sim.Time) []byte {
	if t%sim.Nanosecond == 0 {
		return putCount(b, int64(t/sim.Nanosecond)<<1)
	}
	return putCount(b, int64(t)<<1|1)
}

// reader takes numbers from bytes. After the first mistake it gives zeros.
type reader struct {
	left  []byte
	wrong error
}

var (
	errShort = errors.New("ends within a call")
	errLarge = errors.New("a number is too large")
)

func (r *reader) fail(err error) {
	if r.wrong == nil {
		r.wrong = err
	}
	r.left = nil
}

// count takes a number that is at most the given one.
func (r *reader) count(most int64) int64 {
	n, size := binary.Uvarint(r.left)
	switch {
	case size == 0:
		r.fail(errShort)
	case size < 0 || n > uint64(most):
		r.fail(errLarge)
	default:
		r.left = r.left[size:]
		return int64(n)
	}
	return 0
}

func (r *reader) signed() int32 {
	n := uint32(r.count(math.MaxUint32))
	return int32(n>>1) ^ -int32(n&1)
}

// length takes the length of a list, each of whose items has at least a byte.
func (r *reader) length() int {
	n := r.count(math.MaxInt32)
	if n > int64(len(r.left)) {
		r.fail(errShort)
		return 0
	}
	return int(n)
}

func (r *reader) signeds(list []int32) []int32 {
	for range r.length() {
		list = append(list, r.signed())
	}
	return list
}

func (r *reader) sizes(memory []int64) []int64 {
	n := r.count(math.MaxInt32)
	if n == 0 {
		return nil
	}
	if n-1 > int64(len(r.left)) {
		r.fail(errShort)
		return nil
	}
	list := memory[:0]
	if list == nil {
		list = []int64{}
	}
	for range n - 1 {
		list = append(list, r.count(math.MaxInt64))
	}
	return list
}

func (r *reader) time() sim.Time {
	n := r.count(math.MaxInt64)
	if t := sim.Time(n >> 1); n&1 == 1 {
		return t
	} else if t <= sim.Forever/sim.Nanosecond {
		return t * sim.Nanosecond
	}
	r.fail(errLarge)
	return 0
}
