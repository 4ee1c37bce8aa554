package scenarios

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// tagUnits are the units that the fields of a struct of keys may have.
var tagUnits = map[string]struct {
	is   Dimension
	in   Range
	most int64
}{
	"count": {Count, NotNegative, math.MaxInt32}, "large": {Count, NotNegative, 0}, "offset": {Count, Any, 0},
	"number": {Number, Any, 0}, "bytes": {Bytes, NotNegative, 0}, "time": {Time, NotNegative, 0},
	"bandwidth": {Bandwidth, NotNegative, 0}, "text": {}, "flag": {},
}

// tagOf returns a tag of the field of a key.
func tagOf(keys any, key, tag string) string {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(keys).Elem()) {
		if field.Tag.Get("key") == key {
			return field.Tag.Get(tag)
		}
	}
	return ""
}

// tagRows returns the key table that the tags of the fields of a struct make; the
// targets hold the defaults.
func tagRows(keys any) table {
	value := reflect.ValueOf(keys).Elem()
	var rows table
	for _, field := range reflect.VisibleFields(value.Type()) {
		key, ok := field.Tag.Lookup("key")
		if !ok {
			continue
		}
		unit, ok := tagUnits[field.Tag.Get("unit")]
		if !ok {
			panic(fmt.Sprintf("field %s of %T has the unit %q", field.Name, keys, field.Tag.Get("unit")))
		}
		row := Row{Path: key, To: value.FieldByIndex(field.Index).Addr().Interface(), Is: unit.is, Range: unit.in, Most: unit.most, Doc: field.Tag.Get("doc")}
		switch field.Tag.Get("in") {
		case "positive":
			row.Range = Positive
		case "not negative":
			row.Range = NotNegative
		}
		if field.Tag.Get("needs") == "required" {
			row.Needs = Required
		}
		if choices := field.Tag.Get("choices"); choices != "" {
			row.Choices = strings.Split(choices, ",")
		}
		rows = append(rows, row)
	}
	return rows
}
