package report

import (
	"slices"

	"overlapsim/nodes/results"
)

// alikes finds for each lane the first lane that does the same: of the same kind, with spans that
// begin and end at the same picoseconds and have the same terms and phases. Their messages
// may go to other ranks.
func alikes(lanes []placed) []int {
	alike := make([]int, len(lanes))
	seen := map[uint64][]int{} // first lanes, by hash
	for i, l := range lanes {
		sum := hashOf(l.Lane)
		alike[i] = i
		for _, first := range seen[sum] {
			if same(l.Lane, lanes[first].Lane) {
				alike[i] = first
				break
			}
		}
		if alike[i] == i {
			seen[sum] = append(seen[sum], i)
		}
	}
	return alike
}

// hashOf is equal for lanes that are the same.
func hashOf(l *results.Lane) uint64 {
	sum := uint64(l.Kind)
	for part := range l.Parts() {
		for i := range part {
			s := &part[i]
			sum = (sum^sum>>29)*0x9e3779b97f4a7c15 + uint64(s.Start) ^ uint64(s.End)<<20 ^ uint64(s.Term)<<8 ^ uint64(s.Phase)
		}
	}
	return sum
}

// same tells whether two lanes are of one kind and have the same spans, messages aside.
func same(a, b *results.Lane) bool {
	return a.Kind == b.Kind && a.Equal(b, func(x, y *results.Span) bool {
		return x.Start == y.Start && x.End == y.End && x.Term == y.Term && x.Phase == y.Phase
	})
}

// twins finds for each lane the lane at its place in the first node that does the same.
// Such a node has the same number of lanes, each alike to the one at its place. A lane
// without a node is compared alone.
func twins(lanes []placed, alike []int) []int {
	twin := slices.Clone(alike)
	seen := map[string]int{} // the first lane of the first node, by what its lanes are alike to
	for first := 0; first < len(lanes); {
		end := first + 1
		for lanes[first].node >= 0 && end < len(lanes) && lanes[end].node == lanes[first].node {
			end++
		}
		if lanes[first].node >= 0 {
			key := keyOf(alike[first:end])
			model, known := seen[key]
			if !known {
				model, seen[key] = first, first
			}
			for i := first; i < end; i++ {
				twin[i] = model + i - first
			}
		}
		first = end
	}
	return twin
}

// keyOf makes a list of numbers comparable.
func keyOf(list []int) string {
	key := make([]byte, 0, 4*len(list))
	for _, x := range list {
		key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return string(key)
}
