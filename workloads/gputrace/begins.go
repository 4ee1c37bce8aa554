package gputrace

import (
	"bytes"
	"regexp"
	"sync"

	"overlapsim/workloads/inputs/sqlite"
)

// Begins tells whether a file with this beginning is a trace of the PyTorch profiler, events of
// Chrome's format as the profiler writes them, or a database, as Nsight Systems exports.
func Begins(begin []byte) bool {
	if sqlite.Begins(begin) {
		return true
	}
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

// Device returns the name of the first GPU that a trace with this beginning describes, or "".
func Device(file string, begin []byte) string {
	if sqlite.Begins(begin) {
		return deviceIn(file)
	}
	if found := deviceName().FindSubmatch(begin); found != nil {
		return string(found[1])
	}
	return ""
}
