package validation

import (
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
)

// binding says what a row sets a path of the scenario to.
type binding struct {
	path string
	source
}

// source makes a text of the cells of a row.
type source struct {
	columns []string          // several make a list
	list    bool              // the value is a list
	unit    string            // behind each number
	times   float64           // a factor of each number; 0: none
	values  map[string]string // what stands for the text of a cell; nil: itself
	choices []string          // the keys of values, as written
	others  string            // what stands for all other texts; itself: the text; "": they are mistakes
	split   string            // what stands between the parts of a text that becomes a list; "": it is none
	fixed   string            // the text, if there are no columns
}

// itself lets other texts of a cell stand for themselves.
const itself = "itself"

// text returns the value of a row; false: a mistake.
func (s *source) text(t *table, l *line, problems *keys.Problems) (string, bool) {
	if s.columns == nil {
		return s.fixed, true
	}
	var all []string
	for _, c := range s.columns {
		one, ok := s.cell(t, l, c, problems)
		if !ok {
			return "", false
		}
		all = append(all, one)
	}
	if s.list {
		return "[" + strings.Join(all, ", ") + "]", true
	}
	return all[0], true
}

// cell returns what one cell stands for.
func (s *source) cell(t *table, l *line, column string, problems *keys.Problems) (string, bool) {
	text, ok := s.word(t, l, column, problems)
	if s.split != "" {
		text = "[" + strings.Join(strings.Split(text, s.split), ", ") + "]"
	}
	return text, ok
}

// word returns what one cell stands for, before it is split.
func (s *source) word(t *table, l *line, column string, problems *keys.Problems) (string, bool) {
	text, at := t.text(l, column), l.places[t.column(column)]
	switch {
	case text == "" && s.values[emptyCell] != "":
		return s.values[emptyCell], true
	case text == "":
		problems.Add(at, column, "is empty")
		return "", false
	case s.values != nil:
		value, ok := s.values[text]
		switch {
		case !ok && s.others == itself:
			return text, true
		case !ok && s.others != "":
			return s.others, true
		case !ok:
			problems.Add(at, column, "%s is not known here, %s", keys.Quote(text), keys.Instead(text, s.choices))
		}
		return value, ok
	case s.times != 0:
		x, ok := t.number(l, column, problems)
		return strconv.FormatFloat(x*s.times, 'f', -1, 64) + s.unit, ok
	case s.unit != "":
		_, ok := t.number(l, column, problems)
		return text + s.unit, ok
	}
	return text, true
}
