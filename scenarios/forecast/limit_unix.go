//go:build unix && !openbsd

package forecast

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ulimit is what is left of the address space that the shell's ulimit -v allows.
func ulimit() Limit {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || uint64(r.Cur) >= 1<<60 {
		return Limit{}
	}
	return Limit{max(1, int64(r.Cur)-reserved()), "left of ulimit -v"}
}

// reserved is the address space that the process has already, 0 if not known.
func reserved() int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	first, _, _ := strings.Cut(string(text), " ")
	pages, _ := strconv.ParseInt(first, 10, 64)
	return pages * int64(os.Getpagesize())
}
