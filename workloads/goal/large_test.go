package goal

import "testing"

// A list is as long as wanted and holds zeros, wherever it begins and ends in a page.
func TestLarge(t *testing.T) {
	for n := 0; n < 3<<20; n = n*3/2 + 1 {
		list, odd := large[uint32](n), large[[3]byte](n)
		if len(list) != n || len(odd) != n {
			t.Fatalf("%d and %d entries, want %d", len(list), len(odd), n)
		}
		for i := range list {
			if list[i] != 0 || odd[i] != [3]byte{} {
				t.Fatalf("entry %d of %d is %d and %v", i, n, list[i], odd[i])
			}
			list[i], odd[i][2] = 1, 1
		}
	}
}
