package nodes

// blockList is a list that grows without moving its items, and keeps its memory when it is emptied.
type blockList[T any] struct {
	blocks [][]T
	n      int
}

const blockListLen = 4096 // of a block

func (p *blockList[T]) add(t T) {
	if p.n == blockListLen*len(p.blocks) {
		p.blocks = append(p.blocks, make([]T, blockListLen))
	}
	*p.at(p.n) = t
	p.n++
}

func (p *blockList[T]) at(i int) *T { return &p.blocks[uint(i)/blockListLen][uint(i)%blockListLen] }
