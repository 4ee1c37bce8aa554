package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// tracedLines say what was measured in traces of GPUs, and how near the simulation comes.
func tracedLines(t *results.Traced) []string {
	if t == nil {
		return nil
	}
	sum := t.Sum()
	n := float64(len(t.Ranks))
	of := ""
	if len(t.Ranks) > 1 {
		of = fmt.Sprintf(", mean of %d ranks", len(t.Ranks))
	}
	share := func(s float64) string {
		return report.Seconds(s/n) + " (" + report.Percent(s, sum.Span) + ")"
	}
	paused := ""
	if sum.HostPaused > 0 {
		paused = fmt.Sprintf(", %s of it while the host paused", report.Seconds(sum.HostPaused/n))
	}
	rest := ""
	if sum.Unexplained > 0 {
		rest = fmt.Sprintf(", and %s before operations that were launched already, which the trace does not explain", report.Seconds(sum.Unexplained/n))
	}
	lines := []string{fmt.Sprintf("Traced%s: exposed communication %s, communication %s, computation %s, both at once %s, idle %s, "+
		"of which the GPU waited for launches %s (whole gaps in which the next launch began, as in HTA)%s%s; in all %s.", of, share(sum.Exposed), share(sum.Communication), share(sum.Computation),
		share(sum.Overlapped), share(sum.Idle), report.Seconds(sum.LaunchBound/n), paused, rest, report.Seconds(sum.Span/n))}
	if sum.InGraphs > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d operations were launched in CUDA graphs.", sum.InGraphs, sum.Operations))
	}
	if sum.Communication+sum.Computation == 0 {
		lines = append(lines,
			"No kernels are in the trace, only copies of memory: was CUDA activity recorded (ProfilerActivity.CUDA) while the GPU computed?")
	}
	if t.Steps > 1 {
		lines = append(lines, fmt.Sprintf("%d steps are marked: %s each, from the first launch to the last end. Metrics are of a step, "+
			"all else is of all.", t.Steps, report.Seconds(t.Elapsed/float64(t.Steps))))
	}
	if name, in := unlikeNCCL(t); in > 0 {
		lines = append(lines, fmt.Sprintf("%s a rank of computation is in kernels that seem to communicate without NCCL, such as %s.",
			report.Seconds(in/n), name))
	}
	if t.Skew != nil {
		lines = append(lines, skewLine(t))
	}
	if t.Error != nil {
		lines = append(lines, fmt.Sprintf("The replay of the trace's own times takes %s, the trace %s from its first launch on, %s apart: its order and "+
			"waits are understood. That is no accuracy of a prediction, for which see 'overlapsim validate cuda-graphs'.",
			report.Seconds(*t.Simulated), report.Seconds(t.Elapsed), report.Percent(math.Abs(*t.Error), 1)))
	}
	return lines
}

// asTraced has a row for every run that replays traces: what was measured in them; nil: none does.
func asTraced(made []outcome) (rows [][]string) {
	for _, o := range made {
		t := o.record.Traced
		if t == nil {
			continue
		}
		if rows == nil {
			rows = [][]string{{"", "exposed", "communication", "computation", "both at once", "idle"}}
		}
		row, sum := []string{o.record.Scenario}, t.Sum()
		for _, s := range []float64{sum.Exposed, sum.Communication, sum.Computation, sum.Overlapped, sum.Idle} {
			row = append(row, report.Seconds(s/float64(len(t.Ranks))))
		}
		rows = append(rows, row)
	}
	return rows
}

// communicates are parts of the names of kernels that send bytes between GPUs without NCCL: of vLLM, of PyTorch's symmetric memory, of
// NVSHMEM, DeepEP and MSCCL++.
var communicates = []string{"cross_device_reduce", "one_shot_all_reduce", "two_shot_all_reduce", "multimem_", "nvshmem", "deep_ep", "mscclpp"}

// unlikeNCCL is how long kernels took that seem to communicate without NCCL, and the longest one.
func unlikeNCCL(t *results.Traced) (longest string, seconds float64) {
	for _, k := range t.Kernels {
		if k.Kind == "kernel" && slices.ContainsFunc(communicates, func(part string) bool { return strings.Contains(k.Name, part) }) {
			longest = cmp.Or(longest, k.Name)
			seconds += k.Time
		}
	}
	return longest, seconds
}

