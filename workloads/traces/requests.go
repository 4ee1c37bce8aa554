package traces

import "strings"

// Requests gives out the numbers of requests. One that was given back comes first.
type Requests struct {
	free []int32
	used int32 // numbers that were given out
}

// Take returns a number that is not in use.
func (r *Requests) Take() (number int32) {
	if last := len(r.free) - 1; last >= 0 {
		number, r.free = r.free[last], r.free[:last]
		return number
	}
	r.used++
	return r.used - 1
}

// Return gives a number back.
func (r *Requests) Return(number int32) { r.free = append(r.free, number) }

// Mode notes in a call what the name of a send says: MPI_Bsend copies the message, MPI_Ssend waits for the receiver.
func (c *Call) Mode(function string) {
	switch strings.TrimSuffix(function, "_init") {
	case "MPI_Bsend", "MPI_Ibsend":
		c.Copied = true
	case "MPI_Ssend", "MPI_Issend":
		c.Sync = true
	}
}
