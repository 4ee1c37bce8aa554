package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlapsim/network/fabrics"
	"overlapsim/nodes"
	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// gpuFile holds the content of a machine file on its GPUs.
type gpuFile struct {
	given, peak, inSwitch, pcie, nics, fit, kernels, exchange keys.Group
	generation                                                string
	links                                                     *keys.Node
	linkBandwidth, nicBandwidth                               float64
	nicGPUs, rails                                            []int
	wired                                                     gpus.Switch
	machine                                                   gpus.Machine
}

// generationNames are the names of the generations.
func generationNames() (all []string) {
	for _, g := range gpus.Generations {
		all = append(all, g.Name)
	}
	return all
}

// onProcesses is the idle of all that describes GPUs, in a run of processes.
var onProcesses = because("the workload runs on processes, not on GPUs", func(*ran) bool { return true })

// offProcesses is the idle of the NIC of processes, in a run on GPUs.
var offProcesses idle = because("the workload runs on GPUs, whose NICs are those of machine.gpu.nics", func(o *ran) bool {
	_, on := o.Workload.(experiments.OnGPUs)
	return on
})

// onGPUs is the reason why a key cannot act in a run on GPUs: the NIC of processes and their library, links without a fabric, GPUs where
// all times are recorded, and keys of the workload that another one replaces.
func (o *ran) onGPUs(key string) string {
	reason := offProcesses(o)
	path := strings.TrimPrefix(key, "machine.")
	_, wiring := o.Machine.wiring.value(path)
	group, _, _ := strings.Cut(path, ".")
	w, recorded := o.Workload.(workloads.OwnTimes)
	hosted, sends := o.Workload.(experiments.Hosted)
	if w, ok := o.Workload.(workloads.Overridden); ok {
		if replaced, by := w.Overridden(); slices.Contains(replaced, strings.TrimPrefix(key, "workload.")) {
			return "workload." + by + " gives its value"
		}
	}
	switch {
	case sends && slices.Contains(hosted.Hosted(), path):
		return ""
	case reason == "" || group == "network":
		return reason
	case group == "runtime":
		return "the workload runs on GPUs, and no process sends messages"
	case o.Place.Fabric == nil && (wiring || path == topologyKind):
		return o.uncontended()
	case recorded && (key == "machine" || strings.HasPrefix(group, "gpu") && path != "gpu.per_node"):
		return w.OwnTimes()
	}
	return ""
}

// rows is the key table of gpu and gpu_calibration.
func (f *gpuFile) rows() keys.Table {
	return slices.Concat(f.hardware(), f.fitted(), kernelRates(&f.kernels, &f.machine.Kernels),
		exchangeRates(&f.exchange, &f.machine.Exchanges))
}

