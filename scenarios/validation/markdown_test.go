package validation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/report"
)

// scoreHead is the head of the table whose rows Line returns.
const scoreHead = "| data set | rows | seen | median | 9 in 10 within | worst | tau | " +
	"best baseline | its median | ours there | spread | no worse than |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|\n"

// Line returns the row of a report in a table of all data sets.
func (r *Report) Line() string {
	s := r.Set
	return fmt.Sprintf("| [`%s`](%s#%s) | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", s.Name, home(s.Name), s.Name, r.Scored, s.Seen,
		s.Amount(r.Score.Median),
		s.Amount(r.Score.P90), s.Amount(r.Score.Worst), ratio(r.Score.Tau), r.Best().Name, s.Amount(r.Best().Score.Median), s.Amount(r.Best().Ours.Median),
		s.Amount(r.Spread),
		s.accepted())
}

// accepted writes what is accepted of the error by which the set is judged; its name stands before it if that is not the median.
func (s *Set) accepted() string {
	if s.Accepted == 0 {
		return s.Amount(math.NaN())
	}
	text := s.Amount(s.Accepted)
	if name := s.judged.name; name != judges[0].name {
		text = name + " " + text
	}
	return text
}

// Markdown describes the data set and its errors, by each column of words.
func (r *Report) Markdown() string {
	var out strings.Builder
	s := r.Set
	out.WriteString(s.head())
	if s.compete != nil || s.judged.name != judges[0].name {
		out.WriteString(markdownTable(r.Scores()))
	} else {
		out.WriteString(inOneLine(r.Line()))
	}
	if r.Scored > 1 {
		out.WriteString(r.worstRow())
	}
	if o := r.Overlap; o != nil {
		fmt.Fprintf(&out, "\nOverlap, on %d rows; measured: %s in the median.\n%s", o.Rows, part(o.Measured), markdownTable(o.Table()))
	}
	used := s.used()
	var split [][]int // the groups of the tables that are written
	for column, name := range r.Rows[0].table.columns {
		if slices.Contains(used, name) {
			out.WriteString(r.byWord(column, name, &split))
		}
	}
	return out.String()
}

// worstRow names the scored row with the largest error by the cells that its kind and its settings follow from; columns whose rows are all
// equal say nothing.
func (r *Report) worstRow() string {
	var worst *row
	size := -1.0
	for _, one := range r.Rows {
		if wrong := math.Abs(r.Set.kind.of(one.Predicted, one.Measured)); !one.Fitted && wrong > size {
			worst, size = one, wrong
		}
	}
	if worst == nil {
		return ""
	}
	var columns, named []string
	for _, b := range r.Set.baselines {
		columns = append(columns, b.by...)
	}
	for _, b := range r.Set.bindings {
		columns = append(columns, b.columns...)
	}
	for _, column := range columns {
		text := worst.table.text(worst.line, column)
		differs := slices.ContainsFunc(r.Rows, func(other *row) bool { return other.table.text(other.line, column) != text })
		if one := column + "=" + text; differs && !slices.Contains(named, one) {
			named = append(named, one)
		}
	}
	if len(named) > mostNamed {
		named = append(named[:mostNamed], "...")
	}
	unit, scale := strings.TrimRight(" "+r.Set.measured.unit.name, " "), 1.0
	if unit == " s" && worst.Measured < 1e-3 {
		unit, scale = " us", 1e6
	}
	return fmt.Sprintf("\n%s`%s`: predicted %s%s, measured %s%s.\n", worstIs, strings.Join(named, " "), short(scale*worst.Predicted), unit,
		short(scale*worst.Measured), unit)
}

// mostNamed is how many cells name a row.
const mostNamed = 10

// worstIs begins the sentence of worstRow.
const worstIs = "*Worst row.* "

// head describes the data set.
func (s *Set) head() string {
	text := fmt.Sprintf("### %s\n\n%s. %s\n\nSource: %s.", s.Name, s.Title, oneLine(s.About), oneLine(s.Source))
	if s.License != "" {
		text += " License: " + s.License + "."
	}
	return text + "\n"
}

// markdownTable writes rows under their head.
func markdownTable(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&out, "\n| %s |", strings.Join(row, " | "))
		if i == 0 {
			out.WriteString("\n|" + strings.Repeat("---|", len(row)))
		}
	}
	return out.String() + "\n"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// mostWords is how many words of a column have a row each.
const mostWords = 8

