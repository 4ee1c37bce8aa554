package scenarios

import (
	"regexp"

	"overlapsim/nodes"
)

// kernelFile holds the keys of a kernel in a machine file.
type kernelFile struct {
	nodes.StandardKernel
	given group
	rates []nodes.RatePoint

	profile string
	demand  []nodes.RatePoint

	own  bool // its work is defined here
	work workFile
}

// workFile holds the work of a kernel that is not a standard one.
type workFile struct {
	given       group
	flop, bytes float64
	power, logs float64
}

// kernelsOf returns the kernels that a machine file may name: the standard ones, and
// those that it defines itself.
func kernelsOf(tree *node) (all []*kernelFile) {
	for _, k := range nodes.StandardKernels {
		all = append(all, &kernelFile{StandardKernel: k, profile: k.Profile.String()})
	}
	if tree == nil || tree.shape != mapping {
		return all
	}
	for i, name := range tree.names {
		if defines(name, tree.values[i]) {
			all = append(all, newKernel(name, tree.values[i]))
		}
	}
	return all
}

func newKernel(name string, n *node) *kernelFile {
	k := &kernelFile{profile: "fp", own: true, work: workFile{power: 1}}
	k.Name, k.Doc = name, "a kernel of your own"
	if work := n.at("work"); work != nil {
		k.Bytes = work.at("bytes") != nil
	}
	return k
}

// kernelName is the form of a kernel's name, so that paths can contain it.
var kernelName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// defines tells whether a key of kernels defines a new kernel, and is not a misspelt
// standard one.
func defines(name string, n *node) bool {
	if _, standard := nodes.Standard(name); standard || !kernelName.MatchString(name) || n.shape != mapping {
		return false
	}
	var names []string
	for _, k := range nodes.StandardKernels {
		names = append(names, k.Name)
	}
	return n.at("work") != nil || Nearest(name, names) == ""
}

// rows is the key table of a kernel.
func (k *kernelFile) rows() table {
	path, is := "kernels."+k.Name, Rate
	if k.Bytes {
		is = Bandwidth
	}
	rows := table{
		{Path: path, To: &k.given, Doc: k.Doc, Use: uncalled(k.Name)},
		{Path: path + ".rates", To: &k.rates, Is: is, Needs: Required, Range: Positive, Doc: "its speed by problem size n"},
		{Path: path + ".profile", To: &k.profile, Choices: profiles, Doc: "what it asks of its core, for smt", Use: noSharing},
		{Path: path + ".demand", To: &k.demand, Is: Bandwidth, Range: Positive,
			Doc: "what it moves between memory and caches when alone, by problem size n, for memory; left out: nothing", Use: noMemory},
	}
	if k.own {
		rows = append(rows, k.work.rows(path+".work")...)
	}
	return rows
}

// rows is the key table of the work of a kernel.
func (w *workFile) rows(path string) table {
	const doc = "a mapping such as {flop: 2, power: 3}: the work of a run of size n, flop or bytes times n^power times log2(n)^logs"
	return table{
		{Path: path, To: &w.given, Needs: Required, Doc: doc},
		{Path: path + ".flop", To: &w.flop, Is: Number, Range: Positive, Needs: Required, Or: path + ".bytes", Doc: "flop"},
		{Path: path + ".bytes", To: &w.bytes, Is: Number, Range: Positive, Needs: Required, Or: path + ".flop", Doc: "bytes that it moves"},
		{Path: path + ".power", To: &w.power, Is: Number, Doc: "power of n"},
		{Path: path + ".logs", To: &w.logs, Is: Number, Doc: "power of log2 n"},
	}
}

// kernel returns the kernel for the machine.
func (k *kernelFile) kernel() nodes.Kernel {
	work := k.Work
	if k.own {
		work = nodes.PowerWork(max(k.work.flop, k.work.bytes), k.work.power, k.work.logs)
	}
	return nodes.Kernel{Work: work, Bytes: k.Bytes, Rate: k.rates, Profile: profile(k.profile), Demand: k.demand}
}

// machineKernels returns the kernels with a speed, by name.
func machineKernels(all []*kernelFile) map[string]nodes.Kernel {
	kernels := map[string]nodes.Kernel{}
	for _, k := range all {
		if len(k.rates) > 0 {
			kernels[k.Name] = k.kernel()
		}
	}
	return kernels
}

// kernelRows is the key table of all kernels; each kernel is a group.
func kernelRows(all []*kernelFile) (rows table) {
	for _, k := range all {
		rows = append(rows, k.rows()...)
	}
	return rows
}
