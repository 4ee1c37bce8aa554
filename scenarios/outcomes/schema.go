package outcomes

import (
	"encoding/json"
	"reflect"
	"strings"
)

// SchemaVersion is the version of the fields of a record. It grows when a field goes away or
// changes its meaning, not when one is added.
const SchemaVersion = 1

// object is a JSON object whose keys come in the order of the alphabet.
type object = map[string]any

// Schema returns the JSON Schema (draft 7) of what run --json prints: a record, or a list of
// records. It is made from the types that are written.
func Schema() ([]byte, error) {
	record := object{"$ref": "#/definitions/run"}
	return json.MarshalIndent(object{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "overlapsim result",
		"definitions": object{"run": schemaOf(reflect.TypeFor[Record]())},
		"oneOf":       []object{record, {"type": "array", "items": record, "minItems": 2}},
	}, "", " ")
}

// schemaOf is the schema of the values of a type.
func schemaOf(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[numbers]():
		return object{"type": "object", "additionalProperties": object{"type": "number"}}
	case reflect.TypeFor[Ordered]():
		return object{"type": "object"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return structSchema(t)
	case reflect.Pointer:
		return object{"anyOf": []object{schemaOf(t.Elem()), {"type": "null"}}}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Int32, reflect.Uint32:
		return object{"type": "integer"}
	}
	return object{} // any value
}

// structSchema lists the fields of a struct; those that are never left out are required.
func structSchema(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = schemaOf(f.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}