// hardware is the key table of gpu: what data sheets tell.
func (f *gpuFile) hardware() keys.Table {
	g, n := &f.machine.GPU, &f.machine.Node
	f.generation = gpus.Ampere.Name
	rows := keys.Table{
		{Path: "gpu", To: &f.given, Use: onProcesses, Doc: "the GPUs of a node, for workloads that run on GPUs; if omitted: there are none. " +
			"Workloads of processes run on the cores and the NIC of network, not on them"},
		{Path: "gpu.title", To: &g.Title, Doc: "what people call the GPU"},
		{Path: "gpu.generation", To: &f.generation, Choices: generationNames(), Doc: "its family, as NCCL's tables tell them apart"},
		{Path: "gpu.sms", To: &g.SMs, Is: keys.Count, Needs: keys.Required, Range: keys.Positive,
			Doc: "streaming multiprocessors; compute units of AMD"},
		{Path: "gpu.memory", To: &g.Memory, Is: keys.Bytes, Needs: keys.Required, Range: keys.Positive, Doc: "capacity of its memory"},
		{Path: "gpu.memory_bandwidth", To: &g.Bandwidth, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive, Doc: "of its memory"},
		{Path: "gpu.launch", To: &g.Launch, Is: keys.Time, Use: launchedByRates, Doc: "host time to launch a kernel, where gpu_kernels does not say more"},
		{Path: "gpu.peak", To: &f.peak, Doc: "speed of dense matrix products by precision; 0: not known"},
	}
	for p := range gpus.NumPrecisions {
		rows = append(rows, keys.Row{Path: "gpu.peak." + p.String(), To: &g.Peak[p], Is: keys.Rate, Doc: "of " + p.String()})
	}
	return append(rows, keys.Table{
		{Path: "gpu.per_node", To: &n.GPUs, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "GPUs of a node"},
		{Path: "gpu.domain", To: &n.Domain, Is: keys.Count,
			Doc: "neighbouring GPUs that a switch joins without the network, such as 72; 0: those of a node"},
		{Path: "gpu.switch", To: &f.inSwitch, Doc: "a switch joins the GPUs of a domain; if omitted: links do, or PCIe"},
		{Path: "gpu.switch.bandwidth", To: &f.wired.Bandwidth, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive,
			Doc: "of a GPU's links into it, in one direction"},
		{Path: "gpu.switch.links", To: &f.wired.Links, Is: keys.Count, Doc: "how many links these are"},
		{Path: "gpu.switch.reduces", To: &f.wired.Reduces, Doc: "it multicasts and reduces (NVLS)"},
		{Path: "gpu.links", To: &f.links, Form: "a list of [GPU, GPU, links]",
			Doc: "which GPUs of a node links join, and how many parallel ones"},
		{Path: "gpu.link_bandwidth", To: &f.linkBandwidth, Is: keys.Bandwidth, Doc: "of one of these links in one direction"},
		{Path: "gpu.pcie", To: &f.pcie, Doc: "PCIe between GPUs, NICs and processors"},
		{Path: "gpu.pcie.bandwidth", To: &n.PCIe.Bandwidth, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive,
			Doc: "of a GPU in one direction"},
		{Path: "gpu.pcie.gpus", To: &n.PCIe.GPUs, Is: keys.Count, Doc: "GPUs that share a PCIe switch; 0: none do"},
		{Path: "gpu.nics", To: &f.nics, Doc: "NICs of a node for its GPUs; if omitted: groups stay inside a domain"},
		{Path: "gpu.nics.gpus", To: &f.nicGPUs, Is: keys.Count, Needs: keys.Required,
			Doc: "the GPU next to each NIC, ascending; the GPUs up to the next one use the NIC too"},
		{Path: "gpu.nics.rails", To: &f.rails, Is: keys.Count, Doc: "the rail of each NIC; if omitted: each has its own"},
		{Path: "gpu.nics.bandwidth", To: &f.nicBandwidth, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive,
			Doc: "of a NIC in one direction"},
		{Path: "gpu.nics.latency", To: &n.Latency, Is: keys.Time, Doc: "latency of a message between NICs, beyond that of a hop in NCCL's tables"},
		{Path: "gpu.amd_host", To: &n.AMD, Doc: "the node's processor is from AMD: NCCL then uses other bounds for LL, and for posting messages"},
	}...)
}

