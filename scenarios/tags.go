package scenarios

import (
	"fmt"
	"reflect"
	"strings"
)

// tagUnits are the units that the fields of a struct of keys may have.
var tagUnits = map[string]struct {
	is Dimension
	in Range
}{
	"count": {Count, NotNegative}, "offset": {Count, Any}, "number": {Number, Any}, "bytes": {Bytes, NotNegative},
	"time": {Time, NotNegative}, "bandwidth": {Bandwidth, NotNegative}, "text": {}, "flag": {},
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
		row := Row{Path: key, To: value.FieldByIndex(field.Index).Addr().Interface(), Is: unit.is, Range: unit.in, Doc: field.Tag.Get("doc")}
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
