package outcomes

import (
	"encoding/json"
	"reflect"
	"strings"
)

// object is a JSON object whose keys come in the order of the alphabet.
type object = map[string]any

// Schema returns the JSON Schema (draft 7) of what run --json prints: a Printed, since version 2, and
// in version 1 a record of one run, and a list of records of several. It is made from the types
// that are written.
func Schema() ([]byte, error) {
	printed := versioned(reflect.TypeFor[Printed](), object{"enum": []int{2, schemaVersion}})
	printed["properties"].(object)["runs"] = object{"type": "array", "items": ofRun, "minItems": 1}
	first := object{"allOf": []object{ofRun, {"properties": object{"schema_version": object{"const": 1}}}}}
	return withRuns("result", object{"anyOf": []object{printed, first, {"type": "array", "items": first, "minItems": 2}}})
}

// SchemaOf returns the JSON Schema of what a command prints: an object like one of some values.
func SchemaOf(title string, values ...any) ([]byte, error) {
	var all []object
	for _, v := range values {
		all = append(all, versioned(reflect.TypeOf(v), object{"const": schemaVersion}))
	}
	return titled(title, object{"anyOf": all})
}

// versioned is the schema of a struct that is printed with its version.
func versioned(t reflect.Type, version object) object {
	s := structSchema(t)
	s["properties"].(object)["schema_version"] = version
	s["required"] = append(s["required"].([]string), "schema_version")
	return s
}

// ofRun is a record, by its definition.
var ofRun = object{"$ref": "#/definitions/run"}

// SchemaOfPoints returns the JSON Schema of a type with the record of a run in a field, and of what a command prints, with a list of
// these in a field.
func SchemaOfPoints[Point, Printed any](title, record, list string) ([]byte, error) {
	point, printed := structSchema(reflect.TypeFor[Point]()), versioned(reflect.TypeFor[Printed](), object{"const": schemaVersion})
	point["properties"].(object)[record] = ofRun
	printed["properties"].(object)[list] = object{"type": "array", "items": point}
	return withRuns(title, object{"anyOf": []object{point, printed}})
}

func withRuns(title string, s object) ([]byte, error) {
	s["definitions"] = object{"run": schemaOf(reflect.TypeFor[RunRecord]())}
	return titled(title, s)
}

func titled(title string, s object) ([]byte, error) {
	s["$schema"], s["title"] = "http://json-schema.org/draft-07/schema#", "overlapsim "+title
	return json.MarshalIndent(s, "", " ")
}

// knownMembers is an object with names that are known when it is written, as Ordered is.
type knownMembers interface {
	Values() []reflect.Type // of what stands below the names
}

// schemaOf is the schema of the values of a type.
func schemaOf(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[numbers]():
		return object{"type": "object", "additionalProperties": object{"type": "number"}}
	case reflect.TypeFor[Ordered]():
		return object{"type": "object"}
	}
	if t.Implements(reflect.TypeFor[knownMembers]()) {
		var values []object
		for _, v := range reflect.Zero(t).Interface().(knownMembers).Values() {
			values = append(values, schemaOf(v))
		}
		return object{"type": "object", "additionalProperties": object{"anyOf": values}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return structSchema(t)
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
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

// structSchema lists the fields of a struct; those that are always written are required.
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
