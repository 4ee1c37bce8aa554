package gputrace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/workloads/inputs"
	"overlapsim/workloads/inputs/sqlite"
)

// An export of Nsight Systems in SQLite has a table for each kind of activity, with times in ns. One file may have several
// processes, and each process several GPUs. Each GPU of a process is a rank here.

// Tables of an export.
const (
	kernelTable  = "CUPTI_ACTIVITY_KIND_KERNEL"
	runtimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME" // calls of the host, of the driver too
	nvtxTable    = "NVTX_EVENTS"
	textTable    = "StringIds"
	gpuTable     = "TARGET_INFO_GPU"
)

// activities are the tables of what GPUs do.
var activities = []struct {
	table string
	kind  kind
	name  string // if the table has none
	names []string
}{
	{kernelTable, kernel, "kernel", []string{"demangledName", "shortName"}},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kernel, "CUDA graph", nil},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", memcpy, "Memcpy", nil},
	{"CUPTI_ACTIVITY_KIND_MEMSET", memset, "Memset", nil},
}

// copyKinds are the directions of copies, by CUPTI's numbers.
var copyKinds = map[int64]string{1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP"}

// exported is a GPU of a process in an export.
type exported struct{ process, device int64 }

// export is an export that is being read.
type export struct {
	*sqlite.File
	texts map[int64]string // that are needed, by number
	ranks map[exported]*rank
	calls []exportedCall
}

// exportedCall is a call of the host whose name is not known yet.
type exportedCall struct {
	process, name, call int64
	at                  span
}

// isExport tells whether a file is a database, as Nsight Systems exports.
func isExport(name string) bool { return sqlite.Begins(inputs.Begin(name)) }

// openExport opens an export and reads it.
func openExport(name string) (ranks []*rank, err error) {
	err = withExport(name, func(x *export) error {
		ranks, err = x.read()
		return err
	})
	for _, r := range ranks {
		r.file = filepath.Base(name)
	}
	return ranks, err
}

// withExport does something with an export.
func withExport(name string, do func(x *export) error) error {
	f, err := inputs.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	x := &export{texts: map[int64]string{}, ranks: map[exported]*rank{}}
	if x.File, err = sqlite.Open(f, info.Size()); err == nil {
		err = do(x)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// noExport is the error of a database without kernels.
func (x *export) noExport() error {
	all := x.Tables()
	if slices.Contains(all, textTable) {
		return errors.New("is an export of Nsight Systems without kernels of a GPU (" + kernelTable + "): trace with nsys profile --trace=cuda,nvtx")
	}
	list := strings.Join(all[:min(len(all), 5)], ", ")
	return fmt.Errorf("is an SQLite database, but not an export of Nsight Systems: it has no table %s; its tables are %s", kernelTable,
		cmp.Or(list, "none"))
}

// read reads all that is used of an export.
func (x *export) read() (ranks []*rank, err error) {
	if !x.Has(kernelTable, "start", "end", "deviceId", "streamId") {
		return nil, x.noExport()
	}
	for _, a := range activities {
		if err := x.activity(a.table, a.kind, a.name, a.names); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(x.hostCalls(), x.readTexts(), x.annotations()); err != nil {
		return nil, err
	}
	x.finish()
	keys := make([]exported, 0, len(x.ranks))
	for key := range x.ranks {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b exported) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.process, b.process))
	})
	for _, key := range keys {
		if err := x.ranks[key].join(); err != nil {
			return nil, err
		}
		ranks = append(ranks, x.ranks[key])
	}
	if ranks == nil {
		return nil, x.noExport()
	}
	return ranks, nil
}

// processOf is the process in a number of Nsight Systems for a process or a thread.
func processOf(global int64) int64 { return global >> 24 & (1<<24 - 1) }

// timesOf checks the times of a row.
func timesOf(start, end sqlite.Value) (span, error) {
	if start.Kind != sqlite.Integer || end.Kind != sqlite.Integer || end.Int < start.Int || start.Int < -mostNanoseconds || end.Int > mostNanoseconds {
		return span{}, fmt.Errorf("start and end must be whole numbers of ns, and start not after end, got %s and %s", start, end)
	}
	return span{start.Int, end.Int}, nil
}

