package goal

import (
	"overlapsim/nodes/match"
	"overlapsim/sim"
)

// start offers a calc or send to its CPU; an eager send also needs its NIC.
func (e *engine) start(host, op, seq uint32, now sim.Time) {
	o := &e.ops[op]
	if o.Kind == Send && o.Size <= e.p.Rendezvous {
		e.offer(laneSend, host, o.CPU, o.NIC, op, host, seq, now)
	} else {
		e.offer(laneCompute, host, o.CPU, 0, op, host, seq, now)
	}
}

// serve performs the operation of an element of a lane; all resources that it needs are
// free.
func (e *engine) serve(kind uint8, host uint32, cpu, nic uint8, op, from uint32, now sim.Time) {
	switch kind {
	case laneCompute:
		if e.ops[op].Kind == Calc {
			e.calc(host, cpu, op, now)
		} else {
			e.request(host, cpu, op, now)
		}
	case laneSend:
		e.send(host, cpu, nic, op, now)
	case laneReceive:
		e.receive(host, cpu, nic, op, from, now)
	case laneData:
		e.data(host, nic, op, now)
	case laneDeposit:
		e.deposit(host, nic, op, from, now)
	case laneDeliver:
		e.deliver(host, cpu, op, now)
	}
	e.commit(host)
}

func (e *engine) calc(host uint32, cpu uint8, op uint32, now sim.Time) {
	end := now + e.ops[op].duration()
	*e.cpu(host, cpu) = end
	e.hiding.calc(host, cpu, now, end)
	e.open--
	e.release(op, now, end)
}

// send starts an eager send.
func (e *engine) send(host uint32, cpu, nic uint8, op uint32, now sim.Time) {
	kO, kG := e.perByte(e.ops[op].Size)
	end := now + e.p.Overhead + kO
	*e.cpu(host, cpu) = end
	*e.sendSide(host, nic) = now + e.p.Gap + kG
	e.hiding.sent(host, now)
	e.messages++
	e.open--
	e.schedule(now+e.p.Overhead+e.p.Latency, evArrive, host, op)
	e.release(op, now, end)
}

// request starts a send with a handshake.
func (e *engine) request(host uint32, cpu uint8, op uint32, now sim.Time) {
	kO, _ := e.perByte(e.ops[op].Size)
	*e.cpu(host, cpu) = now + e.p.Overhead + kO
	e.hiding.sent(host, now)
	e.messages++
	e.schedule(now+e.p.Overhead+e.p.Latency, evArrive, host, op)
	e.releaseStart(op, now)
}

// data moves the data behind a handshake; the send ends when the last byte has left the
// NIC.
func (e *engine) data(host uint32, nic uint8, op uint32, now sim.Time) {
	_, kG := e.perByte(e.ops[op].Size)
	*e.sendSide(host, nic) = now + e.p.Gap + kG
	left := now + kG
	if e.ends == nil {
		e.ends = make([]sim.Time, e.s.Ranks())
	}
	e.ends[host] = max(e.ends[host], left)
	e.open--
	e.schedule(now+e.p.Latency, evData, host, op)
	e.releaseEnd(op, left)
}

// From its arrival on, a send's entry in ready describes its message. It is the time at
// which the message was received, if no receive had matched it by then; before that it is
// unmatched, or a value of matched.
const unmatched sim.Time = -1

// matched encodes that receive r has matched the message; late means that the message was
// there first.
func matched(r uint32, late bool) sim.Time {
	t := sim.Time(r) + 1
	if late {
		t |= 1 << 32
	}
	return ^t
}

// matchOf is the inverse of matched; ok is false for unmatched.
func matchOf(t sim.Time) (r uint32, late, ok bool) {
	return uint32(^t) - 1, ^t>>32 != 0, t != unmatched
}

// receiver returns the number of the CPU that receives a message.
func (e *engine) receiver(m uint32) uint8 {
	r, late, ok := matchOf(e.ready[m])
	if !ok || late {
		return 0
	}
	return e.ops[r].CPU
}

