package gpus

import "testing"

// cubeMesh are the links of a DGX-1V.
func cubeMesh() (links []Link) {
	for _, l := range [][3]int{{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1},
		{4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}} {
		links = append(links, Link{l[0], l[1], l[2], 25e9})
	}
	return links
}

func firstOf(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// The numbers of rings of a DGX-1V: 1, 2 and 4 for 2, 3 and 4 GPUs as the bus bandwidths that vTrain measured tell
// (22.5, 45, 85 GB/s), none for 5. Every GPU of four has four links to the others, so there are no more.
func TestRingsOfACubeMesh(t *testing.T) {
	for n, want := range map[int][2]int{2: {1, 0}, 3: {2, 0}, 4: {4, 0}, 5: {0, 2}, 6: {2, 0}, 7: {4, 0}, 8: {6, 0}} {
		p := pathsOf(cubeMesh(), firstOf(n))
		if len(p.cycles) != want[0] || len(p.chains) != want[1] {
			t.Errorf("%d GPUs: %d rings and %d chains, want %v", n, len(p.cycles), len(p.chains), want)
		}
		checkPaths(t, cubeMesh(), n, p)
	}
}

// Eight GPUs of which every two are joined have seven rings: each uses one of the seven links of a GPU.
func TestRingsOfACompleteGraph(t *testing.T) {
	var links []Link
	for a := range 8 {
		for b := range a {
			links = append(links, Link{b, a, 1, 64e9})
		}
	}
	p := pathsOf(links, firstOf(8))
	if len(p.cycles) != 7 {
		t.Errorf("%d rings, want 7", len(p.cycles))
	}
	checkPaths(t, links, 8, p)
}

// checkPaths checks that each walk meets every GPU once, and that no link is used more often in a
// direction than it exists.
func checkPaths(t *testing.T, links []Link, n int, p paths) {
	t.Helper()
	free := map[[2]int]int{}
	for _, l := range links {
		free[[2]int{l.A, l.B}] += l.Count
		free[[2]int{l.B, l.A}] += l.Count
	}
	use := func(a, b int) {
		if free[[2]int{a, b}]--; free[[2]int{a, b}] < 0 {
			t.Errorf("%d GPUs: the link %d to %d is used too often", n, a, b)
		}
	}
	for i, walk := range append(p.cycles, p.chains...) {
		seen := map[int]bool{}
		for j, g := range walk {
			seen[g] = true
			if j > 0 {
				use(walk[j-1], g)
			}
			if j > 0 && i >= len(p.cycles) {
				use(g, walk[j-1])
			}
		}
		if i < len(p.cycles) {
			use(walk[n-1], walk[0])
		}
		if len(seen) != n || len(walk) != n {
			t.Errorf("%d GPUs: the walk %v does not meet each once", n, walk)
		}
	}
}
