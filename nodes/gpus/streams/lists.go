package streams

// lists are lists of operations, one for each operation, in one array.
type lists struct{ first, all []int32 }

// listsOf turns the lists of what comes before each operation round.
func listsOf(g *Graph, before func(*Op) []int32) lists {
	l := lists{first: make([]int32, len(g.Ops)+1)}
	for i := range g.Ops {
		for _, n := range before(&g.Ops[i]) {
			l.first[n+1]++
		}
	}
	for i := range g.Ops {
		l.first[i+1] += l.first[i]
	}
	l.all = make([]int32, l.first[len(g.Ops)])
	at := append([]int32(nil), l.first...)
	for i := range g.Ops {
		for _, n := range before(&g.Ops[i]) {
			l.all[at[n]] = int32(i)
			at[n]++
		}
	}
	return l
}

func (l *lists) of(n int32) []int32 { return l.all[l.first[n]:l.first[n+1]] }