// fitted is the key table of gpu_calibration: what measured rows tell.
func (f *gpuFile) fitted() keys.Table {
	c := &f.machine.Fit
	c.Low, c.Far, c.SwitchGPUs = 1, 1, 8
	return keys.Table{
		{Path: "gpu_calibration", To: &f.fit, Use: onProcesses,
			Doc: "what was fitted to measured collective operations of these GPUs; docs/reference/gpus.md"},
		{Path: "gpu_calibration.rows", To: &c.Rows, Needs: keys.Required, Doc: "the rows it was fitted to"},
		{Path: "gpu_calibration.start", To: &c.Start, Is: keys.Time, Needs: keys.Required,
			Doc: "t0: an operation inside a domain, without its steps"},
		{Path: "gpu_calibration.step", To: &c.Step, Is: keys.Time, Doc: "a: a step of a ring with whole chunks, protocol Simple"},
		{Path: "gpu_calibration.send", To: &c.Send, Is: keys.Time, Doc: "a message from one GPU to another in a domain, without its bytes"},
		{Path: "gpu_calibration.ring", To: &c.Ring, Is: keys.Bandwidth, Needs: keys.Required, Range: keys.Positive,
			Doc: "W: bus bandwidth of rings inside a domain; without a switch: of one ring"},
		{Path: "gpu_calibration.channels", To: &c.Channels, Is: keys.Count, Needs: keys.Required, Range: keys.Positive, Doc: "channels of rings"},
		{Path: "gpu_calibration.searched", To: &c.Searched, Is: keys.Bandwidth,
			Doc: "bus bandwidth that NCCL expects of its rings when it chooses; 0: found from the links by the speeds that it tries"},
		{Path: "gpu_calibration.low", To: &c.Low, Is: keys.Number, Doc: "k: factor on NCCL's latencies of LL and LL128 inside a domain"},
		{Path: "gpu_calibration.in_switch", To: &c.InSwitch, Is: keys.Bandwidth, Doc: "bandwidth of which NVLS reaches n/(n+1); 0: there is no NVLS"},
		{Path: "gpu_calibration.switch_start", To: &c.SwitchStart, Is: keys.Time, Doc: "NVLS without its chunks"},
		{Path: "gpu_calibration.switch_step", To: &c.SwitchStep, Is: keys.Time, Doc: "NVLS with whole chunks, without their bytes"},
		{Path: "gpu_calibration.switch_gpus", To: &c.SwitchGPUs, Is: keys.Count, Range: keys.Positive,
			Doc: "GPUs of a domain in the rows of switch_start and switch_step; with other numbers of GPUs switch_step is in proportion"},
		{Path: "gpu_calibration.switch_channels", To: &c.SwitchBlocks, Is: keys.Count, Doc: "channels of NVLS"},
		{Path: "gpu_calibration.network", To: &c.Network, Is: keys.Number, Range: keys.Positive,
			Doc: "part of the NICs' bandwidth that operations reach"},
		{Path: "gpu_calibration.far", To: &c.Far, Is: keys.Number, Doc: "factor on NCCL's latencies over the network"},
	}
}

// apply gives a machine its GPUs, if the file has any. They share nothing with the file.
func (f *gpuFile) apply(m *machines.Machine) {
	if !f.given.Given {
		return
	}
	g := f.machine
	for _, one := range gpus.Generations {
		if one.Name == f.generation {
			g.GPU.Generation = one
		}
	}
	if g.Node.Domain == 0 {
		g.Node.Domain = g.Node.GPUs
	}
	if f.inSwitch.Given {
		g.Node.Switch = new(f.wired)
	}
	for i, at := range f.nicGPUs {
		rail := i
		if i < len(f.rails) {
			rail = f.rails[i]
		}
		g.Node.NICs = append(g.Node.NICs, gpus.NIC{GPU: at, Rail: rail, Bandwidth: f.nicBandwidth})
	}
	m.GPUs = &g
}

