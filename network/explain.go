package network

// Explanation says which quantities determine how long bytes take on a contended fabric. The
// latency of a transfer is the latency of the machine's network and of the links on its way. Its bytes
// leave at rates that follow from the capacities and from the Length of transfers.
type Explanation struct {
	LinkLatency Quantity
	Capacities  []Quantity
}

// Quantity is a parameter of a fabric.
type Quantity struct {
	Name  string  // key in machine files
	Value float64 // bytes per second, or seconds; NaN: several different values
}

// The keys in machine files of the parameters of fabrics.
const (
	GapPerByte    = "network.gap_per_byte" // limits of a node that a file leaves out follow from this gap
	LinkBandwidth = "links.bandwidth"
	LinkLatency   = "links.latency"
	LinkInjection = "links.injection"
	LinkEjection  = "links.ejection"
	LinkDuplex    = "links.duplex"
	LinkExchange  = "links.exchange"
	LinkWindow    = "links.window"

	LinkOthers     = "links.others"
	LinkOthersDraw = "links.others_draw"
)

// Watcher is told the rates of transfers, and says of which parts their Lengths are made.
type Watcher interface {
	// Parts returns the number of parts.
	Parts() int
	// Shares fills in which share of the Length of a transfer each part makes. The shares add up
	// to 1.
	Shares(id uint32, shares []float64)
	// Rate says that the bytes of a transfer leave at a rate from now on. The slice by holds the
	// derivatives of the rate by the logarithms of the capacities, and after them by the
	// logarithm of the speed of each part. The derivatives add up to the rate, and are valid
	// during the call only. Rate is not called for rates of 0. The unit of rates is the fabric's.
	Rate(id uint32, rate float64, by []float64)
}

// Unexplained is embedded in fabrics that do not say which quantities determine their times.
type Unexplained struct{}

// Explain implements Contended.
func (Unexplained) Explain(Watcher) *Explanation { return nil }
