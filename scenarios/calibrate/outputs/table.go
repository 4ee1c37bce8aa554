package outputs

import "fmt"

// Test is what a table measures.
type Test uint8

// The tests. Seconds of a row are
const (
	PingPong    Test = iota // of one way, alone on the wire
	Sends                   // of MPI_Isend, in the call
	LateRecvs               // of MPI_Recv long after the message was sent
	Stream                  // from message to message, a window of them in one direction
	BothStreams             // the same in both directions at once, per message of one direction
	Successive              // from message to message, ten sent one after the other and one answer
	PingPing                // of one way, while the other process sends too
	Exchange                // two messages each way at once
	Nonblocking             // a non-blocking collective next to computation
	Collective              // a collective of GPUs
)

func (t Test) String() string {
	return [...]string{"ping-pong", "MPI_Isend alone", "MPI_Recv alone, late", "windows of messages", "windows in both directions",
		"successive messages", "one message each way", "two messages each way", "non-blocking collective", "collective of GPUs"}[t]
}

// Table is one output of one test.
type Table struct {
	File      string
	Name      string // of the test, as its tool calls it
	Test      Test
	Processes int // 0: not printed
	Pairs     int // that communicate at once; 0: not printed
	Rows      []Row
}

// Row is a line of numbers.
type Row struct {
	Line    int
	Bytes   int64
	Seconds float64

	// Of Nonblocking; Seconds are of computation and collective together.
	Compute, Pure float64
	Printed       float64 // share of the collective hidden, as printed
	// Of Collective: bytes each GPU sends or receives for each of Bytes.
	Share float64
}

// Where names the file and the lines of a table.
func (t *Table) Where() string {
	first, last := t.Rows[0].Line, t.Rows[len(t.Rows)-1].Line
	if first == last {
		return fmt.Sprintf("%s:%d", t.File, first)
	}
	return fmt.Sprintf("%s:%d-%d", t.File, first, last)
}

// Hidden is the share of a non-blocking collective that computation hides, by the formula
// of the OSU micro-benchmarks.
func (r *Row) Hidden() float64 {
	if r.Pure <= 0 {
		return 0
	}
	return min(1, max(0, 1-(r.Seconds-r.Compute)/r.Pure))
}
