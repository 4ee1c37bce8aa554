// Package collectives has collective operations, by named algorithms, for programs to
// call: compiled programs call them in a step, live ones anywhere.
//
// An algorithm is a schedule of rounds. In a round a member posts messages, waits for all
// of them, and combines what it got. Each message says which bytes of the member's memory
// it carries, so a test can follow the contents of all members and prove that each ends
// with just the right data.
//
// Call does all rounds. A program of many ranks may do one round in a step, so that a run
// holds the operations of one round only. Start starts a non-blocking collective: a schedule
// whose first round is posted in the call, and whose later rounds the library begins.
package collectives
