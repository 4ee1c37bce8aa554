package main

import "math"

// prior says that a sum of weighted logarithms has a value, within a standard deviation;
// or, if it is one-sided, at least that value.
type prior struct {
	at            []int
	weights       []float64
	value, within float64
	least         bool
}

func (p *prior) residual(x []float64) float64 {
	sum := -p.value
	for k, i := range p.at {
		sum += p.weights[k] * x[i]
	}
	if p.least && sum > 0 {
		return 0
	}
	return sum / p.within
}

// near says that a parameter has a value.
func near(i int, value, within float64) prior {
	return prior{at: []int{i}, weights: []float64{1}, value: math.Log(value), within: within}
}

// smooth says that three parameters are on a line.
func smooth(i, j, k int, within float64) prior {
	return prior{at: []int{i, j, k}, weights: []float64{1, -2, 1}, within: within}
}

// atLeast says that a parameter is not less than another one.
func atLeast(i, j int, within float64) prior {
	return prior{at: []int{i, j}, weights: []float64{1, -1}, within: within, least: true}
}

// crayPriors are what is known of the parameters without the tables. Factors are smooth
// in distance and number of processes, and do not fall with either; a maximum is at least
// the average. No routine is more efficient than dgemm, or less so with larger blocks.
func crayPriors(q []quantity) (all []prior) {
	longest := distances(processes[len(processes)-1])
	for i := range longest {
		if i > 0 {
			all = append(all, atLeast(i, i-1, 0.05))
		}
		if i > 0 && i < longest-1 {
			all = append(all, smooth(i-1, i, i+1, 0.3))
		}
	}
	first := longest // of C_max of these processes
	for k, p := range processes {
		n := distances(p)
		for i := range n {
			all = append(all, atLeast(first+i, i, 0.03))
			if i > 0 {
				all = append(all, atLeast(first+i, first+i-1, 0.3))
			}
			if i > 0 && i < n-1 {
				all = append(all, smooth(first+i-1, first+i, first+i+1, 0.5))
			}
			if before := first - distances(p/4); k > 0 && i < distances(p/4) {
				all = append(all, atLeast(first+i, before+i, 0.1))
				if k < len(processes)-1 {
					all = append(all, smooth(before+i, first+i, first+n+i, 0.5))
				}
			}
		}
		first += n
	}
	all = append(all, near(first, q[first].start, 1))
	return append(all, routinePriors(first+1)...)
}

// routinePriors are the priors of dgemm, dtrsm and dpotrf.
func routinePriors(gemm int) (all []prior) {
	for i, e := range gemmKnown {
		within := 0.02
		if i < 3 { // smaller blocks than the blocks of Table II
			within = 0.4
		}
		all = append(all, near(gemm+i, e, within))
	}
	for _, first := range []int{gemm + sizes, gemm + 2*sizes} {
		all = append(all, near(first+sizes-1, 0.7, 0.15))
		for i := range sizes {
			all = append(all, atLeast(gemm+i, first+i, 0.02))
			if i > 0 {
				all = append(all, atLeast(first+i, first+i-1, 0.02))
			}
			if i > 0 && i < sizes-1 {
				all = append(all, smooth(first+i-1, first+i, first+i+1, 0.3))
			}
		}
	}
	return all
}
