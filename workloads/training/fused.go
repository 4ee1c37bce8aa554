package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/gpus/streams"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// A matrix product with the collective before or after it, as tensor parallelism has them: one after the other, in
// pieces, or fused into one kernel (Chang et al., arXiv 2406.06858).
func init() {
	workloads.Register(workloads.Kind{Name: "gemm-collective",
		Title: "a matrix product over several GPUs with its collective: one after the other, in pieces, or fused",
		New: func() workloads.Workload {
			return &gemm{Rows: 4096, Columns: 12288, Depth: 12288, Operation: gpus.AllGather.Name, How: "sequence", Precision: gpus.BF16.String(),
				TopK: 2, EP: 1}
		}})
}

type gemm struct {
	experiments.NoProgram
	Rows      int64    `key:"rows" unit:"count" doc:"of the first matrix and the result: M"`
	Columns   int64    `key:"columns" unit:"count" doc:"of the second matrix and the result: N; split over the GPUs after an all-gather"`
	Depth     int64    `key:"depth" unit:"count" doc:"columns of the first matrix, rows of the second: K; split over the GPUs before the other operations"`
	Operation string   `key:"operation" unit:"text" doc:"all-gather of the first matrix, or reduce-scatter or all-reduce of the result"`
	How       string   `key:"how" unit:"text" doc:"sequence, pieces (a kernel and a collective for each), or fused (one kernel; pieces are copied without SMs)"`
	Pieces    int64    `key:"pieces" unit:"count" doc:"of the rows; 0: one for each GPU"`
	Alone     sim.Time `key:"alone" unit:"time" doc:"the product of a GPU alone, as measured; 0s: at the rates of gpu_kernels"`
	Precision string   `key:"precision" unit:"text" doc:"fp16, bf16, fp8, fp32 or tf32"`
	Experts   int64    `key:"experts" unit:"count" doc:"after an all-gather: the number of experts; each has its own product, of the rows that go to it; 0: one for all rows"`
	TopK      int64    `key:"top_k" unit:"times" doc:"experts that a row goes to"`
	EP        int64    `key:"ep" unit:"times" doc:"groups of experts, each on equally many GPUs, which split columns; 1: all GPUs have columns of all experts"`
}

// Kinds of operations.
const (
	gemmProduct = iota
	gemmComm
	gemmSum
)

var gemmKinds = []string{"product", "tensor_parallel", "sum"}

// how is a way to write a product and its collective.
type how struct {
	name  string
	write func(*gemmWriter) error
	// check adds what it cannot do; nil: it can do all.
	check func(g *gemmWriter, ranks int, wrong *mistakes)
}

func (h how) String() string { return h.name }

var hows = []how{
	{"sequence", (*gemmWriter).sequence, nil},
	{"pieces", (*gemmWriter).inPieces, nil},
	{"fused", (*gemmWriter).fused, (*gemmWriter).checkFused},
}

// checkFused implements how.check.
func (g *gemmWriter) checkFused(ranks int, wrong *mistakes) {
	switch domains, _ := g.group.Domains(); {
	case domains > 1:
		wrong.add("how", "fused is modelled inside a domain, where GPUs copy from each other; the %d GPUs are in %d domains", ranks, domains)
	case g.op == gpus.AllReduce:
		wrong.add("how", "fused is modelled with all-gather and reduce-scatter; all-reduce has sequence and pieces")
	case g.pieces%ranks != 0:
		wrong.add("pieces", "must be a multiple of the %d GPUs if fused, got %d", ranks, g.pieces)
	}
}

var gemmOperations = []*gpus.Operation{gpus.AllGather, gpus.ReduceScatter, gpus.AllReduce}

// mostPieces is how many pieces a product has at most.
const mostPieces = 4096

// CheckGPUs implements experiments.OnGPUs.
func (w *gemm) CheckGPUs(m *machines.Machine, place experiments.Place) error {
	_, err := w.writer(m, place)
	return err
}

