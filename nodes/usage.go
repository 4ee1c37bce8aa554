package nodes

import (
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
)

// usesOf returns the properties of a message.
func (c *cluster) usesOf(m *message) results.MessageUse {
	switch {
	case m.from == m.to:
		return results.ToItself
	case c.place.inside(m.from, m.to):
		return results.InsideNode
	}
	return results.ThroughNIC | m.uses()
}

// uses returns the properties of a message that passes a NIC.
func (m *message) uses() results.MessageUse {
	switch {
	case m.protocol == combined:
		return results.Combined
	case m.protocol == got:
		return results.RequestsForGets | results.AnswersToGets
	case m.protocol == eager && m.strided:
		return results.EagerStrided
	case m.protocol == eager:
		return results.EagerSend
	case m.protocol == rendezvous && m.strided:
		return results.LongStrided
	case m.protocol == rendezvous && m.way == machines.Read:
		return results.LongSend | results.AnswersToGets
	case m.protocol == rendezvous:
		return results.LongSend
	}
	return 0
}
