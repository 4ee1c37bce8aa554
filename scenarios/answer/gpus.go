package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// Changes of a run on GPUs. They keep what a step gives, and change how it is computed.

// waiting is everything that keeps kernels waiting.
var waiting = append([]string{"communication", "collectives", "bubbles", "launches", "interference"}, "bandwidth", "latency")

// The kinds of communication of a step that changes are meant for, and then everything.
var (
	ofExperts  = append([]string{"expert-parallel"}, waiting...)
	ofReplicas = append([]string{"data-parallel"}, waiting...)
	ofTensors  = append([]string{"tensor-parallel"}, waiting...)
	ofLayouts  = slices.Concat(waiting, []string{"tensor-parallel", "pipeline", "data-parallel"})
)

// computed is what kernels do.
var computed = []string{"computation"}

// onGPUs lists the changes that may help GPUs, each with its conditions.
var onGPUs = []candidate{
	{program, waiting, nil, near("schedule", "schedule %s", false)},
	{program, ofLayouts, nil, layouts},
	{program, ofReplicas, nil, buckets},
	{program, ofReplicas, communicates("data_parallel"), flag("zero", "0", "1", "the optimizer's state split over replicas")},
	{program, ofTensors, communicates("tensor_parallel"), flag("sequence_parallel", "false", "true",
		"what lies between tensor-parallel parts split too")},
	{program, ofTensors, nil, flag("async_tp", "false", "true", "tensor-parallel collectives in pieces during products")},
	{library, ofExperts, communicates("expert_parallel"), flag("dispatcher", "all-to-all", "two-stage",
		"tokens sent once to each domain, as by DeepEP (dispatcher two-stage)")},
	{program, ofExperts, nil, near("ep", "experts shared by %s GPUs", false)},
	{program, ofExperts, communicates("expert_parallel"), overlapped},
	{program, computed, nil, recomputed},
	{program, []string{"imbalance", "bubbles", "computation"}, nil, divided},
	{program, ofReplicas, (*subject).gathers, flag("prefetch", "1", "2", "parameters of two layers gathered ahead")},
	{program, waiting, nil, flag("how", "sequence", "fused", "product and collective in one kernel")},
	{program, waiting, nil, flag("how", "sequence", "pieces", "product and collective in pieces")},
	{program, waiting, nil, flag("overlap", "false", "true", "the interior computed while halos travel")},
	{program, unmoved, nil, flag("interior_first", "true", "false", "the host waits for messages before it waits for the interior")},
	{program, waiting, nil, flag("pack", "copies", "kernel", "faces packed by a kernel, not by a copy for each piece")},
	{program, waiting, nil, fewerMessages},
	{program, computed, nil, flag("fused", "false", "true", "each part updated in the kernel of the all-reduce")},
	{program, computed, nil, flag("optimizer", "adam", "adam-fused", "the optimizer in one kernel")},
	{library, waiting, nil, each(flag("by", "staged", "mpi", "buffers of the GPU sent by the NIC, not through the host"),
		flag("by", "nccl", "mpi", "messages of MPI, without NCCL's kernels"))},
	{library, waiting, nil, each(flag("by", "staged", "triggered", triggered), flag("by", "nccl", "triggered", triggered),
		flag("by", "mpi", "triggered", triggered))},
	{program, []string{"launches"}, nil, graphs},
	{program, []string{"noise"}, nil, unpaused},
	{library, waiting, nil, collectively},
	{machine, []string{"communication", "collectives"}, nil, half("communication", "collectives in half their time")},
	{library, []string{"interference", "collectives", "bandwidth"}, switched, channels},
	{machine, []string{"bandwidth", "collectives"}, (*subject).outside, outwardsTwice},
	{machine, []string{"bandwidth", "collectives"}, (*subject).joined, links},
	{machine, []string{"bandwidth", "collectives"}, throughPCIe, setting("PCIe of twice the bandwidth", "", widerPCIe)},
	{machine, []string{"bandwidth", "collectives"}, (*subject).outside, inAndOut},
	{library, []string{"links"}, (*subject).contended, sprayed},
	{machine, []string{"links"}, (*subject).contended, untapered},
	{machine, []string{"links"}, linked, widerLinks},
	{machine, []string{"latency", "collectives"}, nil, quicker},
	{machine, []string{"launches"}, launches, setting("hosts that launch in half the time", "",
		"machine.gpu_kernels.launch=x0.5", "machine.gpu_kernels.join=x0.5")},
	{machine, []string{"interference", "computation"}, nil, setting("memories of twice the bandwidth", "", "machine.gpu.memory_bandwidth=x2")},
}

