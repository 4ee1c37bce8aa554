package files

import (
	"overlapsim/nodes/machines"
	"overlapsim/scenarios/keys"
)

// kernelFile holds the keys of a kernel in a machine file.
type kernelFile struct {
	machines.StandardKernel
	given keys.Group
	rates []machines.RatePoint

	profile string
	demand  []machines.RatePoint

	own  bool // its work is defined here
	work workFile
}

// workFile holds the work of a kernel that is not a standard one.
type workFile struct {
	given       keys.Group
	flop, bytes float64
	power, logs float64
}

// kernelsOf returns the kernels that a machine file may name: the standard ones, and
// those that it defines itself.
func kernelsOf(tree *keys.Node) (all []*kernelFile) {
	for _, k := range machines.StandardKernels {
		all = append(all, &kernelFile{StandardKernel: k, profile: k.Profile.String()})
	}
	if tree == nil || tree.Shape != keys.Mapping {
		return all
	}
	for i, name := range tree.Names {
		if defines(name, tree.Values[i]) {
			all = append(all, newKernel(name, tree.Values[i]))
		}
	}
	return all
}

func newKernel(name string, n *keys.Node) *kernelFile {
	k := &kernelFile{profile: "fp", own: true, work: workFile{power: 1}}
	k.Name, k.Doc = name, "your own kernel"
	if work := n.At("work"); work != nil {
		k.Bytes = work.At("bytes") != nil
	}
	return k
}

// kernelName is the form of a kernel's name, so that paths can contain it.
var kernelName = keys.Pattern(`^[A-Za-z0-9_-]+$`)

// defines tells whether a key of kernels defines a new kernel, and is not a misspelt
// standard one.
func defines(name string, n *keys.Node) bool {
	if _, standard := machines.Standard(name); standard || !kernelName().MatchString(name) || n.Shape != keys.Mapping {
		return false
	}
	var names []string
	for _, k := range machines.StandardKernels {
		names = append(names, k.Name)
	}
	return n.At("work") != nil || keys.Nearest(name, names) == ""
}

// rows is the key table of a kernel.
func (k *kernelFile) rows() keys.Table {
	path, is := "kernels."+k.Name, keys.Rate
	if k.Bytes {
		is = keys.Bandwidth
	}
	rows := keys.Table{
		{Path: path, To: &k.given, Doc: k.Doc, Use: uncalled(k.Name)},
		{Path: path + ".rates", To: &k.rates, Is: is, Needs: keys.Required, Range: keys.Positive, Doc: "its speed by problem size n"},
		{Path: path + ".profile", To: &k.profile, Choices: profiles, Doc: "its profile on its core, for smt", Use: noSharing},
		{Path: path + ".demand", To: &k.demand, Is: keys.Bandwidth, Range: keys.Positive,
			Doc: "what it moves between memory and caches when alone, by problem size n, for memory; if omitted: nothing", Use: noMemory},
	}
	if k.own {
		rows = append(rows, k.work.rows(path+".work")...)
	}
	return rows
}

// rows is the key table of the work of a kernel.
func (w *workFile) rows(path string) keys.Table {
	const doc = "a mapping such as {flop: 2, power: 3}: the work of a run of size n, flop or bytes times n^power times log2(n)^logs"
	return keys.Table{
		{Path: path, To: &w.given, Needs: keys.Required, Doc: doc},
		{Path: path + ".flop", To: &w.flop, Is: keys.Number, Range: keys.Positive, Needs: keys.Required, Or: path + ".bytes", Doc: "flop"},
		{Path: path + ".bytes", To: &w.bytes, Is: keys.Number, Range: keys.Positive, Needs: keys.Required, Or: path + ".flop",
			Doc: "bytes that it moves"},
		{Path: path + ".power", To: &w.power, Is: keys.Number, Doc: "power of n"},
		{Path: path + ".logs", To: &w.logs, Is: keys.Number, Doc: "power of log2 n"},
	}
}

// kernel returns the kernel for the machine.
func (k *kernelFile) kernel() machines.Kernel {
	work := k.Work
	if k.own {
		work = machines.PowerWork(max(k.work.flop, k.work.bytes), k.work.power, k.work.logs)
	}
	return machines.Kernel{Work: work, Bytes: k.Bytes, Rate: k.rates, Profile: profile(k.profile), Demand: k.demand}
}

// machineKernels returns the kernels with a speed, by name.
func machineKernels(all []*kernelFile) map[string]machines.Kernel {
	kernels := map[string]machines.Kernel{}
	for _, k := range all {
		if len(k.rates) > 0 {
			kernels[k.Name] = k.kernel()
		}
	}
	return kernels
}

// kernelRows is the key table of all kernels; each kernel is a group.
func kernelRows(all []*kernelFile) (rows keys.Table) {
	for _, k := range all {
		rows = append(rows, k.rows()...)
	}
	return rows
}
