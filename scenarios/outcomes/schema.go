package outcomes

import (
	"encoding/json"
	"reflect"
	"strings"
)

// SchemaVersion is the version of the fields of a record. It grows when a field goes away or
// changes its meaning, not when one is added.
const SchemaVersion = 2

// object is a JSON object whose keys come in the order of the alphabet.
type object = map[string]any

// Schema returns the JSON Schema (draft 7) of what run --json prints: a Printed, and in version
// 1 a record of one run, and a list of records of several. It is made from the types that are
// written.
func Schema() ([]byte, error) {
	printed := structSchema(reflect.TypeFor[Printed]())
	fields := printed["properties"].(object)
	fields["runs"] = object{"type": "array", "items": ofRun, "minItems": 1}
	fields["schema_version"] = object{"const": SchemaVersion}
	printed["required"] = append(printed["required"].([]string), "schema_version")
	first := object{"allOf": []object{ofRun, {"properties": object{"schema_version": object{"const": 1}}}}}
	return schemaWith("result", object{"anyOf": []object{printed, first, {"type": "array", "items": first, "minItems": 2}}})
}

// ofRun is a record, by its definition.
var ofRun = object{"$ref": "#/definitions/run"}

// SchemaOf returns the JSON Schema of a type with records in some of its fields.
func SchemaOf[T any](title string, records ...string) ([]byte, error) {
	s := structSchema(reflect.TypeFor[T]())
	for _, field := range records {
		s["properties"].(object)[field] = ofRun
	}
	return schemaWith(title, s)
}

func schemaWith(title string, s object) ([]byte, error) {
	s["$schema"], s["title"] = "http://json-schema.org/draft-07/schema#", "overlapsim "+title
	s["definitions"] = object{"run": schemaOf(reflect.TypeFor[Record]())}
	return json.MarshalIndent(s, "", " ")
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
