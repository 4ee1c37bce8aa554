package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
)

// gpuTables show the time of each kind of operations on GPUs, and how each stream spends its time.
func gpuTables(o outcome) (all []report.Section) {
	if o.Result.On != results.GPUs {
		return nil
	}
	all = append(tracedTables(o.Result.Traced), blamed(o.Result.Stragglers)...)
	all = append(all, scaledTable(o.Result.Scaled)...)
	if len(o.Result.Phases) > 1 {
		all = append(all, timeByKind(o.Result))
	}
	if len(o.Result.Streams) > 0 {
		all = append(all, byStream(o.Result))
	}
	return all
}

// ofKind tells whether a metric is the time of a kind of operations, which timeByKind shows.
func ofKind(r *results.Result, metric string) bool {
	return r.On == results.GPUs && len(r.Phases) > 1 && slices.ContainsFunc(r.Phases, func(kind string) bool {
		return strings.ReplaceAll(kind, "-", "_")+"_s" == metric
	})
}

// timeByKind shows how long each kind of operations runs, and what the compute stream spends on it.
func timeByKind(r *results.Result) report.Section {
	s := report.Section{Title: "Time by kind", Note: "Mean over the GPUs. Runs: on any stream, as profilers show it; kinds may run at once. " +
		"Compute stream: what it spends on the kind or waits for it; this adds up to the makespan, of which shares are. " +
		"A kind may cost more than these waits, as it slows kernels down; exposed by kind, of re-runs without the kind, counts that.",
		Table: &report.Table{Head: []string{"Kind", "Runs", "Compute stream", "of it waits", "Share"}, Words: []bool{true, false, false, false, false}}}
	row := func(name, runs string, spent, waits sim.Total) {
		if runs != report.Seconds(0) || !spent.Zero() {
			s.Table.Rows = append(s.Table.Rows, report.Cells(name, runs, report.Seconds(spent.Mean(r.Ranks)), report.Seconds(waits.Mean(r.Ranks)),
				report.Percent(spent.Mean(r.Ranks), r.Makespan().Seconds())))
		}
	}
	for i, name := range r.Phases {
		ledger, spent := r.OfPhase(i), r.Spent(i)
		works := ledger[results.Compute]
		works.Join(ledger[results.Interference])
		row(strings.ReplaceAll(name, "_", " "), report.Seconds(r.Running[i].Mean(r.Ranks)), spent, spent.Minus(works))
	}
	if idle := r.Total()[results.Idle]; idle.Mean(r.Ranks) >= shows*r.Makespan().Seconds() {
		row("nothing left to do", "", idle, sim.Total{})
	}
	return s
}

// mostStreams is how many rows of streams are shown; of more, the streams of three GPUs are. JSON has all.
const mostStreams = 24

// shows is the smallest part of a makespan that the table of streams has digits for.
const shows = 5e-5

// interferes says what the parts of interference mean, which are not what their words say to everyone.
var interferes = map[string]string{
	"memory":     " memory: blocks wait for memory.",
	"sm starved": "\n  sm starved: other kernels or collectives have SMs that the blocks need.",
	"tail wave":  " tail wave: a kernel has too few blocks for all SMs, in its last wave or all along.",
}

// byStream shows how each stream spends its time, without the parts that do not show in any. Streams of one name whose rows read the same are
// one row.
func byStream(r *results.Result) report.Section {
	s := report.Section{Title: "Streams", Note: "The parts add up to the makespan.",
		Table: &report.Table{Head: []string{"GPU", "Stream", "Alike"}, Words: []bool{true, true, false}}}
	var parts []int
	small := func(t sim.Time) bool { return t.Seconds() < shows*r.Makespan().Seconds() }
	for i := range r.Streams[0].Parts {
		if slices.ContainsFunc(r.Streams, func(x results.Stream) bool { return !small(x.Parts[i].Time) }) {
			parts = append(parts, i)
			name := strings.ReplaceAll(r.Streams[0].Parts[i].Name, "_", " ")
			s.Table.Head, s.Table.Words = append(s.Table.Head, name), append(s.Table.Words, false)
			s.Note += interferes[name]
		}
	}
	write := func(streams []results.Stream) (folded bool) {
		s.Table.Rows = nil
		var alike []int
		rows := map[string]int{}
		for _, x := range streams {
			cells := report.Cells(fmt.Sprint(x.GPU), x.Name, "")
			for _, i := range parts {
				text := report.Seconds(x.Parts[i].Time.Seconds())
				if t := x.Parts[i].Time; t > 0 && small(t) {
					text = "~0 s"
				}
				cells = append(cells, report.Cell{Text: text})
			}
			key := fmt.Sprint(cells[1:])
			n, ok := rows[key]
			if !ok {
				n = len(alike)
				rows[key], alike, s.Table.Rows = n, append(alike, 0), append(s.Table.Rows, cells)
			}
			alike[n] += x.Alike
			folded = folded || alike[n] > 1
		}
		for i, row := range s.Table.Rows {
			row[2].Text = fmt.Sprint(alike[i])
		}
		return folded
	}
	folded := write(r.Streams)
	if len(s.Table.Rows) > mostStreams {
		folded = write(ofThree(r.Streams))
		s.Note = fmt.Sprintf("The GPU whose %s stream computes least, the one in the middle, and the one that computes most; --json has all. ",
			r.Streams[0].Name) + s.Note
	}
	if folded {
		s.Note = "Alike: GPUs whose stream of this name has the same numbers; the first one is named. " + s.Note
		return s
	}
	s.Table.Head, s.Table.Words = slices.Delete(s.Table.Head, 2, 3), slices.Delete(s.Table.Words, 2, 3)
	for i := range s.Table.Rows {
		s.Table.Rows[i] = slices.Delete(s.Table.Rows[i], 2, 3)
	}
	return s
}

// ofThree are the streams of three GPUs: those whose first stream computes least, the median, and most.
func ofThree(all []results.Stream) (some []results.Stream) {
	first := slices.DeleteFunc(slices.Clone(all), func(x results.Stream) bool { return x.Name != all[0].Name })
	slices.SortStableFunc(first, func(a, b results.Stream) int { return cmp.Compare(a.Parts[0].Time, b.Parts[0].Time) })
	var gpus []int
	for _, at := range []int{0, (len(first) - 1) / 2, len(first) - 1} {
		gpus = append(gpus, first[at].GPU)
	}
	for _, gpu := range slices.Compact(gpus) {
		for _, x := range all {
			if x.GPU == gpu {
				some = append(some, x)
			}
		}
	}
	return some
}

// tables prints sections as text. The first columns of words name a row: they stand in each part of a table that is too wide.
func (p *printer) tables(sections []report.Section) {
	for _, s := range sections {
		if len(s.Table.Rows) == 0 {
			continue
		}
		p.print("\n")
		p.heading(s.Title)
		head := slices.Clone(s.Table.Head)
		head[0] = "  " + head[0]
		rows := [][]string{head}
		for _, r := range s.Table.Rows {
			row := []string{"  " + r[0].Text}
			for _, c := range r[1:] {
				row = append(row, c.Text)
			}
			rows = append(rows, row)
		}
		p.grid(rows, max(1, slices.Index(append(slices.Clone(s.Table.Words), false), false)))
		p.print("  %s\n", s.Note)
	}
}
