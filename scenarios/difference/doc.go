// Package difference splits the difference between the times of two runs
// by term of the time breakdown, by phase and by rank. Its parts are whole picoseconds, and add up
// to the difference of the makespans exactly.
package difference
