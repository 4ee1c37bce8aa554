package experiments

import (
	"errors"
	"fmt"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// An exchange of tokens between the GPUs that have experts.
func init() {
	workloads.Register(workloads.Kind{Name: "expert-exchange",
		Title: "tokens go to the GPUs that have their experts (dispatch), or come back (combine)",
		New: func() workloads.Workload {
			return &expertExchange{Direction: dispatch, Tokens: 4096, Hidden: 7168, Experts: 256, TopK: 8, Precision: gpus.BF16.String(),
				Kernel: gpus.TwoStage.Name, SMs: 24}
		}})
}

// Directions of an exchange.
const (
	dispatch = "dispatch"
	combine  = "combine"
)

type expertExchange struct {
	NoProgram
	Direction string `key:"direction" unit:"text" choices:"dispatch,combine" doc:"to the experts, or back"`
	Tokens    int64  `key:"tokens" unit:"times" doc:"of each GPU"`
	Hidden    int64  `key:"hidden" unit:"times" doc:"numbers that a token has"`
	Experts   int64  `key:"experts" unit:"times" doc:"of all GPUs together, spread evenly"`
	TopK      int64  `key:"top_k" unit:"times" doc:"experts that a token goes to"`
	Nodes     int64  `key:"token_domains" unit:"count" doc:"domains (nodes, if they are as large) that a token may go to; 0: any number"`
	Precision string `key:"precision" unit:"text" choices:"bf16,fp8" doc:"of tokens on their way; fp8 has a scale of 4 bytes for 128 numbers"`
	Kernel    string `key:"kernel" unit:"text" choices:"two-stage,direct" doc:"a token crosses the network once for a domain, or for each expert"`
	SMs       int64  `key:"sms" unit:"count" doc:"two-stage: SMs that the kernel holds; 0: as many as it can use"`
}

// plan returns the group and the exchange that the keys ask for.
func (w *expertExchange) plan(m *machines.Machine, ranks int) (*gpus.Communicator, *gpus.Exchange, error) {
	kernel, err := gpus.Named(gpus.AllStages, "kernel", w.Kernel)
	precision, wrong := gpus.Named([]gpus.Precision{gpus.BF16, gpus.FP8}, "precision", w.Precision)
	if err = errors.Join(Keyed(err), Keyed(wrong)); err != nil {
		return nil, nil, err
	}
	x := &gpus.Exchange{Tokens: float64(w.Tokens), Bytes: gpus.TokenBytes(float64(w.Hidden), precision), Experts: int(w.Experts),
		TopK:    int(w.TopK),
		Domains: int(w.Nodes), Stages: kernel, SMs: int(w.SMs)}
	return gpus.First(m.GPUs, ranks, m.GPUs.Node.GPUs), x, nil
}

// CheckGPUs implements OnGPUs.
func (w *expertExchange) CheckGPUs(m *machines.Machine, p Place) error {
	c, x, err := w.plan(m, p.Ranks)
	if err != nil {
		return err
	}
	if w.SMs > int64(m.GPUs.GPU.SMs) {
		return &workloads.KeyError{Key: "sms", Message: fmt.Sprintf("must be at most %d, got %d", m.GPUs.GPU.SMs, w.SMs)}
	}
	if whole := m.GPUs.Node.GPUs; p.PerNode != whole && p.Ranks > p.PerNode {
		return fmt.Errorf("the run has %d processes a node; it must be the %d GPUs of a node", p.PerNode, whole)
	}
	cost, _, err := c.Exchange(x)
	if err == nil && cost.Total() > machines.Longest/8 {
		return &workloads.KeyError{Key: "tokens", Message: "must be less: the exchange takes too long"}
	}
	return Keyed(err)
}

// RunGPUs implements OnGPUs.
func (w *expertExchange) RunGPUs(m *machines.Machine, p Place) (*results.Result, error) {
	c, x, err := w.plan(m, p.Ranks)
	if err != nil {
		return nil, err
	}
	cost, sent, err := c.Exchange(x)
	if err != nil {
		return nil, err
	}
	free, fabric, err := p.free(&cost, c, make([]sim.Time, p.Ranks))
	if err != nil {
		return nil, err
	}
	c.Free = free
	if cost, sent, err = c.Exchange(x); err != nil {
		return nil, err
	}
	more, err := p.contended(&cost, c, fabric)
	if err != nil {
		return nil, err
	}
	took := cost.Total() + more
	r := &results.Result{Ranks: p.Ranks, On: results.GPUs, Phases: []string{w.Direction + " " + w.Kernel}, Finish: make([]sim.Time, p.Ranks),
		Hidden: make([]sim.Time, p.Ranks), Ledgers: make([][]results.Ledger, p.Ranks),
		Bytes: int64(sent.Links+sent.Network) * int64(p.Ranks)}
	for i := range r.Finish {
		r.Finish[i] = took
		r.Ledgers[i] = []results.Ledger{ledgerOf(&cost, more, 0, took)}
	}
	if p.Critical {
		r.Critical = criticalOf(&r.Ledgers[0][0], 0)
	}
	return r, nil
}

// Metrics are the time, and what a GPU sends over links and through its NIC, divided by the time of the exchange. Bytes over links include
// what stays on the GPU. The logical bandwidth is that which benchmarks of such kernels print for the network: its bytes include what stays in
// the GPU's own domain, which those of the direct kernel send through the NIC, too.
func (w *expertExchange) Metrics(m *machines.Machine, r *results.Result) (all workloads.Metrics) {
	seconds := r.Makespan().Seconds()
	all.Add("time_s", seconds)
	c, x, err := w.plan(m, r.Ranks)
	if err != nil {
		return all
	}
	_, v, err := c.Exchange(x)
	if err != nil {
		return all
	}
	const noTime = "it takes no time"
	all.AddOr("link_GBps", v.Links/seconds/1e9, noTime)
	if v.Network > 0 {
		all.AddOr("network_GBps", v.Network/seconds/1e9, noTime)
	}
	if v.Network > 0 || x.Stages == gpus.Direct {
		all.AddOr("logical_network_GBps", v.Domains/seconds/1e9, noTime)
	}
	return all
}