const triggered = "messages triggered by the stream, for which the host does not wait"

// graphs launches the kernels of a trace without the host, as CUDA graphs do.
func graphs(s *subject) []change {
	if !slices.ContainsFunc(files.WorkloadRows(s.Workload), func(r keys.Row) bool { return r.Path == "host" }) {
		return nil
	}
	var sum results.TracedRank
	if s.Result.Traced != nil {
		sum = s.Result.Traced.Sum()
	}
	says := "CUDA graphs: the host launches ahead of all kernels"
	switch {
	case sum.InGraphs > 0 && sum.InGraphs == sum.Operations:
		return only("hosts that launch their CUDA graphs ahead", "workload.host=0")
	case sum.InGraphs > 0:
		says = "CUDA graphs for all operations, launched ahead"
	}
	return at("the step must have the same shapes each time", says, "workload.host=0")
}

// unpaused lets the hosts of a trace go on where they launched nothing, if they did so while their GPUs had nothing to do.
func unpaused(s *subject) []change {
	if s.Result.Traced == nil || s.Result.Traced.Sum().HostPaused == 0 {
		return nil
	}
	return only("hosts that do not pause, such as for data", "workload.pauses=0")
}

// collectively does a collective by the other algorithms that it has. NCCL_ALGO chooses among the algorithms of NCCL; all-to-alls are programs of
// sends and receives, and an all-reduce that updates is no kernel of NCCL.
func collectively(s *subject) []change {
	if s.value("operation") == gpus.AllToAll.Name || s.value("fused") == "true" {
		return near("algorithm", "algorithm %s", true)(s)
	}
	return near("algorithm", "algorithm %s (NCCL_ALGO)", true)(s)
}

// fewerMessages sends a face as one message.
func fewerMessages(s *subject) []change {
	if n := s.value("messages"); n == "" || n == "1" {
		return nil
	}
	return only("one message for each face", "workload.messages=1")
}

// half halves a factor of the workload, such as that on the times of collectives of a trace.
func half(key, says string) func(*subject) []change {
	return func(s *subject) []change {
		for _, r := range files.WorkloadRows(s.Workload) {
			if factor, ok := r.To.(*float64); ok && r.Path == key && *factor > 0 {
				return only(says, fmt.Sprintf("workload.%s=%g", key, *factor/2))
			}
		}
		return nil
	}
}

// value returns the value of a key of the workload; "" if it has no such key.
func (s *subject) value(key string) string {
	rows := files.WorkloadRows(s.Workload)
	i := slices.IndexFunc(rows, func(r keys.Row) bool { return r.Path == key })
	if i < 0 {
		return ""
	}
	switch v := rows[i].To.(type) {
	case *int64:
		return fmt.Sprint(*v)
	case *float64:
		return fmt.Sprint(*v)
	case *bool:
		return fmt.Sprint(*v)
	case *string:
		return *v
	}
	return ""
}

// flag changes a key of the workload that has a value to another one.
func flag(key, from, to, says string) func(*subject) []change {
	return func(s *subject) []change {
		if s.value(key) != from {
			return nil
		}
		return only(says, "workload."+key+"="+to)
	}
}

// overlapped computes another micro-batch while tokens are exchanged, with the optimizer's state alone split over replicas where it must be.
func overlapped(s *subject) []change {
	const says = "tokens of experts exchanged while another micro-batch computes"
	all := flag("ep_overlap", "false", "true", says)(s)
	if all != nil && s.refused(all[0].set) != "" {
		all = only(says+", with zero 1", "workload.zero=1", all[0].set[0])
	}
	return all
}

// divided divides the layers of a pipeline so that its stages compute for about as long.
func divided(s *subject) []change {
	all := near("stage_layers", "layers divided %s over the stages", false)(s)
	for i := range all {
		if s.value("ends_as_layers") == "true" {
			all[i].set = append(all[i].set, "workload.ends_as_layers=false")
		}
	}
	return all
}

