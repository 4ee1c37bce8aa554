package advice

import (
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/outcomes"
)

// Library changes of a run, for programs that ask for one of them. None says why there is
// nothing to change.

// Eager sends the run's largest messages at once.
func Eager(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	s := newSubject(o, nil)
	if !s.rendezvous() {
		return nil, "no message is longer than the rendezvous threshold"
	}
	return found(eager(s))
}

// Thread lets a progress thread move the run's messages on.
func Thread(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	return moved(o, machines.Thread, "a thread", thread)
}

// Offload lets the NIC move the run's messages on.
func Offload(o *outcomes.Outcome) (c *outcomes.Change, none string) {
	return moved(o, machines.Offload, "the NIC", offload)
}

// moved lets an agent move the messages on.
func moved(o *outcomes.Outcome, by machines.Agent, who string, changes func(*subject) []change) (c *outcomes.Change, none string) {
	switch s := newSubject(o, nil); {
	case !s.moved():
		return nil, "no processor need move a message on"
	case s.library().Progress.By == by:
		return nil, who + " does it already"
	default:
		return found(changes(s))
	}
}

func found(changes []change) (*outcomes.Change, string) {
	return &outcomes.Change{Change: changes[0].says, Set: changes[0].set}, ""
}
