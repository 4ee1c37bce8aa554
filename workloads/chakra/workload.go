package chakra

import (
	"errors"
	"fmt"
	"slices"

	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/training"
)

// Execution traces of Chakra.
func init() {
	workloads.Register(workloads.Kind{Name: "chakra-trace",
		Title: "execution traces of Chakra (MLCommons): graphs of operations of GPUs, one of each rank",
		New: func() workloads.Workload {
			return &replay{Compute: 1, Communication: 1, Host: 1, Collectives: traced}
		}})
}

// Choices of the times of communication.
const (
	traced    = "trace"
	byMachine = "machine"
)

type replay struct {
	experiments.NoProgram
	File          string  `key:"file" unit:"text" doc:"the trace next to the scenario (.et, or gzipped); with commas, with * or as a folder several, one of each rank, in the order of their numbers"`
	Compute       float64 `key:"compute" unit:"number" in:"not negative" doc:"factor on the times of computation and of memory"`
	Communication float64 `key:"communication" unit:"number" in:"not negative" doc:"factor on the times of collectives and of messages"`
	Host          float64 `key:"host" unit:"number" in:"not negative" doc:"factor on the times of operations of the host"`
	Collectives   string  `key:"collectives" unit:"text" choices:"trace,machine" doc:"communication takes the time that the trace gives, or else what the machine needs"`

	ranks  []*trace
	groups map[string][]int // ranks by the name of their group
}

// Filename implements workloads.Filed.
func (w *replay) Filename() (key, name string) { return "file", w.File }

// mostRanks is the largest number of traces that are read together.
const mostRanks = 4096

// Open implements workloads.Filed.
func (w *replay) Open(path string) error {
	var err error
	w.ranks, err = experiments.OpenTraces(path, mostRanks, Begins, open)
	w.groups = map[string][]int{}
	for i, t := range w.ranks {
		for n := range t.nodes {
			if one := &t.nodes[n]; one.collects() && !slices.Contains(w.groups[one.group], i) {
				w.groups[one.group] = append(w.groups[one.group], i)
			}
		}
	}
	return err
}

// Ranks implements workloads.Sized.
func (w *replay) Ranks() int { return len(w.ranks) }

// Closed implements experiments.Closed.
func (w *replay) Closed() string {
	if w.Collectives == traced {
		return "collectives have the times of the trace; on a fabric give workload.collectives=machine"
	}
	return ""
}

// CheckGPUs implements experiments.OnGPUs.
func (w *replay) CheckGPUs(m *machines.Machine, p experiments.Place) error {
	wrong := experiments.WrongFactors(experiments.Factor{Key: "compute", By: w.Compute}, experiments.Factor{Key: "communication", By: w.Communication},
		experiments.Factor{Key: "host", By: w.Host})
	if w.ranks == nil {
		return errors.Join(append(wrong, experiments.NotOpened())...)
	}
	if wrong != nil {
		return errors.Join(wrong...)
	}
	g, err := w.write(m.GPUs, p)
	if err == nil {
		err = g.ends()
	}
	if err != nil {
		return &workloads.KeyError{Key: "file", Message: err.Error()}
	}
	return nil
}

// ends returns an error if a graph does not end or takes too long.
func (g *writer) ends() error {
	if err := g.meets(); err != nil {
		return err
	}
	sum, longest := 0.0, 0
	for i := range g.graph.Ops {
		sum += g.graph.Ops[i].Work.Seconds()
		if g.graph.Ops[i].Work > g.graph.Ops[longest].Work {
			longest = i
		}
	}
	for i := range g.graph.Collectives {
		sum += g.graph.Collectives[i].Latency.Seconds() + g.graph.Collectives[i].Transfer.Seconds()
	}
	if err := experiments.TooLong(sum); err != nil {
		o := &g.graph.Ops[longest]
		return fmt.Errorf("%w; the longest outside of collectives is %.60s of %s, %.3g s", err, o.Name, g.w.ranks[o.Device].file, o.Work.Seconds())
	}
	return nil
}

// meets returns an error that names the first communication, in the order of ranks, with missing
// ends.
func (g *writer) meets() error {
	first, lacking := int32(0), meeting{}
	for key, number := range g.met {
		if g.members[key] != len(g.w.groups[key.group]) && (first == 0 || number < first) {
			first, lacking = number, key
		}
	}
	if first == 0 {
		return nil
	}
	o := &g.graph.Ops[slices.IndexFunc(g.graph.Ops, func(o streams.Op) bool { return o.Collective == first })]
	return fmt.Errorf("%s: %.60s: %d of the %d ranks of this communication take part in it (%s)", g.w.ranks[o.Device].file, o.Name,
		g.members[lacking],
		len(g.w.groups[lacking.group]), lacking.String())
}

func (m *meeting) String() string {
	if m.message() {
		return fmt.Sprintf("ranks %d and %d, tag %d, number %d", m.from, m.to, m.tag, m.n)
	}
	return fmt.Sprintf("group %q, number %d", m.group, m.n)
}

// RunGPUs implements experiments.OnGPUs. The phases are kinds of nodes. Each holds what the GPU
// of each rank spends on the nodes, or on waiting for them.
func (w *replay) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	g, err := w.write(m.GPUs, place)
	if err != nil {
		return nil, err
	}
	run, err := place.Run(&g.graph)
	if err != nil {
		return nil, err
	}
	r := training.Result(run, kindNames, place)
	r.Bytes = int64(min(g.sent, experiments.MostSent))
	return r, nil
}

// Metrics are the time of the traces and, by kind, how long nodes run on a GPU.
func (w *replay) Metrics(_ *machines.Machine, r *results.Result) workloads.Metrics {
	return experiments.Running(r, 1, len(kindNames))
}

// Load implements experiments.OnStreams. There are a few further streams, for messages to and
// from peers.
func (w *replay) Load(*machines.Machine, experiments.Place) experiments.Load {
	l := experiments.Load{Streams: float64((groupStream + 1) * len(w.ranks)), Kinds: len(kindNames), Key: "file"}
	for _, t := range w.ranks {
		l.Operations += float64(len(t.nodes))
	}
	return l
}
