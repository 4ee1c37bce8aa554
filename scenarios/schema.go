package scenarios

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"overlapsim/network"
	"overlapsim/nodes"
	"overlapsim/sim"
	"overlapsim/workloads"
)

// Schemas are the kinds of file that have a JSON Schema.
var Schemas = []string{"scenario", "machine"}

// Schema returns the JSON Schema (draft 7) of a kind of file, for completion and hints in
// editors. It is made from the tables that decode the files. It covers names, forms and
// units. It does not know which keys are required where a base may give them, nor which
// values fit together; the program checks that.
func Schema(kind string) ([]byte, error) {
	defined := object{
		"machine": machineSchema(),
		"origin":  object{"enum": Origins, "description": "where a number comes from"},
	}
	for d := range dimensions {
		defined[Dimension(d).word()] = quantitySchema(Dimension(d))
	}
	schema := object{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "overlapsim " + kind,
		"definitions": defined,
	}
	switch kind {
	case "machine":
		schema["allOf"] = []object{{"$ref": "#/definitions/machine"}} // a bare $ref hides the keys beside it
	case "scenario":
		for key, value := range scenarioSchema() {
			schema[key] = value
		}
	default:
		return nil, fmt.Errorf("there is no schema of a %s; there is one of %s", quote(kind), strings.Join(Schemas, ", "))
	}
	return json.MarshalIndent(schema, "", " ")
}

// object is a JSON object; its keys are written in alphabetical order.
type object = map[string]any

func anyOf(all ...object) object { return object{"anyOf": all} }

// machineSchema is the schema of the keys of a machine. Its numbers may state their
// origin, and a machine with a base may have paths as keys.
func machineSchema() object {
	s := groupSchema(new(machineFile).rows(), "", true)
	s["patternProperties"] = object{`^[a-z_]+\.[a-z_0-9.]+$`: object{"description": "a path, in a machine with a base"}}
	own := kernelSchema()
	kernels := s["properties"].(object)["kernels"].(object)["anyOf"].([]object)[0]
	kernels["patternProperties"] = object{kernelName.String(): own}
	s["properties"].(object)["base"] = named("a machine that this one differs from: a library name or a file", Machines())
	s["properties"].(object)["runtime"] = anyOf(named("the communication library", append(Runtimes(), noRuntime)), object{"type": "object"})
	return s
}

// kernelSchema is the schema of a kernel that a machine defines; its speed may be in
// flop/s or in bytes/s.
func kernelSchema() object {
	of := func(bytes bool) object {
		k := &kernelFile{own: true}
		k.Bytes = bytes
		return groupSchema(k.rows(), "kernels.", true)
	}
	return anyOf(of(false), of(true), object{"const": none})
}

// scenarioSchema is the schema of the keys of a scenario.
func scenarioSchema() object {
	s := groupSchema(newScenarioFile().rows(), "", false)
	keys := s["properties"].(object)
	keys["machine"] = anyOf(named("a machine of the library, or a file", Machines()), object{"$ref": "#/definitions/machine"})
	keys["workload"] = workloadSchema()
	keys["changes"] = object{"type": "object", "description": "changes to the machine, as path: value"}
	keys["topology"] = groupSchema(new(machineFile).rows(), "topology", false)
	keys["runs"] = object{"type": "array", "minItems": 1, "description": "variants, each with a name and paths: values",
		"items": object{"type": "object", "required": []string{"name"}, "properties": object{"name": object{"type": "string"}}}}
	s["required"] = []string{"machine", "workload"}
	return s
}

// named is the schema of a name from a list, or of a file.
func named(doc string, all []string) object {
	return anyOf(object{"enum": all, "description": doc}, object{"type": "string", "pattern": `[/\\]|\.ya?ml$`, "description": doc})
}

// workloadSchema is the schema of the workloads: the parameters of each, beside its name.
func workloadSchema() object {
	var all []object
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		s := groupSchema(WorkloadRows(kind.New()), "", false)
		s["properties"].(object)["name"] = object{"const": name, "description": kind.Title}
		s["required"] = []string{"name"}
		all = append(all, s)
	}
	return object{"oneOf": all}
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

// word is the name of the dimension in a form for addresses.
func (d Dimension) word() string { return strings.ReplaceAll(dimensions[d].name, " ", "-") }
