package nodes

import "overlapsim/nodes/machines"

// noteUses notes what a new message uses.
func (c *cluster) noteUses(m *message) {
	u := &c.uses
	switch {
	case m.from == m.to:
		u.Messages |= ToItself
	case c.inside(m.from, m.to):
		u.Messages |= InsideNode
	default:
		u.Messages |= ThroughNIC | m.uses()
	}
}

// uses returns the properties of a message that passes a NIC.
func (m *message) uses() MessageUse {
	switch {
	case m.protocol == got:
		return RequestsForGets | AnswersToGets
	case m.protocol == eager && m.strided:
		return EagerStrided
	case m.protocol == eager:
		return EagerSend
	case m.protocol == rendezvous && m.strided:
		return LongStrided
	case m.protocol == rendezvous && m.way == machines.Read:
		return LongSend | AnswersToGets
	case m.protocol == rendezvous:
		return LongSend
	}
	return 0
}
