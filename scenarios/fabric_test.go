package scenarios

import (
	"fmt"
	"testing"

	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// finish returns the time at which each rank of the only run of a text ends.
func finish(t *testing.T, text string, settings ...string) []sim.Time {
	t.Helper()
	study, err := studyText(text, settings)
	if err != nil {
		t.Fatalf("%v: %v", settings, err)
	}
	o, err := study.Runs[0].Run(nodes.Options{})
	if err != nil {
		t.Fatalf("%v: %v", settings, err)
	}
	return o.Result.Finish
}

// If only NICs contend, each sends one message after the other and takes in one at a time, flow and
// backlog give the times of the ideal fabric: on one switch, and over links that are far faster than all
// NICs together. (Messages that come in together share links.ejection there; on the ideal fabric they
// pass the receiving NIC one by one.) Rounding may lose a ps for each message that a rank waits for.
func TestFabricsAgree(t *testing.T) {
	machines := map[string]string{
		"jacquard without a library": "machine: jacquard\nchanges: {runtime: none}\n",
		"jacquard with Open MPI":     "machine: jacquard\nchanges: {runtime: openmpi-2.x}\n",
		"jacquard with GASNet":       "machine: jacquard\n",
		"textbook, rendezvous":       "machine: loggp\nchanges: {network.rendezvous_threshold: 1KiB}\nprocesses_per_node: 1\n",
		"textbook, a table of costs": "machine: loggp\nchanges: {network.gap_per_byte: [{time: 500ns, per_byte: 3ns/B}, {from: " +
			"2KiB, time: 3us, per_byte: 0.7ns/B}], network.startup: 300ns}\nprocesses_per_node: 1\n",
	}
	programs := map[string]string{
		"halo":       "{name: halo, bytes: 1KiB, iterations: 6}",
		"all-to-all": "{name: alltoall-linear, bytes: 4KiB}",
		"doubling":   "{name: allreduce-doubling, bytes: 8KiB}",
		"ring":       "{name: token-ring, bytes: 8KiB}",
		"shift":      "{name: shift, bytes: 16KiB, distance: 3}",
	}
	places := []string{
		"{kind: crossbar}", "{kind: fat-tree, levels: 1, arity: 16}",
		"{kind: torus, dims: [4, 4]}", "{kind: dragonfly, groups: 2, routers: 4, nodes_per_router: 2, global: 1}",
		"{kind: dragonfly, groups: 4, routers: 2, nodes_per_router: 2, cables: 1, routing: valiant}",
		"{kind: dragonfly-plus, groups: 2, leaves: 2, spines: 2, nodes_per_router: 4, cables: 2}", "{kind: hyperx, dims: [4, 4]}",
	}
	for machine, text := range machines {
		for program, workload := range programs {
			text := text + "workload: " + workload + "\nranks: 16\n"
			want := finish(t, text)
			for i, place := range places {
				for _, fabric := range []string{"flow", "backlog"} {
					if fabric == "backlog" && program == "shift" {
						continue // there its requests wait on links for bytes of the same NIC, which they pass on the ideal fabric
					}
					set := []string{"topology=" + place, "fabric.kind=" + fabric, "machine.network.channels=1",
						"machine.links.injection=1000TB/s", "machine.links.ejection=1000TB/s"}
					if i > 1 {
						set = append(set, "machine.links.bandwidth=1000TB/s")
					}
					got := finish(t, text, set...)
					for r := range want {
						if slack := sim.Time(100); max(got[r]-want[r], want[r]-got[r]) > slack {
							t.Errorf("%s, %s, %s: rank %d ends at %v, on the ideal fabric at %v", machine, program, fmt.Sprint(set), r, got[r], want[r])
							break
						}
					}
				}
			}
		}
	}
}

// A machine with a token bucket never runs without it.
func TestBucketIsNeverLeftOut(t *testing.T) {
	const text = "machine: {base: loopback-openmpi}\nranks: 2\nworkload: {name: halo}\nprocesses_per_node: 1\n"
	study, err := studyText(text, nil)
	if err != nil || study.Runs[0].Fabric != "backlog" {
		t.Errorf("%v; without a fabric it runs on %s", err, study.Runs[0].Fabric)
	}
	const want = "ideal has no token bucket, and machine inline has one; use flow or backlog"
	must.Refuse(studyText(text, []string{"fabric.kind=ideal"}))(t, want)
	if _, err := studyText(text, []string{"fabric.kind=ideal", "machine.bucket.rate=0B/s"}); err != nil {
		t.Errorf("without a bucket: %v", err)
	}
	if study, err = studyText(text, []string{"workload={name: overlap-sender, bytes: 4MiB, compute: 1ms}"}); err != nil {
		t.Fatal(err)
	}
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	for _, m := range o.Metrics { // of 4 MiB at 1 Gbit/s
		if m.Name == "comm_s" && m.Value < 33.5e-3 {
			t.Errorf("alone the message takes %g s, less than behind the bucket", m.Value)
		}
	}
}

// Two ranks of one node of a machine without a number of nodes, whose messages take the way through its NIC, are compared with a message
// between two nodes: as long as if each had its own.
func TestComparedBehindBucket(t *testing.T) {
	alone := func(processes string) float64 {
		o := outcome(t, "machine: {cores: 4, network: {latency: 1us, send_overhead: 1us, bandwidth: 8GB/s}, runtime: openmpi-5, bucket: {rate: 1GB/s}}\n"+
			"ranks: 2\nfabric: {kind: flow}\nworkload: {name: overlap-receiver, bytes: 2604B, compute: 1us}\n", "processes_per_node="+processes)
		for _, m := range o.Metrics {
			if m.Name == "comm_s" {
				return m.Value
			}
		}
		t.Errorf("%s processes on a node: no time alone: %v", processes, o.LeftOut)
		return 0
	}
	if together, apart := alone("2"), alone("1"); together != apart {
		t.Errorf("alone a message takes %g s, with each rank on a node %g", together, apart)
	}
}
