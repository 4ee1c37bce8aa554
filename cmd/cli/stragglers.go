package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// worst is the key of the largest value, and this value.
func worst[K cmp.Ordered](of map[K]float64) (key K, most float64) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if of[k] > most {
			key, most = k, of[k]
		}
	}
	return key, most
}

// standsOut says how many others are about as slow as the slowest rank, if there are any.
func standsOut(by map[int]float64, most float64) string {
	near := -1
	for _, slow := range by {
		if slow-1 >= 0.9*(most-1) {
			near++
		}
	}
	if near < 1 {
		return ""
	}
	return fmt.Sprintf("; %d of %d others are about as slow: none stands out", near, len(by)-1)
}

// stragglerLines say what slow workers cost, and who is to blame.
func stragglerLines(a *results.Stragglers) []string {
	if a == nil {
		return nil
	}
	rank, byRank := worst(a.ByRank)
	stage, byStage := worst(a.ByStage)
	kind, byKind := worst(a.ByKind)
	traced := func(s *results.StragglerStep) float64 { return s.Traced }
	job := ""
	if s := a.Sizes; s != nil && s.World > 0 {
		job = fmt.Sprintf(" of a job on %d GPUs", s.World)
		if ranks := len(a.ByRank) * len(a.ByStage); ranks > 0 && ranks < s.World {
			job += fmt.Sprintf(" (a rank of the table stands for %d of them)", s.World/ranks)
		}
	}
	lines := []string{
		fmt.Sprintf("Traced, %d steps%s: the median takes %s, 99 in 100 at most %s.", len(a.Steps), job, report.Seconds(a.Within(0.5, traced)),
			report.Seconds(a.Within(0.99, traced))),
		fmt.Sprintf("Steps take %.3f times as long as if all operations of a kind took the same time; launch delays make them %.3f times as long as without.",
			a.Slowdown, a.LaunchSlowdown),
		fmt.Sprintf("Most to blame: stage %d (alone %.3f times), data-parallel rank %d (%.3f%s), %s (%.3f).", stage, byStage, rank, byRank,
			standsOut(a.ByRank, byRank), kind, byKind),
	}
	if v := a.Variation; v != nil {
		lines = append(lines, fmt.Sprintf("Computation varies by %s from micro-batch to micro-batch, %s from GPU to GPU, %s from step to step, and %s apart from that "+
			"(keys micro_batch_jitter, gpu_jitter, step_jitter and pass_jitter of transformer).", report.Share(v.MicroBatch), report.Share(v.GPU),
			report.Share(v.Step), report.Share(v.Rest)))
	}
	return lines
}

// mostBlamed is how many rows a table of slow-downs has; JSON has all.
const mostBlamed = 12

// blamed are tables of slow-downs, the largest first, and of steps.
func blamed(a *results.Stragglers) []report.Section {
	if a == nil {
		return nil
	}
	steps := report.Section{Title: "Steps", Note: "Without launches: no launch delays. Equal: in addition, all operations of a kind take the same time.",
		Table: &report.Table{Head: []string{"Step", "Traced", "Without launches", "Equal", "Slow-down"}, Words: make([]bool, 5)}}
	for _, s := range a.Steps[:min(len(a.Steps), mostBlamed)] {
		steps.Table.Rows = append(steps.Table.Rows, report.Cells(fmt.Sprint(s.Step), report.Seconds(s.Traced), report.Seconds(s.WithoutLaunches),
			report.Seconds(s.Equal), fmt.Sprintf("%.3f", s.WithoutLaunches/s.Equal)))
	}
	if left := len(a.Steps) - mostBlamed; left > 0 {
		steps.Note += fmt.Sprintf(" %d more are in --json.", left)
	}
	return []report.Section{blame("Stage", a.ByStage), blame("Data-parallel rank", a.ByRank), blame("Kind", a.ByKind), steps}
}

// blame is a table of slow-downs by something.
func blame[K cmp.Ordered](by string, of map[K]float64) report.Section {
	s := report.Section{Title: "Who is to blame: " + by, Note: "How many times as long steps take if only these operations keep their own times.",
		Table: &report.Table{Head: []string{by, "Slow-down"}, Words: []bool{true, false}}}
	all := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(all, func(a, b K) int { return cmp.Compare(of[b], of[a]) })
	for _, k := range all[:min(len(all), mostBlamed)] {
		s.Table.Rows = append(s.Table.Rows, report.Cells(fmt.Sprint(k), fmt.Sprintf("%.4f", of[k])))
	}
	if left := len(all) - mostBlamed; left > 0 {
		s.Note += fmt.Sprintf(" %d more are in --json.", left)
	}
	return s
}
