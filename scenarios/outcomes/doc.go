// Package outcomes summarises the run of a scenario: sums over ranks and
// phases, the critical path, the loads of links, and all of it as the record that is
// written as JSON.
package outcomes
