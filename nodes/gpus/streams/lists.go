package streams

// lists holds a list of operations for each operation or collective, in one array.
type lists struct{ first, all []int32 }

// listsOf returns, for each number below things, the operations that name it.
func listsOf(things, ops int, names func(op int) []int32) lists {
	l := lists{first: make([]int32, things+1)}
	for i := range ops {
		for _, n := range names(i) {
			l.first[n+1]++
		}
	}
	for i := range things {
		l.first[i+1] += l.first[i]
	}
	l.all = make([]int32, l.first[things])
	at := append([]int32(nil), l.first...)
	for i := range ops {
		for _, n := range names(i) {
			l.all[at[n]] = int32(i)
			at[n]++
		}
	}
	return l
}

func (l *lists) of(n int32) []int32 { return l.all[l.first[n]:l.first[n+1]] }