// arrive matches a message, or a request to send, where it arrives.
func (e *engine) arrive(from, m, seq uint32, now sim.Time) {
	op := &e.ops[m]
	r, ok := e.matching.Arrive(int(op.Peer), match.Envelope[uint32]{Source: from, Tag: op.Tag, Value: m})
	e.ready[m] = unmatched
	if ok {
		e.ready[m] = matched(r.Value, false)
		e.check(m, r.Value)
	}
	switch {
	case op.Size <= e.p.Rendezvous:
		e.take(from, m, seq, now)
	case ok:
		e.schedule(now+e.p.Latency, evClear, from, m)
	}
}

// post posts a receive.
func (e *engine) post(host, r uint32, now sim.Time) {
	e.releaseStart(r, now)
	op := &e.ops[r]
	m, ok := e.matching.Post(int(host), match.Envelope[uint32]{Source: op.Peer, Tag: op.Tag, Value: r})
	if ok {
		e.check(m.Value, r)
		e.meet(m.Value, m.Source, r, now)
	}
	e.commit(host)
}

// meet matches a receive with a message that was there first.
func (e *engine) meet(m, from, r uint32, now sim.Time) {
	switch {
	case e.ops[m].Size > e.p.Rendezvous:
		e.ready[m] = matched(r, false)
		e.schedule(now+e.p.Latency, evClear, from, m)
	case e.ready[m] >= 0:
		e.open--
		e.releaseEnd(r, max(now, e.ready[m]))
	default:
		e.ready[m] = matched(r, true)
	}
}

// check fails the run if a message is longer than its receive.
func (e *engine) check(m, r uint32) {
	if e.ops[m].Size > e.ops[r].Size {
		e.fail("rank %d, %s: a message of %d bytes is too long for the receive of %d bytes of rank %d, %s",
			e.s.rankOf(m), e.s.place(m), e.ops[m].Size, e.ops[r].Size, e.s.rankOf(r), e.s.place(r))
	}
}

// take offers an arrived message to its resources: to the CPU and NIC together, or to the
// NIC first.
func (e *engine) take(from, m, seq uint32, now sim.Time) {
	op := &e.ops[m]
	if e.p.ReceiveOverlap {
		e.offer(laneDeposit, op.Peer, 0, op.NIC, m, from, seq, now)
	} else {
		e.offer(laneReceive, op.Peer, e.receiver(m), op.NIC, m, from, seq, now)
	}
}

func (e *engine) receive(host uint32, cpu, nic uint8, m, from uint32, now sim.Time) {
	kO, kG := e.perByte(e.ops[m].Size)
	end := now + e.p.Overhead + max(kO, kG)
	*e.cpu(host, cpu) = end
	*e.receiveSide(host, nic) = now + e.p.Gap + kG
	e.hiding.landed(from, now, end)
	e.received(m, end)
}

// deposit makes the NIC write a message to memory.
func (e *engine) deposit(host uint32, nic uint8, m, from uint32, now sim.Time) {
	_, kG := e.perByte(e.ops[m].Size)
	*e.receiveSide(host, nic) = now + e.p.Gap + kG
	e.hiding.landed(from, now, now+kG)
	e.schedule(max(now+kG, *e.cpu(host, e.receiver(m))), evDeliver, host, m)
}

func (e *engine) deliver(host uint32, cpu uint8, m uint32, now sim.Time) {
	kO, _ := e.perByte(e.ops[m].Size)
	end := now + e.p.Overhead + kO
	*e.cpu(host, cpu) = end
	e.received(m, end)
}

// received ends the receive of a message, if there is one yet.
func (e *engine) received(m uint32, end sim.Time) {
	r, _, ok := matchOf(e.ready[m])
	if !ok {
		e.ready[m] = end
		return
	}
	e.open--
	e.releaseEnd(r, end)
}
