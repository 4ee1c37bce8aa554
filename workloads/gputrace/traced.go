package gputrace

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/nodes/results"
)

// Classes of what runs on a GPU.
const (
	computing = iota
	communicating
	moving
	numClasses
)

// class is the class of an operation.
func (o *operation) class() int {
	switch o.kind {
	case kernel:
		return computing
	case collective:
		return communicating
	}
	return moving
}

// edge is the start or the end of an operation.
type edge struct {
	at    int64
	class int8
	by    int8 // 1: start, -1: end
}

// breakdown is what the GPU did, in ns, by a sweep over the starts and ends of its operations.
func (r *rank) breakdown() (sum results.TracedRank) {
	edges := make([]edge, 0, 2*len(r.ops))
	for i := range r.ops {
		o := &r.ops[i]
		edges = append(edges, edge{o.start, int8(o.class()), 1}, edge{o.end, int8(o.class()), -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.by, a.by)) })
	var running [numClasses]int
	var in [numClasses]int64 // ns
	var both, idle int64
	before := edges[0].at
	for _, e := range edges {
		t := e.at - before
		before = e.at
		for class, n := range running {
			if n > 0 {
				in[class] += t
			}
		}
		if running[computing] > 0 && running[communicating] > 0 {
			both += t
		}
		if running == [numClasses]int{} {
			idle += t
		}
		running[e.class] += int(e.by)
	}
	sum.Computation, sum.Communication, sum.Memory = seconds(in[computing]), seconds(in[communicating]), seconds(in[moving])
	sum.Overlapped, sum.Idle, sum.Span = seconds(both), seconds(idle), seconds(edges[len(edges)-1].at-edges[0].at)
	sum.LaunchBound, sum.HostPaused = r.launchBound()
	sum.Unexplained = sum.Idle - sum.LaunchBound
	for i := range r.ops {
		if sum.Operations++; r.graphs[r.ops[i].call] {
			sum.InGraphs++
		}
	}
	sum.Exposed = sum.Communication - sum.Overlapped
	return sum
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// launchBound is the idle time before operations whose launch began after all operations before
// them had ended, and how long the host paused in it before the launch.
func (r *rank) launchBound() (sum, paused float64) {
	byStart := make([]int, len(r.ops))
	for i := range byStart {
		byStart[i] = i
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return cmp.Compare(r.ops[a].start, r.ops[b].start) })
	ended := r.ops[byStart[0]].end
	var idle, pauses int64
	for _, i := range byStart[1:] {
		o := &r.ops[i]
		if launch, ok := r.calls[o.call]; ok && o.start > ended && launch > ended {
			idle += o.start - ended
			pauses += r.paused(ended, launch)
		}
		ended = max(ended, o.end)
	}
	return seconds(idle), seconds(pauses)
}

// mostKernels is how many names of kernels are told.
const mostKernels = 100

// kernelsOf are the times of all ranks by name.
func kernelsOf(ranks []*rank) []results.TracedKernel {
	of := map[string]*results.TracedKernel{}
	var all []*results.TracedKernel
	for _, r := range ranks {
		for i := range r.ops {
			o := &r.ops[i]
			k := of[o.name]
			if k == nil {
				k = &results.TracedKernel{Name: o.name, Kind: kindNames[o.kind], Collective: o.collective}
				of[o.name], all = k, append(all, k)
			}
			k.Count++
			k.Bytes += o.bytes
			k.Time += seconds(o.end - o.start)
		}
	}
	slices.SortStableFunc(all, func(a, b *results.TracedKernel) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name))
	})
	var list []results.TracedKernel
	for _, k := range all[:min(len(all), mostKernels)] {
		list = append(list, *k)
	}
	return list
}

// traced is what the traces say. The clocks of ranks are set already, by meetings.
func traced(ranks []*rank, of map[place]*meeting) *results.Traced {
	t := &results.Traced{Kernels: kernelsOf(ranks)}
	if n := ranks[0].held(); !slices.ContainsFunc(ranks, func(r *rank) bool { return r.held() != n }) {
		t.Steps = n
	}
	first, last := ranks[0].ops[0].launch, ranks[0].ops[0].end
	for i, r := range ranks {
		one := r.measured
		one.Rank, one.File = r.number, r.file
		if r.number < 0 {
			one.Rank = i
		}
		t.Ranks = append(t.Ranks, one)
		for n := range r.ops {
			first, last = min(first, r.ops[n].launch), max(last, r.ops[n].end)
		}
	}
	findAbsent(t, ranks)
	t.Elapsed = seconds(last - first)
	skew(t, ranks, of)
	return t
}

// findAbsent finds the ranks of the job that were not traced.
func findAbsent(t *results.Traced, ranks []*rank) {
	present := map[int]bool{}
	for i, r := range ranks {
		t.World = max(t.World, r.world)
		if present[r.number] = true; r.number < 0 {
			present[i] = true
		}
	}
	for i := range t.World {
		if !present[i] {
			if t.Missing++; len(t.Absent) < mostAbsent {
				t.Absent = append(t.Absent, i)
			}
		}
	}
}

