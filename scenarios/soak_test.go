package scenarios

import (
	"flag"
	"fmt"
	"runtime"
	"testing"

	"overlapsim/nodes"
)

var soak = flag.Int("soak", 400, "small scenarios that are loaded and run in one process")

// soaked are small scenarios with all that holds state: libraries, fabrics, mappings, noise.
var soaked = []string{
	"machine: jacquard\nworkload: {name: token-ring, bytes: %dB}\nranks: 4\n",
	"machine: {base: hopper, runtime: openmpi-2.x}\nworkload: {name: halo, bytes: %dB, iterations: 2}\nranks: 8\n",
	"machine: {base: loggp, topology: {kind: torus, dims: [4, 2]}, links: {bandwidth: 1GB/s}}\nfabric: {kind: flow}\n" +
		"workload: {name: alltoall-linear, bytes: %dB}\nranks: 8\nmapping: random\n",
	"machine: {base: loggp, noise: {rate: 1kHz, length: 10us}}\nworkload: {name: allreduce-doubling, bytes: %dB}\nranks: 8\n",
	"machine: jacquard\nworkload: {name: token-ring, bytes: %dx}\nranks: 4\n", // a mistake
}

// Many scenarios in one process leave nothing behind: the heap at the end is that at half
// time, and all goroutines have ended.
func TestSoak(t *testing.T) {
	run := func(from, to int) {
		for i := from; i < to; i++ {
			text := fmt.Sprintf(soaked[i%len(soaked)], 1+i)
			study, err := Read("soak.yaml", []byte(text), []string{fmt.Sprintf("seed=%d", i)})
			if (err != nil) != (i%len(soaked) == len(soaked)-1) {
				t.Fatalf("%s%v", text, err)
			}
			if err == nil {
				if _, err := study.Runs[0].Run(nodes.Options{Critical: i%7 == 0, Timeline: i%11 == 0}); err != nil {
					t.Fatal(text, err)
				}
			}
		}
	}
	const slack = 8 << 20 // the trees that are kept of texts come and go
	run(0, *soak/2)
	before, goroutines := heap(), runtime.NumGoroutine()
	run(*soak/2, *soak)
	after := heap()
	t.Logf("%d scenarios; heap %d KiB at half time, %d KiB at the end", *soak, before>>10, after>>10)
	if after > before+slack {
		t.Errorf("the heap grew from %d KiB to %d KiB", before>>10, after>>10)
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines at half time, %d at the end", goroutines, now)
	}
}

// heap returns the bytes in use on the heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
