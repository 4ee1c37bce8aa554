package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim/must"
)

// outcome runs the only run of a scenario text.
func outcome(t *testing.T, text string, settings ...string) *outcomes.Outcome {
	t.Helper()
	study := must.Get(studyText(text, settings))(t)
	return must.Get(study.Runs[0].Run(nodes.Options{Timeline: true}))(t)
}

const shiftOnTorus = `machine: intrepid
changes: {runtime: none, network.rendezvous_threshold: 0B}
workload: {name: shift, bytes: 3KB, distance: 3, repeat: 4}
topology: {dims: [4, 3, 2]}
processes_per_node: 1
fabric: {kind: flow}
`

// The links together carry every message once for each link of its route: its bytes on
// the flow fabric, whole packets on the packet fabric.
func TestByteHops(t *testing.T) {
	const packets = 13 // of 240 B
	for fabric, size := range map[string]float64{"flow": 3000, "packet": packets * 272} {
		o := outcome(t, shiftOnTorus, "fabric.kind="+fabric, "mapping=random")
		hops := 0
		for _, m := range o.Result.Timeline.Messages {
			hops += o.Links.Shape.Hops(int(o.Nodes[m.From]), int(o.Nodes[m.To]))
		}
		if got, want := o.Links.ByteHops(), float64(hops)*size; hops == 0 || math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: %v bytes times links, want %v", fabric, got, want)
		}
	}
}

