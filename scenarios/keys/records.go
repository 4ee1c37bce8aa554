package keys

import (
	"fmt"
	"reflect"
	"strings"
)

// listUnit is the unit of a field that is a list of mappings, each with the keys of the tags of its
// type.
const listUnit = "list"

// Inside returns the keys of an entry of a list of mappings; nil: the row is none.
func (r Row) Inside() Table {
	if list, ok := r.records(); ok {
		return Tagged(reflect.New(list.Type().Elem()).Interface())
	}
	return nil
}

// records returns the list of mappings that a row fills.
func (r Row) records() (list reflect.Value, ok bool) {
	if list = r.Target(); list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.Struct {
		return list, false
	}
	return list, len(tagged(list.Type().Elem())) > 0
}

// entries decodes a list of mappings.
func (d *Decoder) entries(list reflect.Value, n *Node, path string) {
	if n.Shape != List {
		if n.Shape != Broken {
			d.Problems.Add(n.Place, path, "must be a list of mappings, got %s", n.Shape)
		}
		return
	}
	if len(n.Items) == 0 {
		d.Problems.Add(n.Place, path, "is an empty list; give at least one entry")
	}
	all := reflect.MakeSlice(list.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		d.element(item, fmt.Sprintf("%s[%d]", path, i), Tagged(all.Index(i).Addr().Interface()))
	}
	list.Set(all)
}

// flow writes a list of mappings as YAML on one line, without keys that have their defaults.
func flow(list reflect.Value) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for i := range list.Len() {
		var pairs []string
		for _, row := range Tagged(list.Index(i).Addr().Interface()) {
			if value := row.Target(); !value.IsZero() {
				pairs = append(pairs, row.Path+": "+row.value().print(row, true))
			}
		}
		all = append(all, "{"+strings.Join(pairs, ", ")+"}")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Inner returns the path of a place in a file as steps: operations[3].after is operations.3.after.
func Inner(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }
