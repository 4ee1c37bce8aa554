package files

import (
	"errors"
	"slices"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/programs"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/transforms"
)

// moves are the keys that change when a program communicates.
type moves struct {
	given                  keys.Group
	receives, sends, waits string
	collectives            string
	pieces                 int
	least                  int64
}

func newMoves() moves {
	written := transforms.AsWritten.String()
	return moves{receives: written, sends: written, waits: written, collectives: written, pieces: 1, least: transforms.LeastPiece}
}

// ways are the names of ways to move.
var ways = []string{transforms.AsWritten.String(), transforms.Worst.String(), transforms.Spread.String(), transforms.Best.String()}

// rows is their key table.
func (m *moves) rows() keys.Table {
	return keys.Table{
		{Path: "moves", To: &m.given, Doc: "what the program would be if it communicated at other times (docs/explanation/potential.md)"},
		{Path: "moves.receives", To: &m.receives, Choices: slices.Delete(slices.Clone(ways), 2, 3),
			Doc: "receives are posted earlier; at worst a computation uses the buffer, at best it does not", Use: noReceive},
		{Path: "moves.sends", To: &m.sends, Choices: ways,
			Doc: "sends begin earlier: at worst the computation before makes all that is sent at its end, at best at its beginning; spread: piece " +
				"by piece", Use: noTwoSided},
		{Path: "moves.waits", To: &m.waits, Choices: append(slices.Clone(ways), transforms.Exchange.String()),
			Doc: "waits come later: at worst the computation after it needs all that comes at its beginning, at best at its end; spread: piece " +
				"by piece; exchange: as best, and what is sent between two computations carries nothing that came between them",
			Use: noReceive},
		{Path: "moves.collectives", To: &m.collectives, Choices: ways,
			Doc: "blocking collectives become non-blocking: at worst the computations during them make and need all their data, and " +
				"the algorithms are what the library takes for non-blocking ones; at best they need none; spread: " +
				"the one before makes all, the one after it needs none",
			Use: noTwoSided},
		{Path: "moves.pieces", To: &m.pieces, Is: keys.Count, Range: keys.Positive, Doc: "of a two-sided message, at most", Use: noTwoSided},
		{Path: "moves.least", To: &m.least, Is: keys.Bytes, Range: keys.Positive, Doc: "size of a piece, at least",
			Use: because("moves.pieces is 1", func(o *ran) bool { return o.moves.Pieces <= 1 })},
	}
}

// changes returns the changes of the program.
func (m *moves) changes(on *machines.Machine) transforms.Changes {
	c := transforms.Changes{Pieces: m.pieces, Least: m.least}
	for _, one := range []struct {
		name string
		to   *transforms.When
	}{{m.receives, &c.Receives}, {m.sends, &c.Sends}, {m.waits, &c.Waits}, {m.collectives, &c.Collectives}} {
		*one.to, _ = transforms.Named(one.name) // the table has the choices
	}
	c.Uses = uses(on)
	return c
}

// unblock lets collectives that become non-blocking at worst have the library's algorithms for non-blocking ones. Otherwise a round waits
// within a computation, which a program that tests does not: trees, whose ranks have unequal numbers of rounds, would seem slow.
func (f *scenarioFile) unblock() {
	if w, ok := f.Workload.(workloads.Unblocked); ok && f.moveKeys.collectives == transforms.Worst.String() {
		w.Unblock()
	}
}

// uses tells which computations are known to use what came: computations of the kernels that combine
// and copy it.
func uses(m *machines.Machine) func(kernel int32) bool {
	combine, copied := m.KernelNumber("combine"), m.KernelNumber("copy")
	return func(kernel int32) bool { return kernel != 0 && (kernel == combine || kernel == copied) }
}

// Moved returns a program of the scenario's workload with the scenario's moves, and without the
// causes that the scenario takes away.
func (s *Scenario) Moved(p programs.Program) (programs.Program, error) {
	p, err := s.moves.Program(p)
	if err != nil || s.edit == nil {
		return p, err
	}
	return s.edit(p), nil
}

// move changes the program as the keys say.
func (f *scenarioFile) move(tree *keys.Node, problems *keys.Problems) {
	f.Scenario.moves = f.moveKeys.changes(f.Machine.Machine)
	if f.Scenario.moves.Nothing() {
		return
	}
	err := errors.New("the workload " + f.Kind + " runs no program whose communication could move")
	if f.Program != nil {
		f.Program, err = f.Moved(f.Program)
	}
	if err != nil {
		problems.Add(tree.PlaceOf("moves"), "moves", "%s", err)
	}
}
