package nodes

// pile is a list that grows without moving its items, and keeps its memory when it is emptied.
type pile[T any] struct {
	blocks [][]T
	n      int
}

const pileLen = 4096 // of a block

func (p *pile[T]) add(t T) {
	if p.n == pileLen*len(p.blocks) {
		p.blocks = append(p.blocks, make([]T, pileLen))
	}
	*p.at(p.n) = t
	p.n++
}

func (p *pile[T]) at(i int) *T { return &p.blocks[uint(i)/pileLen][uint(i)%pileLen] }
