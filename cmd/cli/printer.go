package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/difference"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
	"overlapsim/workloads"
)

// printer writes outcomes as text and remembers the first error. Lines and tables fit the width of where it writes.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, folded(fmt.Sprintf(format, args...), widthOf(p.out)))
	}
}

// heading prints the title of what follows.
func (p *printer) heading(title string) {
	if p.err == nil {
		p.err = styled(p.out, bold, folded(title, widthOf(p.out)))
	}
	p.print("\n")
}

func (p *printer) grid(rows [][]string, left int) {
	if p.err == nil {
		p.err = grid(p.out, rows, left)
	}
}

// charts says how to get a report, if there is none.
func (p *printer) charts(report string) {
	if report == "" {
		p.print("\nFor charts: --html report.html\n")
	}
}

// one prints a single run.
func (p *printer) one(o outcome) {
	p.header(o)
	makespan, words := o.Result.Makespan().Seconds(), report.Words(o.Result)
	rows := [][]string{{"makespan", report.Seconds(makespan), report.Sent(o.Result)}}
	for _, f := range report.AnswerFacts(makespan, o.record.Answer) {
		rows = append(rows, []string{f.Name, f.Value, f.Note})
	}
	if o.Bounded() {
		rows = append(rows, []string{"bound", report.Seconds(o.Bound()),
			"no run of this program is shorter, with its posts and waits where they are (" + report.Binding(o.Result) + ")" + faster(o)})
	}
	if o.Links != nil {
		if row := networkRow(o.Links); row != nil {
			rows = append(rows, row)
		}
		rows = append(rows, linksRow(o.Links))
	}
	p.grid(rows, 3)
	p.metrics(slices.DeleteFunc(slices.Clone(o.Metrics), func(m workloads.Metric) bool { return ofKind(o.Result, m.Name) }))
	p.leftOut([]outcome{o})
	p.answer(o.record.Answer)
	p.print("\n")
	p.heading(report.Doing(onGPUs([]outcome{o}), ""))
	ledger := o.Ledger()
	rows = nil
	for term, t := range ledger {
		if !t.Zero() {
			rows = append(rows, []string{"  " + words.State(results.Term(term)), report.Seconds(t.Mean(o.Result.Ranks)),
				report.Percent(t.Seconds(), ledger.Sum().Seconds())})
		}
	}
	p.grid(rows, 1)
	p.tables(gpuTables(o))
}

// header says what a run is, what was assumed, and which of its keys have no effect.
func (p *printer) header(o outcome) {
	p.heading(title(o.Scenario))
	p.print("%s\n\n", strings.Join(append([]string{about([]outcome{o})}, remarks([]outcome{o})...), "\n"))
	for i, line := range answerLines(o) {
		if i == 0 {
			defer p.print("\n")
		}
		p.print("%s\n", line)
	}
}

// faster says how much could be gained at most, if it is noticeable.
func faster(o outcome) string {
	left := report.Ratio(o.Left())
	if left == "0" || left == "1.000" {
		return ""
	}
	return ", at most " + left + " times as fast"
}

// metrics prints the metrics of the workload, if it has any.
func (p *printer) metrics(metrics []workloads.Metric) {
	if len(metrics) == 0 {
		return
	}
	var rows [][]string
	for _, m := range metrics {
		rows = append(rows, []string{"  " + metricName(m), report.Metric(m)})
	}
	p.print("\n")
	p.heading("Metrics")
	p.grid(rows, 1)
}

// leftOut lists the metrics without a value, each once, with the reason.
func (p *printer) leftOut(made []outcome) {
	runs := map[workloads.Missing]int{}
	var all []workloads.Missing
	for _, o := range made {
		if o.Outcome == nil {
			continue
		}
		for _, m := range o.LeftOut {
			if runs[m]++; runs[m] == 1 {
				all = append(all, m)
			}
		}
	}
	for i, m := range all {
		if i == 0 {
			p.print("\n")
		}
		of := ""
		if len(made) > 1 {
			of = fmt.Sprintf(" of %d of %d runs", runs[m], len(made))
		}
		p.print("No %s%s: %s\n", metricName(workloads.Metric{Name: m.Name}), of, m.Why)
	}
}

// about says what some runs are, as far as it is the same; "": one of them was not run now.
func about(made []outcome) string {
	var runs []*files.Scenario
	for _, o := range made {
		if o.Outcome == nil {
			return ""
		}
		runs = append(runs, o.Scenario)
	}
	return files.About(runs...)
}

// title is what a run is called.
func title(s *files.Scenario) string {
	if s.Title != "" {
		return s.Title
	}
	return s.Name
}

