package gputrace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// backward is a backward pass. Each of its kernels gives a gradient, and a last kernel needs all
// sums. Times are in ns.
type backward struct {
	kernels     []int64 // what each takes, by rank
	gradients   int
	bytes       int64 // of each
	start, each int64 // a collective takes start, and each in addition for every gradient
	loss        int64 // time of the kernel between the last gradient and the one that needs all sums
}

// sizes are the numbers of gradients of each bucket. The first bucket has one.
func (b *backward) sizes(most int) (all []int) {
	for left := b.gradients; left > 0; left -= all[len(all)-1] {
		if all = append(all, min(left, most)); len(all) == 1 {
			all[0] = 1
		}
	}
	return all
}

// traces writes what the profiler would see of each rank, and returns when the pass ends.
func (b *backward) traces(t *rapid.T, most int) (all []*rank, end int64) {
	texts, free, done := make([]recording, len(b.kernels)), int64(0), 0
	for _, n := range b.sizes(most) {
		begins := make([]int64, len(b.kernels))
		for r, k := range b.kernels {
			for i := range n {
				texts[r].kernel("gradient", 7, int64(done+i)*k, k)
			}
			begins[r] = max(free, int64(done+n)*k)
		}
		done += n
		free = slices.Max(begins) + b.start + b.each*int64(n)
		for r, begin := range begins {
			texts[r].sum(9, begin, free-begin, b.bytes*int64(n), len(b.kernels))
		}
	}
	for r, k := range b.kernels {
		texts[r].kernel("loss", 7, int64(done)*k, b.loss)
		for range b.sizes(most) {
			texts[r].call("cudaStreamWaitEvent")
		}
		begin := max(free, int64(done)*k+b.loss)
		texts[r].kernel("optimizer", 7, begin, 1)
		end = max(end, begin+1)
		one := must.Get(read(strings.NewReader("[" + strings.Join(texts[r].events, ",") + "]")))(t)
		all = append(all, one)
	}
	return all, end
}

// recording holds the events of a trace. The host takes 1 ns for a call.
type recording struct {
	events []string
	calls  int
}

// before is how long the host launches before the first kernel begins.
const before = 1e6

func (r *recording) call(name string) {
	r.calls++
	r.events = append(r.events, fmt.Sprintf(`{"ph":"X","cat":"cuda_runtime","name":%q,"ts":%s,"dur":0,"args":{"correlation":%d}}`, name,
		micro(int64(r.calls)), r.calls))
}

func (r *recording) kernel(name string, stream int, start, length int64) {
	r.launch(name, stream, start, length, "")
}

func (r *recording) launch(name string, stream int, start, length int64, more string) {
	r.call("cudaLaunchKernel")
	r.events = append(r.events, fmt.Sprintf(`{"ph":"X","cat":"kernel","name":%q,"ts":%s,"dur":%s,"args":{"stream":%d,"correlation":%d%s}}`, name,
		micro(start+before), micro(length), stream, r.calls, more))
}

func (r *recording) sum(stream int, start, length, bytes int64, ranks int) {
	r.call("cudaEventRecord")
	r.call("cudaStreamWaitEvent")
	r.launch("ncclDevKernel_AllReduce_Sum_f32", stream, start, length, fmt.Sprintf(
		`,"dtype":"Float","In msg nelems":%d,"Out msg nelems":%[1]d,"Group size":%d,"Process Group Name":"0"`, bytes/4, max(2, ranks)))
	r.call("cudaEventRecord")
	r.call("cudaStreamWaitEvent") // NCCL's own
}

