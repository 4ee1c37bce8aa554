package network

// Explanation says why bytes take as long as they do on a contended fabric. A
// transfer takes the latency of the machine's network and that of its links, and its
// bytes leave at rates that follow from capacities and from the Length of transfers.
type Explanation struct {
	LinkLatency Quantity
	Capacities  []Quantity
}

// Quantity is a parameter of a fabric.
type Quantity struct {
	Name  string  // key in machine files
	Value float64 // bytes per second, or seconds; NaN: several, which differ
}

// Keys in machine files of what fabrics are made of.
const (
	GapPerByte    = "network.gap_per_byte" // what is left out of a capacity follows from it
	LinkBandwidth = "links.bandwidth"
	LinkLatency   = "links.latency"
	LinkInjection = "links.injection"
	LinkEjection  = "links.ejection"
)

// Watcher hears of the rates of transfers, and says what their Lengths are made of:
// of so many parts.
type Watcher interface {
	// Parts is how many there are.
	Parts() int
	// Shares returns which share of the Length of a transfer each part makes; they
	// add up to 1.
	Shares(id uint32, shares []float64)
	// Rate says that the bytes of a transfer leave at a rate from now on, and gives
	// its derivatives by the logarithms of the capacities and, behind them, of the
	// speed of each part: they add up to the rate, and are valid during the call.
	// Rates of 0 are not told. Their unit is the fabric's.
	Rate(id uint32, rate float64, by []float64)
}

// Unexplained is a part of fabrics that cannot say why bytes take as long as they do.
type Unexplained struct{}

// Explain implements Contended.
func (Unexplained) Explain(Watcher) *Explanation { return nil }
