package collectives

import "sync"

// tree is the shape of a tree of places with root 0. It appends the children of a place to kids,
// the one with the largest subtree first.
type tree func(ranks, radix, place int, kids []int) (parent int, children []int)

// star: all are children of the root.
func star(ranks, _, place int, kids []int) (int, []int) {
	if place == 0 {
		for child := 1; child < ranks; child++ {
			kids = append(kids, child)
		}
	}
	return 0, kids
}

// chains: the root has radix children, each the first of a chain of nearly equal length.
func chains(ranks, radix, place int, kids []int) (int, []int) {
	rest := Span{1, int64(ranks - 1)}
	if place == 0 {
		for i := range min(radix, ranks-1) {
			kids = append(kids, int(rest.part(i, min(radix, ranks-1)).From))
		}
		return 0, kids
	}
	for i := range min(radix, ranks-1) {
		chain := rest.part(i, min(radix, ranks-1))
		first, end := int(chain.From), int(chain.From+chain.Bytes)
		if place < first || place >= end {
			continue
		}
		if place+1 < end {
			kids = append(kids, place+1)
		}
		if place == first {
			return 0, kids
		}
	}
	return place - 1, kids
}

// pipeline: one chain.
func pipeline(ranks, _, place int, kids []int) (int, []int) { return chains(ranks, 1, place, kids) }

// heap: the children of v are 2v+1 and 2v+2.
func heap(ranks, _, place int, kids []int) (int, []int) {
	for child := 2*place + 1; child <= 2*place+2 && child < ranks; child++ {
		kids = append(kids, child)
	}
	return max(0, (place-1)/2), kids
}

// kNomial: a place has as children the numbers that differ from it in one digit, to the base
// of the radix, below its last digit that is not 0. With radix 2 it is the binomial tree.
func kNomial(ranks, radix, place int, kids []int) (int, []int) {
	reach, parent := 1, 0
	for reach < ranks && place/reach%radix == 0 {
		reach *= radix
	}
	if place > 0 {
		parent = place - place/reach%radix*reach
	}
	for reach /= radix; reach > 0; reach /= radix {
		for j := 1; j < radix && place+j*reach < ranks; j++ {
			kids = append(kids, place+j*reach)
		}
	}
	return parent, kids
}

func binomial(ranks, _, place int, kids []int) (int, []int) { return kNomial(ranks, 2, place, kids) }

// swing is the tree of an exchange with Swing's partners in which only those send that have
// something: a power of two of places.
func swing(ranks, _, place int, kids []int) (parent int, _ []int) {
	steps := log(ranks)
	reached := swingReached(steps)
	for step := int(reached[place]) + 1; step < steps; step++ {
		if child := swinging(place, step, steps); int(reached[child]) == step {
			kids = append(kids, child)
		}
	}
	if place > 0 {
		parent = swinging(place, int(reached[place]), steps)
	}
	return parent, kids
}

var swingTables sync.Map // by steps: []int8

// swingReached returns the step in which each place receives the data of place 0, and -1 for
// place 0.
func swingReached(steps int) []int8 {
	if known, ok := swingTables.Load(steps); ok {
		return known.([]int8)
	}
	reached, have := make([]int8, 1<<steps), []int{0}
	reached[0] = -1
	for step := range steps {
		for _, place := range have {
			to := swinging(place, step, steps)
			reached[to] = int8(step)
			have = append(have, to)
		}
	}
	swingTables.Store(steps, reached)
	return reached
}
