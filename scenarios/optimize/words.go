package optimize

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// isGain tells whether more of a number is better: rates, and what is hidden.
func isGain(path string) bool {
	_, name := keys.Split(path)
	return name == "mfu" || strings.HasPrefix(name, "hidden") || strings.HasPrefix(name, "overlap_percent") || strings.Contains(name, "per_s_") ||
		strings.HasSuffix(name, "Bps")
}

// Result names what is minimized.
func (s *Study) Result() string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(s.Minimize, "_s"), "answer."), "_", " ")
}

// Amount writes a value of what is minimized.
func (s *Study) Amount(x float64) string {
	if s.resultUnit() == "s" {
		return report.Seconds(x)
	}
	return report.Ratio(x)
}

// BestTable has a row for the best value of each run, below a head. What no run has takes no column.
func (s *Study) BestTable() [][]string {
	rows := [][]string{{"", "best at", s.Result(), TokensColumn, MFUColumn, asGoodColumn, boundColumn, "runs", whyColumn}}
	for _, o := range s.Optima {
		bound := report.Dash // not known
		if o.Best.Bound > 0 {
			bound = report.Seconds(o.Best.Bound)
		}
		explain := report.Dash
		if o.Runs.Why > 0 {
			explain = fmt.Sprint(o.Runs.Why)
		}
		rows = append(rows, slices.Concat([]string{o.Run, o.Best.Value, s.Amount(*o.Best.Result)}, o.Best.Rates(),
			[]string{o.AsGood(), bound, fmt.Sprint(o.Runs.Sum()), explain}))
	}
	return withoutDashes(rows)
}

// The columns that not every run has.
const (
	TokensColumn = "tokens/s"
	MFUColumn    = "MFU"
	asGoodColumn = "as good"
	boundColumn  = "bound"
	whyColumn    = "for --why"
)

// Rates are the columns tokens/s and MFU of a value.
func (p *Point) Rates() []string {
	all := []string{report.Dash, report.Dash}
	if p.Tokens != nil {
		all[0] = report.Ratio(*p.Tokens)
	}
	if p.MFU != nil {
		all[1] = report.Percent(*p.MFU, 1)
	}
	return all
}

// withoutDashes leaves out the columns without a value, below a head.
func withoutDashes(rows [][]string) [][]string {
	for i := len(rows[0]) - 1; i > 0 && len(rows) > 1; i-- {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[i] != report.Dash }) {
			for k := range rows {
				rows[k] = slices.Delete(rows[k], i, i+1)
			}
		}
	}
	return rows
}

// Legend says what columns of the table of best values are; "": those that it has need no word.
func (s *Study) Legend() string {
	var all []string
	head := s.BestTable()[0]
	for _, c := range [][2]string{{TokensColumn, "of each GPU"}, {MFUColumn, "arithmetic of the model over the peak"},
		{asGoodColumn, fmt.Sprintf("values at most %s worse", report.Share(asGood))}, {boundColumn, "no run is shorter"},
		{whyColumn, "those of the runs that find what binds"}} {
		if slices.Contains(head, c[0]) {
			all = append(all, c[0]+": "+c[1])
		}
	}
	return strings.Join(all, "; ")
}

// BestAt names the best value, and the plateau that it is on.
func (o *Optimum) BestAt() string {
	if o.Plateau != nil {
		return o.Best.Value + " (as good: " + o.Plateau.values() + ")"
	}
	return o.Best.Value
}

// Lead says in a sentence for each run where it is best; of more than a few runs, only of the best one.
func (s *Study) Lead() string {
	if len(s.Optima) == 0 {
		return ""
	}
	best := slices.MinFunc(s.Optima, func(a, b *Optimum) int { return cmp.Compare(*a.Best.Result, *b.Best.Result) })
	says := func(o *Optimum) string {
		if s.FlatText(o) != "" {
			return fmt.Sprintf("%s with any %s", s.Amount(*o.Best.Result), s.Path)
		}
		return fmt.Sprintf("%s, with %s %s", s.Amount(*o.Best.Result), s.Path, o.BestAt())
	}
	if len(s.Optima) == 1 {
		return fmt.Sprintf("The least %s is %s.", s.Result(), says(best))
	}
	return fmt.Sprintf("The least %s of %d runs is %s: %s.", s.Result(), len(s.Optima), says(best), best.Run)
}

