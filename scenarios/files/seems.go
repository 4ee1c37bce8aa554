package files

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads/traces"
)

// other is a kind of file that is no scenario and does not run: how it is recognised, and what to do with it.
type other struct {
	what    string
	begins  []string              // one of these begins its content
	names   func() *regexp.Regexp // of its name
	holds   func() *regexp.Regexp // of the text with which it begins
	instead string
}

// profilerExport is how to get a trace of GPUs that runs.
const profilerExport = `export the trace of the PyTorch profiler instead: prof.export_chrome_trace("trace.json.gz")`

// recordIt is how to get a trace of an MPI program.
const recordIt = "record it: overlapsim record -- mpirun -n 8 ./app"

// sizesOfJob is the only one with the name of a scenario.
var sizesOfJob = other{what: "the sizes of a traced job", holds: keys.Pattern(`(?m)^dp_size:`), instead: "give the table of its operations"}

// others are what people give by mistake.
var others = []other{
	{what: "a report of Nsight Systems", names: keys.Pattern(`\.(nsys-rep|qdrep|qdstrm)$`),
		instead: "export it: nsys export --type sqlite report.nsys-rep"},
	{what: "an archive of OTF2", names: keys.Pattern(`\.(otf2|def|evt)$`), instead: "docs/howto/other-traces.md says how to convert it with otf2-print"},
	{what: "a trace of Paraver", begins: []string{"#Paraver ("}, instead: recordIt},
	{what: "a timeline of Perfetto", names: keys.Pattern(`\.(perfetto-trace|pftrace)(\.gz)?$`), instead: profilerExport},
	{what: "what run --json printed", holds: keys.Pattern(`(?s)^\s*[\[{].*"schema_version"\s*:.*("runs"\s*:\s*\[|"events"\s*:.*"makespan_s"\s*:)`),
		instead: "overlapsim run prints it again, and overlapsim compare compares it"},
	{what: "what another command than run printed with --json", holds: keys.Pattern(`^\s*\{\s*"schema_version"\s*:`),
		instead: "only what run and compare print is read again"},
	{what: "a case of flows over links", holds: keys.Pattern(`(?s)^\s*\{.*"(links|flows)"\s*:`), instead: "overlapsim replay runs it"},
	{what: "what a benchmark printed", holds: keys.Pattern(`(?m)^(#\s*(OSU |Intel\(R\) MPI Benchmarks|Benchmarking |nThread)|MPI_\w+,\d+,)`),
		instead: "overlapsim calibrate makes a machine of it"},
	sizesOfJob,
	{what: "a program", begins: []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "MZ\x90"}, instead: recordIt},
	{what: "the source of a program", names: keys.Pattern(`\.(c|cc|cpp|cxx|cu|f|f90|F90|py|jl|rs)$`), instead: "compile it, and " + recordIt},
	{what: "a table in Parquet", begins: []string{"PAR1"}, instead: "of tables only those of a training job's operations run, with " +
		"columns dp_rank, stage, step, optype, start_ts, duration and seq_id"},
	{what: "a picture or a page", begins: []string{"\x89PNG", "%PDF", "<svg", "<!DOCTYPE html", "<!doctype html", "\xff\xd8\xff"},
		instead: "give the scenario or the trace that it shows"},
	{what: "an archive of files", begins: []string{"PK\x03\x04", "\xfd7zXZ", "BZh"}, instead: "unpack it"},
}

// is tells whether a file is of the kind.
func (o *other) is(s *sight) bool {
	return slices.ContainsFunc(o.begins, func(magic string) bool { return bytes.HasPrefix(s.begin, []byte(magic)) }) ||
		o.names != nil && o.names().MatchString(s.path) || o.holds != nil && o.holds().Match(s.begin)
}

// seems says what a file that does not run seems to be, and what to do with it; "" if that is not known.
func (s *sight) seems() string {
	for _, o := range others {
		if o.is(s) {
			return "seems to be " + o.what + "; " + o.instead
		}
	}
	return ""
}

// binary says that a file is no text; "" if it is.
func (s *sight) binary() string {
	if bytes.IndexByte(s.begin[:min(len(s.begin), longestLine)], 0) >= 0 {
		return "is a binary file of a kind that is not known; what runs are scenarios and " + runs()
	}
	return ""
}

// notRunning returns an error for a file that is neither an input nor a scenario, and known to be something else.
func notRunning(name string) error {
	s := see(name)
	if s == nil || s.isDir || isYAML(name) && !sizesOfJob.is(s) {
		return nil
	}
	if text := cmp.Or(s.seems(), s.binary()); text != "" {
		return errors.New(text)
	}
	return nil
}

// longestLine is how much of a file is looked at for a zero byte.
const longestLine = 1 << 10

// runs lists what runs.
func runs() string {
	text := ""
	for _, k := range inputKinds {
		text += k.what
		if k.workload == "trace" {
			text += " (" + traces.Known() + ")"
		}
		text += ", "
	}
	return strings.TrimSuffix(text, ", ")
}