const mostNanoseconds = math.MaxInt64 / 4

// activity reads a table of what GPUs did. Names of operations are numbers of texts at first.
func (x *export) activity(table string, kind kind, name string, names []string) error {
	columns := append([]string{"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "copyKind", "gridX", "gridY", "gridZ"}, names...)
	count := 0
	return x.Rows(table, columns, func(row []sqlite.Value) error {
		if count++; count > mostEvents {
			return fmt.Errorf("has more than %d rows", mostEvents)
		}
		at, err := timesOf(row[0], row[1])
		if err != nil {
			return err
		}
		key := exported{processOf(row[5].Int), row[2].Int}
		r := x.ranks[key]
		if r == nil {
			r = newRank()
			r.device = key.device
			x.ranks[key] = r
		}
		o := operation{name: name, kind: kind, stream: row[3].Int, start: at.start, end: at.end, call: row[4].Int, after: -1, wait: -1,
			grid: gridOf(uint64(row[7].Int), uint64(row[8].Int), uint64(row[9].Int))}
		if direction := copyKinds[row[6].Int]; direction != "" && kind == memcpy {
			o.name += " " + direction
		}
		for _, text := range row[10:] {
			if text.Kind == sqlite.Integer {
				o.text = text.Int
				x.texts[text.Int] = ""
				break
			}
		}
		r.ops = append(r.ops, o)
		return nil
	})
}

// hostCalls reads the calls of hosts.
func (x *export) hostCalls() error {
	return x.Rows(runtimeTable, []string{"start", "end", "globalTid", "correlationId", "nameId"}, func(row []sqlite.Value) error {
		if len(x.calls) >= mostEvents {
			return fmt.Errorf("has more than %d rows", mostEvents)
		}
		at, err := timesOf(row[0], row[1])
		if err != nil {
			return err
		}
		x.texts[row[4].Int] = ""
		x.calls = append(x.calls, exportedCall{processOf(row[2].Int), row[4].Int, row[3].Int, at})
		return nil
	})
}

// readTexts reads the texts that are needed.
func (x *export) readTexts() error {
	return x.Rows(textTable, []string{"id", "value"}, func(row []sqlite.Value) error {
		if _, needed := x.texts[row[0].Int]; needed {
			x.texts[row[0].Int] = row[1].Text
		} else if isStep(row[1].Text) {
			x.texts[row[0].Int] = row[1].Text
		}
		return nil
	})
}

// annotations reads the ranges that begin steps.
func (x *export) annotations() error {
	return x.Rows(nvtxTable, []string{"start", "text", "textId", "globalTid"}, func(row []sqlite.Value) error {
		text := row[1].Text
		if row[1].Kind != sqlite.Text {
			text = x.texts[row[2].Int]
		}
		if !isStep(text) || row[0].Kind != sqlite.Integer {
			return nil
		}
		for key, r := range x.ranks {
			if key.process == processOf(row[3].Int) {
				r.steps = append(r.steps, row[0].Int)
			}
		}
		return nil
	})
}

// finish names operations, and gives each rank the calls of its process.
func (x *export) finish() {
	of := map[int64][]*rank{}
	for key, r := range x.ranks {
		of[key.process] = append(of[key.process], r)
		for i := range r.ops {
			o := &r.ops[i]
			if text := x.texts[o.text]; o.text != 0 && text != "" {
				o.name = text
			}
			o.describe(nil)
		}
	}
	for _, c := range x.calls {
		for _, r := range of[c.process] {
			r.hostCall(x.texts[c.name], c.call, c.at)
		}
	}
	x.calls = nil
}

// deviceIn is the name of the first GPU of an export, or "".
func deviceIn(file string) (name string) {
	withExport(file, func(x *export) error {
		return x.Rows(gpuTable, []string{"name"}, func(row []sqlite.Value) error {
			name = cmp.Or(name, row[0].Text)
			return nil
		})
	})
	return name
}
