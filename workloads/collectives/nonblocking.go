package collectives

import "overlapsim/nodes/programs"

// Starter is a rank of a program: *programs.Ops in a compiled one, *nodes.Process in a live one.
type Starter interface {
	Start(schedule func(do *programs.Ops), request int)
}

// Start starts a collective as one request and returns at once: its first round is posted in the
// call, and the agent of the machine's library begins the later ones. The requests of the messages
// are members of the group.
func Start(by *Algorithm, g Group, request int, do Starter) {
	do.Start(func(do *programs.Ops) { by.plan(&g, do) }, request)
}

// plan adds what the caller does in all rounds. A round combines what came when all of its messages
// are over. Rounds without messages are part of the next one: the schedule of a library has no empty
// rounds.
func (a *Algorithm) plan(g *Group, do *programs.Ops) {
	for round := range a.Rounds(g) {
		r := rounds.Get().(*Round)
		a.fill(g, round, r)
		a.touch(g, round, do)
		r.post(g, do)
		if r.hold == 0 {
			r.await(receives, g, do, false)
			r.await(sends, g, do, false)
			r.combine(g, do)
		}
		rounds.Put(r)
	}
}
