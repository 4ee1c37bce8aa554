package validation

import "runtime/debug"

// Runs of tests are small: with so small a heap, most of the time would be the collector's.
func init() { debug.SetGCPercent(800) }