// recomputed are the ways to keep more than the inputs of layers for the backward pass, those that keep most first. One that does not fit into
// memory does not load; the shortest of the others is told.
func recomputed(s *subject) (all []change) {
	now := s.value("recompute")
	for _, way := range []struct{ name, says string }{{"none", "nothing computed again"}, {"selective", "only attention computed again"},
		{"alternate", "all but attention and every second product computed again"}} {
		if now != "" && now != "none" && now != way.name {
			all = append(all, only(way.says, "workload.recompute="+way.name)...)
		}
	}
	return all
}

// each is the changes of all of these.
func each(of ...func(*subject) []change) func(*subject) []change {
	return func(s *subject) (all []change) {
		for _, one := range of {
			all = append(all, one(s)...)
		}
		return all
	}
}

// near tries the values that are close to the value of a key.
func near(key, says string, otherWork bool) func(*subject) []change {
	return func(s *subject) (all []change) {
		w, ok := s.Workload.(workloads.Neighbored)
		if !ok {
			return nil
		}
		for _, value := range w.Near(key, s.Machine.Machine, s.Ranks) {
			all = append(all, change{says: fmt.Sprintf(says, value), set: []string{"workload." + key + "=" + value},
				otherWork: otherWork})
		}
		return all
	}
}

// openBatch is how many sequences a step has whose scenario leaves that open; 0: it does not.
func (s *subject) openBatch() int64 {
	if w, ok := s.Workload.(workloads.Batched); ok {
		if sequences, open := w.Batch(s.Ranks); open {
			return sequences
		}
	}
	return 0
}

func ofBatch(sequences int64) string { return fmt.Sprintf("workload.global_batch=%d", sequences) }

// layouts are those that are close, with the batch of the run. A pipeline changes what is split over replicas.
func layouts(s *subject) []change {
	all := near("layout", "layout %s", false)(s)
	if batch := s.openBatch(); batch > 0 {
		for i := range all {
			all[i].set = append(all[i].set, ofBatch(batch))
		}
	}
	staged := func(layout string) bool { return !strings.Contains(layout, "pp1-") }
	zero := s.value("zero")
	for i, c := range all {
		if (zero == "2" || zero == "3") && staged(c.set[0]) && !staged(cmp.Or(s.value("layout"), "pp"+s.value("pp")+"-")) {
			all[i].price = "zero " + zero + " keeps each stage whole during a step"
		}
	}
	return all
}

// buckets are four times as large, or a quarter. If gradients were summed up at the end, buckets send them during the backward pass.
func buckets(s *subject) (all []change) {
	var now int64
	for _, r := range files.WorkloadRows(s.Workload) {
		if r.Path == "bucket" {
			now = *r.To.(*int64)
		}
	}
	sizes := []int64{4 * now, now / 4}
	if s.value("bucket") == "0" {
		sizes = []int64{25e6, 100e6, 400e6}
	}
	for _, size := range sizes {
		if size > 0 {
			all = append(all, only(keys.FormatBytes(size)+" buckets", "workload.bucket="+keys.FormatBytes(size))...)
		}
	}
	return all
}

// channels tries half, a quarter and twice the number of channels, each of which holds an SM: those of the machine, and those
// of keys of the workload.
func channels(s *subject) (all []change) {
	now := map[string]int64{"machine.gpu_calibration.channels": int64(s.Machine.GPUs.Fit.Channels)}
	if w, ok := s.Workload.(experiments.Channeled); ok && len(w.Channels()) > 0 {
		now = map[string]int64{}
		for key, n := range w.Channels() {
			now["workload."+key] = n
		}
	}
	paths := slices.Sorted(maps.Keys(now))
	for _, by := range []float64{0.5, 0.25, 2} {
		var set []string
		for _, path := range paths {
			if n := int64(by * float64(now[path])); n > 0 && n <= int64(s.Machine.GPUs.GPU.SMs) {
				set = append(set, fmt.Sprintf("%s=%d", path, n))
			}
		}
		first := now[paths[0]]
		if len(set) == len(paths) {
			all = append(all, only(fmt.Sprintf("%d instead of %d channels", int64(by*float64(first)), first), set...)...)
		}
	}
	return all
}

// switched tells whether GPUs are joined by a switch, whose links few channels do not fill.
func switched(s *subject) bool { return s.Machine.GPUs.Node.Switch != nil }

