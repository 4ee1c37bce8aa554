package cli

import (
	"os"
	"syscall"
	"unsafe"
)

// raise lets a signal have the effect on this process that it has on one that does not handle it. The system
// sees to that: left to Go's runtime, which raises the signal again in its handler, one process in some thousands
// ends by a fault of the runtime instead (morestack on gsignal, status 133).
func raise(s os.Signal) {
	var usual [64]byte  // as struct sigaction, all zero: SIG_DFL
	const signalSet = 8 // bytes of the mask in it
	number := s.(syscall.Signal)
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(number), uintptr(unsafe.Pointer(&usual)), 0, signalSet, 0, 0)
	syscall.Kill(os.Getpid(), number)
}
