package scenarios

import (
	"regexp"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/sim"
)

// object is a JSON object; its keys are written in alphabetical order.
type object = map[string]any

// anyOf is the schema of a value that has one of several.
func anyOf(all ...object) object { return object{"anyOf": all} }

// definitions are the schemas to which those of keys refer: of each kind of quantity, and
// of the origin of a number.
func definitions() object {
	defined := object{"origin": object{"enum": Origins, "description": "where a number comes from"}}
	for d := range dimensions {
		defined[Dimension(d).word()] = quantitySchema(Dimension(d))
	}
	return defined
}

// groupSchema is the schema of the keys of a group of a table.
func groupSchema(rows table, path string, origins bool) object {
	keys := object{}
	for _, row := range rows.under(path) {
		_, key := split(row.Path)
		doc := row.Doc
		if unset := row.Default(); unset != "" {
			doc += " (default " + unset + ")"
		}
		s := rowSchema(rows, row, origins)
		s["description"] = doc
		keys[key] = s
	}
	return object{"type": "object", "properties": keys, "additionalProperties": false}
}

// rowSchema is the schema of the value of a key.
func rowSchema(rows table, row Row, origins bool) object {
	switch row.To.(type) {
	case *group:
		s := groupSchema(rows, row.Path, origins)
		if row.Needs == Required {
			return s
		}
		return anyOf(s, object{"const": none})
	case **node:
		return object{}
	}
	s := leafSchema(row, origins)
	if !origins {
		return s
	}
	return anyOf(s, object{
		"type": "object", "required": []string{"value", "origin", "source"}, "additionalProperties": false,
		"properties": object{"value": s, "origin": object{"$ref": "#/definitions/origin"}, "source": object{"type": "string"}},
	})
}

// leafSchema is the schema of a value without its origin.
func leafSchema(row Row, origins bool) object {
	one := scalarSchema(row)
	list := func(items object) object {
		return anyOf(one, object{"type": "array", "minItems": 1, "items": items})
	}
	switch row.To.(type) {
	case *network.Cost:
		return list(groupSchema(pieceRows(new(network.Piece)), "", origins))
	case *[]nodes.RatePoint:
		return list(groupSchema(pointRows(new(nodes.RatePoint), row.Is), "", origins))
	case *[]int, *[]float64, *[]sim.Rate, *[]bool:
		return list(one)
	}
	return one
}

// scalarSchema is the schema of a text, a flag or a quantity.
func scalarSchema(row Row) object {
	switch row.To.(type) {
	case *string:
		if row.Choices != nil {
			return object{"enum": row.Choices}
		}
		return object{"type": []string{"string", "number", "boolean"}} // YAML also reads numbers and flags where a text is meant
	case *bool, *[]bool:
		return object{"type": "boolean"}
	}
	return anyOf(object{"$ref": "#/definitions/" + row.Is.word()})
}

// quantitySchema is the schema of a number with its unit, or of a factor.
func quantitySchema(d Dimension) object {
	factor := object{"type": "string", "pattern": factorForm.String()}
	units := dimensions[d].units
	if d == PerByte {
		units = slices.Concat(units, bandwidthUnits)
	}
	if units == nil {
		kind := "number"
		if d == Count {
			kind = "integer"
		}
		return anyOf(object{"type": kind}, factor)
	}
	var found []string
	for _, u := range units {
		found = append(found, regexp.QuoteMeta(u.name))
	}
	text := object{"type": "string", "pattern": `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})? *(` + strings.Join(found, "|") + `)$`}
	text["examples"] = strings.Split(d.Example(), " or ")
	return anyOf(text, factor)
}
