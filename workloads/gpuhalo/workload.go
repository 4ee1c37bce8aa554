package gpuhalo

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/nodes/without"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/training"
)

func init() {
	workloads.Register(workloads.Kind{Name: "halo-gpus",
		Title: "halos between GPUs: by MPI on buffers of the GPU or through the host, by NCCL, or triggered by the stream",
		New: func() workloads.Workload {
			return &halo{Cells: 256, Width: 1, Variables: 1, Number: 8, Moved: 16, By: ways[mpi], Pack: packings[packKernel], Messages: 1, Held: 2,
				Synchronise: 5 * sim.Microsecond, Trigger: sim.Microsecond, Steps: 10}
		}})
}

// halo is the workload.
type halo struct {
	experiments.NoProgram
	Grid      string `key:"grid" unit:"text" doc:"GPUs along x, y and z, such as 4x2x2; if omitted: as close to a cube as possible"`
	Cells     int64  `key:"cells" unit:"times" doc:"cells along each edge of the cube of a GPU"`
	Width     int64  `key:"width" unit:"times" doc:"layers of cells of a halo"`
	Variables int64  `key:"variables" unit:"times" doc:"numbers of a cell"`
	Number    int64  `key:"number_bytes" unit:"times" doc:"bytes of a number"`
	Moved     int64  `key:"cell_bytes" unit:"count" doc:"bytes that the kernel moves in memory for each cell and variable; 0: no kernel"`

	By            string `key:"by" unit:"text" choices:"mpi,staged,nccl,triggered" doc:"MPI on buffers of the GPU, or with copies to the host and back; a kernel of NCCL; or messages that the stream triggers"`
	Pack          string `key:"pack" unit:"text" choices:"kernel,copies,none" doc:"faces are packed and unpacked by a kernel, or by a copy of the host for each contiguous piece, as MPI does for datatypes; or are sent as they are"`
	Messages      int64  `key:"messages" unit:"times" doc:"messages for each face; each costs the host"`
	Overlap       bool   `key:"overlap" unit:"flag" doc:"the interior is computed while halos travel, the cells at the faces afterwards"`
	InteriorFirst bool   `key:"interior_first" unit:"flag" doc:"overlap, mpi and staged: the host waits for the interior before it waits for messages; large ones then wait for it too, if the library makes progress in calls only"`
	Held          int64  `key:"channels" unit:"times" doc:"nccl: SMs that the messages with a neighbour hold"`

	Synchronise sim.Time `key:"synchronise" unit:"time" doc:"mpi, staged: from the end of what the host waits for on the GPU until it continues"`
	Trigger     sim.Time `key:"trigger" unit:"time" doc:"triggered: from the end of the kernel before a message until the NIC begins it, and until the stream sees its end"`
	Steps       int64    `key:"steps" unit:"times" doc:"time steps"`
}

// Ways of exchange, and of packing.
const (
	mpi = iota
	staged
	nccl
	triggered
)

const (
	packKernel = iota
	packCopies
	packNone
)

var (
	ways     = []string{"mpi", "staged", "nccl", "triggered"}
	packings = []string{"kernel", "copies", "none"}
)

// dims are the GPUs along x, y and z.
func (w *halo) dims(ranks int) (dims [3]int, err error) {
	if w.Grid == "" {
		return nearCube(ranks), nil
	}
	parts, product := strings.Split(w.Grid, "x"), 1
	for i, part := range parts {
		n, bad := strconv.Atoi(part)
		if bad != nil || n < 1 || i > 2 || n > ranks {
			return dims, &workloads.KeyError{Key: "grid", Message: fmt.Sprintf("must look like 4x2x2, got %q", w.Grid)}
		}
		dims[i], product = n, product*n
	}
	if len(parts) != 3 || product != ranks {
		return dims, &workloads.KeyError{Key: "grid", Message: fmt.Sprintf("must be three numbers whose product is the %d GPUs, got %q", ranks, w.Grid)}
	}
	return dims, nil
}

// nearCube is the grid with the smallest surface.
func nearCube(n int) (best [3]int) {
	least := math.MaxInt
	for x := 1; x <= n; x++ {
		for y := x; n%x == 0 && y <= n/x; y++ {
			if n/x%y != 0 {
				continue
			}
			if z := n / x / y; x+y+z < least {
				least, best = x+y+z, [3]int{z, y, x}
			}
		}
	}
	return best
}

// Limits of the keys: products of them fit into an int64, and no time exceeds the longest run.
const (
	mostCells    = 1 << 14
	mostFew      = 1 << 10
	mostMessages = 1 << 20
	mostSteps    = 1 << 16
	mostOps      = 2e7
	mostTime     = sim.Second
)