// otherGPU tells whether a GPU that a trace names is of another type than one of a machine, such as H100 and H200.
func otherGPU(traced, title string) bool {
	model := gpuModel().FindString(traced)
	return model != "" && title != "" && !strings.Contains(title, model)
}

var gpuModel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[A-Z]{1,2}[0-9]{2,4}X?\b`) })

// mostAbsent is how many ranks without a trace are listed.
const mostAbsent = 64

// Remarks implements workloads.Remarked: ranks of the job that were not traced, traces without a collective in common, and
// hosts that seem to wait for nothing.
func (w *replay) Remarks(m *machines.Machine, _ int) (said []string) {
	var t results.Traced
	if m.GPUs != nil && otherGPU(w.device, m.GPUs.GPU.Title) {
		said = append(said, fmt.Sprintf("The trace is of %s, the machine %s has %s: kernels take as long as traced, and the machine counts only for collectives "+
			"that are computed (workload.collectives=machine, workload.gpus).", w.device, m.Name, m.GPUs.GPU.Title))
	}
	if m.GPUs != nil && (w.Collectives == byMachine || w.GPUs > 0) {
		said = append(said, w.computed(m.GPUs)...)
	}
	if findAbsent(&t, w.ranks); t.Missing > 0 {
		said = append(said, fmt.Sprintf("There are traces of %d of %d ranks; missing: %s.", len(w.ranks), t.World, absent(&t)))
	}
	if w.alone != "" {
		said = append(said, fmt.Sprintf("No collective of a rank matches those of another (%s): each rank replays its own and waits for no other.", w.alone))
	}
	if !slices.ContainsFunc(w.ranks, func(r *rank) bool { return r.waited }) {
		said = append(said, "No call is recorded in which a host waits for its GPU, such as cudaStreamSynchronize. If it did wait, communication may cost "+
			"more than told here, and launches less.")
	}
	return said
}

// mostApart is how many times as long the machine may take for the collectives of a trace, or they as long as it, without a remark.
const mostApart = 2

// computed says how long the machine needs for collectives of the traces on their own GPUs, if that is far from what was traced.
func (w *replay) computed(m *gpus.Machine) []string {
	traced, modelled := 0.0, 0.0 // ns
	for _, r := range w.ranks {
		for i := range r.ops {
			if o := &r.ops[i]; o.kind == collective {
				if c, err := costOf(m, o, o.bytes); err == nil {
					traced, modelled = traced+float64(o.end-o.start), modelled+c.Total().Seconds()*1e9
				}
			}
		}
	}
	if traced <= mostApart*modelled && modelled <= mostApart*traced {
		return nil
	}
	n := 1e9 * float64(len(w.ranks))
	said := fmt.Sprintf("Collectives take %.3g ms a rank as traced, the machine computes %.3g ms for the same GPUs; waits for other ranks are in the "+
		"traced ones.", traced/n*1e3, modelled/n*1e3)
	if w.GPUs > 0 && w.Collectives == byMachine {
		said += " Compare more GPUs with workload.collectives=machine on the traced ones, not with the trace."
	}
	return []string{said}
}

// absent lists ranks, neighbours as 2 to 127.
func absent(t *results.Traced) string {
	var parts []string
	for i := 0; i < len(t.Absent); {
		j := i
		for j+1 < len(t.Absent) && t.Absent[j+1] == t.Absent[j]+1 {
			j++
		}
		last := t.Absent[j]
		if j == len(t.Absent)-1 && t.Missing > len(t.Absent) && last+t.Missing-len(t.Absent) == t.World-1 {
			last = t.World - 1
		}
		if last > t.Absent[i] {
			parts = append(parts, fmt.Sprintf("%d to %d", t.Absent[i], last))
		} else {
			parts = append(parts, fmt.Sprint(last))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// skew adds who began collectives last, and how long the others waited in them.
func skew(t *results.Traced, ranks []*rank, of map[place]*meeting) {
	var all results.Skew
	waited := make([]float64, len(ranks))
	for i, r := range ranks {
		most := 0
		for n := range r.ops {
			m := of[place{i, n}]
			if r.ops[n].kind == collective && r.ops[n].members != 1 {
				most++
				all.Most = max(all.Most, most)
			}
			if m == nil || len(m.members) < 2 {
				continue
			}
			o := &r.ops[n]
			waited[i] += seconds(m.came - o.start)
			if o.start == m.came && m.first(ranks) < m.came {
				t.Ranks[i].Last++
			}
			if m.members[0] == (place{i, n}) {
				all.Collectives++
				apart := seconds(m.came - m.first(ranks))
				all.Mean, all.Largest = all.Mean+apart, max(all.Largest, apart)
			}
		}
	}
	if all.Collectives == 0 {
		return
	}
	all.Mean /= float64(all.Collectives)
	t.Skew = &all
	for i := range waited {
		t.Ranks[i].Waited = &waited[i]
	}
}

// first is when the first rank began a collective.
func (m *meeting) first(ranks []*rank) int64 {
	first := m.came
	for _, p := range m.members {
		first = min(first, ranks[p.rank].ops[p.op].start)
	}
	return first
}
