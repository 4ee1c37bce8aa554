package gputrace

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overlapsim/nodes/results"
	"overlapsim/sim/must"
	"overlapsim/workloads/inputs/sqlite"
)

// exportOf unpacks an export of testdata, and changes its bytes.
func exportOf(t *testing.T, change func(text string) string) string {
	t.Helper()
	f := must.Get(os.Open("testdata/nsight.sqlite.gz"))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	text := must.Get(io.ReadAll(z))(t)
	name := filepath.Join(t.TempDir(), "report.sqlite")
	if change != nil {
		text = []byte(change(string(text)))
	}
	must.Do(t, os.WriteFile(name, text, 0o600))
	return name
}

// An export with the activities of two traces of the profiler, each of a separate process, is the same as these: operations with
// names, streams, times and launches, what was traced, and what operations wait for. It was written by SQLite in the schema of Nsight
// Systems, from the traces; Nsight Systems itself wrote none of the files here.
func TestExport(t *testing.T) {
	ranks := must.Get(readFile(exportOf(t, nil)))(t)
	if len(ranks) != 2 {
		t.Fatalf("%d ranks", len(ranks))
	}
	var traces []*rank
	for i, name := range []string{"testdata/sampled_rank-0.json.gz", "testdata/sampled_rank-1.json.gz"} {
		want := must.Get(readFile(name))(t)
		traces = append(traces, want[0])
		got, own := ranks[i], want[0]
		got.measured.HostPaused = own.measured.HostPaused // the export has no operations of PyTorch
		if len(got.ops) != len(own.ops) || got.measured != own.measured || !reflect.DeepEqual(got.steps, own.steps) {
			t.Fatalf("rank %d: %d operations, %+v; the trace has %d, %+v", i, len(got.ops), got.measured, len(own.ops), own.measured)
		}
		for n := range got.ops {
			a, b := got.ops[n], own.ops[n]
			if a.kind == memcpy || a.kind == memset { // the profiler writes more into their names
				a.name, b.name = "", ""
			}
			a.text, a.bytes, a.group, a.members = 0, b.bytes, b.group, b.members // Nsight Systems does not have these of collectives
			if a.collective == "send-receive" {
				a.collective = b.collective
			}
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("rank %d, operation %d:\n%+v\nin the trace\n%+v", i, n, a, b)
			}
		}
	}
	same(t, "export", ranks, write(ranks, untouched))
	if (results.TracedRank{}) == ranks[0].measured || len(write(ranks, untouched).graph.Collectives) != len(write(traces, untouched).graph.Collectives) {
		t.Error("collectives of both ranks are not the same ones as in the traces")
	}
}

// What is no export, or a damaged one, says so.
func TestExportMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(string) string
		want   string
	}{
		{func(s string) string {
			return strings.ReplaceAll(s, "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_KERNAL")
		},
			"is an export of Nsight Systems without kernels of a GPU (CUPTI_ACTIVITY_KIND_KERNEL): trace with nsys profile --trace=cuda,nvtx"},
		{func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_KERNAL"), "StringIds", "SongTexts")
		}, "is an SQLite database, but not an export of Nsight Systems: it has no table CUPTI_ACTIVITY_KIND_KERNEL; its tables are "},
		{func(s string) string { return s[:len(s)/2] }, "the database is damaged, or was cut off"},
		{func(s string) string { return s[:50] }, "is not an SQLite database"},
	} {
		must.Refuse(readFile(exportOf(t, c.change)))(t, c.want)
	}
	seven := sqlite.Value{Kind: sqlite.Integer, Int: 7}
	for got, start := range map[string]sqlite.Value{
		"the real number 0.5": {Kind: sqlite.Real, Real: 0.5}, `the text "5"`: {Kind: sqlite.Text, Text: "5"}, "nothing": {}, "8": {Kind: sqlite.Integer, Int: 8},
	} {
		if _, err := timesOf(start, seven); err == nil || !strings.HasSuffix(err.Error(), "got "+got+" and 7") {
			t.Errorf("%v: %v", start, err)
		}
	}
}
