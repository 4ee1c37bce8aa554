package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/forecast"
)

// watchMemory lets the garbage collector work harder when memory is nearly used up. If it
// is used up all the same, it ends the program, which the system would otherwise kill
// without a message. The limit is looked up a moment after the start, when many commands have ended.
func watchMemory(out io.Writer) {
	go func() {
		time.Sleep(time.Millisecond)
		if limit := forecast.Memory(); limit.Bytes > 0 {
			watch(out, limit)
		}
	}()
}

// watch ends the program when the memory of the limit is used up.
func watch(out io.Writer, limit forecast.Limit) {
	most := max(limit.Bytes/2, limit.Bytes/20*19-besides)
	debug.SetMemoryLimit(limit.Bytes / 10 * 9)
	for used := inUse(); used < most; used = inUse() {
		time.Sleep(time.Duration(min(1000, 1+(most-used)>>22)) * time.Millisecond) // memory grows by less than 4 GiB/s
	}
	fmt.Fprintf(out, "overlapsim: out of memory: %.3g GiB are in use, and there were %.3g GiB (%s)\n",
		float64(inUse())/(1<<30), float64(limit.Bytes)/(1<<30), limit.From)
	disk.Abandon()
	os.Exit(crashed)
}

// freeHeap is how large the heap may become before garbage is collected for the first time, about.
const freeHeap = 32 << 20

// collectLater puts off the first collection of garbage. After it, memory is collected
// as usual. A short command that ends before needs no collection at all.
func collectLater() { collectFirstAt(freeHeap) }

// collectAfter puts the first collection off further, until a run has most of the memory that it
// needs. Until then there is hardly any garbage. Also, a collection looks at memory that is not used
// yet. For the system that is a use, and the first real one then costs as much again.
func collectAfter(need float64) {
	var so debug.GCStats
	debug.ReadGCStats(&so)
	if most := min(0.75*need, 1<<40); so.NumGC == 0 && most > freeHeap {
		collectFirstAt(most)
	}
}

// collectFirstAt lets the heap become so large before the first collection.
func collectFirstAt(heap float64) {
	const smallest, usual = 4 << 20, 100 // Go first collects at this many bytes, with this growth in percent
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(int(usual * heap / smallest))
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// besides is the memory of the program that Go does not count: its code, and the stacks of its
// threads.
const besides = 16 << 20

// inUse is the memory that the program has taken from the system and not given back.
func inUse() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
