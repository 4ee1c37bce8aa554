package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"

	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/sweep"
	"overlapsim/sim/must"
)

// The output of run --json is valid by the schema that the program prints, with any flags, and so
// is that of an earlier version. A result without its makespan is not valid.
func TestResultsFollowTheirSchema(t *testing.T) {
	schema := must.Get(outcomes.Schema())(t)
	valid := resultRules(t, schema)
	for _, args := range []string{
		"run fig22-initiation --json --per-rank --gradient --host",
		"run fig22-initiation --json --advice", "run overhead-gap --json", "run gpu-waves --json",
		"compare fig20-computation fig21-transfer --json", "run round-trip-intrepid --json",
		"run ft-slabs-jacquard --json --set ranks=8 --set workload.rows=64 --set fabric.kind=flow " +
			"--set topology.kind=torus --set topology.dims=[4] --links",
	} {
		out, errs, status := callMain(strings.Fields(args)...)
		if status != done {
			t.Errorf("%s: %s", args, errs)
			continue
		}
		if err := valid(out); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if !strings.HasPrefix(out, "{\n  \"schema_version\": 4,") || !strings.Contains(out, "\n  \"runs\": [") {
			t.Errorf("%s: no version of the schema, or no runs", args)
		}
	}
	earlier := must.Get(os.ReadFile("testdata/earlier/run-1.json"))(t)
	if err := valid(string(earlier)); err != nil {
		t.Errorf("of an earlier version: %v", err)
	}
	if valid(strings.Replace(string(earlier), `"makespan_s"`, `"other_s"`, 1)) == nil {
		t.Error("a result without its makespan is valid")
	}
	list := "[" + string(earlier) + "," + string(earlier) + "]"
	if err := valid(list); err != nil {
		t.Errorf("a list of an earlier version: %v", err)
	}
	if now := strings.Replace(string(earlier), "{", `{"schema_version": 4,`, 1); valid(now) == nil {
		t.Error("a result of this version without runs is valid")
	}
}

// printedExamples are commands that print each kind of JSON.
var printedExamples = map[string][]string{
	"export":    {"export fig22-initiation --goal " + os.DevNull},
	"figure":    {"run mpi/fig7", "run mpi/fig1", "run cray/table3"},
	"gradient":  {"gradient fig22-initiation", "gradient ft-pencils-jacquard --set ranks=8 --set workload.rows=64", "gradient gpt-18b"},
	"optimize":  {"optimize fig22-initiation --over machine.network.latency=1us..4us*2"},
	"overlap":   {"overlap --machine william --runtime mvapich2-2.2", "overlap --machine william --collectives --only broadcast --ranks 4"},
	"potential": {"potential overlap-fig7"},
	"reproduce": {"reproduce mpi"},
	"validate":  {"validate bgp-put-local"},
	"calibrate": {"calibrate --machine jacquard"},
	"help":      {"help", "help run"},
	"list":      {"list", "list machines", "list figures", "list fabrics"},
}

// The output of a command with --json is valid by the schema that the program prints, has its
// version, and has no other fields than the schema.
func TestPrintedFollowsItsSchema(t *testing.T) {
	must.Long(t)
	for _, p := range printed {
		if p.kind == "result" || p.kind == "sweep" { // tested above and below
			continue
		}
		schema := must.Get(p.schema())(t)
		valid := resultRules(t, strict(t, schema))
		if printedExamples[p.kind] == nil {
			t.Errorf("there is no example of %s", p.kind)
		}
		for _, args := range printedExamples[p.kind] {
			out, errs, _ := callMain(strings.Fields(args + " --json")...)
			if err := valid(out); err != nil {
				t.Errorf("%s: %v\n%s", args, err, errs)
			}
			if !strings.HasPrefix(out, "{\n  \"schema_version\": 4,") {
				t.Errorf("%s: no version of the schema", args)
			}
		}
	}
}

// Each command that prints JSON is of a kind whose schema is printed.
func TestEveryJSONHasASchema(t *testing.T) {
	kinds := schemaKinds()
	for _, c := range commands() {
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.setup(flags)
		ofRuns := slices.Contains([]string{"run", "compare", "replay", "explore", "help"}, c.name)
		if flags.Lookup("json") != nil && !ofRuns && !slices.Contains(kinds, c.name) {
			t.Errorf("%s --json has no schema", c.name)
		}
	}
}

// strict forbids in a schema all fields that it does not list.
func strict(t *testing.T, schema []byte) []byte {
	var value any
	must.Do(t, json.Unmarshal(schema, &value))
	var close func(any)
	close = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				close(one)
			}
		case map[string]any:
			if v["properties"] != nil {
				v["additionalProperties"] = false
			}
			for _, one := range v {
				close(one)
			}
		}
	}
	close(value)
	return must.Get(json.Marshal(value))(t)
}

// The results of a sweep are valid by their schema, also those that failed.
func TestSweepsFollowTheirSchema(t *testing.T) {
	schema, err := sweep.Schema()
	if err != nil {
		t.Fatal(err)
	}
	valid, dir := resultRules(t, schema), filepath.Join(t.TempDir(), "sweep")
	if _, errs, status := callMain("sweep", "fig22-initiation", "--vary", "ranks=2,100000000", "--out", dir); status != done && status != failed {
		t.Fatal(errs)
	}
	files, err := filepath.Glob(filepath.Join(dir, "results", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no results", err)
	}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		for line := range strings.Lines(string(text)) {
			if err := valid(line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	out, errs, status := callMain("sweep", dir, "--json")
	if err := valid(out); err != nil || status != failed || !strings.HasPrefix(errs, "1 of 2 points failed, ranks=100000000:\n") {
		t.Errorf("sweep --json: status %d, %v %s", status, err, errs)
	}
	if valid(`{"point": 0, "settings": [], "record": {"scenario": "s"}}`) == nil {
		t.Error("a record without a makespan is valid")
	}
}

// resultRules returns a function that validates a text by a schema.
func resultRules(t *testing.T, schema []byte) func(text string) error {
	parsed := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("result", parsed))
	rules := must.Get(c.Compile("result"))(t)
	return func(text string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return rules.Validate(value)
	}
}
