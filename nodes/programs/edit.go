package programs

// Edit changes what a step of a rank returns: its operations, whose memory it may use, and whether
// the rank goes on.
type Edit func(rank, step int, ops []Op, more bool) ([]Op, bool)

// Edited returns a program whose steps are edited. alike says that the edit does the same to all
// ranks, so that a symmetric program stays symmetric.
func Edited(p Program, alike bool, edit Edit) Program {
	e := edited{p, alike, edit}
	if _, ok := p.(Reactive); ok {
		return &editedReactive{e}
	}
	return &e
}

type edited struct {
	Program
	alike bool
	edit  Edit
}

// Threads implements Threaded.
func (p *edited) Threads() int { return Threads(p.Program) }

// Helps tells whether a rank of the edited program only communicates.
func (p *edited) Helps(rank int) bool { return Helps(p.Program, rank) }

// Symmetry implements Symmetric.
func (p *edited) Symmetry() Grid {
	if !p.alike {
		return nil
	}
	return Symmetry(p.Program)
}

// Step implements Program.
func (p *edited) Step(rank, step int, do *Ops) bool {
	before := len(do.list)
	more := p.Program.Step(rank, step, do)
	ops, more := p.edit(rank, step, do.list[before:], more)
	do.list = append(do.list[:before], ops...)
	return more
}

// editedReactive is a Reactive program whose steps are edited.
type editedReactive struct{ edited }

// Begin implements Reactive.
func (p *editedReactive) Begin() Program { return Edited(InRun(p.Program), p.alike, p.edit) }