// If every node sends one step ahead along x, the links in that direction all carry the
// same, and the others carry nothing.
func TestOneDirection(t *testing.T) {
	study := must.Get(Load("bgp-displacement", []string{"workload.displacement=[1,0,0]", "workload.op=put", "topology.dims=[4,2,2]",
		"workload.bytes=2400B"}))(t)
	o := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
	const want = 10*10*272 + 10*80 // ten puts of ten packets, and their acknowledgements' requests
	const back = 10 * 80           // the acknowledgements
	for i := range o.Links.Loads {
		name, got := o.Links.Name(i), o.Links.Loads[i].Bytes
		switch {
		case strings.HasSuffix(name, "+x"):
			if got != want {
				t.Errorf("%s carried %v, want %v", name, got, want)
			}
		case strings.HasSuffix(name, "-x"):
			if got != back {
				t.Errorf("%s carried %v, want %v", name, got, back)
			}
		case got != 0:
			t.Errorf("%s carried %v", name, got)
		}
	}
	if busiest := o.Links.Busiest(3); len(busiest) != 3 || !strings.HasSuffix(o.Links.Name(busiest[2]), "+x") {
		t.Errorf("busiest are %v", busiest)
	}
	used := want / 425e6 / o.Result.Makespan().Seconds()
	if got := o.Links.Used(o.Links.Busiest(1)[0]); math.Abs(got/used-1) > 1e-12 {
		t.Errorf("used %v, want %v", got, used)
	}
	if got, want := o.Links.Mean(), (want+back)/2/425e6/o.Result.Makespan().Seconds(); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

// No link carries more than its bandwidth allows, and the record gives the load of each.
func TestLinksRecord(t *testing.T) {
	o := outcome(t, shiftOnTorus)
	text := must.Get(json.Marshal(o.Record()))(t)
	var got struct {
		Links struct {
			Links    int     `json:"links"`
			Used     int     `json:"used_links"`
			ByteHops float64 `json:"bytes_times_hops"`
			Most     float64 `json:"max_utilization"`
			Mean     float64 `json:"mean_utilization"`
			Unit     string  `json:"peak_of"`
			Busiest  []struct {
				Name  string  `json:"name"`
				Bytes float64 `json:"bytes"`
				Used  float64 `json:"utilization"`
				Busy  float64 `json:"busy_s"`
				Peak  int     `json:"peak_queue"`
			} `json:"busiest"`
		} `json:"links"`
	}
	must.Do(t, json.Unmarshal(text, &got))
	l := got.Links
	if l.Links != 24*(6+2) || l.Unit != "flows" || l.ByteHops != o.Links.ByteHops() || l.Used == 0 || len(l.Busiest) != outcomes.BusiestListed {
		t.Errorf("got %+v", l)
	}
	if !(0 < l.Mean && l.Mean <= l.Most*(1+1e-12) && l.Most <= 1) || l.Busiest[0].Used != l.Most {
		t.Errorf("mean %v of those used, most %v", l.Mean, l.Most)
	}
	for i, b := range l.Busiest {
		if b.Used > 1 || b.Bytes > 375e6*b.Busy*(1+1e-9) || b.Peak < 1 || i > 0 && b.Used > l.Busiest[i-1].Used {
			t.Errorf("got %+v", b)
		}
	}
	if ideal := outcome(t, shiftOnTorus, "fabric.kind=ideal"); ideal.Links != nil || ideal.Record().Links != nil {
		t.Error("the ideal fabric has links")
	}
}

func TestLinkNames(t *testing.T) {
	for _, c := range []struct {
		topology string
		want     string
	}{
		{"{kind: torus, dims: [4, 3]}", "(0, 0) +x; (3, 2) +y; node 11 injection"},
		{"{kind: fat-tree, levels: 2, arity: 4}", "router 0 to 4, levels 1-2; node 15 ejection"},
		{"{kind: dragonfly, groups: 2, routers: 2, global: 1}", "router 0 to 1, local; router 0 to 2, global; node 3 ejection"},
		{"{kind: dragonfly-plus, groups: 2, leaves: 2, spines: 1, cables: 1}", "router 0 to 4, local; router 4 to 5, global; node 3 ejection"},
		{"{kind: hyperx, dims: [2, 2]}", "router 0 to 1, x; router 3 to 1, y; node 3 ejection"},
	} {
		o := outcome(t, shiftOnTorus, "machine=loggp", "changes={links.injection: 1GB/s, links.ejection: 1GB/s}", "ranks=4",
			"topology="+c.topology)
		var names []string
		for i := range o.Links.Loads {
			names = append(names, o.Links.Name(i))
		}
		all := "; " + strings.Join(names, "; ") + ";"
		for _, want := range strings.Split(c.want, "; ") {
			if !strings.Contains(all, "; "+want+";") {
				t.Errorf("%s: no link is called %s: %s", c.topology, want, all)
			}
		}
	}
}

// An experiment on the bare fabric records when its links carry bytes; the sum is what the links
// report. All operations of a node wait at once, and no others. Recording changes nothing.
func TestTrafficOfExperiments(t *testing.T) {
	for _, c := range []struct {
		settings []string
		most     float64 // transfers at the NIC of a node: operations, and what asks for acknowledgements
	}{
		{[]string{"workload.name=contention-displacement", "workload.displacement=[1,1,0]", "workload.op=put"}, 20},
		{[]string{"workload.name=contention-displacement", "workload.displacement=[1,1,0]", "workload.op=get"}, 20},
		{[]string{"workload.name=contention-diagonal", "workload.op=put", "workload.percent=50"}, 20},
	} {
		scenario := map[bool]string{true: "bgp-displacement", false: "bgp-diagonal"}[strings.HasSuffix(c.settings[0], "displacement")]
		study := must.Get(Load(scenario, append(c.settings, "topology.dims=[4,2,2]", "workload.bytes=2400B")))(t)
		without := must.Get(study.Runs[0].Run(nodes.Options{}))(t)
		o := must.Get(study.Runs[0].Run(nodes.Options{Traffic: true}))(t)
		if without.Result.Traffic != nil || o.Result.Makespan() != without.Result.Makespan() || o.Result.Events != without.Result.Events {
			t.Errorf("%v: %v with a record, %v without", c.settings, o.Result.Makespan(), without.Result.Makespan())
		}
		traffic := o.Result.Traffic
		for i, load := range o.Links.Loads {
			if got := float64(traffic.Carried.Sum(i)) / network.ByteParts; got != load.Bytes {
				t.Errorf("%v: %v bytes over time on %s, %v in all", c.settings, got, o.Links.Name(i), load.Bytes)
			}
		}
		node := traffic.LongestQueues(1)[0]
		if got := traffic.Queue(node, traffic.Longest(node), traffic.Longest(node)+1); got < 5 || got > c.most {
			t.Errorf("%v: at most %g transfers wait at a NIC, want 5 to %g", c.settings, got, c.most)
		}
	}
}

// A few ranks that stand for all print the messages, bytes, nodes and links of all.
func TestStandIns(t *testing.T) {
	for _, fabric := range []string{"ideal", "flow", "backlog"} {
		for _, algorithm := range []string{"doubling", "rabenseifner", "ring"} {
			var all [2]*outcomes.Outcome
			for i := range all {
				text := fmt.Sprintf("machine: network-200g\nranks: 64\nprocesses_per_node: 1\nfabric: {kind: %s}\n"+
					"workload: {name: collective, operation: allreduce, algorithm: %s, bytes: 64KiB, alike: %v}\n", fabric, algorithm, i == 0)
				study := must.Get(Read("few.yaml", []byte(text), nil))(t)
				all[i] = must.Get(study.Runs[0].Run(nodes.Options{}))(t)
			}
			few, whole := all[0], all[1]
			if few.Program.Ranks() == 64 || few.NodesTaken() != 64 || few.Result.Messages != whole.Result.Messages || few.Result.Bytes != whole.Result.Bytes {
				t.Errorf("%s on %s: %d nodes, %d messages, %d bytes, of all %d, %d and %d", algorithm, fabric, few.NodesTaken(), few.Result.Messages,
					few.Result.Bytes, whole.NodesTaken(), whole.Result.Messages, whole.Result.Bytes)
			}
			if few.Links != nil && math.Abs(few.Links.Mean()/whole.Links.Mean()-1) > 1e-12 {
				t.Errorf("%s on %s: links carry %g of what they can in the mean, of all %g", algorithm, fabric, few.Links.Mean(), whole.Links.Mean())
			}
		}
	}
}
