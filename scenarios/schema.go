package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"

	"overlapsim/workloads"
)

// Schemas are the kinds of file that have a JSON Schema.
var Schemas = []string{"scenario", "machine"}

// Schema returns the JSON Schema (draft 7) of a kind of file, for completion and hints in
// editors. It is made from the tables that decode the files. It covers names, forms and
// units. It does not know which keys are required where a base may give them, nor which
// values fit together; the program checks that.
func Schema(kind string) ([]byte, error) {
	defined := definitions()
	defined["machine"] = machineSchema()
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
	known := s["properties"].(object)
	known["machine"] = anyOf(named("a machine of the library, or a file", Machines()), object{"$ref": "#/definitions/machine"})
	known["workload"] = workloadSchema()
	known["changes"] = object{"type": "object", "description": "changes to the machine, as path: value"}
	known["topology"] = groupSchema(new(machineFile).rows(), "topology", false)
	known["runs"] = object{"type": "array", "minItems": 1, "description": "variants, each with a name and paths: values",
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
