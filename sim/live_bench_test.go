package sim

import (
	"fmt"
	"testing"

	"github.com/fschuetz04/simgo"
)

// The same load in five ways: n sleepers, each with exponential times, over and over. An
// event is one wake.

func BenchmarkLive(b *testing.B) {
	for _, way := range []struct {
		name string
		run  func(b *testing.B, d *distribution, n int)
	}{
		{"kernel", liveKernel},
		{"process", liveProcess},
		{"await", liveAwait},
		{"simgo-callback", liveSimgoCallback},
		{"simgo-process", liveSimgoProcess},
	} {
		for _, n := range []int{1e3, 1e5} {
			b.Run(fmt.Sprintf("%s/%d", way.name, n), func(b *testing.B) {
				b.ReportAllocs()
				way.run(b, increments()[0], n)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// liveKernel has plain kernel events, no processes.
func liveKernel(b *testing.B, d *distribution, n int) {
	h := newKernelHold(d, n)
	h.run(2 * n)
	b.ResetTimer()
	h.run(b.N)
	b.StopTimer()
	checkCounts(b, h, n, 2*n+b.N)
}

// stepWakes steps k until every process has started and then b.N times, and
// checks that each step was one wake.
func stepWakes(b *testing.B, k *Kernel, n int, wakes *int) {
	for range 2 * n {
		k.Step()
	}
	b.ResetTimer()
	for range b.N {
		k.Step()
	}
	b.StopTimer()
	if *wakes != 2*n+b.N || k.Processed() != uint64(*wakes) {
		b.Fatalf("%d wakes, %d events, want %d", *wakes, k.Processed(), 2*n+b.N)
	}
}

// liveProcess has processes that sleep.
func liveProcess(b *testing.B, d *distribution, n int) {
	v := NewEnv(NewKernel())
	h, wakes := &hold{d, 1}, 0
	for range n {
		v.Process("sleeper", func(p *Process) {
			for {
				wakes++
				p.Sleep(h.next())
			}
		})
	}
	stepWakes(b, v.Kernel(), n, &wakes)
	v.Shutdown()
}

// liveAwait has processes that wait for a signal a timeout triggers: the cost
// of composition.
func liveAwait(b *testing.B, d *distribution, n int) {
	v := NewEnv(NewKernel())
	h, wakes := &hold{d, 1}, 0
	for range n {
		v.Process("waits", func(p *Process) {
			for {
				wakes++
				p.Await(v.Timeout(h.next()))
			}
		})
	}
	stepWakes(b, v.Kernel(), n, &wakes)
	v.Shutdown()
}

// stepSimgo steps a simgo simulation until wakes reaches 2n and then for b.N
// wakes more.
func stepSimgo(b *testing.B, s *simgo.Simulation, n int, wakes *int) {
	for *wakes < 2*n {
		s.Step()
	}
	b.ResetTimer()
	for range b.N {
		s.Step()
	}
	b.StopTimer()
	if *wakes != 2*n+b.N {
		b.Fatalf("%d wakes, want %d", *wakes, 2*n+b.N)
	}
}

func liveSimgoCallback(b *testing.B, d *distribution, n int) {
	s := simgo.NewSimulation()
	h, wakes := &hold{d, 1}, 0
	var wake func(*simgo.Event)
	wake = func(*simgo.Event) {
		wakes++
		s.Timeout(h.next().Seconds()).AddHandler(wake)
	}
	for range n {
		wake(nil)
	}
	stepSimgo(b, s, n, &wakes)
}

func liveSimgoProcess(b *testing.B, d *distribution, n int) {
	s := simgo.NewSimulation()
	h, wakes := &hold{d, 1}, 0
	for range n {
		s.Process(func(p simgo.Process) {
			for {
				wakes++
				p.Wait(p.Timeout(h.next().Seconds()))
			}
		})
	}
	stepSimgo(b, s, n, &wakes)
	s.Shutdown()
}
