package transforms

import (
	"fmt"

	"overlapsim/nodes/programs"
)

// When says how far operations move.
type When uint8

// The ways to move.
const (
	AsWritten When = iota
	Worst
	Spread
	Best
	Exchange // of waits only: rule 9
)

var whenNames = [...]string{"as-written", "worst", "spread", "best", "exchange"}

func (w When) String() string { return whenNames[w] }

// Named returns the way of a name.
func Named(name string) (When, error) {
	for i, one := range whenNames {
		if one == name {
			return When(i), nil
		}
	}
	return 0, fmt.Errorf("must be one of %v, got %q", whenNames, name)
}

// Changes are the changes of a program.
type Changes struct {
	Receives, Sends, Waits When
	Pieces                 int // of a message, at most; 0 and 1: it stays whole
	Least                  int64
	Collectives            When
	// Uses tells whether a computation of the kernel with that number is known to use what
	// came before it, and to make what is sent behind it; nil: no kernel does.
	Uses func(kernel int32) bool
}

// LeastPiece is the size of a piece if Changes do not say another.
const LeastPiece = 8 << 10

// Nothing tells whether a program stays as it is.
func (c *Changes) Nothing() bool {
	return c.Receives == AsWritten && c.Sends == AsWritten && c.Waits == AsWritten && c.Collectives == AsWritten && c.Pieces <= 1
}

// pieces is how many pieces a message of some bytes has.
func (c *Changes) pieces(bytes int64) int {
	if c.Pieces <= 1 {
		return 1
	}
	return int(min(int64(c.Pieces), max(1, (bytes+c.Least-1)/c.Least)))
}

// Program returns a program with changes. It reads the program once. The error says what
// cannot be changed.
func (c Changes) Program(p programs.Program) (programs.Program, error) {
	if c.Nothing() {
		return p, nil
	}
	if c.Least <= 0 {
		c.Least = LeastPiece
	}
	q := &changed{Program: p, c: c}
	if _, ok := p.(programs.Reactive); ok {
		settled, ok := p.(programs.Settled)
		if !ok {
			return nil, fmt.Errorf("its ranks continue with the first message that comes, as the ranks of a GOAL schedule do: their operations " +
				"have no order in which they could move")
		}
		q.order = settled.Order
	}
	var err error
	if q.s, err = q.look(); err != nil {
		return nil, err
	}
	q.c.Pieces = min(q.c.Pieces, q.s.pieces)
	q.join = q.s.join()
	return q, q.s.fits(q.join)
}

// changed is a program with changes.
type changed struct {
	programs.Program
	order func(rank int) func(do *programs.Ops) bool // of a program that is read from its beginning only; nil: of any other
	c     Changes
	s     *survey
	join  int // steps of a window
}

// Threads implements programs.Threaded.
func (p *changed) Threads() int { return programs.Threads(p.Program) }

// Step implements programs.Program: a step is a window.
func (p *changed) Step(rank, step int, do *programs.Ops) bool {
	var all programs.Ops
	if !p.window(rank, step, &all) {
		return false
	}
	w := newWindow(all.List(), &p.c, p.s)
	w.spreadCollectives()
	w.waitLate()
	w.sendEarly()
	w.receiveEarly()
	do.Grow(len(w.items))
	for _, one := range w.items {
		do.Add(one.op)
		do.Add(one.schedule...)
	}
	return true
}

// window appends the operations of a window. A program that is read from its beginning only has
// one.
func (p *changed) window(rank, step int, all *programs.Ops) bool {
	if p.order != nil {
		next := p.order(rank)
		if step > 0 || !next(all) {
			return false
		}
		for next(all) {
		}
		return true
	}
	for i := range p.join {
		if !p.Program.Step(rank, step*p.join+i, all) {
			return i > 0
		}
	}
	return true
}
