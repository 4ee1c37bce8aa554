package keys

import (
	"regexp"
	"sync"
)

// Pattern returns what compiles a regular expression when it is first used, once. A command needs few
// of them, and to compile all takes a tenth of the time in which a program starts. An expression that
// is wrong panics then.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