// A trace with other buckets takes as long as a trace that was made with these buckets. That
// holds whether buckets are joined or cut, on one rank or two, and for any times that collectives and
// kernels have. The same number of bytes is summed up, and none before its gradient is complete.
func TestBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &backward{gradients: rapid.IntRange(2, 20).Draw(t, "gradients"), bytes: 4 * rapid.Int64Range(1, 1000).Draw(t, "floats"),
			start: rapid.Int64Range(0, 5000).Draw(t, "start"), each: rapid.Int64Range(1, 5000).Draw(t, "each"),
			loss: rapid.Int64Range(1, 40000).Draw(t, "loss"), kernels: rapid.SliceOfN(rapid.Int64Range(1000, 5000), 1, 2).Draw(t, "kernels")}
		few, many := rapid.IntRange(1, b.gradients).Draw(t, "few"), 1
		c := untouched
		factor := rapid.SampledFrom([]float64{0.5, 1, 3})
		c.compute, c.communication = factor.Draw(t, "compute"), factor.Draw(t, "communication")
		c.time = func(_ *operation, bytes int64) (latency, all float64) {
			return float64(b.start), float64(b.start + b.each*(bytes/b.bytes))
		}
		if rapid.Bool().Draw(t, "cut") {
			few, many = many, few
		}
		ranks, end := b.traces(t, few)
		own := c
		own.compute, own.communication, own.bucket = 1, 1, b.bytes*int64(few)
		if got := replayed(t, ranks, own); got[len(got)-1] != sim.Time(end+before-1)*sim.Nanosecond {
			t.Fatalf("with its own buckets %v, in the trace %d ns", got, end)
		}
		other, _ := b.traces(t, many)
		want := replayed(t, other, c)
		c.bucket = b.bytes * int64(many)
		if got := replayed(t, ranks, c); !slices.Equal(got, want) {
			t.Fatalf("buckets of %d gradients made of those of %d: %v, want %v", many, few, got, want)
		}
	})
}

// Gradients of two steps are never in one bucket, though nothing in the trace waits for those of the first.
func TestBucketsOfSteps(t *testing.T) {
	sums := func(more string) *rank {
		return mustRead(t, gpuEvents(more, [5]any{"ncclDevKernel_AllReduce_a", 9, 10, 5, 1}, [5]any{"ncclDevKernel_AllReduce_b", 9, 20, 5, 2},
			[5]any{"ncclDevKernel_AllReduce_c", 9, 40, 5, 31}, [5]any{"ncclDevKernel_AllReduce_d", 9, 50, 5, 32}))
	}
	for more, want := range map[string]int64{
		"": 2, // the first one, and the others together
		`{"ph":"X","cat":"user_annotation","name":"Optimizer.step#SGD.step","ts":30,"dur":1},`: 4, // twice the first one and the other
	} {
		r := []*rank{sums(more)}
		if p := newPlan(r, meetings(r), 1e6); p.buckets != want {
			t.Errorf("with %q %d buckets, want %d", more, p.buckets, want)
		}
	}
}

// What has no buckets, and what would have too many, is refused.
func TestNoBuckets(t *testing.T) {
	m := &gpus.Machine{}
	one := []*rank{mustRead(t, gpuEvents("", [5]any{"ncclDevKernel_AllReduce_a", 9, 10, 5, 1}))}
	two := []*rank{mustRead(t, gpuEvents("", [5]any{"ncclDevKernel_AllReduce_a", 9, 10, 5, 1}, [5]any{"ncclDevKernel_AllReduce_b", 9, 20, 5, 2}))}
	two[0].ops[1].bytes = 1 << 40
	between := []*rank{mustRead(t, gpuEvents("", [5]any{"ncclDevKernel_AllReduce_a", 9, 10, 5, 1}, [5]any{"product", 9, 15, 5, 2},
		[5]any{"ncclDevKernel_AllReduce_b", 9, 20, 5, 3}))} // a product has to wait for the first one: tensor parallelism
	const no = "no buckets whose sizes are known"
	for _, c := range []struct {
		want  string
		ranks []*rank
	}{{no, one}, {no, between}, {"the most is 1048576", two}} {
		if err := newPlan(c.ranks, meetings(c.ranks), 1).check(m, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// replayed returns when the collectives of a replay begin, and when it ends.
func replayed(t *rapid.T, ranks []*rank, c changes) []sim.Time {
	r := must.Get(streams.Run(&write(ranks, c).graph))(t)
	slices.Sort(r.Begun)
	return append(r.Begun, r.Makespan)
}
