// Package patterns compiles regular expressions when they are first used. A command needs few of
// them, and to compile all takes a tenth of the time in which a program starts.
package patterns

import (
	"regexp"
	"sync"
)

// New returns what compiles an expression, once. An expression that is wrong panics then.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
