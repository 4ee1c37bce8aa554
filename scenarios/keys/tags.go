package keys

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
)

// tagUnits are the units that the field of a key may have.
var tagUnits = map[string]struct {
	is   Dimension
	in   Range
	most int64
}{
	"count": {Count, NotNegative, math.MaxInt32}, timesUnit: {Count, Positive, math.MaxInt32}, "large": {Count, NotNegative, 0},
	"offset": {Count, Any, 0}, "number": {Number, Any, 0}, "bytes": {Bytes, NotNegative, 0}, "time": {Time, NotNegative, 0},
	"bandwidth": {Bandwidth, NotNegative, 0}, "text": {}, "flag": {}, listUnit: {},
}

// timesUnit is the unit of how often something is done.
const timesUnit = "times"

// Tag returns a tag of the field that belongs to a key.
func Tag(keys any, key, tag string) string {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(keys).Elem()) {
		if field.Tag.Get("key") == key {
			return field.Tag.Get(tag)
		}
	}
	return ""
}

// Tagged returns the key table from the tags of the fields of a struct; the targets hold
// the defaults.
func Tagged(keys any) Table {
	value := reflect.ValueOf(keys).Elem()
	fields := tagged(value.Type())
	rows := make(Table, len(fields))
	for i, f := range fields {
		rows[i] = f.row
		rows[i].To = value.FieldByIndex(f.index).Addr().Interface()
	}
	return rows
}

// taggedField is a field with a key: its row, without a target.
type taggedField struct {
	index []int
	row   Row
}

// taggedFields caches the fields of each struct type.
var taggedFields sync.Map

func tagged(of reflect.Type) []taggedField {
	known, ok := taggedFields.Load(of)
	if !ok {
		known, _ = taggedFields.LoadOrStore(of, readTags(of))
	}
	return known.([]taggedField)
}

// readTags reads the tags of a struct.
func readTags(of reflect.Type) (all []taggedField) {
	for _, field := range reflect.VisibleFields(of) {
		if key, ok := field.Tag.Lookup("key"); ok {
			all = append(all, taggedField{field.Index, tagRow(of, key, field)})
		}
	}
	return all
}

func tagRow(of reflect.Type, key string, field reflect.StructField) Row {
	unit, ok := tagUnits[field.Tag.Get("unit")]
	if !ok {
		panic(fmt.Sprintf("field %s of %v has the unit %q", field.Name, of, field.Tag.Get("unit")))
	}
	row := Row{Path: key, Is: unit.is, Range: unit.in, Most: unit.most, Times: field.Tag.Get("unit") == timesUnit, Doc: field.Tag.Get("doc")}
	switch field.Tag.Get("in") {
	case "positive":
		row.Range = Positive
	case "not negative":
		row.Range = NotNegative
	}
	if field.Tag.Get("needs") == "required" {
		row.Needs = Required
	}
	if others := strings.Fields(field.Tag.Get("instead")); len(others) > 0 {
		row.Instead = func(string) []string { return others }
	}
	if choices := field.Tag.Get("choices"); choices != "" {
		row.Choices = strings.Split(choices, ",")
	}
	return row
}
