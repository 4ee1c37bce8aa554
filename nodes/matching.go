package nodes

// matching holds the receives of a rank that no message has come for, and the
// messages that nobody has asked for, both in order.
type matching struct{ posted, unexpected []envelope }

type envelope struct{ source, tag, id int32 }

// accepts says whether a posted receive takes a message.
func (e envelope) accepts(source, tag int32) bool {
	return (e.source == AnySource || e.source == source) && (e.tag == AnyTag || e.tag == tag)
}

// arrive returns the request of the oldest posted receive that takes the
// message; without one the message is kept.
func (m *matching) arrive(source, tag, id int32) (request int32, ok bool) {
	for i, e := range m.posted {
		if e.accepts(source, tag) {
			m.posted = append(m.posted[:i], m.posted[i+1:]...)
			return e.id, true
		}
	}
	m.unexpected = append(m.unexpected, envelope{source, tag, id})
	return 0, false
}

// post returns the oldest message that the receive takes; without one the
// receive is kept.
func (m *matching) post(source, tag, request int32) (id int32, ok bool) {
	want := envelope{source, tag, request}
	for i, e := range m.unexpected {
		if want.accepts(e.source, e.tag) {
			m.unexpected = append(m.unexpected[:i], m.unexpected[i+1:]...)
			return e.id, true
		}
	}
	m.posted = append(m.posted, want)
	return 0, false
}