// FailedText says how many values cannot be run; "": all can.
func (s *Study) FailedText(o *Optimum) string {
	n, first := o.Failed()
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: %d of the %d values that were tried cannot be run, the first of them %s", o.Run, n, len(o.Points), first.because())
	if n, stuck := o.stuck(); n > 0 && stuck != first {
		text += fmt.Sprintf("\nOperations of %d of them never end, such as %s", n, stuck.because())
	}
	if o.Batch != nil {
		text += fmt.Sprintf("\n%d of them can be run with --set %s", o.Batch.More, o.Batch.Setting)
	}
	return text
}

// because names a value that cannot be run, and says why.
func (p *Point) because() string {
	return p.Value + ":\n  " + strings.ReplaceAll(p.Error, "\n", "\n  ")
}

// FlatText says that all values give the same; "": they do not.
func (s *Study) FlatText(o *Optimum) string {
	if n, _ := o.Failed(); !o.Flat() || len(o.Points)-n < 2 {
		return ""
	}
	because := ""
	if o.Hint != "" {
		because = ", because " + o.Hint
	}
	return fmt.Sprintf("%s: all values of %s give the same %s%s", o.Run, s.Path, s.Result(), because)
}

// NoiseText says what the noise of the best makespan is, or why it is not known; "": there is none, or it was not asked for.
func (o *Optimum) NoiseText() string {
	if o.noise == "" {
		return ""
	}
	return o.Run + ": noise " + o.noise
}

// SideText says in a sentence what binds at a value.
func (s *Study) SideText(o *Optimum, r *Reason) string {
	switch {
	case r.Side == Best:
		return s.bestText(o, r)
	case r.More == 0:
		return fmt.Sprintf("%s: the same", r.Value)
	case report.BelowNoise(r.More / *o.Best.Result, o.Noise):
		return fmt.Sprintf("%s: the extra time is %s", r.Value, report.Below(*o.Noise))
	case r.Binds == "":
		return fmt.Sprintf("%s: %s more; the derivatives do not explain it, they are off by %s", r.Value, s.Amount(r.More),
			s.Amount(max(r.Off, -r.Off)))
	}
	var parts []string
	for _, name := range largest(r.Than) {
		if d := r.Than[name]; len(parts) < 4 && 20*max(d, -d) > r.More {
			parts = append(parts, words[name].name+" "+s.signed(d))
		}
	}
	text := fmt.Sprintf("%s: %s more (%s): %s binds, %s", r.Value, s.Amount(r.More), strings.Join(parts, ", "),
		words[r.Binds].name, words[r.Binds].meaning)
	if r.Binds == "progress" && r.Moved != nil {
		text += fmt.Sprintf(" (%s if the NIC did)", s.Amount(*r.Moved))
	}
	if r.Term != "" {
		text += fmt.Sprintf("; in the time breakdown %s grows most, +%s", strings.ReplaceAll(r.Term, "_", " "), report.Seconds(r.Longer))
	}
	return text
}

// bestText says what the best is made of.
func (s *Study) bestText(o *Optimum, r *Reason) string {
	text := fmt.Sprintf("%s: %s", r.Value, s.Amount(r.Result))
	if of := s.share(r); of != "" {
		text += " is " + of
	}
	switch {
	case o.Reason(Below) == nil && o.Reason(Above) == nil:
	case o.Reason(Below) == nil:
		text += "; this is the smallest value"
	case o.Reason(Above) == nil:
		text += "; this is the largest value"
	}
	return text
}

// signed writes an amount with its sign.
func (s *Study) signed(x float64) string {
	if x > 0 {
		return "+" + s.Amount(x)
	}
	return s.Amount(x)
}

