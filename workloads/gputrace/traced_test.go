package gputrace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// interval is a time on a GPU, in us.
type interval struct{ from, to float64 }

// merged joins intervals that touch or overlap.
func merged(all []interval) (out []interval) {
	slices.SortFunc(all, func(a, b interval) int { return int(math.Copysign(1, a.from-b.from)) })
	for _, i := range all {
		if n := len(out); n > 0 && i.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, i.to)
		} else {
			out = append(out, i)
		}
	}
	return out
}

func lengthOf(all []interval) (sum float64) {
	for _, i := range all {
		sum += i.to - i.from
	}
	return sum
}

// byDefinition computes what Holistic Trace Analysis defines from the JSON of a trace alone: merged intervals of NCCL's kernels
// and of kernels that are neither that nor memory, every pair of which is intersected.
func byDefinition(t *testing.T, text []byte) (communication, computation, both, idle, span float64) {
	var file struct {
		Events []struct {
			Phase    string  `json:"ph"`
			Category string  `json:"cat"`
			Name     string  `json:"name"`
			Start    float64 `json:"ts"`
			Duration float64 `json:"dur"`
		} `json:"traceEvents"`
	}
	must.Do(t, json.Unmarshal(text, &file))
	origin := math.Inf(1)
	for _, e := range file.Events {
		if e.Phase == "X" {
			origin = min(origin, e.Start)
		}
	}
	var comm, comp, all []interval
	for _, e := range file.Events {
		if e.Phase != "X" || !slices.Contains([]string{"kernel", "gpu_memcpy", "gpu_memset"}, e.Category) {
			continue
		}
		i := interval{e.Start - origin, e.Start - origin + e.Duration}
		all = append(all, i)
		switch {
		case strings.HasPrefix(e.Name, "nccl"):
			comm = append(comm, i)
		case !strings.Contains(e.Name, "Memcpy") && !strings.Contains(e.Name, "Memset"):
			comp = append(comp, i)
		}
	}
	comm, comp, all = merged(comm), merged(comp), merged(all)
	for _, a := range comm {
		for _, b := range comp {
			both += max(0, min(a.to, b.to)-max(a.from, b.from))
		}
	}
	span = all[len(all)-1].to - all[0].from
	return lengthOf(comm), lengthOf(comp), both, span - lengthOf(all), span
}

// What is traced is what Holistic Trace Analysis defines, to a microsecond.
func TestTracedByDefinition(t *testing.T) {
	for _, name := range files() {
		text := must.Get(os.ReadFile(name))(t)
		if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		checkTraced(t, name, text)
	}
}

func checkTraced(t *testing.T, name string, text []byte) {
	r, err := read(bytes.NewReader(text))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	communication, computation, both, idle, span := byDefinition(t, text)
	got := &r.measured
	for _, one := range []struct {
		what      string
		got, want float64
	}{{"communication", got.Communication, communication}, {"computation", got.Computation, computation}, {"both", got.Overlapped, both},
		{"idle", got.Idle, idle}, {"span", got.Span, span}} {
		if math.Abs(one.got*1e6-one.want) > 1 {
			t.Errorf("%s: %s takes %.3f us, by the definition %.3f us", name, one.what, one.got*1e6, one.want)
		}
	}
	if got.LaunchBound < 0 || got.LaunchBound > got.Idle+1e-9 {
		t.Errorf("%s: launch-bound %g s of %g s idle", name, got.LaunchBound, got.Idle)
	}
}

// Random operations on several streams, some of length 0 and many at once.
func TestTracedRandomly(t *testing.T) {
	for seed := range uint64(200) {
		checkTraced(t, fmt.Sprint("seed ", seed), randomTrace(seed))
	}
}

// randomTrace is a trace of a few dozen operations.
func randomTrace(seed uint64) []byte {
	next := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return (seed >> 33) % n
	}
	names := []struct{ category, name string }{{"kernel", "gemm"}, {"kernel", "ncclDevKernel_AllReduce"}, {"gpu_memcpy", "Memcpy DtoH"},
		{"gpu_memset", "Memset (Device)"}, {"cpu_op", "aten::add"}}
	var events []string
	for n := 2 + next(40); n > 0; n-- {
		of := names[next(5)]
		if n == 1 {
			of = names[0]
		}
		events = append(events, fmt.Sprintf(`{"ph":"X","cat":%q,"name":%q,"ts":%d.%03d,"dur":%d,"args":{"stream":%d,"device":0}}`, of.category, of.name,
			1_000_000_000+next(300), next(1000), next(30), next(4)))
	}
	return []byte(`{"traceEvents":[` + strings.Join(events, ",") + `]}`)
}

