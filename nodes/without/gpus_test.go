package without

import (
	"errors"
	"slices"
	"testing"

	"overlapsim/network"
	"overlapsim/network/flow"
	"overlapsim/network/topology"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// gpuCase is a graph whose makespan follows from the rules, with a cause and without it.
type gpuCase struct {
	graph          *streams.Graph
	before, absent sim.Time
}

// two are GPUs with two streams and four SMs.
func two() []streams.Device {
	d := streams.Device{SMs: 4, Ahead: 3, Streams: []streams.Stream{{Name: "compute"}, {Name: "communication", Priority: 1}}}
	return []streams.Device{d, d}
}

// summed computes for 300 and 500, sums up, and computes for 100.
func summed() *streams.Graph {
	g := &streams.Graph{Kinds: []string{"all"}, Devices: two(), Collectives: []streams.Collective{{Latency: 30, Transfer: 50}}}
	for d, time := range []sim.Time{300, 500} {
		g.Ops = append(g.Ops, streams.Op{Name: "k", Device: int32(d), Work: time, Launch: 10},
			streams.Op{Name: "sum", Device: int32(d), Collective: 1, Blocks: 1, Launch: 20},
			streams.Op{Name: "after", Device: int32(d), Work: 100, Launch: 10})
	}
	return g
}

// linked are two sums on a link that they share, on streams of one GPU.
func linked() *streams.Graph {
	c := streams.Collective{Transfer: 50, Link: 1}
	return &streams.Graph{Kinds: []string{"all"}, Links: []string{"NIC"}, Devices: two()[:1], Collectives: []streams.Collective{c, c},
		Ops: []streams.Op{{Collective: 1}, {Collective: 2, Stream: 1}}}
}

// launched is a sum that is launched when a kernel has ended.
func launched() *streams.Graph {
	g := summed()
	for i := range g.Ops {
		if g.Ops[i].Collective > 0 {
			g.Ops[i].Wait = []int32{int32(i) - 1}
		}
	}
	return g
}

// crossed has a GPU that is late first, and one that is late afterwards.
func crossed() *streams.Graph {
	g := summed()
	g.Ops[2].Work, g.Ops[5].Work = 300, 100
	return g
}

// sharedSMs is a kernel of one wave on four SMs, of which a sum holds two for a while; then two kernels that together ask for 160
// of the 100 bytes that the memory moves in a second.
func sharedSMs() *streams.Graph {
	g := &streams.Graph{Kinds: []string{"all"}, Devices: two()[:1], Collectives: []streams.Collective{{Transfer: 50}}, Ops: []streams.Op{
		{Stream: 1, Blocks: 2, Collective: 1}, {Blocks: 4, Work: 100, Demand: 20},
		{Blocks: 2, Work: 100, Demand: 40}, {Stream: 1, Blocks: 2, Work: 100, Demand: 40, After: []int32{1}}}}
	g.Devices[0].Bandwidth = 100
	return g
}

// paused is a kernel after a pause of the host of 7 and one of 3 that nothing explains, and a member of a sum.
func paused() *streams.Graph {
	return &streams.Graph{Kinds: []string{"all"}, Devices: two()[:1], Collectives: []streams.Collective{{Transfer: 50, Whole: true}},
		Ops: []streams.Op{{Launch: 7, Role: streams.HostPauses}, {Work: 3, Role: streams.Pauses}, {Work: 100}, {Collective: 1}}}
}

// behind is a host that may be one launch ahead.
func behind() *streams.Graph {
	g := &streams.Graph{Kinds: []string{"all"}, Devices: two()[:1]}
	g.Devices[0].Ahead = 1
	for range 3 {
		g.Ops = append(g.Ops, streams.Op{Work: 100, Launch: 10})
	}
	return g
}

// waited is a host that waits for a kernel before it launches another one on another stream.
func waited() *streams.Graph {
	return &streams.Graph{Kinds: []string{"all"}, Devices: two()[:1],
		Ops: []streams.Op{{Work: 100, Launch: 10}, {Work: 70, Launch: 10, Stream: 1, Wait: []int32{0}}}}
}

// hosted is a host's work before its launch.
func hosted() *streams.Graph {
	g := behind()
	g.Ops = append(g.Ops, streams.Op{Stream: 1, Work: 400, Role: streams.Hosts}, streams.Op{Work: 5, After: []int32{3}})
	return g
}

// stages are two stages: the second one computes what the first one sends, and a sum of both follows.
func stages() *streams.Graph {
	g := summed()
	g.Collectives = append(g.Collectives, streams.Collective{Latency: 5, Transfer: 20, Way: streams.Stage})
	g.Ops = []streams.Op{{Work: 300}, {Collective: 2}, {Collective: 1}, {Device: 1, Collective: 2}, {Device: 1, Work: 200},
		{Device: 1, Collective: 1}}
	return g
}

// gpuCases has a case for each cause that GPUs have.
var gpuCases = map[string]gpuCase{
	"communication":   {summed(), 10 + 500 + 80 + 100, 10 + 500 + 100},
	"computation":     {summed(), 10 + 500 + 80 + 100, 20 + 80},
	"latency":         {summed(), 10 + 500 + 80 + 100, 10 + 500 + 50 + 100},
	"bandwidth":       {summed(), 10 + 500 + 80 + 100, 10 + 500 + 30 + 100},
	"links":           {linked(), 100, 50},
	"overhead":        {launched(), 10 + 500 + 20 + 80 + 100, 10 + 500 + 80 + 100},
	"imbalance":       {crossed(), 10 + 500 + 80 + 300, 10 + 400 + 80 + 200},
	"interference":    {sharedSMs(), 150 + 160, 100 + 100},
	"noise":           {paused(), 160, 153},
	"stalls":          {behind(), 3 * 110, 10 + 300},
	"synchronisation": {waited(), 10 + 100 + 10 + 70, 10 + 100},
	"launches":        {hosted(), 2*110 + 10 + 400 + 5, 3*100 + 5},
	"collectives":     {stages(), 300 + 25 + 200 + 80, 300 + 25 + 200},
	"bubbles":         {stages(), 300 + 25 + 200 + 80, 300 + 25 + 80},

	"tensor-parallel":  {kindOf("tensor_parallel"), 10 + 500 + 80 + 100, 10 + 500 + 15 + 100},
	"pipeline":         {kindOf("pipeline"), 10 + 500 + 80 + 100, 10 + 500 + 15 + 100},
	"data-parallel":    {kindOf("data_parallel"), 10 + 500 + 80 + 100, 10 + 500 + 15 + 100},
	"expert-parallel":  {kindOf("expert_parallel"), 10 + 500 + 80 + 100, 10 + 500 + 15 + 100},
	"context-parallel": {kindOf("context_parallel"), 10 + 500 + 80 + 100, 10 + 500 + 15 + 100},
}

// kindOf is summed, whose sum is of a kind and computes for 15.
func kindOf(kind string) *streams.Graph {
	g := summed()
	g.Kinds, g.Collectives[0].Compute = []string{"all", kind}, 15
	g.Ops[1].Kind, g.Ops[4].Kind = 1, 1
	return g
}

// clone copies a graph, which causes change.
func clone(g *streams.Graph) *streams.Graph {
	c := *g
	c.Devices, c.Ops, c.Collectives = slices.Clone(g.Devices), slices.Clone(g.Ops), slices.Clone(g.Collectives)
	return &c
}

// onStreams runs a graph without causes.
func onStreams(t interface {
	Helper()
	Fatal(...any)
}, s Set, g *streams.Graph) *streams.Result {
	t.Helper()
	g = clone(g)
	if err := s.Streams(g); err != nil {
		t.Fatal(s, err)
	}
	r, err := streams.Run(g)
	if err != nil {
		t.Fatal(s, err)
	}
	return r
}

// Each cause of GPUs has a case whose times are exact, with it and without it.
func TestExactOnGPUs(t *testing.T) {
	for i, cause := range Causes {
		c, ok := gpuCases[cause.Name]
		if ok != (cause.GPUs.take != nil) {
			t.Errorf("%s: a case: %v, a meaning on GPUs: %v", cause.Name, ok, !ok)
		}
		if !ok {
			continue
		}
		before, absent := onStreams(t, 0, c.graph), onStreams(t, 1<<i, c.graph)
		if before.Makespan != c.before || absent.Makespan != c.absent {
			t.Errorf("%s: takes %v, without %v; want %v and %v", cause.Name, int64(before.Makespan), int64(absent.Makespan), int64(c.before), int64(c.absent))
		}
	}
}

// Further exact cases.
func TestMoreOnGPUs(t *testing.T) {
	fused := summed()
	fused.Collectives[0].Compute = 15
	whole := summed()
	whole.Collectives[0] = streams.Collective{Transfer: 80, Whole: true}
	whole.Collectives = append(whole.Collectives, streams.Collective{Transfer: 20})
	whole.Ops = append(whole.Ops, streams.Op{Stream: 1, Collective: 2, After: []int32{2}})
	sent := &streams.Graph{Kinds: []string{"all"}, Devices: two(), Collectives: []streams.Collective{{Way: streams.Stage, Transfer: 20}, {Way: streams.Stage}},
		Ops: []streams.Op{{Work: 300}, {Collective: 1}, {Device: 1, Collective: 2, After: []int32{1}}, {Device: 1, Work: 250}}}
	other := summed()
	other.Kinds = append(other.Kinds, "another")
	other.Ops[3].Kind, other.Ops[5].Work = 1, 300 // 400 and 800 for the GPUs
	narrow := summed()                            // its bytes need three times as long
	narrow.Collectives[0].Flows = []streams.Flow{{From: 0, To: 1, Bytes: 150}}
	narrow.Fabric = func(k *sim.Kernel, sink network.Sink) (network.Contended, error) {
		shape, err := topology.NewCrossbar(2)
		if err != nil {
			return nil, err
		}
		return flow.New(k, sink, shape, flow.Params{Injection: 1e12}) // a byte in a picosecond
	}
	if got := onStreams(t, 0, narrow).Makespan; got != 10+500+30+150+100 {
		t.Errorf("on a narrow link: %d", got)
	}
	for _, c := range []struct {
		name  string
		graph *streams.Graph
		want  sim.Time
	}{
		{"links", narrow, 10 + 500 + 80 + 100}, {"bandwidth", narrow, 10 + 500 + 30 + 100}, {"latency", narrow, 10 + 500 + 150 + 100},
		{"communication", narrow, 10 + 500 + 100}, {"data-parallel", kindOn(narrow), 10 + 500 + 100},
		{"communication", fused, 10 + 500 + 15 + 100}, {"computation", fused, 20 + 80 - 15}, {"bandwidth", fused, 10 + 500 + 30 + 15 + 100},
		{"bandwidth", whole, 10 + 500 + 80 + 100}, {"bubbles", sent, 300 + 20}, {"collectives", sent, 300 + 20 + 250},
		{"communication", sent, 550}, {"imbalance", other, 10 + 450 + 80 + 225},
	} {
		if c.name == "collectives" {
			if err := taking(t, c.name).Streams(clone(c.graph)); !refused(err, c.name) {
				t.Errorf("messages without collectives: %v", err)
			}
			continue
		}
		if got := onStreams(t, taking(t, c.name), c.graph).Makespan; got != c.want {
			t.Errorf("without %s: %d, want %d", c.name, got, c.want)
		}
	}
}

// kindOn is a graph whose sum is data-parallel.
func kindOn(g *streams.Graph) *streams.Graph {
	g = clone(g)
	g.Kinds = []string{"all", "data_parallel"}
	g.Ops[1].Kind, g.Ops[4].Kind = 1, 1
	return g
}

// taking is the set of the causes of these names.
func taking(t *testing.T, names ...string) Set {
	t.Helper()
	return must.Get(Of(names...))(t)
}

func refused(err error, cause string) bool {
	var r *Refused
	return errors.As(err, &r) && r.Cause == cause
}

// What a graph does not have, or not apart from others, is refused.
func TestRefusedOnGPUs(t *testing.T) {
	bare := &streams.Graph{Kinds: []string{"all"}, Devices: []streams.Device{{SMs: 1, Streams: make([]streams.Stream, 1)}}, Ops: []streams.Op{{Work: 1}}}
	for i, c := range Causes {
		err := Set(1 << i).Streams(clone(bare))
		if want := c.GPUs.has != nil || c.GPUs.Not != ""; refused(err, c.Name) != want {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
