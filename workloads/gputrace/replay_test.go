package gputrace

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

var untouched = changes{compute: 1, communication: 1, host: 1, pauses: 1, unexplained: 1}

// files are the traces of the project, and those that lie next to it.
func files() (all []string) {
	for _, folder := range []string{"testdata", "../../../shared/data/traces/kineto"} {
		found, _ := filepath.Glob(filepath.Join(folder, "*.json.gz"))
		all = append(all, found...)
	}
	return all
}

func run(t *testing.T, w *writer) *streams.Result {
	t.Helper()
	return must.Get(streams.Run(&w.graph))(t)
}

// same compares a replay with its trace, operation by operation.
func same(t *testing.T, what string, ranks []*rank, w *writer) {
	t.Helper()
	r := run(t, w)
	last, operations := w.origin, 0
	for i, one := range ranks {
		for n := range one.ops {
			o := &one.ops[n]
			start, end := int64(r.Starts[w.replayed[i][n]]/sim.Nanosecond), int64(r.Ends[w.last[i][n]]/sim.Nanosecond)
			if start != o.start-w.origin || end != o.end-w.origin {
				t.Fatalf("%s: rank %d, operation %d (%.40s) from %d to %d ns, in the trace from %d to %d", what, i, n, o.name, start, end,
					o.start-w.origin, o.end-w.origin)
			}
			last, operations = max(last, o.end), operations+1
		}
	}
	if got := int64(r.Makespan / sim.Nanosecond); got != last-w.origin {
		t.Errorf("%s: span %d, in the trace %d", what, got, last-w.origin)
	}
	t.Logf("%s: %d operations have the times of the trace, span %v", what, operations, r.Makespan)
}

// A trace that is replayed as it is gives its own times, each rank alone and ranks together.
func TestOwnTimes(t *testing.T) {
	var together []*rank
	for _, name := range files() {
		all := must.Get(readFile(name))(t)
		r := all[0]
		same(t, name, []*rank{r}, write([]*rank{r}, untouched))
		if strings.HasPrefix(name, "testdata") {
			together = append(together, r)
		}
	}
	w := write(together, untouched)
	if len(w.graph.Collectives) == countCollectives(together) {
		t.Error("the ranks have no collective in common")
	}
	same(t, "together", together, w)
}

func countCollectives(ranks []*rank) (n int) {
	for _, r := range ranks {
		for i := range r.ops {
			if r.ops[i].kind == collective {
				n++
			}
		}
	}
	return n
}

