package keys

import (
	"reflect"
	"strings"
)

// Choice is the target of a key that takes one of the words in Choices: the first one stands for 0 or false, the next
// one for 1 or true, and so on.
type Choice struct{ to reflect.Value }

// OneOf returns the target of words for the values of an enumeration, or for false and true.
func OneOf[T ~uint8 | ~bool](to *T) Choice { return Choice{reflect.ValueOf(to).Elem()} }

func (c Choice) number() int {
	switch {
	case c.to.CanUint():
		return int(c.to.Uint())
	case c.to.Bool():
		return 1
	}
	return 0
}

func (c Choice) choose(number int) {
	if c.to.CanUint() {
		c.to.SetUint(uint64(number))
		return
	}
	c.to.SetBool(number == 1)
}

func (c Choice) decode(d *Decoder, row Row, n *Node, path string) { d.scalar(c, row, n, path) }
func (Choice) kind(row Row) string                                { return strings.Join(row.Choices, ", ") }
func (Choice) wanted(row Row) string                              { return oneOf(row) }
func (Choice) amount() bool                                       { return false }
func (c Choice) print(row Row, _ bool) string                     { return row.Choices[c.number()] }
func (Choice) schema(row Row, _ bool) Object                      { return Object{"enum": row.Choices} }

func (c Choice) read(row Row, text string) error {
	number, err := row.chosen(strings.TrimSpace(text))
	if err == nil {
		c.choose(number)
	}
	return err
}

// Target returns where the value of a row goes.
func (r Row) Target() reflect.Value {
	if choice, ok := r.To.(Choice); ok {
		return choice.to
	}
	return reflect.ValueOf(r.To).Elem()
}
