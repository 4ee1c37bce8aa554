package cli

import (
	"fmt"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// gpuTables show how long compute streams wait for each kind of operations on GPUs, and how each stream
// spends its time.
func gpuTables(o outcome) (all []report.Section) {
	if o.Result.On != results.GPUs {
		return nil
	}
	all = append(tracedTables(o.Result.Traced), blamed(o.Result.Stragglers)...)
	all = append(all, scaledTable(o.Result.Scaled)...)
	if s, ok := waitsByKind(o); ok {
		all = append(all, s)
	}
	if len(o.Result.Streams) > 0 {
		all = append(all, byStream(o.Result))
	}
	return all
}

// waitsByKind shows how long the compute stream waits for each kind of operations.
func waitsByKind(o outcome) (report.Section, bool) {
	s := report.Section{Title: "Communication and launches by kind", Note: "Time of the compute stream, mean over the GPUs; shares are of the makespan.",
		Table: &report.Table{Head: []string{"Kind", "Time", "Share"}, Words: []bool{true, false, false}}}
	for i, name := range o.Result.Phases {
		ledger := o.Result.OfPhase(i)
		if exposed := ledger.Communicating().Mean(o.Result.Ranks); exposed > 0 {
			s.Table.Rows = append(s.Table.Rows, report.Cells(strings.ReplaceAll(name, "_", " "), report.Seconds(exposed),
				report.Percent(exposed, o.Result.Makespan().Seconds())))
		}
	}
	return s, len(o.Result.Phases) > 1 && len(s.Table.Rows) > 0
}

// mostStreams is how many streams are shown; JSON has all.
const mostStreams = 24

// interferes says what the parts of interference mean, which are not what their words say to everyone.
var interferes = map[string]string{
	"memory":     " memory: blocks wait for memory.",
	"sm starved": "\n  sm starved: other kernels or collectives have SMs that the blocks need.",
	"tail wave":  " tail wave: a kernel has too few blocks for all SMs, in its last wave or all along.",
}

// byStream shows how each stream spends its time, without the parts that no stream has.
func byStream(r *results.Result) report.Section {
	s := report.Section{Title: "Streams", Note: "The parts add up to the makespan.",
		Table: &report.Table{Head: []string{"GPU", "Stream"}, Words: []bool{true, true}}}
	shown := r.Streams[:min(len(r.Streams), mostStreams)]
	alike := slices.ContainsFunc(shown, func(x results.Stream) bool { return x.Alike > 1 })
	if alike {
		s.Note = "Of GPUs that are alike the first one, and how many they are. " + s.Note
		s.Table.Head, s.Table.Words = append(s.Table.Head, "Alike"), append(s.Table.Words, false)
	}
	if left := len(r.Streams) - len(shown); left > 0 {
		s.Note += fmt.Sprintf(" %d more are in --json.", left)
	}
	var parts []int
	for i := range shown[0].Parts {
		if slices.ContainsFunc(shown, func(x results.Stream) bool { return x.Parts[i].Time > 0 }) {
			parts = append(parts, i)
			name := strings.ReplaceAll(shown[0].Parts[i].Name, "_", " ")
			s.Table.Head, s.Table.Words = append(s.Table.Head, name), append(s.Table.Words, false)
			s.Note += interferes[name]
		}
	}
	for _, x := range shown {
		row := report.Cells(fmt.Sprint(x.GPU), x.Name)
		if alike {
			row = append(row, report.Cell{Text: fmt.Sprint(x.Alike)})
		}
		for _, i := range parts {
			row = append(row, report.Cell{Text: report.Seconds(x.Parts[i].Time.Seconds())})
		}
		s.Table.Rows = append(s.Table.Rows, row)
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
