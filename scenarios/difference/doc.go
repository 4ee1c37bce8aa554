// Package difference says where the time of one run went differently from that of another:
// by term of the ledger, by phase and by rank. Its parts are whole picoseconds, and add up
// to the difference of the makespans exactly.
package difference