// byWord returns a table of the errors by the words of a column; "" if it holds numbers, or too many words, or one, if
// the medians differ by less than a factor of two, or if another column splits the rows in the same way.
func (r *Report) byWord(column int, name string, split *[][]int) string {
	groups := map[string][]int{}
	var words []string
	numbers := make([]int, len(r.Rows)) // of the group of each row
	for i, one := range r.Rows {
		word := one.line.cells[column]
		if _, err := strconv.ParseFloat(word, 64); err == nil {
			return ""
		}
		if groups[word] == nil {
			words = append(words, word)
		}
		groups[word] = append(groups[word], i)
		numbers[i] = slices.Index(words, word)
	}
	same := func(other []int) bool { return slices.Equal(other, numbers) }
	if len(words) < 2 || len(words) > mostWords || slices.ContainsFunc(*split, same) {
		return ""
	}
	single := len(words) == len(r.Rows) // each row is a group: it has one error
	var out strings.Builder
	least, most := math.Inf(1), 0.0
	if single {
		fmt.Fprintf(&out, "\n| %s | error |\n|---|---|\n", name)
	} else {
		fmt.Fprintf(&out, "\n| %s | rows | median | 9 in 10 within | worst |\n|---|---|---|---|---|\n", name)
	}
	for _, word := range words {
		var errs []float64
		for _, one := range pick(r.Rows, groups[word]) {
			if !math.IsNaN(one.Predicted) {
				errs = append(errs, math.Abs(r.Set.kind.of(one.Predicted, one.Measured)))
			}
		}
		slices.Sort(errs)
		least, most = min(least, quantile(errs, 0.5)), max(most, quantile(errs, 0.5))
		if single {
			fmt.Fprintf(&out, "| %s | %s |\n", word, r.Set.Amount(quantile(errs, 1)))
			continue
		}
		fmt.Fprintf(&out, "| %s | %d | %s | %s | %s |\n", word, len(errs), r.Set.Amount(quantile(errs, 0.5)), r.Set.Amount(quantile(errs, 0.9)),
			r.Set.Amount(quantile(errs, 1)))
	}
	if most < 2*least {
		return ""
	}
	*split = append(*split, numbers)
	return out.String()
}

// inOneLine says what a recorded line of scores says, as a sentence.
func inOneLine(line string) string {
	c := cellsOf(line)
	text := fmt.Sprintf("\n%s%s rows, %s: median error %s", errorsAre, c[1], c[2], c[3])
	if c[1] != "1" {
		text += fmt.Sprintf(", 9 in 10 within %s, worst %s", c[4], c[5])
	}
	if c[6] != report.Dash {
		text += ", tau " + c[6]
	}
	if c[8] != report.Dash {
		text += fmt.Sprintf("; best baseline (%s) %s", c[7], c[8])
		if c[9] != c[3] {
			text += ", ours there " + c[9]
		}
	}
	if c[10] != report.Dash {
		text += "; spread of the measurement " + c[10]
	}
	return text + ".\n"
}

// errorsAre begins the sentence of inOneLine.
const errorsAre = "*Errors.* "

// cellsOf splits a row of a table.
func cellsOf(line string) []string { return strings.Split(strings.Trim(line, "| \n"), " | ") }

// inShort sums up recorded lines of scores, in the order of the table of all data sets: what comes before the sections of a page.
func inShort(lines string) string {
	sets, rows := 0, 0
	medians := map[string][]float64{} // by what was seen
	var all []float64
	var behind, points []string
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		c := cellsOf(line)
		name, _, _ := strings.Cut(strings.TrimPrefix(c[0], "["), "]")
		count, _ := strconv.Atoi(c[1])
		sets, rows = sets+1, rows+count
		median, ours, best := percent(c[3]), percent(c[9]), percent(c[8])
		if math.IsNaN(median) {
			points = append(points, name)
			continue
		}
		medians[c[2]], all = append(medians[c[2]], median), append(all, median)
		if best < ours {
			behind = append(behind, name)
		}
	}
	slices.Sort(all)
	var out strings.Builder
	fmt.Fprintf(&out, "**In short.** %d data sets, %s rows. Half of the data sets have a median error of at most %s, all of at most %s.", sets,
		thousands(rows), inPercent(all[(len(all)-1)/2]), inPercent(all[len(all)-1]))
	for _, one := range []struct{ seen, words string }{{"unseen", "No number and no choice used the rows"},
		{"partly", "Some rows, or choices made with rows in view"}, {"fitted", "Residuals of a fit"}} {
		if m := medians[one.seen]; len(m) > 0 {
			fmt.Fprintf(&out, " %s (*%s*, %d): %s to %s.", one.words, one.seen, len(m), short(slices.Min(m)), inPercent(slices.Max(m)))
		}
	}
	if len(points) > 0 {
		fmt.Fprintf(&out, " Without %s, whose errors are in points.", strings.Join(points, ", "))
	}
	if len(behind) > 0 {
		fmt.Fprintf(&out, " A baseline without a simulator has a smaller median error in %d: %s.", len(behind), strings.Join(behind, ", "))
	}
	return out.String() + "\n"
}

// thousands writes a count with commas.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// percent reads an error that is written in per cent; NaN if it is none.
func percent(cell string) float64 {
	if x, err := strconv.ParseFloat(strings.TrimSuffix(cell, " %"), 64); err == nil && strings.HasSuffix(cell, "%") {
		return x
	}
	return math.NaN()
}

func inPercent(x float64) string { return short(x) + " %" }