// several prints runs side by side, the first one being what the others are
// compared with.
func (p *printer) several(study *scenarios.Study, made []outcome) {
	if study.Title != "" {
		p.heading(study.Title)
		p.print("\n")
	}
	if lines := append([]string{about(made)}, remarks(made)...); strings.Join(lines, "") != "" {
		p.print("%s\n\n", strings.TrimPrefix(strings.Join(lines, "\n"), "\n"))
	}
	text := among(made)
	if len(made) == 1 { // a saved result
		text = strings.Join(answerLines(made[0]), "\n")
	}
	if text != "" {
		p.print("%s\n\n", text)
	}
	p.grid(summary(made), 1)
	if table := asTraced(made); table != nil {
		p.print("\n")
		p.heading("As traced (mean of the ranks)")
		p.grid(table, 1)
	}
	if table := bars(made, false); len(table[0]) > 1 {
		p.print("\n")
		p.grid(table, 1)
	}
	if table := bars(made, true); len(table[0]) > 1 {
		p.print("\n")
		p.heading("Time by kind")
		p.grid(table, 1)
	}
	p.leftOut(made)
	p.print("\n")
	p.heading(report.Doing(onGPUs(made), "share of the mean wall time"))
	p.grid(shares(made), 1)
	if terms := slices.DeleteFunc(termsOf(made), func(t results.Term) bool { return t == results.Compute }); len(terms) > 0 {
		p.print("%s\n", report.Doings(onGPUs(made), terms))
	}
	if len(made) == 1 {
		p.answer(made[0].record.Answer)
		return
	}
	p.difference(differencesOf(made))
}

// summary has a row for every run. Runs on GPUs have no bounds and count no messages, but bytes.
func summary(made []outcome) [][]string {
	head := []string{"", "makespan", "to first", "exposed", "hidden", "overlap", "bound", "messages"}
	gpus := onGPUs(made)
	if gpus {
		head = append(head[:6], "sent")
	}
	rows := [][]string{head}
	for _, o := range made {
		r := o.record
		exposed, hidden, overlap := overlapOf(r)
		row := []string{r.Scenario, report.Seconds(r.Makespan), longer(made[0].record.Makespan, r.Makespan), exposed, hidden, overlap}
		if gpus {
			row = append(row, report.SentBytes(o.Result))
		} else {
			row = append(row, known(r.Bound), report.Count(r.Messages))
		}
		rows = append(rows, row)
	}
	return filled(rows)
}

// onGPUs tells whether all runs are on GPUs.
func onGPUs(made []outcome) bool {
	return !slices.ContainsFunc(made, func(o outcome) bool { return o.Outcome == nil || o.Result.On != results.GPUs })
}

// filled are rows without the columns that have no value in any of them.
func filled(rows [][]string) (kept [][]string) {
	empty := func(i int) bool {
		return !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[i] != report.Dash })
	}
	kept = make([][]string, len(rows))
	for i := range rows[0] {
		if !empty(i) {
			for k, row := range rows {
				kept[k] = append(kept[k], row[i])
			}
		}
	}
	return kept
}

// among says which of several runs is the shortest and why, and which topologies and libraries their machines have.
func among(made []outcome) string {
	var simulated []*files.Scenario
	for _, o := range made {
		if o.Outcome != nil {
			simulated = append(simulated, o.Scenario)
		}
	}
	return strings.Join(strings.Fields(answer.Among(recordsOf(made))+" "+files.Topologies(simulated...)+" "+files.Libraries(simulated...)), " ")
}

// recordsOf are the records of outcomes.
func recordsOf(made []outcome) (all []*outcomes.RunRecord) {
	for _, o := range made {
		all = append(all, o.record)
	}
	return all
}

// overlapOf are the times of a run that its answer knows, or dashes.
func overlapOf(r *outcomes.RunRecord) (exposed, hidden, overlap string) {
	a := r.Answer.Overlaps()
	exposed, hidden, overlap = known(a.Exposed), known(a.Hidden), report.Dash
	if a.Overlap != nil {
		overlap = report.Share(*a.Overlap)
	}
	exposed = cmp.Or(report.ExposedInPlace(r.Makespan, a), exposed)
	in := report.HiddenInPlace(r.Makespan, a)
	return exposed, cmp.Or(in, hidden), cmp.Or(in, overlap)
}

// longer says by how much a run is longer than the first one, as a share too if it shows.
func longer(first, makespan float64) string {
	text := report.Change(makespan - first)
	if first > 0 && math.Abs(makespan-first) >= difference.LeastShare*first {
		share := report.Percent(makespan-first, first)
		if makespan > first {
			share = "+" + share
		}
		text += ", " + share
	}
	return text
}

