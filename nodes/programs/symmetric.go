package programs

// Symmetric is a program all of whose ranks do the same, each seen from its own place.
type Symmetric interface {
	Program
	// Symmetry returns a grid of all ranks on which the program looks the same from every place.
	// If all ranks are moved by the same offset, each rank does what the rank did whose place it
	// takes. Its peers are moved by that offset, and everything else is unchanged. It returns nil
	// if there is no such grid.
	Symmetry() Grid
}

// Symmetry returns the grid on which a program looks the same from every place, or nil if none is
// known.
func Symmetry(p Program) Grid {
	if s, ok := p.(Symmetric); ok {
		return s.Symmetry()
	}
	return nil
}

// Grid holds the sizes of a periodic grid of places, which are numbered from 0 with the first
// dimension varying fastest. An offset is the place to which it moves place 0. Along a dimension
// of size 2, moving is the exclusive or of the place's bit.
type Grid []int

// Places returns the number of places.
func (g Grid) Places() int {
	places := 1
	for _, n := range g {
		places *= n
	}
	return places
}

// Move returns the place to which an offset moves a place.
func (g Grid) Move(place, offset int) int {
	to, stride := 0, 1
	for _, n := range g {
		to += (place/stride + offset/stride) % n * stride
		stride *= n
	}
	return to
}

// Back returns the offset that undoes an offset.
func (g Grid) Back(offset int) int {
	back, stride := 0, 1
	for _, n := range g {
		back += (n - offset/stride%n) % n * stride
		stride *= n
	}
	return back
}

// Blocks returns the grid whose places are blocks of this number of neighbouring places. It
// returns nil if some move of blocks is not a move of places.
func (g Grid) Blocks(size int) Grid {
	for i, n := range g {
		switch {
		case size == 1:
			return g[i:]
		case n%size == 0:
			return append(Grid{n / size}, g[i+1:]...)
		case size%n != 0:
			return nil
		}
		size /= n
	}
	if size == 1 {
		return Grid{1}
	}
	return nil
}
