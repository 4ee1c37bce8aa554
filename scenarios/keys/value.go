package keys

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
)

// A value is the target of a row. It reads, prints and describes itself. Nothing else asks of what type a target is, so a new type
// of values is a type here and a line of [Row.value].
type value interface {
	decode(d *Decoder, row Row, n *Node, path string)
	kind(row Row) string              // "a time"
	amount() bool                     // a quantity, or several
	print(row Row, exact bool) string // for people, or exact: as YAML; "" if it has none
	schema(row Row, origins bool) Object
}

// A scalar is a value that is written as one word.
type scalar interface {
	value
	read(row Row, text string) error
	wanted(row Row) string // "a time such as 3us"
}

// value returns the target of a row as a value.
func (r Row) value() value {
	switch to := r.To.(type) {
	case *Group:
		return group{}
	case **Node, *Tree:
		return kept{}
	case *string:
		return word{to}
	case *bool:
		return flag{to}
	case Choice:
		return to
	case *float64:
		return float[float64]{to: to}
	case *sim.Rate:
		return float[sim.Rate]{to: to}
	case *sim.Time:
		return integral[sim.Time]{to: to}
	case *int64:
		return integral[int64]{to: to}
	case *int:
		return integral[int]{to: to}
	case *uint64:
		return integral[uint64]{to: to}
	case *[]int:
		return series[int]{to}
	case *[]float64:
		return series[float64]{to}
	case *[]sim.Rate:
		return series[sim.Rate]{to}
	case *[]bool:
		return series[bool]{to}
	case *[]string:
		return series[string]{to}
	case *network.Cost:
		return cost{to}
	case *[]machines.RatePoint:
		return rates{to}
	}
	if list, ok := r.records(); ok {
		return records{list}
	}
	panic(fmt.Sprintf("row %s: no way to read into %T", r.Path, r.To))
}

// group is a mapping with its own keys, which the decoder walks through.
type group struct{}

func (group) decode(*Decoder, Row, *Node, string) {}
func (group) kind(Row) string                     { return "keys" }
func (group) amount() bool                        { return false }
func (group) print(Row, bool) string              { return "" }
func (group) schema(Row, bool) Object             { return Object{} }

// kept is a part of a file that is decoded later.
type kept struct{ group }

func (kept) kind(row Row) string { return row.Form }

// word is a text, which may be one of a few.
type word struct{ to *string }

func (w word) decode(d *Decoder, row Row, n *Node, path string) { d.scalar(w, row, n, path) }
func (word) amount() bool                                       { return false }

func (word) kind(row Row) string {
	if row.Choices != nil {
		return strings.Join(row.Choices, ", ")
	}
	return "text"
}

func (word) wanted(row Row) string {
	if row.Choices != nil {
		return oneOf(row)
	}
	return "a text"
}

func (w word) print(_ Row, exact bool) string {
	if exact {
		return fmt.Sprintf("%q", *w.to)
	}
	return *w.to
}

func (w word) read(row Row, text string) error {
	text = strings.TrimSpace(text)
	if row.Choices != nil {
		if _, err := row.chosen(text); err != nil {
			return err
		}
	}
	if text == "" {
		return fmt.Errorf("must not be empty")
	}
	*w.to = text
	return nil
}

func (word) schema(row Row, _ bool) Object {
	if row.Choices != nil {
		return Object{"enum": row.Choices}
	}
	return Object{"type": []string{"string", "number", "boolean"}} // YAML also reads numbers and flags where a text is meant
}

func oneOf(row Row) string { return "one of " + strings.Join(row.Choices, ", ") }

// flag is true or false.
type flag struct{ to *bool }

func (f flag) decode(d *Decoder, row Row, n *Node, path string) { d.scalar(f, row, n, path) }
func (flag) kind(Row) string                                    { return "true or false" }
func (flag) wanted(Row) string                                  { return "true or false" }
func (flag) amount() bool                                       { return false }
func (f flag) print(Row, bool) string                           { return fmt.Sprint(*f.to) }
func (flag) schema(Row, bool) Object                            { return Object{"type": "boolean"} }

func (f flag) read(_ Row, text string) error {
	if text != "true" && text != "false" {
		return fmt.Errorf("must be true or false, got %s", Quote(text))
	}
	*f.to = text == "true"
	return nil
}

// quantity is what all numbers share.
type quantity struct{}

func (quantity) kind(row Row) string   { return row.Is.String() }
func (quantity) wanted(row Row) string { return fmt.Sprintf("%s such as %s", row.Is, row.Is.Example()) }
func (quantity) amount() bool          { return true }

