package gputrace

import (
	"bytes"
	"regexp"
	"sync"
)

// Begins tells whether a file with this beginning is a trace of the PyTorch profiler, or events of
// Chrome's format as the profiler writes them.
func Begins(begin []byte) bool {
	begin = bytes.TrimSpace(begin)
	switch {
	case bytes.HasPrefix(begin, []byte("{")):
		return marks().Match(begin)
	case bytes.HasPrefix(begin, []byte("[")):
		return firstEvent().Match(begin)
	}
	return false
}

var (
	marks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`"(traceEvents|deviceProperties|distributedInfo|schemaVersion)"\s*:`)
	})
	firstEvent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[\s*\{[^{}]*"ph"\s*:`) })
)

// deviceName is the name of a GPU in the head of a trace.
var deviceName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"deviceProperties"\s*:\s*\[\s*\{[^{}]*"name"\s*:\s*"([^"]*)"`)
})

// Device returns the name of the first GPU that the beginning of a trace describes, or "".
func Device(begin []byte) string {
	if found := deviceName().FindSubmatch(begin); found != nil {
		return string(found[1])
	}
	return ""
}
