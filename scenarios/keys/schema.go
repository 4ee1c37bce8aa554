package keys

import (
	"regexp"
	"slices"
	"strings"
)

// Object is a JSON object; its keys are written in alphabetical order.
type Object = map[string]any

// AnyOf is the schema of a value that has one of several.
func AnyOf(all ...Object) Object { return Object{"anyOf": all} }

// Definitions are the schemas to which the schemas of keys refer: of each kind of quantity, and
// of the origin of a number.
func Definitions() Object {
	defined := Object{"origin": Object{"enum": Origins, "description": "where a number comes from"}}
	for _, d := range Dimensions() {
		defined[d.word()] = quantitySchema(d)
	}
	return defined
}

// GroupSchema is the schema of the keys of a group of a table.
func GroupSchema(rows Table, path string, origins bool) Object {
	keys := Object{}
	for _, row := range rows.Under(path) {
		_, key := Split(row.Path)
		doc := row.Doc
		if unset := row.Default(); unset != "" {
			doc += " (default " + unset + ")"
		}
		s := rowSchema(rows, row, origins)
		s["description"] = doc
		if other, ok := keys[key].(Object); ok { // of another kind
			s = AnyOf(other, s)
		}
		keys[key] = s
	}
	return Object{"type": "object", "properties": keys, "additionalProperties": false}
}

// rowSchema is the schema of the value of a key.
func rowSchema(rows Table, row Row, origins bool) Object {
	switch row.value().(type) {
	case group:
		s := GroupSchema(rows, row.Path, origins)
		if row.Needs == Required {
			return s
		}
		return AnyOf(s, Object{"const": None})
	case kept:
		return Object{}
	}
	s := row.value().schema(row, origins)
	if !origins {
		return s
	}
	return AnyOf(s, Object{
		"type": "object", "required": []string{"value", "origin", "source"}, "additionalProperties": false,
		"properties": Object{"value": s, "origin": Object{"$ref": "#/definitions/origin"}, "source": Object{"type": "string"}},
	})
}

// listSchema is the schema of a value that is one, or a list of items.
func listSchema(row Row, one, items Object) Object {
	least := 1
	if row.Empty {
		least = 0
	}
	some := Object{"type": "object", "minProperties": 1, "additionalProperties": false, // entries of the list of a base
		"patternProperties": Object{"^[0-9]+$": items}}
	return AnyOf(one, Object{"type": "array", "minItems": least, "items": items}, some)
}

// quantitySchema is the schema of a number with its unit, or of a factor.
func quantitySchema(d Dimension) Object {
	factor := Object{"type": "string", "pattern": factorForm().String()}
	units := dimensions[d].units
	if d == PerByte {
		units = slices.Concat(units, bandwidthUnits)
	}
	if units == nil {
		kind := "number"
		if d == Count {
			kind = "integer"
		}
		return AnyOf(Object{"type": kind}, factor)
	}
	var found []string
	for _, u := range units {
		found = append(found, regexp.QuoteMeta(u.name))
	}
	text := Object{"type": "string", "pattern": `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})? *(` + strings.Join(found, "|") + `)$`}
	text["examples"] = strings.Split(d.Example(), " or ")
	return AnyOf(text, factor)
}
