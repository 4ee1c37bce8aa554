package scenarios

import (
	"runtime"
	"sync"
)

// Parallel does n things, as many at a time as there are processors.
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
