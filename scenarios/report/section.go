package report

import "html/template"

// Section is a part of the page: figures, smaller figures side by side, and a table.
// Everything but Title may be omitted.
type Section struct {
	Title, Note string
	Picture     template.HTML // a drawing of this package
	Figures     []Figure
	Small       []Figure
	SmallTitle  string
	SmallNote   string
	Table       *Table
}

// Table is rows of text.
type Table struct {
	Head  []string
	Words []bool // by column: words, else numbers, which are aligned to the right
	Rows  [][]Cell
	Note  string
}

// Cell is a text of a table, and a smaller note below it.
type Cell struct{ Text, Note string }

// Texts is a table of rows of text below their head. The columns at these places hold words, the others numbers; -1 is
// the last column.
func Texts(rows [][]string, words ...int) *Table {
	t := &Table{Head: rows[0], Words: make([]bool, len(rows[0]))}
	for _, i := range words {
		t.Words[(i+len(t.Words))%len(t.Words)] = true
	}
	for _, row := range rows[1:] {
		t.Rows = append(t.Rows, Cells(row...))
	}
	return t
}

// Cells are cells of text.
func Cells(texts ...string) (row []Cell) {
	for _, text := range texts {
		row = append(row, Cell{Text: text})
	}
	return row
}

// Fact is a key number.
type Fact struct{ Name, Value, Note string }

// sectionView is a section as the template sees it.
type sectionView struct {
	*Section
	Charts, Smalls []chart
}

func viewed(sections []Section) (views []sectionView) {
	for i := range sections {
		s := &sections[i]
		views = append(views, sectionView{s, drawn(s.Figures), drawn(s.Small)})
	}
	return views
}