func (quantity) schema(row Row, _ bool) Object {
	return AnyOf(Object{"$ref": "#/definitions/" + row.Is.word()})
}

// float is a quantity that may be a fraction of its base unit.
type float[T ~float64] struct {
	quantity
	to *T
}

func (f float[T]) decode(d *Decoder, row Row, n *Node, path string) { d.scalar(f, row, n, path) }
func (f float[T]) print(row Row, _ bool) string                     { return Format(row.Is, float64(*f.to)) }

func (f float[T]) read(row Row, text string) error {
	x, err := ParseFloat(row.Is, text)
	if err != nil {
		return err
	}
	*f.to = T(x)
	return row.check(x < 0, x == 0, text)
}

// integral is a time, a size or a count.
type integral[T ~int | ~int64 | ~uint64] struct {
	quantity
	to *T
}

func (i integral[T]) decode(d *Decoder, row Row, n *Node, path string) { d.scalar(i, row, n, path) }

func (i integral[T]) print(row Row, exact bool) string {
	switch {
	case row.Is == Time && exact:
		return fmt.Sprintf("%dps", *i.to)
	case row.Is == Time:
		return sim.Time(*i.to).String()
	case row.Is == Bytes:
		return FormatBytes(int64(*i.to))
	}
	return fmt.Sprint(*i.to)
}

func (i integral[T]) read(row Row, text string) error {
	n, err := integer(row.Is, text)
	if err != nil {
		return err
	}
	if err := row.check(n < 0, n == 0, text); err != nil {
		return err
	}
	if _, short := row.To.(*int); short {
		row.Most = math.MaxInt32
	}
	if row.Most > 0 && n > row.Most {
		return fmt.Errorf("must be at most %d, got %s", row.Most, text)
	}
	*i.to = T(n)
	return nil
}

// series is a list of scalars, or one of them as a list of one.
type series[T any] struct{ to *[]T }

// item returns the row of an entry.
func (series[T]) item(row Row, to *T) Row {
	row.To = to
	return row
}

// one is an entry by itself.
func (s series[T]) one(row Row) value { return s.item(row, new(T)).value() }

func (s series[T]) decode(d *Decoder, row Row, n *Node, path string) {
	items := n.Items
	if n.Shape != List {
		items = []*Node{n}
	}
	all := make([]T, len(items))
	for i, item := range items {
		of := s.item(row, &all[i])
		of.value().decode(d, of, item, fmt.Sprintf("%s[%d]", path, i))
	}
	if *s.to = all; len(all) == 0 && !row.Empty {
		d.Problems.Add(n.Place, path, "is an empty list; give at least one value")
	}
}

func (s series[T]) kind(row Row) string { return s.one(row).kind(row) + ", or a list" }
func (s series[T]) amount() bool        { return s.one(Row{}).amount() }

// print writes a flag as itself, because a list of flags is one unless someone gives more.
func (s series[T]) print(row Row, exact bool) string {
	var all []string
	for i := range *s.to {
		of := s.item(row, &(*s.to)[i])
		all = append(all, of.value().print(of, exact))
	}
	if _, flags := any(s.to).(*[]bool); !exact && (flags || len(all) == 0) {
		return strings.Join(all, " ")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (s series[T]) schema(row Row, origins bool) Object {
	one := s.one(row).schema(row, origins)
	return listSchema(row, one, one)
}

// records is a list of mappings, each with the keys of the tags of its type.
type records struct{ list reflect.Value }

func (r records) decode(d *Decoder, _ Row, n *Node, path string) { d.entries(r.list, n, path) }
func (records) kind(Row) string                                  { return "a list of keys" }
func (records) amount() bool                                     { return false }
func (r records) print(Row, bool) string                         { return flow(r.list) }

func (records) schema(row Row, origins bool) Object {
	return Object{"type": "array", "minItems": 1, "items": GroupSchema(row.Inside(), "", origins)}
}

// chosen returns the number of a choice.
func (r Row) chosen(text string) (number int, err error) {
	number = slices.Index(r.Choices, text)
	if number < 0 {
		err = fmt.Errorf("must be %s, got %s%s", oneOf(r), Quote(text), r.meant(text))
	}
	return number, err
}

// Read stores a text in the target, or returns what is wrong with it.
func (r Row) Read(text string) error { return r.value().(scalar).read(r, text) }

// check returns an error for a value outside the range of the row.
func (r Row) check(negative, zero bool, text string) error {
	switch {
	case r.Range == Positive && (negative || zero):
		return fmt.Errorf("must be positive, got %s", text)
	case r.Range == NotNegative && negative:
		return fmt.Errorf("must not be negative, got %s", text)
	}
	return nil
}
