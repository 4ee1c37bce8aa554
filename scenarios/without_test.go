package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/nodes"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// ring is a ring of eight nodes. A link of 1 GB/s takes two messages of 1 MB between different
// nodes, one for 0 to 2 and one for 1 to 3. NICs are ten times as fast.
const ring = `
machine:
  cores: 1
  network: {latency: 1us, send_overhead: 0s, gap: 0s, bandwidth: 10GB/s}
  links: {bandwidth: 1GB/s, latency: 100ns}
  topology: {kind: torus, dims: [8]}
  bucket: {rate: 0.5GB/s, depth: 0B}
  kernels: {}
workload: {name: goal, file: FILE}
fabric: {kind: flow}
`

// crossing are the two messages as a GOAL schedule.
const crossing = `num_ranks 8
rank 0 {
a: send 1000000b to 2 tag 0
}
rank 1 {
a: send 1000000b to 3 tag 0
}
rank 2 {
a: recv 1000000b from 0 tag 0
}
rank 3 {
a: recv 1000000b from 1 tag 0
}
rank 4 {
}
rank 5 {
}
rank 6 {
}
rank 7 {
}
`

// onRing is the text of the scenario with its schedule in a file.
func onRing(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "crossing.goal")
	must.Do(t, os.WriteFile(file, []byte(crossing), 0o666))
	return strings.Replace(ring, "FILE", file, 1)
}

// What limits two messages that share a link: a token bucket, then the link, then their NICs, and
// the latency of their ways.
func TestWithoutNetwork(t *testing.T) {
	text := onRing(t)
	const us = sim.Microsecond
	for _, c := range []struct {
		without, fabric string
		want            sim.Time
	}{
		{"none", "flow", 2000*us + us + us/5},
		{"[]", "flow", 2000*us + us + us/5},
		{"latency", "flow", 2000 * us},
		{"bandwidth", "flow", 2000*us + us + us/5}, // the link takes as long as the bucket
		{"links", "flow", 2000*us + us + us/5},
		{"[links, latency]", "flow", 2000 * us},
		{"[bandwidth, links]", "flow", us + us/5},
		{"[bandwidth, links, latency]", "flow", 0},
		{"communication", "flow", 0},
	} {
		for r, end := range finish(t, text, "without="+c.without, "fabric.kind="+c.fabric) {
			if (r == 2 || r == 3) && max(end-c.want, c.want-end) > 2 {
				t.Errorf("without %s on %s rank %d ends at %v, want %v", c.without, c.fabric, r, end, c.want)
			}
		}
	}
	for _, c := range []struct {
		without string
		want    sim.Time
	}{{"none", 100*us + us}, {"bandwidth", us}, {"links", 100*us + us}} {
		if end := finish(t, text, "without="+c.without, "fabric.kind=ideal", "machine.bucket.rate=0B/s")[3]; max(end-c.want, c.want-end) > 2 {
			t.Errorf("without %s on ideal a message takes %v, want %v", c.without, end, c.want)
		}
	}
	for _, c := range []struct {
		without string
		want    sim.Time
	}{{"none", 2000*us + us + us/5}, {"links", 100*us + us + us/5}, {"bandwidth", 2000*us + us + us/5}} {
		if end := finish(t, text, "without="+c.without, "machine.bucket.rate=0B/s")[3]; max(end-c.want, c.want-end) > 2 {
			t.Errorf("without %s and a bucket a message takes %v, want %v", c.without, end, c.want)
		}
	}
}

// Links without a bandwidth keep the bandwidth of the NIC when bytes take no time there.
func TestWithoutBandwidthOfLinks(t *testing.T) {
	text := strings.Replace(onRing(t), "bandwidth: 1GB/s, ", "", 1)
	for _, without := range []string{"none", "bandwidth"} {
		want := 200*sim.Microsecond + sim.Microsecond + sim.Microsecond/5
		if end := finish(t, text, "without="+without, "machine.bucket.rate=0B/s")[3]; max(end-want, want-end) > 2 {
			t.Errorf("without %s a message takes %v, want %v", without, end, want)
		}
	}
}

