package sim

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic in the code of a program, as an error.
type Panic struct {
	In    string // what it happened in: "rank 3", `process "baker" at 3us`
	Value any    // what the code panicked with
	Stack []byte // where
}

// Caught returns the panic whose value has just been recovered, in the same function. A panic
// that was caught before is returned unchanged.
func Caught(in string, value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	return &Panic{in, value, debug.Stack()}
}

// Catch turns a panic, if there is one, into an error. It must be deferred.
func Catch(in string, err *error) {
	if value := recover(); value != nil {
		*err = Caught(in, value)
	}
}

// Error returns the panic with where it happened and its stack.
func (p *Panic) Error() string { return fmt.Sprintf("%s: panic: %v\n\n%s", p.In, p.Value, p.Stack) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
