package files

import (
	"encoding/json"
	"fmt"
	"strings"

	"overlapsim/network/topology"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
)

// Schemas are the kinds of file that have a JSON Schema.
var Schemas = []string{"scenario", "machine", "runtime"}

// Schema returns the JSON Schema (draft 7) of a kind of file, for completion and hints in
// editors. It is made from the tables that decode the files. It covers names, forms and
// units. It does not know which keys are required where a base may give them, nor which
// values fit together; the program checks that.
func Schema(kind string) ([]byte, error) {
	defined := keys.Definitions()
	defined["machine"] = machineSchema()
	schema := keys.Object{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "overlapsim " + kind,
		"definitions": defined,
	}
	switch kind {
	case "machine":
		schema["allOf"] = []keys.Object{{"$ref": "#/definitions/machine"}} // a bare $ref hides the keys next to it
	case "runtime":
		for key, value := range runtimeSchema() {
			schema[key] = value
		}
	case "scenario":
		for key, value := range scenarioSchema() {
			schema[key] = value
		}
	default:
		return nil, fmt.Errorf("there is no schema of %s; there is one of %s", keys.Quote(kind), strings.Join(Schemas, ", "))
	}
	return json.MarshalIndent(schema, "", " ")
}

// machineSchema is the schema of the keys of a machine. Its numbers may state their
// origin, and a machine with a base may have paths as keys.
func machineSchema() keys.Object {
	s := keys.GroupSchema(new(machineFile).rows(), "", true)
	s["patternProperties"] = keys.Object{`^[a-z_]+\.[a-z_0-9.]+$`: keys.Object{"description": "a path, in a machine with a base"}}
	own := kernelSchema()
	kernels := s["properties"].(keys.Object)["kernels"].(keys.Object)["anyOf"].([]keys.Object)[0]
	kernels["patternProperties"] = keys.Object{kernelName().String(): own}
	s["properties"].(keys.Object)["base"] = named("a machine that this one differs from: a built-in name or a file", Machines())
	s["properties"].(keys.Object)["runtime"] = keys.AnyOf(named("the communication library", append(Runtimes(), noRuntime)),
		keys.Object{"type": "object"})
	for group, alone := range map[string]keys.Object{ofShape: named("the family of a topology, sized to the nodes", topology.Names()),
		"nics": {"type": "integer", "minimum": 1}} {
		s["properties"].(keys.Object)[group] = keys.AnyOf(alone, s["properties"].(keys.Object)[group].(keys.Object))
	}
	return s
}

// runtimeSchema is the schema of the keys of a communication library.
func runtimeSchema() keys.Object {
	f := newRuntime()
	s := keys.GroupSchema(f.rows(""), "", true)
	s["patternProperties"] = keys.Object{`^[a-z_]+\.[a-z_0-9.]+$`: keys.Object{"description": "a path, in a runtime with a base"}}
	s["properties"].(keys.Object)["base"] = named("a runtime that this one differs from: a built-in name or a file", Runtimes())
	return s
}

// kernelSchema is the schema of a kernel that a machine defines; its speed may be in
// flop/s or in bytes/s.
func kernelSchema() keys.Object {
	of := func(bytes bool) keys.Object {
		k := &kernelFile{own: true}
		k.Bytes = bytes
		return keys.GroupSchema(k.rows(), "kernels.", true)
	}
	return keys.AnyOf(of(false), of(true), keys.Object{"const": keys.None})
}

// scenarioSchema is the schema of the keys of a scenario.
func scenarioSchema() keys.Object {
	s := keys.GroupSchema(newScenarioFile().rows(), "", false)
	known := s["properties"].(keys.Object)
	known["machine"] = keys.AnyOf(named("a built-in machine, or a file", Machines()), keys.Object{"$ref": "#/definitions/machine"})
	known["workload"] = workloadSchema()
	known["changes"] = keys.Object{"type": "object", "description": "changes to the machine, as path: value"}
	known["topology"] = keys.GroupSchema(new(machineFile).rows(), "topology", false)
	known["runs"] = keys.Object{"type": "array", "minItems": 1, "description": "variants, each with a name and paths: values",
		"items": keys.Object{"type": "object", "required": []string{"name"}, "properties": keys.Object{"name": keys.Object{"type": "string"}}}}
	s["required"] = []string{"machine", "workload"}
	return s
}

// named is the schema of a name from a list, or of a file.
func named(doc string, all []string) keys.Object {
	return keys.AnyOf(keys.Object{"enum": all, "description": doc},
		keys.Object{"type": "string", "pattern": `[/\\]|\.ya?ml$`, "description": doc})
}

// workloadSchema is the schema of the workloads: the parameters of each, next to its name.
func workloadSchema() keys.Object {
	var all []keys.Object
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		s := keys.GroupSchema(WorkloadRows(kind.New()), "", false)
		s["properties"].(keys.Object)["name"] = keys.Object{"const": name, "description": kind.Title}
		s["required"] = []string{"name"}
		all = append(all, s)
	}
	return keys.Object{"oneOf": all}
}