// CheckGPUs implements experiments.OnGPUs.
func (w *halo) CheckGPUs(m *machines.Machine, p experiments.Place) error {
	var wrong []error
	add := func(key, format string, args ...any) {
		wrong = append(wrong, &workloads.KeyError{Key: key, Message: fmt.Sprintf(format, args...)})
	}
	for _, one := range []struct {
		key         string
		value, most int64
	}{{"cells", w.Cells, mostCells}, {"width", w.Width, w.Cells}, {"variables", w.Variables, mostFew}, {"number_bytes", w.Number, mostFew},
		{"cell_bytes", w.Moved, mostFew}, {"messages", w.Messages, mostMessages}, {"channels", w.Held, int64(m.GPUs.GPU.SMs / 8)},
		{"steps", w.Steps, mostSteps}} {
		if one.value > one.most {
			add(one.key, "must be at most %d, got %d", one.most, one.value)
		}
	}
	for _, one := range []struct {
		key   string
		value sim.Time
	}{{"synchronise", w.Synchronise}, {"trigger", w.Trigger}} {
		if one.value > mostTime {
			add(one.key, "must be at most %v, got %v", mostTime, one.value)
		}
	}
	dims, err := w.dims(p.Ranks)
	if err != nil {
		wrong = append(wrong, err)
	}
	node := &m.GPUs.Node
	switch {
	case m.GPUs.Kernels.Products == 0:
		wrong = append(wrong, fmt.Errorf("the machine %s has no speeds of kernels; give machine.gpu_kernels", m.Name))
	case w.By == ways[staged] && node.PCIe.Bandwidth == 0:
		add("by", "staged needs PCIe between GPUs and hosts (gpu.pcie)")
	case p.Ranks > node.Domain && len(node.NICs) == 0:
		wrong = append(wrong, fmt.Errorf("%d GPUs are in several domains, and the machine has no NICs (gpu.nics)", p.Ranks))
	}
	if err != nil || wrong != nil {
		return errors.Join(wrong...)
	}
	if n := float64(w.Steps) * float64(p.Ranks) * opsOfStep; n > mostOps {
		add("steps", "give about %.0f operations, the most is %d", n, int(mostOps))
	}
	b := newBuilder(w, m, p, dims)
	if w.Overlap && 2*w.Width >= w.Cells {
		add("overlap", "leaves no interior: %d layers of the %d cells are halo on both sides", w.Width, w.Cells)
	}
	if w.InteriorFirst && (!w.Overlap || w.By != ways[mpi] && w.By != ways[staged]) {
		add("interior_first", "needs overlap, and by mpi or staged: only then the host waits for both")
	}
	if err := b.reaches(); err != nil {
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// RunGPUs implements experiments.OnGPUs.
func (w *halo) RunGPUs(m *machines.Machine, p experiments.Place) (*results.Result, error) {
	dims, err := w.dims(p.Ranks)
	if err != nil {
		return nil, err
	}
	b := newBuilder(w, m, p, dims)
	b.write()
	p.Without = p.Without.Less(w.Takes(m))
	p.Fabric = b.shared()
	run, err := p.Run(&b.graph)
	if err != nil {
		return nil, err
	}
	r := training.Result(run, kindNames, p)
	r.Bytes = workloads.WholeBytes(b.sent)
	return r, nil
}

// Takes implements experiments.Takes: progress, where messages wait for calls.
func (w *halo) Takes(m *machines.Machine) without.Set {
	if w.holds(m) {
		return without.Progress
	}
	return 0
}

// Hosted implements experiments.Hosted.
func (w *halo) Hosted() []string {
	switch w.By {
	case ways[nccl]:
		return nil
	case ways[triggered]:
		return []string{"network.latency", "network.gap", "network.send_overhead", "network.receive_overhead"}
	}
	return append((&halo{By: ways[triggered]}).Hosted(), "network.rendezvous_threshold", "runtime", "runtime.rendezvous.threshold", "runtime.progress.by",
		"runtime.send_overhead", "runtime.receive_overhead")
}

// Metrics are the time of a step and, by kind, what the first stream of each GPU spends on it or waits for it, in a step.
func (w *halo) Metrics(_ *machines.Machine, r *results.Result) (all workloads.Metrics) {
	all.Add("step_s", r.Makespan().Seconds()/float64(w.Steps))
	for i, name := range r.Phases {
		all.Add(name+"_s", r.Spent(i).Mean(r.Ranks)/float64(w.Steps))
	}
	return all
}

// opsOfStep is the most operations of a GPU in a step.
const opsOfStep = 19

// Load implements experiments.OnStreams.
func (w *halo) Load(_ *machines.Machine, p experiments.Place) experiments.Load {
	return experiments.Load{Operations: float64(w.Steps) * float64(p.Ranks) * opsOfStep, Streams: float64(p.Ranks * len(streamNames)),
		Kinds: len(kindNames), Key: "steps"}
}

// Channels implements experiments.Channeled.
func (w *halo) Channels() map[string]int64 {
	if w.By != ways[nccl] {
		return nil
	}
	return map[string]int64{"channels": w.Held}
}
