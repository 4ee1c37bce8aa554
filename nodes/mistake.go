package nodes

import "fmt"

// Mistake is an error in what was asked for, rather than in what happened: parts that do not fit
// together, or more than a run can hold.
type Mistake struct {
	Key     string // the key to correct, in a scenario file or in a machine's file
	Message string
}

func (m *Mistake) Error() string { return m.Key + ": " + m.Message }

func mistake(key, format string, args ...any) error {
	return &Mistake{key, fmt.Sprintf(format, args...)}
}
