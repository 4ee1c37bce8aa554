package validation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
	out.WriteString(markdownTable(r.Scores()))
	if r.Overlap != nil {
		fmt.Fprintf(&out, "\n%s.\n%s", r.Overlap.About(), markdownTable(r.Overlap.Table()))
	}
	used := s.used()
	for column, name := range r.Rows[0].table.columns {
		if slices.Contains(used, name) {
			out.WriteString(r.byWord(column, name))
		}
	}
	return out.String()
}

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

// byWord returns a table of the errors by the words of a column; "" if it holds numbers, or too many words, or one, or
// if the medians differ by less than a factor of two.
func (r *Report) byWord(column int, name string) string {
	groups := map[string][]int{}
	var words []string
	for i, one := range r.Rows {
		word := one.line.cells[column]
		if _, err := strconv.ParseFloat(word, 64); err == nil {
			return ""
		}
		if groups[word] == nil {
			words = append(words, word)
		}
		groups[word] = append(groups[word], i)
	}
	if len(words) < 2 || len(words) > mostWords {
		return ""
	}
	var out strings.Builder
	least, most := math.Inf(1), 0.0
	fmt.Fprintf(&out, "\n| %s | rows | median | 9 in 10 within | worst |\n|---|---|---|---|---|\n", name)
	for _, word := range words {
		var errs []float64
		for _, one := range pick(r.Rows, groups[word]) {
			if !math.IsNaN(one.Predicted) {
				errs = append(errs, math.Abs(r.Set.kind.of(one.Predicted, one.Measured)))
			}
		}
		slices.Sort(errs)
		least, most = min(least, quantile(errs, 0.5)), max(most, quantile(errs, 0.5))
		fmt.Fprintf(&out, "| %s | %d | %s | %s | %s |\n", word, len(errs), r.Set.Amount(quantile(errs, 0.5)), r.Set.Amount(quantile(errs, 0.9)),
			r.Set.Amount(quantile(errs, 1)))
	}
	if most < 2*least {
		return ""
	}
	return out.String()
}
