package gpus

import "slices"

// paths are the ways of rings through GPUs without a switch. A ring is a directed Hamiltonian
// cycle of the graph of links, and rings share no link in the same direction. If there is no
// cycle, chains are used: Hamiltonian paths that use each link in both directions.
type paths struct {
	cycles [][]int
	chains [][]int
	link   float64 // bandwidth of one link, bytes per second
}

// count is the number of rings or chains.
func (p *paths) count() int { return max(len(p.cycles), len(p.chains)) }

// pathsOf finds the largest number of rings, or otherwise of chains, between GPUs of a host. It
// tries all sets of cycles, beginning with cycles over the pairs with the most parallel links. A
// host has at most about eight GPUs.
func pathsOf(links []Link, gpus []int) (p paths) {
	free := map[[2]int]int{}
	for _, l := range links {
		free[[2]int{l.A, l.B}] += l.Count
		free[[2]int{l.B, l.A}] += l.Count
		p.link = l.Bandwidth
	}
	if len(gpus) == 2 {
		for range free[[2]int{gpus[0], gpus[1]}] {
			p.cycles = append(p.cycles, gpus)
		}
		return p
	}
	degree := bound(free, gpus)
	walks := hamiltonian(free, gpus, true)
	if p.cycles = disjoint(walks, free, true, degree); len(p.cycles) == 0 {
		p.chains = disjoint(hamiltonian(free, gpus, false), free, false, degree)
	}
	return p
}

// bound is an upper bound on the number of rings: the smallest that some GPU has links for.
func bound(free map[[2]int]int, gpus []int) int {
	least := int(^uint(0) >> 1)
	for _, a := range gpus {
		out := 0
		for _, b := range gpus {
			out += free[[2]int{a, b}]
		}
		least = min(least, out)
	}
	return least
}

// hamiltonian lists the walks through all GPUs. Cycles begin at the first GPU. A path and its
// reverse count as one.
func hamiltonian(free map[[2]int]int, gpus []int, cycle bool) (all [][]int) {
	var walk func(at []int)
	walk = func(at []int) {
		last := at[len(at)-1]
		if len(at) == len(gpus) {
			if cycle && free[[2]int{last, at[0]}] > 0 || !cycle && at[0] < last {
				all = append(all, slices.Clone(at))
			}
			return
		}
		for _, next := range gpus {
			if free[[2]int{last, next}] > 0 && !slices.Contains(at, next) {
				walk(append(at, next))
			}
		}
	}
	starts := gpus
	if cycle {
		starts = gpus[:1]
	}
	for _, g := range starts {
		walk([]int{g})
	}
	return all
}

// disjoint returns the largest set of walks that the free links allow. Walks may repeat.
func disjoint(walks [][]int, free map[[2]int]int, cycle bool, most int) (best [][]int) {
	tries := 0
	var add func(from int, chosen [][]int)
	add = func(from int, chosen [][]int) {
		if len(chosen) > len(best) {
			best = slices.Clone(chosen)
		}
		if len(best) >= most || tries > mostTries {
			return
		}
		for i := from; i < len(walks) && len(best) < most; i++ {
			tries++
			if take(walks[i], free, cycle, -1) {
				add(i, append(chosen, walks[i]))
				take(walks[i], free, cycle, +1)
			}
		}
	}
	add(0, nil)
	return best
}

// mostTries limits the search. Hosts with links between eight GPUs need far fewer tries.
const mostTries = 2_000_000

// take takes the links of a walk (by -1), or gives them back (+1). It returns false and takes
// none if a link is not free. A chain takes its links in both directions.
func take(walk []int, free map[[2]int]int, cycle bool, by int) bool {
	var edges [][2]int
	for i, a := range walk {
		if i+1 == len(walk) && !cycle {
			break
		}
		b := walk[(i+1)%len(walk)]
		edges = append(edges, [2]int{a, b})
		if !cycle {
			edges = append(edges, [2]int{b, a})
		}
	}
	if by < 0 {
		for _, e := range edges {
			if free[e] == 0 {
				return false
			}
		}
	}
	for _, e := range edges {
		free[e] += by
	}
	return true
}
