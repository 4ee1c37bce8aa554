// Package disk reads and writes the files of a user. What is read is bounded, what is
// written appears whole or not at all, and nothing is written over that was read.
package disk