// check reports what does not fit together, and reads the links.
func (f *gpuFile) check(m *machines.Machine, tree *keys.Node, prefix string, problems *keys.Problems) {
	at := tree.At("gpu")
	if m.GPUs == nil {
		if f.fit.Given && at == nil {
			problems.Add(tree.At("gpu_calibration").Place, keys.Within(prefix, "gpu_calibration"), "is of GPUs, and the machine has none; give gpu")
		}
		return // also if gpu is none
	}
	wrong := func(key, format string, args ...any) {
		problems.Add(at.Nearest(key), keys.Within(prefix, "gpu."+key), format, args...)
	}
	n := &m.GPUs.Node
	if sms := m.GPUs.GPU.SMs; sms > mostSMs {
		wrong("sms", "must be at most %d, got %d", mostSMs, sms)
	}
	if !f.fit.Given {
		problems.Add(at.Place, keys.Within(prefix, "gpu_calibration"), "is missing; it says how fast the operations of the GPUs are")
	}
	if fit := tree.At("gpu_calibration"); f.fit.Given && len(f.nicGPUs) > 0 && fit.At("network") == nil {
		problems.Add(fit.Place, keys.Within(prefix, "gpu_calibration.network"), "is missing; operations over the NICs need it")
	}
	if g := m.GPUs.GPU.Generation; n.Switch != nil && g != nil && m.GPUs.Fit.Searched == 0 && n.Switch.Bandwidth < g.Slowest() {
		wrong("switch.bandwidth", "must be at least %s, the slowest ring that NCCL looks for on %s GPUs, got %s; or give gpu_calibration.searched",
			keys.Format(keys.Bandwidth, g.Slowest()), g, keys.Format(keys.Bandwidth, n.Switch.Bandwidth))
	}
	f.checkDomain(n, wrong)
	if f.links != nil {
		f.readLinks(n, wrong)
	}
	last := -1
	for _, g := range f.nicGPUs {
		if g <= last || g >= n.GPUs {
			wrong("nics.gpus", "must be ascending numbers of GPUs, 0 to %d, got %v", n.GPUs-1, f.nicGPUs)
			break
		}
		last = g
	}
	if len(f.nicGPUs) > 0 && f.nicGPUs[0] != 0 {
		wrong("nics.gpus", "must begin with 0, so that every GPU has a NIC; got %v", f.nicGPUs)
	}
	if len(f.rails) > 0 && len(f.rails) != len(f.nicGPUs) {
		wrong("nics.rails", "must be one for each of the %d NICs, got %d", len(f.nicGPUs), len(f.rails))
	}
}

// mostSMs is how many SMs a GPU has at most: waves of blocks on all of them have numbers.
const mostSMs = 1 << 20

// checkDomain reports domains that are not modelled, and GPUs that nothing joins.
func (f *gpuFile) checkDomain(n *gpus.Node, wrong func(key, format string, args ...any)) {
	switch {
	case n.Domain%n.GPUs != 0:
		wrong("domain", "must be a multiple of the %d GPUs of a node, got %d; domains smaller than a node are not modelled", n.GPUs, n.Domain)
	case n.Domain > n.GPUs && n.Switch == nil:
		wrong("domain", "is larger than a node, which needs gpu.switch; links between nodes are not modelled")
	}
	switch {
	case n.Switch != nil && f.links != nil:
		wrong("links", "cannot be given together with gpu.switch; machines with both are not modelled")
	case f.links != nil && f.linkBandwidth == 0:
		wrong("link_bandwidth", "is missing; links need it")
	case n.Switch == nil && f.links == nil && n.GPUs > 1 && !f.pcie.Given:
		wrong("switch", "is missing; GPUs need a switch, links, or pcie")
	}
}

// readLinks reads the list of [GPU, GPU, links].
func (f *gpuFile) readLinks(n *gpus.Node, wrong func(key, format string, args ...any)) {
	if f.links.Shape != keys.List {
		wrong("links", "must be a list such as [[0, 1, 2]], got %s", f.links.Shape)
		return
	}
	for i, item := range f.links.Items {
		var ends [3]int
		ok := item.Shape == keys.List && len(item.Items) == len(ends)
		for j := range ends {
			if ok {
				var err error
				ends[j], err = strconv.Atoi(item.Items[j].Text)
				ok = err == nil && ends[j] >= 0
			}
		}
		if !ok || ends[0] >= n.GPUs || ends[1] >= n.GPUs || ends[0] == ends[1] || ends[2] < 1 {
			wrong("links", "item %d must be [GPU, GPU, links] with two of the GPUs 0 to %d, and at least one link", i+1, n.GPUs-1)
			continue
		}
		n.Links = append(n.Links, gpus.Link{A: ends[0], B: ends[1], Count: ends[2], Bandwidth: f.linkBandwidth})
	}
}