// known writes a time, or a dash if it is not known.
func known(seconds *float64) string {
	if seconds == nil {
		return report.Dash
	}
	return report.Seconds(*seconds)
}

// bars has a column for every metric that a run has: those that are the time of a kind of operations on GPUs, in all steps of a run, or all
// others.
func bars(made []outcome, kinds bool) [][]string {
	var names []string
	for _, o := range made {
		for _, m := range o.record.Metrics {
			if kinds == (o.Outcome != nil && ofKind(o.Result, m.Name)) && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	head := []string{""}
	for _, name := range names {
		head = append(head, metricName(workloads.Metric{Name: name}))
	}
	rows := [][]string{head}
	for _, o := range made {
		row := []string{o.record.Scenario}
		for _, name := range names {
			cell := report.Dash
			if i := slices.IndexFunc(o.record.Metrics, func(m workloads.Metric) bool { return m.Name == name }); i >= 0 {
				m := o.record.Metrics[i]
				if kinds {
					m.Value *= stepsOf(o.record)
				}
				cell = report.Metric(m)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// stepsOf is how many steps a run has of which its metrics are the mean.
func stepsOf(r *outcomes.RunRecord) float64 {
	i := slices.IndexFunc(r.Metrics, func(m workloads.Metric) bool { return m.Name == "step_s" && m.Value > 0 })
	if i < 0 {
		return 1
	}
	return r.Makespan / r.Metrics[i].Value
}

// shares has a column for every term of the ledger that any run has.
func shares(made []outcome) [][]string {
	rows := [][]string{{""}}
	for _, o := range made {
		rows = append(rows, []string{o.record.Scenario})
	}
	for _, term := range termsOf(made) {
		rows[0] = append(rows[0], termName(term))
		for i, o := range made {
			rows[i+1] = append(rows[i+1], report.Percent(spent(o, term), o.record.Ledger.Sum()))
		}
	}
	return rows
}

// spent is the time in a term, in s.
func spent(o outcome, t results.Term) float64 { return o.record.Ledger.Number(t.String() + "_s") }

// termsOf are the terms in which some of the runs spend time.
func termsOf(made []outcome) (all []results.Term) {
	for t := range results.NumTerms {
		if slices.ContainsFunc(made, func(o outcome) bool { return spent(o, t) != 0 }) {
			all = append(all, t)
		}
	}
	return all
}

// ranks prints a table by rank.
func (p *printer) ranks(o outcome, named bool) {
	p.print("\n")
	if named {
		p.print("%s\n", o.Name)
	}
	head := []string{"rank", "finish"}
	all := o.Ledger()
	for term := range all {
		if !all[term].Zero() {
			head = append(head, termName(results.Term(term)))
		}
	}
	rows := [][]string{head}
	for rank := range o.Result.Ledgers {
		ledger := o.Result.OfRank(rank)
		row := []string{fmt.Sprint(rank), report.Seconds(o.Result.Finish[rank].Seconds())}
		for term := range all {
			if !all[term].Zero() {
				row = append(row, report.Seconds(ledger[term].Seconds()))
			}
		}
		rows = append(rows, row)
	}
	p.grid(rows, 0)
}

// host prints how fast the simulator was.
func (p *printer) host(o outcome, named bool) {
	name := "simulated"
	if named {
		name = o.Name
	}
	p.print("\n%s in %s\n", name, hostLine(o.host))
}

func hostLine(h *outcomes.Host) string {
	return fmt.Sprintf("%s: %s events/s, %s messages/s, %d MiB at most", report.Seconds(h.Seconds),
		report.Count(uint64(h.EventsPerSecond)), report.Count(uint64(h.MessagesPerSecond)), h.PeakRSS>>20)
}

// terms prints the ledger of a replay.
func (p *printer) terms(r *outcomes.RunRecord) {
	var sum float64
	for _, m := range r.Ledger {
		sum += m.Value
	}
	var rows [][]string
	for _, m := range r.Ledger {
		if m.Value != 0 {
			rows = append(rows, []string{"  " + metricName(m), report.Seconds(m.Value), report.Percent(m.Value, sum)})
		}
	}
	if rows != nil {
		p.print("\n")
		p.heading("Where the time went (mean over the ranks)")
		p.grid(rows, 1)
	}
}

// metricName turns "comm_init_s" into "comm init".
func metricName(m workloads.Metric) string {
	words, _ := m.Label()
	return words
}

func termName(t results.Term) string { return strings.ReplaceAll(t.String(), "_", " ") }