// Every kind of fabric runs without every cause, and none of them is slower.
func TestWithoutOnFabrics(t *testing.T) {
	limited := onRing(t)
	for _, fabric := range []string{"{kind: ideal}", "{kind: flow}", "{kind: backlog}", "{kind: packet, payload: 240B, packet: 256B, slots: 8}",
		"{kind: packet, payload: 240B, packet: 256B, slots: 8, hop_latency: 70ns, answer_latency: 1us}", "{kind: calibrated, calibration: hopper}"} {
		text := limited
		if !strings.Contains(fabric, "flow") && !strings.Contains(fabric, "backlog") {
			text = strings.Replace(text, "rate: 0.5GB/s", "rate: 0B/s", 1) // no bucket before these
		}
		before := finish(t, text, "fabric="+fabric)
		for _, cause := range []string{"latency", "bandwidth", "links", "[latency, links]", "[latency, bandwidth]", "communication"} {
			for r, end := range finish(t, text, "fabric="+fabric, "without="+cause) {
				if end > before[r]+2 {
					t.Errorf("fabric %s without %s: rank %d ends at %v, with it at %v", fabric, cause, r, end, before[r])
				}
			}
		}
	}
}

// What has no meaning in a run is refused with the reason.
func TestWithoutRefused(t *testing.T) {
	for _, c := range []struct{ text, set, want string }{
		{"machine: jacquard\nworkload: {name: halo}\nranks: 4\n", "without=launches",
			"launches cannot be taken away: only workloads on GPUs have launches"},
		{"machine: jacquard\nworkload: {name: halo}\nranks: 4\n", "without=wind", "must be one of none, communication, "},
		{"machine: dgx-a100\nworkload: {name: gpu-collective}\nranks: 8\n", "ties=1", "has neither ranks nor GPUs that could begin later"},
		{"machine: intrepid\nworkload: {name: contention-diagonal}\nfabric: {kind: packet}\nprocesses_per_node: 1\n", "without=latency",
			"the workload contention-diagonal runs no program from which a cause could be taken away"},
		{"machine: jacquard\nworkload: {name: halo}\nranks: 4\nbackground_threads: 2\nchanges: {time_slice: 4ms}\n", "ties=1",
			"which background_threads do not allow"},
	} {
		must.Refuse(studyText(c.text, []string{c.set}))(t, c.want)
	}
	for _, text := range []string{"machine: dgx-a100\nworkload: {name: gpu-collective}\nranks: 8\n",
		"machine: intrepid\nworkload: {name: contention-diagonal}\nfabric: {kind: packet}\nprocesses_per_node: 1\n"} {
		if _, err := studyText(text, []string{"without=none", "ties=0"}); err != nil {
			t.Errorf("nothing is taken away from %s: %v", text, err)
		}
	}
}

// A workload that looks for its best program finds it on the machine as it is, so that the program
// stays when causes are taken away.
func TestWithoutTuned(t *testing.T) {
	text := "machine: xenon\nworkload: {name: advection-std, x: 256, y: 256, z: 0, steps: 64}\nranks: 2\nprocesses_per_node: 1\n"
	slow, fast := "machine.network.send_overhead=1ms", "machine.network.send_overhead=0s"
	want := runOf(t, text, slow).Messages
	for _, cause := range []string{"communication", "overhead", "computation", "latency"} {
		if got := runOf(t, text, slow, "without="+cause).Messages; got != want {
			t.Errorf("without %s the program sends %d messages, with it %d", cause, got, want)
		}
	}
	if free := runOf(t, text, fast).Messages; free == want {
		t.Errorf("without overhead the best program also sends %d messages: this shows nothing", free)
	}
}

// runOf returns the result of the only run of a text.
func runOf(t *testing.T, text string, settings ...string) *results.Result {
	t.Helper()
	study := must.Get(studyText(text, settings))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	return o.Result
}