// writer returns the graph written, or what is wrong with the keys.
func (w *gemm) writer(m *machines.Machine, place experiments.Place) (*gemmWriter, error) {
	var wrong mistakes
	g := &gemmWriter{gemm: w, machine: m.GPUs, place: place, group: gpus.First(m.GPUs, place.Ranks, place.PerNode),
		gpus: float64(place.Ranks), pieces: int(w.Pieces)}
	if g.pieces == 0 {
		g.pieces = place.Ranks
	}
	g.precision = named(&wrong, precisions, "precision", w.Precision)
	wrong.within(mostWidth, "rows", w.Rows)
	wrong.within(mostWidth, "columns", w.Columns)
	wrong.within(mostWidth, "depth", w.Depth)
	if w.Pieces > mostPieces || w.Rows < int64(g.pieces) {
		wrong.add("pieces", "must be at most %d, and at most the %d rows; there are %d", mostPieces, w.Rows, g.pieces)
	}
	if w.Alone > machines.Longest/16 {
		wrong.add("alone", "must be at most %v, got %v", machines.Longest/16, w.Alone)
	}
	write := w.choices(g, place, &wrong)
	w.experts(g, place, &wrong)
	if g.machine.GPU.Peak[g.precision] == 0 {
		wrong.add("precision", "the speed of %s is not known for %s (gpu.peak)", g.precision, g.machine.GPU.Title)
	}
	if g.machine.Kernels.Products == 0 {
		return nil, errors.Join(append(wrong, noRates(m))...)
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	g.begin()
	if err := write(g); err != nil {
		return nil, err
	}
	if g.demand > streams.MostDemand {
		wrong.add("alone", "must be at least %v: a block of the product would move more than 2^50 B/s; got %v",
			sim.Seconds(w.Alone.Seconds()*g.demand/streams.MostDemand), w.Alone)
		return nil, errors.Join(wrong...)
	}
	return g, nil
}

// choices finds the operation and how it is written.
func (w *gemm) choices(g *gemmWriter, place experiments.Place, wrong *mistakes) (write func(*gemmWriter) error) {
	g.op = named(wrong, gemmOperations, "operation", w.Operation)
	way := named(wrong, hows, "how", w.How)
	if way.check != nil {
		way.check(g, place.Ranks, wrong)
	}
	return way.write
}

// experts checks what products of experts need.
func (w *gemm) experts(g *gemmWriter, place experiments.Place, wrong *mistakes) {
	switch {
	case w.Experts == 0 && w.EP > 1:
		wrong.add("ep", "shares experts, and there are none; give experts")
	case w.Experts == 0:
	case w.Experts > gpus.MostExperts:
		wrong.add("experts", "must be at most %d, got %d", gpus.MostExperts, w.Experts)
	case g.op != gpus.AllGather:
		wrong.add("experts", "are modelled after an all-gather, not with %s", w.Operation)
	case w.TopK > w.Experts:
		wrong.add("top_k", "must be at most the %d experts, got %d", w.Experts, w.TopK)
	case int64(place.Ranks)%w.EP != 0 || w.Experts%w.EP != 0:
		wrong.add("ep", "must divide the %d GPUs and the %d experts, got %d", place.Ranks, w.Experts, w.EP)
	}
}

// RunGPUs implements experiments.OnGPUs: one GPU stands for all.
func (w *gemm) RunGPUs(m *machines.Machine, place experiments.Place) (*results.Result, error) {
	g, err := w.writer(m, place)
	if err != nil {
		return nil, err
	}
	return oneForAll(&g.graph, place, workloads.WholeBytes(g.sent*g.gpus))
}

// Metrics are the time of both, and by kind what the compute stream spends on operations or waits for them.
func (w *gemm) Metrics(_ *machines.Machine, r *results.Result) workloads.Metrics {
	return experiments.ByKind("time_s", r)
}

// gemmWriter makes the graph.
type gemmWriter struct {
	*gemm
	machine   *gpus.Machine
	place     experiments.Place
	group     *gpus.Communicator
	gpus      float64
	op        *gpus.Operation
	precision gpus.Precision
	pieces    int

	graph streams.Graph
	scale float64 // of the time of blocks, so that the whole product takes the time that was measured
	sent  float64
	// demand is the most bytes per second that a block would move in memory.
	demand float64
	after  []int32 // of the next operation
}

// begin begins the graph of a GPU.
func (g *gemmWriter) begin() {
	g.graph = oneGPU(g.machine, gemmKinds, streams.Stream{Name: "compute"}, streams.Stream{Name: "communication", Priority: 1})
	g.scale = 1
	if whole := g.machine.Alone(g.product(float64(g.Rows))); g.Alone > 0 {
		g.scale = g.Alone.Seconds() / whole
	}
}

// gathers tells whether the collective comes before the product.
func (g *gemmWriter) gathers() bool { return g.op == gpus.AllGather }

// product is a product of the given rows on a GPU, by the rates of the machine.
func (g *gemmWriter) product(rows float64) gpus.Work {
	columns, depth := float64(g.Columns), float64(g.Depth)
	switch {
	case g.Experts > 0:
		columns = math.Ceil(columns * float64(g.EP) / g.gpus)
		return g.machine.Product(g.precision, float64(g.Experts/g.EP), rows*float64(g.TopK)/float64(g.Experts), columns, depth)
	case g.gathers():
		columns = math.Ceil(columns / g.gpus)
	default:
		depth = math.Ceil(depth / g.gpus)
	}
	return g.machine.Product(g.precision, 1, rows, columns, depth)
}

// bytes is what the collective moves for the given rows.
func (g *gemmWriter) bytes(rows float64) float64 {
	if g.gathers() {
		return g.precision.Bytes() * rows * float64(g.Depth)
	}
	return max(2, g.precision.Bytes()) * rows * float64(g.Columns) // results have 16 bits at least
}

// piece is how many rows a piece has.
func (g *gemmWriter) piece() float64 { return float64(g.Rows) / float64(g.pieces) }

// sequence writes both one after the other.
func (g *gemmWriter) sequence() error { return g.pairs(1) }

// inPieces writes a kernel and a collective for each piece.
func (g *gemmWriter) inPieces() error { return g.pairs(g.pieces) }

// pairs writes n products and collectives. Each piece of one waits for its piece of the other.
func (g *gemmWriter) pairs(pieces int) (err error) {
	rows := float64(g.Rows) / float64(pieces)
	for range pieces {
		if g.gathers() {
			g.after = nil
			err = errors.Join(err, g.collective(rows))
			g.kernel("product", gemmProduct, g.scaled(g.product(rows)))
		} else {
			g.kernel("product", gemmProduct, g.scaled(g.product(rows)))
			err = errors.Join(err, g.collective(rows))
			g.after = nil
		}
	}
	g.wait()
	return err
}

// wait lets the compute stream wait for the last operation.
func (g *gemmWriter) wait() {
	last := int32(len(g.graph.Ops) - 1)
	if g.graph.Ops[last].Stream != 0 {
		g.after = []int32{last}
		g.add(streams.Op{Name: "end", Kind: gemmComm})
	}
}

// scaled is a kernel at the speed that was measured.
func (g *gemmWriter) scaled(w gpus.Work) gpus.Work {
	w.Block = max(1, sim.Time(math.Round(float64(w.Block)*g.scale)))
	demand := float64(w.Demand) / g.scale
	w.Demand = int64(min(demand, streams.MostDemand))
	g.demand = max(g.demand, demand)
	return w
}

// fused writes one kernel that computes each piece as soon as it has come. Computed pieces are copied without SMs. After
// an all-gather a GPU begins with its own rows; before a reduce-scatter it ends with them.
func (g *gemmWriter) fused() error {
	if g.gathers() {
		return g.fusedGather()
	}
	return g.fusedScatter()
}

// own is how many pieces are the GPU's own.
func (g *gemmWriter) own() int { return g.pieces / int(g.gpus) }

// fusedGather copies the GPU's own rows to where others read them, and notifies the others; then copies and tiles go
// on together. Only the first of these waits for a signal of others.
func (g *gemmWriter) fusedGather() (err error) {
	g.kernel("copy to where others read", gemmComm, g.machine.Move(2*g.bytes(float64(g.Rows))/g.gpus))
	err = g.copy("all rows are there", 1, g.machine.Kernels.Signal)
	there := g.after
	for i := range g.pieces {
		if g.after = there; i >= g.own() {
			err = errors.Join(err, g.copy("copy", g.bytes(g.piece()), 0))
		}
		g.tiles(i)
	}
	return err
}

// fusedScatter adds up what has come when all tiles are done. Each copy waits for a signal that its piece is computed.
func (g *gemmWriter) fusedScatter() (err error) {
	var copies []int32
	for i := range g.pieces {
		g.tiles(i)
		if i < g.pieces-g.own() {
			err = errors.Join(err, g.copy("copy", g.bytes(g.piece()), g.machine.Kernels.Signal))
			copies, g.after = append(copies, g.after...), nil
		}
	}
	g.after = copies
	g.kernel("sum", gemmSum, g.machine.Move(g.bytes(float64(g.Rows))*(1+1/g.gpus)))
	return err
}

// tiles writes a piece of the one kernel. Its blocks go on from piece to piece without a new wave; the last wave of
// the whole product begins when all full waves are done and the last piece is there.
func (g *gemmWriter) tiles(piece int) {
	w, sms := g.scaled(g.product(float64(g.Rows))), g.machine.GPU.SMs
	whole, each := float64(int(w.Blocks)/sms), float64(w.Blocks)/float64(sms)/float64(g.pieces)
	waves := min(whole, float64(piece+1)*each) - min(whole, float64(piece)*each)
	g.part(piece, gpus.Work{Blocks: int32(sms), Block: max(1, sim.Time(math.Round(float64(w.Block)*waves))), Demand: w.Demand})
	if rest := int(w.Blocks) % sms; piece == g.pieces-1 && rest > 0 {
		g.part(1, gpus.Work{Blocks: int32(rest), Block: w.Block, Demand: w.Demand})
	}
}

// part adds blocks of the one kernel, which is launched once.
func (g *gemmWriter) part(piece int, w gpus.Work) {
	o := streams.Op{Name: "product", Kind: gemmProduct, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand}
	if piece == 0 {
		o.Launch = g.machine.Kernels.Launch
	}
	g.add(o)
}

// kernel adds a kernel of the compute stream.
func (g *gemmWriter) kernel(name string, kind uint8, w gpus.Work) {
	g.add(streams.Op{Name: name, Kind: kind, Blocks: w.Blocks, Work: w.Block, Demand: w.Demand, Launch: g.machine.Kernels.Launch})
}

// add adds an operation after the one that is to be waited for, and is waited for.
func (g *gemmWriter) add(o streams.Op) {
	o.After = slices.Clone(g.after)
	g.graph.Ops = append(g.graph.Ops, o)
	g.after = []int32{int32(len(g.graph.Ops) - 1)}
}

// collective adds the collective of the given rows, on SMs.
func (g *gemmWriter) collective(rows float64) error {
	c, err := g.group.Time(g.op, int64(g.bytes(rows)))
	if err != nil || c.Total() == 0 {
		return err
	}
	g.sent += c.Egress
	g.member(g.op.Name, c, channelsOf(c, g.machine), g.machine.Kernels.Join)
	return nil
}

// copy adds a copy from another GPU, or to one, by a copy engine, which takes some time to begin.
func (g *gemmWriter) copy(name string, bytes float64, begins sim.Time) error {
	if g.gpus == 1 {
		return nil
	}
	two := gpus.Communicator{Machine: g.machine, Members: g.group.Members[:2]}
	if domains, _ := g.group.Domains(); domains > 1 { // the last one and the first one are in different ones
		two.Members = []int{g.group.Members[len(g.group.Members)-1], g.group.Members[0]}
	}
	c, err := two.Time(gpus.SendReceive, int64(bytes))
	if err != nil {
		return fmt.Errorf("copy of a piece: %w", err)
	}
	g.sent += c.Egress
	c.Start = sim.Later(c.Start, begins)
	g.member(name, c.Passing(), 0, g.machine.Kernels.Launch)
	g.graph.Collectives[len(g.graph.Collectives)-1].Way = streams.Message
	return nil
}

// member adds a collective to the communication stream.
func (g *gemmWriter) member(name string, c gpus.Cost, blocks int32, launch sim.Time) {
	g.graph.Beyond = cmp.Or(g.graph.Beyond, c.Beyond)
	g.graph.Collectives = append(g.graph.Collectives,
		streams.Collective{Latency: c.Before(), Transfer: c.Moving(), Flows: g.place.Flows(&c, g.group, 1)})
	own, incoming := c.Demand(blocks)
	g.add(streams.Op{Name: name, Kind: gemmComm, Stream: 1, Collective: int32(len(g.graph.Collectives)), Blocks: blocks, Demand: own,
		Incoming: incoming, Launch: launch})
}
