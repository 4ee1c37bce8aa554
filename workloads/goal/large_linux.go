package goal

import (
	"os"
	"syscall"
	"unsafe"
)

// large makes a list of zeros. It asks the system for huge pages if the list is long: they take a
// fraction of the time of small ones to fill, and their addresses are quicker to find. The system
// may decline.
func large[T any](n int) []T {
	const long = 512 << 10 // bytes
	list := make([]T, n)
	page, bytes := uintptr(os.Getpagesize()), uintptr(n)*unsafe.Sizeof(*new(T))
	if bytes < long {
		return list
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes)
	before := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % page // bytes before its first whole page
	_ = syscall.Madvise(memory[before:before+(bytes-before)/page*page], syscall.MADV_HUGEPAGE)
	return list
}
