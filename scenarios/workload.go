package scenarios

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"overlapsim/workloads"
)

// tagUnits are the units that the fields of a workload may have.
var tagUnits = map[string]struct {
	is   Dimension
	in   Range
	most int64
}{
	"count": {Count, NotNegative, math.MaxInt32}, "large": {Count, NotNegative, 0}, "offset": {Count, Any, 0},
	"number": {Number, Any, 0}, "bytes": {Bytes, NotNegative, 0}, "time": {Time, NotNegative, 0}, "text": {}, "flag": {},
}

// WorkloadRows returns the key table of a workload's parameters, taken from
// the tags of its fields; the targets hold the defaults.
func WorkloadRows(w workloads.Workload) []Row {
	value := reflect.ValueOf(w).Elem()
	var rows []Row
	for _, field := range reflect.VisibleFields(value.Type()) {
		key, ok := field.Tag.Lookup("key")
		if !ok {
			continue
		}
		unit, ok := tagUnits[field.Tag.Get("unit")]
		if !ok {
			panic(fmt.Sprintf("workload field %s has the unit %q", field.Name, field.Tag.Get("unit")))
		}
		rows = append(rows, Row{
			Path: key, To: value.FieldByIndex(field.Index).Addr().Interface(),
			Is: unit.is, Range: unit.in, Most: unit.most, Doc: field.Tag.Get("doc"),
		})
	}
	return rows
}

// decodeWorkload makes a workload of the mapping that names it.
func decodeWorkload(n *node, problems *Problems) (workloads.Workload, string) {
	if n.shape != mapping {
		if n.shape != broken {
			problems.add(n.place, "workload", "must be a mapping such as {name: ft-pencils}, got %s", n.shape)
		}
		return nil, ""
	}
	name := n.at("name")
	if name == nil || name.shape != scalar {
		problems.add(n.place, "workload.name", "is missing; %s", instead("", workloads.Names()))
		return nil, ""
	}
	kind, ok := workloads.Lookup(name.text)
	if !ok {
		problems.add(name.place, "workload.name", "no workload is called %s; %s", quote(name.text), instead(name.text, workloads.Names()))
		return nil, ""
	}
	w := kind.New()
	var found Problems
	rows := append(table{{Path: "name", To: new(string), Needs: Required}}, WorkloadRows(w)...)
	d := decoder{table: rows, problems: &found}
	d.decode(n, "workload")
	*problems = append(*problems, found...)
	if len(found) > 0 {
		return nil, ""
	}
	return w, kind.Name
}

// placeErrors turns what a workload says of its parameters into problems at
// the keys.
func placeErrors(err error, n *node, problems *Problems) {
	for _, one := range unjoin(err) {
		var wrong *workloads.KeyError
		if errors.As(one, &wrong) {
			problems.add(n.placeOf(wrong.Key), join("workload", wrong.Key), "%s", wrong.Message)
		} else {
			problems.add(n.place, "workload", "%s", one)
		}
	}
}
