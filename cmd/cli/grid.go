package cli

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap is what stands between two columns.
const gap = "  "

// leastWords is the smallest number of columns into which a text of a table is folded.
const leastWords = 20

// below is what the lines below a row begin with that hold what has no room in it.
const below = "      "

// grid prints rows in columns: the first ones flush left, the others flush right. What is wider than the output is fitted into
// it: texts are folded in their column, columns of numbers continue in a second table below.
func grid(w io.Writer, rows [][]string, left int) error {
	_, err := io.WriteString(w, strings.Join(tables(rows, left, widthOf(w)), "\n"))
	return err
}

// tables are the texts of the tables that rows become within a width.
func tables(rows [][]string, left, width int) (texts []string) {
	t := newTable(rows, left)
	if t.fits(width) || t.columns() < 2 || t.worded(t.columns()-1) {
		return []string{strings.Join(t.narrowed(width), "")}
	}
	for _, part := range t.parts(width) {
		texts = append(texts, strings.Join(part.narrowed(width), ""))
	}
	return texts
}

// table is rows of cells.
type table struct {
	rows   [][]string
	left   int // number of columns that are flush left
	widths []int
	flush  []bool // which columns are flush left: these, and those with a cell that ends in spaces
}

func newTable(rows [][]string, left int) *table {
	t := &table{left: left}
	for _, row := range rows {
		var cells []string
		title := len(row) > 1 && strings.Join(row[1:], "") == ""
		for i, cell := range row {
			if i == len(t.widths) {
				t.widths, t.flush = append(t.widths, 0), append(t.flush, i < left)
			}
			bare := strings.TrimRight(cell, " ")
			if cells = append(cells, bare); title {
				continue
			}
			t.widths[i], t.flush[i] = max(t.widths[i], runes(bare)), t.flush[i] || bare != cell
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

func (t *table) columns() int { return len(t.widths) }

// total is the width of the table.
func (t *table) total() int {
	sum := len(gap) * max(0, t.columns()-1)
	for _, w := range t.widths {
		sum += w
	}
	return sum
}

func (t *table) fits(width int) bool { return width == 0 || t.total() <= width }

// worded tells whether a column holds texts that can be folded, or commands.
func (t *table) worded(column int) bool {
	return column < t.left || slices.ContainsFunc(t.rows[min(1, len(t.rows)):], func(row []string) bool {
		if len(row) <= column {
			return false
		}
		cell := strings.TrimSpace(row[column])
		first, _ := utf8.DecodeRuneInString(cell)
		return strings.Contains(cell, " ") && (unicode.IsLetter(first) || isCommand(cell))
	})
}

// parts are tables with some of the columns each, which fit. All have the first columns, flush left, and a column without a
// head stays with the one before it.
func (t *table) parts(width int) (all []*table) {
	key := max(1, t.left)
	for from := key; from < t.columns(); {
		to, wide := from, len(gap)*(key-1)
		for i, w := range t.widths[:key] {
			wide += max(t.least(i), min(w, width/2))
		}
		for to < t.columns() {
			next := to + 1
			for next < t.columns() && len(t.rows[0]) > next && t.rows[0][next] == "" {
				next++
			}
			more := 0
			for _, w := range t.widths[to:next] {
				more += len(gap) + w
			}
			if to > from && wide+more > width {
				break
			}
			to, wide = next, wide+more
		}
		var rows [][]string
		for _, row := range t.rows {
			cells := slices.Clone(row[:min(key, len(row))])
			rows = append(rows, append(cells, row[min(from, len(row)):min(to, len(row))]...))
		}
		all, from = append(all, newTable(rows, t.left)), to
	}
	return all
}

// narrowed are the texts of the rows within a width: cells of texts are folded; if that does not do, what is in the last
// column goes below its row, but a command that has room; and if that does not do either, so do the columns before it.
func (t *table) narrowed(width int) (texts []string) {
	kept, shown, last := t, t.shrunk(width), t.columns()-1
	under, beside := make([][]string, len(t.rows)), make([]string, len(t.rows))
	move := func(column int, stays func(cell string) bool) {
		var rows [][]string
		for i, row := range kept.rows {
			if len(row) > column && !stays(row[column]) {
				cell := strings.TrimSpace(row[column])
				if row = row[:column]; column == last || isCommand(cell) {
					under[i] = append([]string{cell}, under[i]...)
				} else {
					beside[i] = strings.TrimSuffix(cell+gap+beside[i], gap)
				}
			}
			rows = append(rows, row)
		}
		kept = newTable(rows, t.left)
		copy(kept.flush, t.flush)
		shown = kept.shrunk(width)
	}
	if !shown.fits(width) && last > 0 && t.worded(last) {
		room := width - t.total() + t.widths[last]
		move(last, func(cell string) bool { return isCommand(cell) && runes(cell) <= room })
	}
	for !shown.fits(width) && kept.columns() > 1 {
		move(kept.columns()-1, func(string) bool { return false })
	}
	for i, row := range shown.rows {
		text := shown.row(row)
		for _, more := range append([]string{beside[i]}, under[i]...) {
			if more != "" {
				text += belowRow(more, width)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// belowRow is what goes below a row. A command stays whole.
func belowRow(text string, width int) string {
	if !isCommand(text) {
		text = folded(below+text, width)
	} else {
		text = below + text
	}
	return text + "\n"
}

// isCommand tells whether a cell is part of a command, to be copied.
func isCommand(cell string) bool { return strings.HasPrefix(strings.TrimSpace(cell), "--") }

// shrunk is the table with columns of texts so much narrower that it fits, or comes close.
func (t *table) shrunk(width int) *table {
	shrunk := &table{t.rows, t.left, slices.Clone(t.widths), t.flush}
	for !shrunk.fits(width) {
		widest := -1
		for i, w := range shrunk.widths {
			if t.worded(i) && w > t.least(i) && (widest < 0 || w > shrunk.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		shrunk.widths[widest]--
	}
	return shrunk
}

// least is the smallest width of a column: the width of its widest word, but no less than leastWords, or of all if it
// is narrower.
func (t *table) least(column int) int {
	least := leastWords
	for _, row := range t.rows {
		if len(row) <= column {
			continue
		}
		if isCommand(row[column]) {
			least = max(least, runes(row[column]))
		}
		indent := len(row[column]) - len(strings.TrimLeft(row[column], " "))
		for _, word := range words(strings.TrimSpace(row[column])) {
			least = max(least, indent+runes(word))
		}
	}
	return min(least, t.widths[column])
}

// row is the text of a row. Cells that are wider than their columns are folded, except the cell of a row that has no
// other: a title within the table.
func (t *table) row(cells []string) string {
	if len(cells) > 1 && strings.Join(cells[1:], "") == "" {
		return cells[0] + "\n"
	}
	var lines [][]string
	for i, cell := range cells {
		indent := cell[:len(cell)-len(strings.TrimLeft(cell, " "))]
		for k, part := range foldedLine(cell, indent, t.widths[i]) {
			if k == len(lines) {
				lines = append(lines, make([]string, len(cells)))
			}
			lines[k][i] = part
		}
	}
	var text strings.Builder
	for _, parts := range lines {
		var line strings.Builder
		for i, part := range parts {
			if i > 0 {
				line.WriteString(gap)
			}
			if space := strings.Repeat(" ", max(0, t.widths[i]-runes(part))); t.flush[i] {
				line.WriteString(part + space)
			} else {
				line.WriteString(space + part)
			}
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return text.String()
}

// runes is the width of a text.
func runes(text string) int { return utf8.RuneCountInString(text) }
