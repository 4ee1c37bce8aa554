package programs

import (
	"fmt"

	"overlapsim/nodes/machines"
)

// Partitioned is a message whose sender makes one partition after the other ready, between its start and its
// wait (MPI 4, chapter 4: MPI_Psend_init, MPI_Pready, MPI_Precv_init, MPI_Parrived). What the library sends, and when,
// Library says. Starting a send does nothing. Sender and receiver have a value each, which may be started again when
// its requests have been waited for.
type Partitioned struct {
	Peer     int   // the other rank
	Bytes    int64 // of a partition, as the sender cuts them
	Parts    int   // of the sender
	Tag      int   // the first of Parts + 1 tags that no other message between the two ranks has
	Requests []int // of its messages: Messages() numbers
	Library  machines.Partitioning

	ready map[int]bool // partitions, since the start
}

// Poster is what posts the messages: Ops, or a live process.
type Poster interface {
	Isend(to int, bytes int64, tag, request int)
	Irecv(from int, bytes int64, tag, request int)
	Start(schedule func(do *Ops), request int)
}

// Messages is how many requests a partitioned message needs.
func (p *Partitioned) Messages() int {
	if p.Library == machines.WholeMessage {
		return 3
	}
	return p.Parts
}

// Ready makes a partition of a send ready, from 0 on. A library that sends the message whole does so when the last one is
// ready and the receiver has said that it has started. It panics if the message has no such partition, or if that is ready.
func (p *Partitioned) Ready(do Poster, part int) {
	if part < 0 || part >= p.Parts || p.ready[part] {
		panic(fmt.Sprintf("partition %d of %d to rank %d cannot be made ready: there is none, or it is ready", part, p.Parts, p.Peer))
	}
	if p.ready == nil {
		p.ready = map[int]bool{}
	}
	p.ready[part] = true
	last := len(p.ready) == p.Parts
	if last {
		clear(p.ready)
	}
	switch {
	case p.Library == machines.EachPartition:
		do.Isend(p.Peer, p.Bytes, p.Tag+part, p.Requests[part])
	case last:
		do.Start(func(do *Ops) {
			do.Irecv(p.Peer, 0, p.Tag+p.Parts, p.Requests[1])
			do.Wait(p.Requests[1])
			do.Isend(p.Peer, int64(p.Parts)*p.Bytes, p.Tag, p.Requests[2])
			do.Wait(p.Requests[2])
		}, p.Requests[0])
	}
}

// Receive starts a receive.
func (p *Partitioned) Receive(do Poster) {
	if p.Library == machines.WholeMessage {
		do.Isend(p.Peer, 0, p.Tag+p.Parts, p.Requests[0])
		do.Irecv(p.Peer, int64(p.Parts)*p.Bytes, p.Tag, p.Requests[1])
		return
	}
	for part := range p.Parts {
		do.Irecv(p.Peer, p.Bytes, p.Tag+part, p.Requests[part])
	}
}

// Arrives returns the request that is complete when a partition of a receive has arrived.
func (p *Partitioned) Arrives(part int) int {
	if p.Library == machines.WholeMessage {
		return p.Requests[1]
	}
	return p.Requests[part]
}

// Sent and Received are the requests that a wait for a send, or for a receive, waits for.
func (p *Partitioned) Sent() []int {
	if p.Library == machines.WholeMessage {
		return p.Requests[:1]
	}
	return p.Requests
}

// Received is said at Sent.
func (p *Partitioned) Received() []int {
	if p.Library == machines.WholeMessage {
		return p.Requests[:2]
	}
	return p.Requests
}
