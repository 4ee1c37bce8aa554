package results

// Slope is the derivative of the makespan with respect to a parameter of the machine.
type Slope struct {
	Parameter  string  // its key in machine files
	Value      float64 // in its unit; NaN: it is several numbers that differ
	Derivative float64 // seconds per unit by which all its numbers grow; NaN: they are rates that differ
	Elasticity float64 // per cent of the makespan for each per cent by which they grow
	Time       float64 // seconds of the makespan that it accounts for
	Unit       Unit
}

// Unit is the unit of a parameter.
type Unit uint8

// The units.
const (
	Second        Unit = iota
	SecondPerByte      // of costs per byte
	FlopPerSecond      // of kernels
	BytePerSecond      // of memories, and of kernels that move bytes
	Factor
)

// Rate tells whether the unit is a unit of a rate: the larger such a parameter, the shorter the
// times.
func (u Unit) Rate() bool { return u == FlopPerSecond || u == BytePerSecond }
