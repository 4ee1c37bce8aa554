package scenarios

import (
	"runtime"
	"sync"
)

// Parallel calls do for 0 to n-1, in as many goroutines at a time as there are
// processors.
func Parallel(n int, do func(k int)) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for k := range n {
		slots <- struct{}{}
		group.Go(func() {
			do(k)
			<-slots
		})
	}
	group.Wait()
}
