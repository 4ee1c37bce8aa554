package scenarios

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"overlapsim/sim"
)

// ErrStopped says that the user has stopped a series of runs. Results next to it
// are of those that were done.
var ErrStopped = errors.New("stopped")

// Parallel calls do for 0 to n-1, in as many goroutines at a time as there are
// processors. If a call panics, so does Parallel, when all have ended.
func Parallel(n int, do func(k int)) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	failures := make([]error, n)
	for k := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			defer sim.Catch(fmt.Sprintf("part %d of %d", k+1, n), &failures[k])
			do(k)
		})
	}
	group.Wait()
	for _, failure := range failures {
		if failure != nil {
			panic(failure)
		}
	}
}
