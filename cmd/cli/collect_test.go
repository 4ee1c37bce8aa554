package cli

import "runtime/debug"

// Runs of tests have so small a heap that the garbage collector would take most of their time.
func init() { debug.SetGCPercent(800) }