// A damaged trace names the event.
func TestDamagedTrace(t *testing.T) {
	good := `{"ph":"X","cat":"cpu_op","name":"aten::add","ts":1,"dur":1},`
	for text, want := range map[string]string{
		`{"traceEvents":[` + good + `{"ph":"X","cat":"kernel","name":"gemm","ts":5,"args":{"stream":7}}]}`:           `event 2 ("gemm", category kernel): dur: must be`,
		`{"traceEvents":[` + good + `{"ph":"X","cat":"kernel","name":"gemm","ts":"x","dur":1,"args":{"stream":7}}]}`: `event 2`,
		`{"traceEvents":[` + good + `{"ph":"X","cat":"kernel","name":"gemm","ts":5,"dur":-1,"args":{"stream":7}}]}`:  `not negative, got "-1"`,
		`{"traceEvents":[` + good + `{"ph":"X","cat":"ker`:                                                           `event 2, after "aten::add": the file ends inside it`,
		`{"traceEvents":[` + good + `{"ph":"X","cat":}]}`:                                                            `event 2, after "aten::add": is damaged`,
		`{"traceEvents":[` + strings.TrimSuffix(good, ","):                                                           `the list of events does not end`,
		`{"schemaVersion": 7, "traceEvents":[]}`:                                                                     `seems to be a trace of the PyTorch profiler in version 7`,
		gpuEvents("", [5]any{"a", 7, 1e15, 3, 1e15}, [5]any{"early", 7, 5, 3, 1}, [5]any{"b", 7, 1e15, 3, 1e15}):     `the operation "early" on stream 7`,
		gpuEvents("", [5]any{"a", 7, 5, 3, 0}, [5]any{"long", 7, 5, 1e15, 1}):                                        `ends at 1000000000000005.000 us`,
		`{"schemaVersion": 1, "traceEvents":[` + strings.TrimSuffix(good, ",") + `]}`:                                `has no operations of a GPU`,
	} {
		must.Refuse(read(strings.NewReader(text)))(t, want)
	}
}

// A rank begins a collective last only if another one began it before.
func TestLast(t *testing.T) {
	sum := func(start, length int) *rank {
		return reads(t, 2, kernelEvent("ncclDevKernel_AllReduce_Sum_f32", 9, 100, 100, `,"Group size":2,"Process Group Name":"0"`),
			kernelEvent("ncclDevKernel_AllReduce_Sum_f32", 9, start, length, `,"Group size":2,"Process Group Name":"0"`))
	}
	for late, want := range map[int]int{0: 0, 50: 1} {
		ranks := []*rank{sum(300, 100), sum(300+late, 100-late)}
		if got := traced(ranks, meetings(ranks)); got.Ranks[0].Last != 0 || got.Ranks[1].Last != want || *got.Ranks[0].Waited*1e6 != float64(late) {
			t.Errorf("%d us late: %+v and %+v", late, got.Ranks[0], got.Ranks[1])
		}
	}
}

// Clocks are set by the collectives that ranks were in at the same time. Ends of true pairs are -20, 10 and 30 us apart, so a clock is 10 us ahead.
// Pairs by order that are thousands of us apart are none.
func TestClocksByTrueCollectives(t *testing.T) {
	sums := func(at ...int) *rank {
		var events []string
		for _, start := range at {
			events = append(events, kernelEvent("ncclKernel_SendRecv", 9, start, 100, ""))
		}
		return reads(t, 2, events...)
	}
	ranks := []*rank{sums(1000, 2000, 3000, 4000, 5000, 6000, 7000), sums(1400, 1980, 3010, 4030, 5700, 6800, 7900)}
	got := traced(ranks, meetings(ranks))
	got.Skew.Mean *= 3
	if math.Abs(got.Skew.Mean-50e-6) > 1e-12 || got.Skew.Collectives != 3 || got.Skew.Most != 7 || got.Skew.Largest != 30e-6 || got.Ranks[1].Last != 1 || got.Ranks[0].Last != 1 {
		t.Errorf("%+v, last %d and %d", got.Skew, got.Ranks[0].Last, got.Ranks[1].Last)
	}
}
