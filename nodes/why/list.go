package why

import (
	"unsafe"

	"overlapsim/sim"
)

// moment is a time and what led to it.
type moment struct {
	at      sim.Time
	amount  int64 // less than 0: the moment is the mix with the number ^amount in its list
	origin  origin
	index   int32
	message int32
}

// MomentBytes is the memory of a moment.
const MomentBytes = int64(unsafe.Sizeof(moment{}))

// origin is where what passed began, with its part and resource in 8 bits each. It is the number
// of a moment, or a place in a tree.
type origin int64

func originOf(from int64, part, resource uint8) origin {
	return origin(from<<16 | int64(part)<<8 | int64(resource))
}

func (o origin) from() int64     { return int64(o >> 16) }
func (o origin) part() uint8     { return uint8(o >> 8) }
func (o origin) resource() uint8 { return uint8(o) }

// pageSize is the number of moments that lie together.
const pageSize = 1 << 10

type page [pageSize]moment

// list is a list of moments. Its pages stay where they are when it grows.
type list struct {
	pages []*page
	mixes []Mix
	n     int
}

// at returns a moment.
func (l *list) at(i int) *moment { return &l.pages[i/pageSize][i%pageSize] }

// mixed adds a mix, and returns the amount of its moment.
func (l *list) mixed(x Mix) int64 {
	l.mixes = append(l.mixes, x)
	return ^int64(len(l.mixes) - 1)
}

// grow adds a page, from those that are free if there are any.
func (l *list) grow(free *[]*page) *page {
	var p *page
	if last := len(*free) - 1; last >= 0 {
		p, *free = (*free)[last], (*free)[:last]
	} else {
		p = new(page)
	}
	l.pages = append(l.pages, p)
	return p
}