// betweenGPUs are the links of GPUs, and measuredOnThem the bandwidths that were measured with them.
var (
	betweenGPUs    = []string{"gpu.switch.bandwidth", "gpu.link_bandwidth"}
	measuredOnThem = []string{"gpu_calibration.ring", "gpu_calibration.searched", "gpu_calibration.in_switch"}
)

// inProportion changes a machine. If it gives links of GPUs another bandwidth, and not what was measured with those that they replace, the
// part of their bandwidth that was measured stays.
func inProportion(o keys.Overlay, tree *keys.Node, change func()) {
	before := map[string]*keys.Node{}
	for _, path := range slices.Concat(betweenGPUs, measuredOnThem) {
		before[path] = tree.Inside(path)
	}
	change()
	for _, link := range betweenGPUs {
		old, now := before[link], tree.Inside(link)
		if old == nil || now == nil || old == now {
			continue
		}
		from, wrong := keys.ParseFloat(keys.Bandwidth, old.Stated())
		to, alsoWrong := keys.ParseFloat(keys.Bandwidth, now.Stated())
		if wrong != nil || alsoWrong != nil || from <= 0 || to <= 0 || from == to {
			continue // the decoder reports it
		}
		for _, path := range measuredOnThem {
			n := before[path]
			if n == nil || n != tree.Inside(path) {
				continue
			}
			source := proportion + link + ", measured with " + old.Stated()
			if earlier := n.At("source"); earlier != nil && strings.HasPrefix(earlier.Text, proportion) {
				source = earlier.Text
			}
			o.Apply(tree, keys.Setting{Path: path, Value: now.With("x"+strconv.FormatFloat(to/from, 'g', -1, 64), "derived", source)})
		}
	}
}

// proportion begins the source of a bandwidth that keeps its part of the bandwidth of links.
const proportion = "in proportion to "

// keptParts says which measured bandwidths keep their part of the bandwidth of links that have another one.
func (s *Scenario) keptParts() []string {
	var paths []string
	source := ""
	for _, f := range s.Machine.Facts {
		if strings.HasPrefix(f.Source, proportion) {
			source, paths = f.Source, append(paths, strings.TrimPrefix(f.Path, "machine."))
		}
	}
	if paths == nil {
		return nil
	}
	return []string{fmt.Sprintf("assumed: %s %s: --set machine.%s=... takes a measured one", strings.Join(paths, ", "), source, paths[0])}
}

// prepareGPUs checks a workload on GPUs.
func (f *scenarioFile) prepareGPUs(w experiments.OnGPUs, tree *keys.Node, problems *keys.Problems) {
	m := f.Machine
	if m.GPUs == nil {
		problems.Add(tree.PlaceOf("machine"), "machine", "%s has no GPUs (gpu), and %s runs on them; take one such as %s", m.Name, f.Kind,
			"dgx-a100")
		return
	}
	if f.Mapping != inBlocks {
		problems.Add(tree.PlaceOf("mapping"), "mapping", "must be %s: %s runs on GPUs; got %s", inBlocks, f.Kind, keys.Quote(f.Mapping))
		return
	}
	if perNode := m.GPUs.Node.GPUs; f.Processes > perNode {
		problems.Add(tree.PlaceOf("processes_per_node"), "processes_per_node", "must be at most the %d GPUs of a node of %s, got %d",
			perNode, m.Name, f.Processes)
		return
	}
	f.Place = experiments.Place{Ranks: f.Ranks, PerNode: f.Processes, Seed: f.Seed}
	if f.Fabric != fabrics.Kinds()[0].Name && !f.wireGPUs(w, tree, problems) {
		return
	}
	if err := w.CheckGPUs(m.Machine, f.Place); err != nil {
		placeErrors(err, f.workload, problems)
		return
	}
	f.remark()
	if w, ok := w.(experiments.OnStreams); ok {
		f.load = new(w.Load(m.Machine, f.Place))
	}
	affordable(tree.PlaceOf("workload"), problems, f.needs(nodes.Options{})...)
}
