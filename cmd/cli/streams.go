package cli

import (
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
		"A kind may cost more than these waits, as it slows kernels down.",
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
	if idle := r.Total()[results.Idle]; !idle.Zero() {
		row("nothing left to do", "", idle, sim.Total{})
	}
	return s
}

// mostStreams is how many streams are shown; JSON has all.
const mostStreams = 24

// interferes says what the parts of interference mean, which are not what their words say to everyone.
var interferes = map[string]string{
	"memory":     " memory: blocks wait for memory.",
	"sm starved": "\n  sm starved: other kernels or collectives have SMs that the blocks need.",
	"tail wave":  " tail wave: a kernel has too few blocks for all SMs, in its last wave or all along.",
}

// byStream shows how each stream spends its time, without the parts that no stream has. Streams of one name whose rows read the same are
// one row.
func byStream(r *results.Result) report.Section {
	s := report.Section{Title: "Streams", Note: "The parts add up to the makespan.",
		Table: &report.Table{Head: []string{"GPU", "Stream", "Alike"}, Words: []bool{true, true, false}}}
	var parts []int
	for i := range r.Streams[0].Parts {
		if slices.ContainsFunc(r.Streams, func(x results.Stream) bool { return x.Parts[i].Time > 0 }) {
			parts = append(parts, i)
			name := strings.ReplaceAll(r.Streams[0].Parts[i].Name, "_", " ")
			s.Table.Head, s.Table.Words = append(s.Table.Head, name), append(s.Table.Words, false)
			s.Note += interferes[name]
		}
	}
	var alike []int
	rows, folded := map[string]int{}, false
	for _, x := range r.Streams {
		cells := report.Cells(fmt.Sprint(x.GPU), x.Name, "")
		for _, i := range parts {
			cells = append(cells, report.Cell{Text: report.Seconds(x.Parts[i].Time.Seconds())})
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
	if left := len(alike) - mostStreams; left > 0 {
		s.Table.Rows = s.Table.Rows[:mostStreams]
		s.Note += fmt.Sprintf(" %d more are in --json.", left)
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
