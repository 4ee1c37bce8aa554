package goal

// waits counts the open dependencies of each operation: the first mostFew in a byte, because few
// operations have more, and more than that in a map.
type waits struct {
	few  []uint8
	many map[uint32]uint32
}

const mostFew = 255

// waitsOf counts the dependencies of all operations.
func waitsOf(s *Schedule) waits {
	w := waits{few: large[uint8](len(s.Ops()))}
	for _, d := range s.dependants {
		w.add(d &^ onStart)
	}
	return w
}

func (w *waits) add(op uint32) {
	if w.few[op] < mostFew {
		w.few[op]++
		return
	}
	if w.many == nil {
		w.many = make(map[uint32]uint32)
	}
	w.many[op]++
}

// open tells whether an operation has open dependencies.
func (w *waits) open(op uint32) bool { return w.few[op] > 0 }

// end ends a dependency of an operation, and tells whether it was the last one.
func (w *waits) end(op uint32) (last bool) {
	if w.few[op] == mostFew && w.many[op] > 0 {
		w.many[op]--
		return false
	}
	w.few[op]--
	return w.few[op] == 0
}