// Settings that double a bandwidth.
const (
	widerNIC  = "machine.gpu.nics.bandwidth=x2"
	widerPCIe = "machine.gpu.pcie.bandwidth=x2"
)

// joined tells whether links or a switch join the GPUs of a host, and not PCIe.
func (s *subject) joined() bool { return s.Machine.GPUs.Node.Joined() }

// throughPCIe tells whether bytes between GPUs take the way through PCIe.
func throughPCIe(s *subject) bool { return !s.joined() || s.value("by") == "staged" }

// links between GPUs are twice as fast, as far as operations reach it.
func links(s *subject) []change {
	set := []string{"machine.gpu_calibration.ring=x2"}
	if s.Machine.GPUs.Fit.InSwitch > 0 {
		set = append(set, "machine.gpu_calibration.in_switch=x2")
	}
	if s.exchanges() {
		set = append(set, "machine.gpu_exchange.links=x2")
	}
	return only("links between GPUs of twice the bandwidth", set...)
}

// quicker halves what operations take however few their bytes are.
func quicker(s *subject) []change {
	keys := []string{"gpu_calibration.start", "gpu_calibration.step", "gpu_calibration.far"}
	if fit := &s.Machine.GPUs.Fit; fit.SwitchStart > 0 && fit.SwitchStep > 0 {
		keys = append(keys, "gpu_calibration.switch_start", "gpu_calibration.switch_step")
	}
	if s.exchanges() {
		keys = append(keys, "gpu_exchange.start", "gpu_exchange.direct_start")
	}
	set := make([]string, len(keys))
	for i, key := range keys {
		set[i] = "machine." + key + "=x0.5"
	}
	return only("half the latency of steps", set...)
}

// exchanges tells whether kernels may exchange tokens between GPUs.
func (s *subject) exchanges() bool {
	return s.Machine.GPUs.Exchanges.Links > 0 && (s.value("tokens") != "" || s.value("experts") != "")
}

// inAndOut doubles what joins GPUs in a host and between hosts, each of which hides what the other one costs.
func inAndOut(s *subject) []change {
	if !s.joined() {
		return only("PCIe and NICs of twice the bandwidth", widerPCIe, widerNIC)
	}
	all := outwardsTwice(s)
	for i, c := range all {
		all[i] = only("links between GPUs and "+c.says, append(links(s)[0].set, c.set...)...)[0]
	}
	return all
}

// outwardsTwice doubles the bandwidth of NICs. Cables whose machine gives them none keep that of the NICs, or are twice as fast too.
func outwardsTwice(s *subject) []change {
	all := only("NICs of twice the bandwidth", append([]string{widerNIC}, s.linksOfNIC(1)...)...)
	if cables := s.linksOfNIC(2); cables != nil {
		all = append(all, only("NICs and cables of twice the bandwidth", append([]string{widerNIC}, cables...)...)...)
	}
	return all
}

// sprayed spreads packets over all ways up a fat tree.
func sprayed(s *subject) []change {
	if !s.Sprayable() {
		return nil
	}
	return at("NICs must put packets in order", "packets sprayed over all switches", "topology.multipath=spray")
}

// untapered gives switches as many ways up as down, and also spreads packets over them.
func untapered(s *subject) (all []change) {
	set := s.Untapered()
	if set == "" {
		return nil
	}
	all = only("a fabric without oversubscription", set)
	for _, c := range sprayed(s) {
		all = append(all, at(c.price, "a fabric without oversubscription, and "+c.says, append(c.set, set)...)...)
	}
	return all
}

// outside tells whether the run needs NICs.
func (s *subject) outside() bool {
	return s.Ranks > s.Machine.GPUs.Node.Domain && len(s.Machine.GPUs.Node.NICs) > 0
}

// gathers tells whether parameters are split over replicas, so that a layer's are gathered before it runs.
func (s *subject) gathers() bool { return s.value("zero") == "3" }

// communicates tells whether the step has communication of a kind, which takes time.
func communicates(kind string) func(*subject) bool {
	return func(s *subject) bool {
		for i, name := range s.Result.Phases {
			ledger := s.Result.OfPhase(i)
			if name == kind && ledger.Sum().Mean(s.Ranks) > 0 {
				return true
			}
		}
		return false
	}
}

func launches(s *subject) bool { return s.States("gpu_kernels.launch") }
