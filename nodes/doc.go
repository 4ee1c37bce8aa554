// Package nodes runs programs on a machine: processes on cores, what their
// computation costs, how they post, move and wait for messages, and where
// their time goes.
//
// The rules of a run are numbered; docs/rules.md has them. The engine follows them to
// the picosecond. The slow second implementation in reference_test.go is written from
// them: change all three together.
package nodes