// gpuEvents writes a trace of operations: name, stream, start, duration, launch in us.
func gpuEvents(host string, operations ...[5]any) string {
	text := `{"traceEvents": [` + host
	for i, o := range operations {
		text += fmt.Sprintf(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":%v,"dur":1,"args":{"correlation":%d}},
{"ph":"X","cat":"kernel","name":"%v","ts":%v,"dur":%v,"args":{"device":0,"stream":%v,"correlation":%d,
"Group size":2,"In msg nelems":1000,"Out msg nelems":1000,"dtype":"Float","Process Group Name":"0"}},`, o[4], i+1, o[0], o[2], o[3], o[1], i+1)
	}
	return strings.TrimSuffix(text, ",") + "]}"
}

func mustRead(t *testing.T, text string) *rank {
	t.Helper()
	return must.Get(read(strings.NewReader(text)))(t)
}

// endOf is when an operation of the only rank ends, in us from the first launch.
func endOf(t *testing.T, r *rank, name string, change func(*changes)) float64 {
	t.Helper()
	c := untouched
	change(&c)
	w := write([]*rank{r}, c)
	result := run(t, w)
	for n := range r.ops {
		if r.ops[n].name == name {
			return result.Ends[w.last[0][n]].Seconds() * 1e6
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// A change moves what waits for the changed operation: through the stream, through the event for
// which a collective waits, and through the host.
func TestWhatIf(t *testing.T) {
	none := func(*changes) {}
	half := func(c *changes) { c.compute = 0.5 }
	// b follows a on its stream; the collective starts when b has ended, 2 us later; c is launched late
	stream := mustRead(t, gpuEvents("", [5]any{"a", 7, 10, 100, 0}, [5]any{"b", 7, 110, 100, 1}, [5]any{"ncclKernel_AllReduce_x", 9, 212, 50, 2},
		[5]any{"c", 7, 500, 10, 490}))
	for _, c := range []struct {
		name   string
		want   float64
		change func(*changes)
	}{
		{"b", 210, none}, {"b", 110, half}, {"ncclKernel_AllReduce_x", 262, none}, {"ncclKernel_AllReduce_x", 162, half},
		{"ncclKernel_AllReduce_x", 237, func(c *changes) { c.communication = 0.5 }}, {"c", 510, none}, {"c", 505, half},
		{"c", 210, func(c *changes) { c.host = 0 }}, {"c", 510, func(c *changes) { c.pauses = 0 }}, // its launch took 10 us
	} {
		if got := endOf(t, stream, c.name, c.change); got < c.want-1e-3 || got > c.want+1e-3 {
			t.Errorf("%s ends at %g us, want %g", c.name, got, c.want)
		}
	}
	// the host waits for a before it launches b
	sync := mustRead(t, gpuEvents(`{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":2,"dur":110,"args":{}},`,
		[5]any{"a", 7, 10, 100, 0}, [5]any{"b", 7, 130, 10, 120}))
	if a, b := endOf(t, sync, "b", none), endOf(t, sync, "b", half); a != 140 || b != 85 { // 50 us for a, 5 us for b
		t.Errorf("after a wait of the host b ends at %g and %g us", a, b)
	}
}

// A pause is not computation. A stream computes for as long as its kernels take, and the critical
// path shows the pause as such.
func TestPauses(t *testing.T) {
	r := mustRead(t, gpuEvents("", [5]any{"a", 7, 10, 100, 0}, [5]any{"b", 7, 500, 10, 1}))
	w := &replay{ranks: []*rank{r}, Compute: 1, Communication: 1, Host: 1, Pauses: 1, Unexplained: 1, Collectives: measured}
	out, err := w.RunGPUs(&machines.Machine{GPUs: &gpus.Machine{}}, experiments.Place{Ranks: 1, PerNode: 1, Critical: true})
	if err != nil {
		t.Fatal(err)
	}
	parts, path := map[string]sim.Time{}, map[string]sim.Time{}
	for _, p := range out.Streams[0].Parts {
		parts[p.Name] += p.Time
	}
	for _, p := range out.Critical {
		path[p.Part.String()] += p.End - p.Start
	}
	for _, got := range []map[string]sim.Time{parts, path} {
		if got["compute"] != 110*sim.Microsecond || got["unexplained"] != 390*sim.Microsecond { // launches take 10 us here
			t.Errorf("compute and pause: %v", got)
		}
	}
}

// A collective begins with its last rank. If one rank comes later, the other one waits.
func TestRanksTogether(t *testing.T) {
	early := mustRead(t, gpuEvents("", [5]any{"a", 7, 0, 10, 0}, [5]any{"ncclKernel_AllReduce_x", 7, 10, 140, 1}))
	late := mustRead(t, gpuEvents("", [5]any{"a", 7, 0, 100, 0}, [5]any{"ncclKernel_AllReduce_x", 7, 100, 50, 1}))
	w := write([]*rank{early, late}, untouched)
	same(t, "skew", []*rank{early, late}, w)
	if r := run(t, write([]*rank{early, late}, changes{compute: 0.5, communication: 1, host: 1, pauses: 1, unexplained: 1})); r.Makespan != 100*sim.Microsecond {
		t.Errorf("with half the computation it takes %v", r.Makespan)
	}
}

// Times since 1970 keep their nanoseconds.
func TestNanoseconds(t *testing.T) {
	for text, want := range map[string]int64{"1682725898082228.123": 1682725898082228123, "5": 5000, "0.5": 500, "1.2345": 1234, "1e3": 1000000,
		"-1.5": -1500} {
		if got, ok := nanoseconds(json.Number(text)); !ok || got != want {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
	if _, ok := nanoseconds("1e300"); ok {
		t.Error("1e300 us is a time")
	}
}

// What is not a trace is refused with an error that says what is wrong.
func TestNoTraces(t *testing.T) {
	for text, want := range map[string]string{
		"": "EOF", "3": "must be an object with traceEvents", "{}": "must be an object with traceEvents", `{"traceEvents": 3}`: "must be an object",
		"[]": "has no operations of a GPU", `{"traceEvents": [{]}`: "at byte", "\x1f\x8b": "is not gzip",
	} {
		name := filepath.Join(t.TempDir(), "trace")
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		must.Refuse(readFile(name))(t, want)
	}
}

// Endless blanks, or an endless value, are refused before they take memory, or the time to
// examine them again and again.
func TestEndless(t *testing.T) {
	for before, again := range map[string]string{"": " ", `{"traceEvents": [`: "\n", `{"x": "`: "a", `{"x": [`: "1,"} {
		must.Refuse(read(io.MultiReader(strings.NewReader(before), &endless{again})))(t, "more than 16777216 bytes")
	}
}

type endless struct{ text string }

func (e *endless) Read(to []byte) (int, error) {
	to = to[:len(to)/len(e.text)*len(e.text)]
	copy(to, strings.Repeat(e.text, len(to)/len(e.text)))
	return len(to), nil
}

// Every trace that is read can be replayed, and gives its own times.
func FuzzRead(f *testing.F) {
	f.Add([]byte(gpuEvents("", [5]any{"a", 7, 10, 100, 0}, [5]any{"b", 8, 110, 100, 1}, [5]any{"ncclKernel_AllReduce_x", 9, 212, 50, 2})))
	f.Add([]byte(gpuEvents(`{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","ts":2,"dur":110,"args":{}},`, [5]any{"a", 7, 1, 2, 3})))
	f.Add([]byte("[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := read(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		w := &replay{Compute: 1, Communication: 1, Host: 1, Pauses: 1, Unexplained: 1, Collectives: measured, ranks: []*rank{r}}
		if w.longest() > 1e6 {
			return
		}
		same(t, "fuzzed", []*rank{r}, write([]*rank{r}, untouched))
	})
}

// A missing file is an error of the file system, which says so.
func TestMissingFile(t *testing.T) {
	if _, err := readFile("nothing.json"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// launched is an event of a kernel whose call began some us earlier.
func launched(call, start, length int) string {
	return fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k","ts":%d,"dur":%d,"args":{"device":0,"stream":7,"correlation":%d}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":%d,"dur":4,"args":{"correlation":%[3]d}},`, start, length, start, call)
}

// The way of a launch to the GPU is the host's, and no pause of the stream: without launches kernels follow each other. What was launched
// long before its start keeps its pause.
func TestLaunchesOnTheWay(t *testing.T) {
	r := reads(t, 1, launched(0, 8, 5), launched(20, 29, 5), launched(40, 49, 5), launched(47, 58, 5), // 2 us later than launches usually take
		launched(60, 69, 100), launched(70, 171, 5), launched(72, 176, 5))
	same(t, "launches on the way", []*rank{r}, write([]*rank{r}, untouched))
	free := untouched
	free.host = 0
	if got, want := run(t, write([]*rank{r}, free)).Makespan, (5+5+5+2+5+100+2+5+5)*sim.Microsecond; got != want {
		t.Errorf("without launches %v, want %v", got, want)
	}
}