// share lists the parts of a result, the largest first: as shares, or as amounts if some are taken off, as of exposed communication.
func (s *Study) share(r *Reason) string {
	parts := maps.Clone(r.Resources)
	parts[others] = r.Rest
	off := slices.ContainsFunc(slices.Collect(maps.Values(parts)), func(x float64) bool { return x < -0.005*r.Result })
	var all []string
	for _, name := range largest(parts) {
		switch x := parts[name]; {
		case max(x, -x) <= 0.005*r.Result:
		case off:
			all = append(all, words[name].name+" "+s.signed(x))
		default:
			all = append(all, report.Percent(x, r.Result)+" "+words[name].name)
		}
	}
	return strings.Join(all, ", ")
}

// MostWords is the largest number of words that are all listed; of more the best ones are.
const MostWords = 24

// mostRunners is how many values are listed.
const mostRunners = 10

// RunnersUp has a row for each of the best values of a run, with what the others take longer
// than the best one, below a head; nil if no value can be run.
func (s *Study) RunnersUp(o *Optimum) [][]string {
	if o.Best == nil {
		return nil
	}
	rows := [][]string{{o.Run, s.Result(), "to best", TokensColumn, MFUColumn, "memory", "most of the difference"}}
	for _, one := range o.Ranking(mostRunners) {
		more := ""
		if term, time := one.Beyond(o.Best); time > 0 && *one.Result != *o.Best.Result {
			more = term + " +" + report.Seconds(time)
		}
		toBest := report.Ratio(*one.Result / *o.Best.Result)
		if one.Tokens != nil {
			toBest = report.Dash // its tokens say it
		}
		rows = append(rows, slices.Concat([]string{one.Value, s.Amount(*one.Result), toBest}, one.Rates(),
			[]string{one.fills(), more}))
	}
	return withoutDashes(rows)
}

// full tells whether the memory of a GPU is nearly full.
func (p *Point) full() bool { return report.Full(p.Memory, p.OfMemory) != "" }

// fills says how much memory of a GPU a value needs.
func (p *Point) fills() string {
	if p.Memory == 0 {
		return report.Dash
	}
	return fmt.Sprintf("%.1f GB", p.Memory)
}

// MemoryText says which of the best values nearly fill the memory of a GPU, and which other one is best; "": the best value does not, or
// that is not known.
func (s *Study) MemoryText(o *Optimum) string {
	if o.Best == nil || !o.Best.full() {
		return ""
	}
	var all []string
	for _, p := range o.Ranking(mostRunners) {
		if p.full() {
			all = append(all, p.Value)
		}
	}
	text := fmt.Sprintf("%s: nearly full: %s. They need more than %.0f %% of the %.1f GB of a GPU; %s, and they may not fit",
		o.Run, strings.Join(all, ", "), 100*report.NearlyFull, o.Best.OfMemory, report.NotCounted)
	ranking := o.Ranking(len(o.Points))
	if i := slices.IndexFunc(ranking, func(p *Point) bool { return !p.full() }); i > 0 {
		p := ranking[i]
		text += fmt.Sprintf("; the best of the others is %s, %s in %s", p.Value, s.Amount(*p.Result), p.fills())
	}
	return text
}

// answer shows on the page what the terminal says: the best values, and why they are.
func (s *Study) answer() []report.Section {
	why := &report.Table{Head: []string{"", "Why it is the best"}, Words: []bool{true, true}}
	for _, o := range s.Optima {
		for _, text := range []string{s.FailedText(o), s.FlatText(o), s.EdgeText(o), o.PlateauText(), s.MemoryText(o), o.NoiseText()} {
			if text != "" {
				why.Rows = append(why.Rows, report.Cells(o.Run, strings.TrimPrefix(text, o.Run+": ")))
			}
		}
		for i := range o.Why {
			why.Rows = append(why.Rows, report.Cells(o.Run, s.SideText(o, &o.Why[i])))
		}
	}
	all := []report.Section{{Title: "The best value", Note: s.Legend(), Table: report.Texts(s.BestTable(), 0)}}
	for _, o := range s.Optima {
		if rows := s.RunnersUp(o); rows != nil && len(s.Words()) > MostWords {
			all = append(all, report.Section{Title: "The best of " + report.Count(len(s.Words())) + ", and what the others take longer",
				Table: report.Texts(rows, 0, -1)})
		}
	}
	if why.Rows != nil {
		all = append(all, report.Section{Title: "Why", Table: why})
	}
	return all
}
