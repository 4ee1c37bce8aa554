package network

import (
	"math/bits"

	"overlapsim/sim"
)

// Series is an amount over time in each of several rows, such as the bytes that links carry. Time
// is cut into bins of equal length. The length doubles when the bins are used up, so memory does
// not grow with the run. Amounts are whole numbers, and none is lost between bins.
type Series struct {
	Bin  sim.Time // length of a bin
	bins int
	rows [][]int64 // a nil row is empty
}

// Limits of the memory of a Series.
const (
	firstBin  = sim.Nanosecond
	mostCells = 1 << 22 // in all rows, unless each has only leastBins
	mostBins  = 256
	leastBins = 16
)

// NewSeries returns a series in which nothing has happened.
func NewSeries(rows int) *Series {
	bins := mostBins
	for bins > leastBins && bins*rows > mostCells {
		bins /= 2
	}
	return &Series{Bin: firstBin, bins: bins, rows: make([][]int64, rows)}
}

// Add spreads an amount evenly between two times. If the times are equal, the whole amount is in
// the bin of that time.
func (s *Series) Add(row int, from, to sim.Time, amount int64) {
	for int(to/s.Bin) >= s.bins {
		s.double()
	}
	if s.rows[row] == nil {
		s.rows[row] = make([]int64, s.bins)
	}
	cells, done := s.rows[row], int64(0)
	for bin := from / s.Bin; ; bin++ {
		if bin*s.Bin+s.Bin >= to {
			cells[bin] += amount - done
			return
		}
		until := share(amount, bin*s.Bin+s.Bin-from, to-from)
		cells[bin] += until - done
		done = until
	}
}

// share returns amount·part/whole, rounded down.
func share(amount int64, part, whole sim.Time) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(part))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// double joins neighbouring bins.
func (s *Series) double() {
	s.Bin *= 2
	for _, cells := range s.rows {
		half := len(cells) / 2
		for i := range half {
			cells[i] = cells[2*i] + cells[2*i+1]
		}
		clear(cells[half:])
	}
}

// coarsen joins bins until they are as long as the bins of another series, which must be at least as
// long.
func (s *Series) coarsen(bin sim.Time) {
	for s.Bin < bin {
		s.double()
	}
}

// Rows is the number of rows.
func (s *Series) Rows() int { return len(s.rows) }

// Row returns the bins of a row from time 0 on; nil: it is empty.
func (s *Series) Row(row int) []int64 { return s.rows[row] }

// Sum adds up the bins of a row.
func (s *Series) Sum(row int) (sum int64) {
	for _, amount := range s.rows[row] {
		sum += amount
	}
	return sum
}

// Unrecorded is embedded in fabrics that do not record what links carry over time.
type Unrecorded struct{}

// Record implements Contended.
func (Unrecorded) Record(*Series) {}