// skewLine says who began collectives last, and how long the others waited.
func skewLine(t *results.Traced) string {
	late, waited, most := 0, 0.0, 0.0
	for i, r := range t.Ranks {
		if r.Last > t.Ranks[late].Last {
			late = i
		}
		waited, most = waited+*r.Waited, math.Max(most, *r.Waited)
	}
	communication := 0.0
	for _, r := range t.Ranks {
		communication += r.Communication
	}
	n, unknown := float64(len(t.Ranks)), ""
	joined := fmt.Sprintf("Of %d collectives that several ranks traced, ", t.Skew.Collectives)
	if t.Skew.Most > t.Skew.Collectives {
		joined = fmt.Sprintf("Of %d collectives of a rank, %d have a counterpart in another trace, by group, order and time. Of these, ", t.Skew.Most,
			t.Skew.Collectives)
	}
	if t.Missing > 0 {
		unknown = " How long they waited for ranks without a trace is not known."
	}
	if waited == 0 {
		return joined + "all ranks began each at once: none waited for another one." + unknown
	}
	return joined + fmt.Sprintf("rank %d was the last to begin in %d; the others waited for it inside NCCL's kernels: %s a rank, "+
		"%s at most. Without that wait communication takes %s a rank instead of %s.", t.Ranks[late].Rank, t.Ranks[late].Last,
		report.Seconds(waited/n), report.Seconds(most), report.Seconds((communication-waited)/n), report.Seconds(communication/n)) + unknown
}

// The most rows of tables; JSON has more.
const (
	mostTracedRanks   = 16
	mostTracedKernels = 10
)

// tracedTables show what each rank did, and the longest kernels.
func tracedTables(t *results.Traced) []report.Section {
	if t == nil {
		return nil
	}
	ranks := report.Section{Title: "Traced, by rank", Note: "Merged intervals of what ran on the GPU, as Holistic Trace Analysis defines them. " +
		"Exposed: communication while nothing is computed.", Table: &report.Table{Words: make([]bool, 10), Head: []string{
		"Rank", "Communication", "Computation", "Both", "Exposed", "Copies", "Idle", "Launch-bound", "Host paused", "Span"}}}
	if t.Skew != nil {
		ranks.Table.Head, ranks.Table.Words = append(ranks.Table.Head, "Waited", "Last"), make([]bool, 12)
	}
	for _, r := range t.Ranks[:min(len(t.Ranks), mostTracedRanks)] {
		row := report.Cells(fmt.Sprint(r.Rank))
		for _, s := range []float64{r.Communication, r.Computation, r.Overlapped, r.Exposed, r.Memory, r.Idle, r.LaunchBound, r.HostPaused, r.Span} {
			row = append(row, report.Cell{Text: report.Seconds(s)})
		}
		if r.Waited != nil {
			row = append(row, report.Cells(report.Seconds(*r.Waited), fmt.Sprint(r.Last))...)
		}
		ranks.Table.Rows = append(ranks.Table.Rows, row)
	}
	if left := len(t.Ranks) - mostTracedRanks; left > 0 {
		ranks.Note += fmt.Sprintf(" %d more are in --json.", left)
	}
	return []report.Section{ranks, kernelTable("Traced, by kernel", t, false), kernelTable("Traced, by collective", t, true)}
}

// kernelTable shows the longest kernels, or the longest of NCCL.
func kernelTable(title string, t *results.Traced, collectives bool) report.Section {
	s := report.Section{Title: title, Note: "Sums over the ranks, the longest first.",
		Table: &report.Table{Head: []string{"Kernel", "Times", "In all", "Each"}, Words: []bool{true, false, false, false}}}
	if collectives {
		s.Table.Head, s.Table.Words = append(s.Table.Head, "Bytes each"), make([]bool, 5)
		s.Table.Words[0] = true
	}
	for _, k := range t.Kernels {
		if (k.Collective != "") != collectives || len(s.Table.Rows) == mostTracedKernels {
			continue
		}
		row := report.Cells(shortKernel(k.Name), fmt.Sprint(k.Count), report.Seconds(k.Time), report.Seconds(k.Time/float64(k.Count)))
		if collectives && k.Bytes > 0 {
			row = append(row, report.Cell{Text: report.Bytes(float64(k.Bytes) / float64(k.Count))})
		} else if collectives {
			row = append(row, report.Cell{Text: report.Dash})
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return s
}

// longestKernel is the longest name of a kernel in a table.
const longestKernel = 48

// shortKernel is the name of a kernel without arguments and templates.
func shortKernel(name string) string {
	short := strings.TrimPrefix(name, "void ")
	if at := strings.IndexAny(short, "(<"); at > 0 {
		short = short[:at]
	}
	if runes := []rune(short); len(runes) > longestKernel {
		short = string(runes[:longestKernel]) + "..."
	}
	return short
}
