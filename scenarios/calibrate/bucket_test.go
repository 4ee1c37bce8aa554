package calibrate

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/scenarios/calibrate/outputs"
	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

const behind = "{rate: 100MB/s, depth: 20kB, payload: 1448B, header: 99B, shared: all}"

// Only times that a bucket holds back are omitted. Two messages of one size, there and back,
// have room in a bucket of both directions as long as it holds twice the bytes of one. The result
// is the machine measured without the bucket, as far as those sizes determine it, with the
// bucket.
func TestBehind(t *testing.T) {
	m, err := files.ReadMachine("limited.yaml", []byte("base: william\nprocesses_per_node: 1\nnodes: 2\nbucket: "+behind+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	limited := must.Get(Measure(m))(t)
	free := must.Get(behindNoBucket(m.Machine))(t)
	for _, p := range free.Samples[OneWay].Medians() {
		passes := 2*float64(p.Bytes+99*max(1, (p.Bytes+1447)/1448)) <= 20e3
		if got, kept := limited.Samples[OneWay][p.Bytes]; kept != passes {
			t.Errorf("%d B: kept %v, passes %v", p.Bytes, kept, passes)
		} else if kept && math.Abs(got[0]/p.Seconds-1) > 1e-6 {
			t.Errorf("%d B: %g s behind the bucket, %g s without", p.Bytes, got[0], p.Seconds)
		} else if !kept {
			delete(free.Samples[OneWay], p.Bytes)
		}
	}
	with := must.Get(newFit(limited, "limited", ""))(t)
	without := must.Get(newFit(free, "limited", ""))(t)
	if a, b := with.Machine.Network.Transfer.Of(5000), without.Machine.Network.Transfer.Of(5000); a != b {
		t.Errorf("G(5000 B) is %v, without the bucket %v", a, b)
	}
	if bytes.Contains(without.Text, []byte("bucket:")) {
		t.Error("a bucket that was not given")
	}
	again, err := with.Machine.Fabric("backlog")
	if err != nil || again == nil {
		t.Fatal(err)
	}
	for _, f := range with.Machine.Facts {
		if f.Path == "bucket.depth" && f.Value == "20kB" {
			return
		}
	}
	t.Errorf("the machine has no bucket of that depth:\n%s", with.Text)
}

// Calls that send what a full bucket holds back are omitted where they take longer than those of messages that pass lead to expect. Calls that
// take no longer, as those of a rendezvous, are kept, and so is all that passes. The sizes are those of one message, there alone.
func TestQueuedSends(t *testing.T) {
	for _, waits := range []float64{0, 80e-6} {
		d := newData(nil)
		for bytes := int64(1000); bytes <= 40000; bytes += 1000 {
			passes := float64(bytes+99*((bytes+1447)/1448)) <= 20e3
			seconds := 6e-6 + 0.5e-9*float64(bytes)
			switch {
			case bytes > 35000:
				seconds = 5e-6
			case !passes:
				seconds += waits
			}
			d.Samples[SendCPU][bytes] = []float64{seconds}
			d.Samples[OneWay][bytes] = []float64{20e-6 + 1e-9*float64(bytes)}
		}
		must.Do(t, d.Behind(behind))
		for bytes := int64(1000); bytes <= 40000; bytes += 1000 {
			passes := float64(bytes+99*((bytes+1447)/1448)) <= 20e3
			if _, kept := d.Samples[SendCPU][bytes]; kept != (waits == 0 || passes || bytes > 35000) {
				t.Errorf("calls that wait %g s longer, %d B: kept %v", waits, bytes, kept)
			}
		}
	}
}

// The machines of the study real-mpi are those that its logs of calls give.
func TestRealMPI(t *testing.T) {
	must.Long(t)
	const limiter = "{rate: 1Gbit/s, depth: 16KiB, payload: 1448B, header: 99B, shared: all}"
	for _, c := range []struct{ calls, machine, runtime, bucket string }{
		{"openmpi-tcp", "loopback-openmpi", "openmpi-4.1-tcp", limiter},
		{"mpich-tcp", "loopback-mpich", "mpich-4-ucx-tcp", limiter},
		{"openmpi-shm", "loopback-openmpi-shm", "openmpi-4.1-shm", ""},
		{"mpich-shm", "loopback-mpich-shm", "mpich-4-ucx-shm", ""},
	} {
		var files []string
		for _, experiment := range []string{"isend", "late", "pingpong"} {
			files = append(files, filepath.Join("testdata", c.calls, experiment+".csv.gz"))
		}
		d := must.Get(Read(files))(t)
		if c.bucket != "" {
			must.Do(t, d.Behind(c.bucket))
		}
		f := must.Get(newFit(d, c.machine, c.runtime))(t)
		if kept, err := os.ReadFile(filepath.Join("..", "files", "machines", c.machine+".yaml")); err != nil || !bytes.Equal(kept, f.Text) {
			t.Errorf("machines/%s.yaml is not what the fit gives (%v):\n%s", c.machine, err, f.Text)
		}
	}
}

// A byte of a fragment costs what a byte of an eager message costs, unless the library gives a
// cost of its own.
func TestPipelineCosts(t *testing.T) {
	const eager = 0.5 // ns/B
	m := must.Get(files.ReadMachine("copies.yaml", []byte("base: william\nprocesses_per_node: 1\nruntime: openmpi-1.10-tcp\nnetwork:\n"+
		"  send_overhead: [{from: 0B, time: 1us, per_byte: 0.5ns/B}]\n  receive_overhead: [{from: 0B, time: 1us, per_byte: 0.25ns/B}]\n")))(t)
	d := must.Get(behindNoBucket(m.Machine))(t)
	for runtime, want := range map[string]float64{"openmpi-1.10-tcp": eager * 1e3, "openmpi-1.10": 0, "": 0} {
		f := must.Get(newFit(d, "copies", runtime))(t)
		got := 0.0
		if f.Machine.Runtime != nil {
			got = f.Machine.Runtime.Pipeline.In
		}
		if math.Abs(got-want) > 0.02*eager*1e3 {
			t.Errorf("%q: copying a fragment costs %g ps/B, want %g", runtime, got, want)
		}
	}
}

// A benchmark that repeats its messages empties the bucket: what does not take a quarter longer than the bucket needs is omitted, with all
// larger sizes. Large messages tell the header, and whether the rate is possible.
func TestEmptyBucket(t *testing.T) {
	m := must.Get(files.ReadMachine("free.yaml", []byte("base: william\nprocesses_per_node: 1\nnodes: 2\n")))(t)
	wire := func(bytes int64) float64 { return float64(bytes+70*max(1, (bytes+1447)/1448)) / 125e6 }
	measured := func() *Data {
		var sizes []int64
		for size := int64(1); size <= 1<<20; size *= 2 {
			sizes = append(sizes, size, size+size/2)
		}
		d := must.Get(measure(m.Machine, nodes.Options{}, sizes, OneWay))(t)
		for bytes, all := range d.Samples[OneWay] {
			all[0] = max(all[0], wire(bytes))
		}
		d.tables[OneWay] = []outputs.Table{{Name: "osu_latency"}}
		return d
	}
	const rest = "depth: 256KiB, payload: 1448B, shared: all}"
	d := measured()
	all := d.Samples[OneWay].Medians()
	must.Do(t, d.Behind("{rate: 1Gbit/s, "+rest))
	held := false
	for _, p := range all {
		held = held || p.Seconds < beyond*float64(p.Bytes)/125e6
		if _, kept := d.Samples[OneWay][p.Bytes]; kept == held {
			t.Errorf("%d B in %g s: kept is %v", p.Bytes, p.Seconds, kept)
		}
	}
	f := must.Get(newFit(d, "free", ""))(t)
	if h := d.limit.header; h.value != 70 || h.high-h.low > 2 || !bytes.Contains(f.Text, []byte("header: {value: 70B, origin: derived")) {
		t.Errorf("the header is %+v, want 70 B:\n%s", h, f.Text)
	}
	for bucket, want := range map[string]string{
		"{rate: 1Gbit/s, header: 99B, " + rest: "The bucket: a header of 99B was given, and repeated messages of 32KiB and more",
		"{rate: 1Gbit/s, header: 70B, " + rest: "",
		"{rate: 50Gbit/s, " + rest:             "The bucket holds back none of the large messages",
	} {
		d := measured()
		must.Do(t, d.Behind(bucket))
		if got := strings.Join(d.limit.doubts(), "\n"); (want == "") != (got == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", bucket, got, want)
		}
	}
	for rate, want := range map[string]string{"939Mbit/s": "0B", "960Mbit/s": "9B"} { // packets of 1518 B at 1 Gbit/s have 1425 and 1457 B at these rates
		d := measured()
		must.Do(t, d.Behind("{rate: "+rate+", "+rest))
		if f := must.Get(newFit(d, "free", ""))(t); !strings.Contains(string(f.Text), "header: {value: "+want+",") {
			t.Errorf("%s: the header is %+v, want %s", rate, d.limit.header, want)
		}
	}
	for rate, want := range map[string]bool{"1.02Gbit/s": false, "1.1Gbit/s": true} {
		d := measured()
		must.Do(t, d.Behind("{rate: "+rate+", "+rest))
		if got := strings.Join(d.limit.doubts(), "\n"); want != strings.Contains(got, "TCP over Ethernet has no more than 114 B") {
			t.Errorf("%s, header %+v: %q", rate, d.limit.header, got)
		}
	}
	if err := measured().Behind("{rate: 500Mbit/s, " + rest); err == nil ||
		!strings.Contains(err.Error(), "its rate of 500Mbit/s cannot be: messages of 32KiB and more pass 1.9") {
		t.Errorf("a rate that is too low: %v", err)
	}
}
