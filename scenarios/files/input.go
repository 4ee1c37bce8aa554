package files

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/chakra"
	"overlapsim/workloads/collectives"
	"overlapsim/workloads/experiments"
	"overlapsim/workloads/goal"
	"overlapsim/workloads/gputrace"
	"overlapsim/workloads/inputs"
	"overlapsim/workloads/inputs/sqlite"
	"overlapsim/workloads/traces"
	"overlapsim/workloads/training"
)

// input is a kind of file that is a program by itself: how it is recognised, and the workload that it becomes.
type input struct {
	what     string
	workload string
	is       func(s *sight) bool
	machine  func(s *sight) string                     // on which it runs if no other is named
	folder   func(dir string) (path string, err error) // what to open of a folder of such files; nil: the only one
	packed   []string                                  // what it may be packed with
}

// inputKinds are all kinds; what pages do not simulate has a file of its own. The first one that recognises a file takes it.
var inputKinds = []input{
	{what: "a GOAL schedule", workload: "goal", machine: ofMPI, packed: []string{"gzip", "zstd"},
		is: func(s *sight) bool { return goal.Named(s.path) || goal.Begins(s.begin) }},
	{what: "a recorded MPI trace", workload: "trace", machine: ofMPI, folder: traces.InFolder,
		is: func(s *sight) bool { return filepath.Ext(s.path) == ".trace" || traces.Is(s.path) }},
	{what: "an export of Nsight Systems", workload: "gpu-trace", machine: ofGPU, folder: whole,
		is: func(s *sight) bool { return sqlite.Begins(s.begin) }},
	{what: "a trace of the PyTorch profiler", workload: "gpu-trace", machine: ofGPU, folder: whole, packed: []string{"gzip"},
		is: func(s *sight) bool { return gputrace.Begins(s.begin) }},
	{what: "an execution trace of Chakra", workload: "chakra-trace", machine: ofGPU, folder: whole, packed: []string{"gzip"},
		is: func(s *sight) bool { return chakra.Begins(s.begin) }},
}

// together tells whether several such files run by a list of them.
func (i *input) together() bool { return i.folder != nil && i.workload != "trace" }

// whole says that a workload opens a folder itself.
func whole(dir string) (string, error) { return dir, nil }

// sight is a path and what is seen of it.
type sight struct {
	path    string
	begin   []byte   // of a file, unpacked
	names   []string // of the files in a folder
	folders []string // in it
	isDir   bool
}

// see looks at a path; nil if nothing is there.
func see(path string) *sight {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	s := &sight{path: filepath.Clean(path), isDir: info.IsDir()}
	if !s.isDir {
		s.begin = inputs.Begin(path)
		return s
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			s.folders = append(s.folders, e.Name())
		default:
			s.names = append(s.names, e.Name())
		}
	}
	return s
}

// program tells whether a file is an executable of a kind that does not run here.
func (s *sight) program() bool {
	info, err := os.Stat(s.path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && s.kind() == nil
}

// kind is the kind of a file; nil: it is a scenario, or nothing that runs.
func (s *sight) kind() *input {
	if isYAML(s.path) || s.isDir {
		return nil
	}
	for i := range inputKinds {
		if inputKinds[i].is(s) {
			return &inputKinds[i]
		}
	}
	return nil
}

// OfInput returns the text of a scenario for a file or a folder that is a program by itself, or for the name of a workload.
// Names in the text are relative to the folder of the path file. What neither the input nor the settings say is chosen, and
// the title of the scenario names it. ok is false for what is none of these, such as a scenario.
func OfInput(name string, settings []string) (text []byte, file string, ok bool, err error) {
	s := see(name)
	if s != nil && s.program() && !IsFile(name) {
		if text, ok = ofWorkload(name, settings); ok {
			return text, name, ok, nil
		}
	}
	listed := ""
	if first, _, several := strings.Cut(filepath.Base(name), between); s == nil && several {
		listed, s = filepath.Base(name), see(filepath.Join(filepath.Dir(name), first))
	}
	if s == nil || listed != "" && (s.kind() == nil || !s.kind().together()) {
		text, ok = ofWorkload(name, settings)
		return text, name, ok, nil
	}
	kind, path := s.kind(), s.path
	if with := inputs.Packed(path); with != "" && (kind == nil || !slices.Contains(kind.packed, with)) {
		if text := s.seems(); text != "" {
			return nil, name, false, errors.New(text)
		}
		return nil, name, false, fmt.Errorf("is packed by %s; unpack it first: packed, only GOAL schedules (gzip, zstd) and traces of the "+
			"PyTorch profiler and of Chakra (gzip) run", with)
	}
	var apart []string
	if s.isDir {
		if kind, path, err = s.inFolder(); err != nil {
			return nil, name, false, err
		}
		apart = s.foldersOf(kind)
	}
	if kind == nil {
		return nil, name, false, nil
	}
	w := written{settings: settings}
	w.choose("machine", kind.machine(see(path)))
	more := ""
	if kind.workload == "trace" && traces.Counts(path) && w.setting("workload.flop_rate") == "" {
		more = ", flop_rate: 1e9"
		w.chosen = append(w.chosen, "flop_rate 1e9")
	}
	if apart != nil {
		w.chosen = append(w.chosen, "nothing of the folders in it, such as "+apart[0])
	}
	title := filepath.Base(path)
	w.line("workload", fmt.Sprintf("{name: %s, file: %q%s}", kind.workload, cmp.Or(listed, title), more))
	if n := strings.Count(listed, between); n > 0 {
		title += " and " + keys.Plural(n, "other")
	}
	return w.text(title), path, true, nil
}

// RanksKey is the key that sets on how many ranks the first file or folder among some words runs; "": none, as it was recorded on its ranks.
func RanksKey(words []string) string {
	for _, name := range words {
		s := see(name)
		if s == nil {
			continue
		}
		kind := s.kind()
		if s.isDir {
			kind, _, _ = s.inFolder()
		}
		if kind == nil {
			continue
		}
		w, _ := workloads.Lookup(kind.workload)
		if _, ok := keys.Table(WorkloadRows(w.New())).Row("gpus"); ok {
			return "workload.gpus"
		}
		return ""
	}
	return "ranks"
}

// Ranks returns the name by which files that are each a trace of a rank run as one job: their folder if it has no others, otherwise their
// names with commas; or says why they do not. Both are "" of other files.
func Ranks(names []string) (job, not string) {
	const apart = "put these traces into one folder, which runs as one job"
	if len(names) < 2 {
		return "", ""
	}
	folder := filepath.Dir(names[0])
	var all []string
	for _, name := range names {
		s := see(name)
		if s == nil || s.kind() == nil || s.kind().folder == nil || s.kind() != see(names[0]).kind() {
			return "", ""
		}
		if filepath.Dir(s.path) != filepath.Clean(folder) {
			not = apart
		}
		all = append(all, filepath.Base(name))
	}
	kind := see(names[0]).kind()
	switch {
	case not != "":
		return "", not
	case kind.together():
		return filepath.Join(folder, strings.Join(all, between)), ""
	}
	if _, _, _, err := OfInput(folder, nil); err != nil {
		return "", "traces of the ranks of one job run by a folder without others; several programs: overlapsim compare " + keys.ForShell(names[0]) + " ..."
	}
	return "", "these are traces of one job, which runs by its folder: overlapsim run " + keys.ForShell(folder)
}

// between stands between the names of traces that are listed.
const between = ","

// foldersOf returns the folders in a folder that have files of a kind.
func (s *sight) foldersOf(kind *input) (all []string) {
	for _, name := range s.folders {
		if inside, _, err := see(filepath.Join(s.path, name)).inFolder(); err == nil && inside == kind {
			all = append(all, name)
		}
	}
	return all
}

// inFolder returns the kind of the files in a folder, and what to open.
func (s *sight) inFolder() (kind *input, path string, err error) {
	var all []*input
	of := map[*input][]string{}
	for _, name := range s.names {
		if one := see(filepath.Join(s.path, name)); one != nil {
			if k := one.kind(); k != nil {
				if of[k] == nil {
					all = append(all, k)
				}
				of[k] = append(of[k], name)
			}
		}
	}
	switch {
	case len(all) == 0:
		return nil, "", s.nothing()
	case len(all) > 1:
		return nil, "", fmt.Errorf("is a folder with %s (%s) and %s (%s); name one of them", all[0].what, of[all[0]][0], all[1].what, of[all[1]][0])
	}
	kind = all[0]
	names := of[kind]
	switch {
	case kind.folder != nil:
		if path, err = kind.folder(s.path); err != nil {
			err = fmt.Errorf("is a folder that %w", err)
		}
	case len(names) > 1:
		err = fmt.Errorf("is a folder with %d files, each %s; name one of them, such as %s", len(names), kind.what, names[0])
	default:
		path = filepath.Join(s.path, names[0])
	}
	return kind, path, err
}

// nothing returns the error of a folder in which nothing runs by itself. It says what the first file seems to be.
func (s *sight) nothing() error {
	if slices.Contains(s.names, planOfSweep) {
		return fmt.Errorf("is the folder of a sweep: overlapsim sweep %s continues it, or writes its report again", keys.ForShell(s.path))
	}
	for _, name := range s.names {
		if text := see(filepath.Join(s.path, name)).seems(); text != "" {
			return fmt.Errorf("is a folder in which nothing runs by itself; %s %s", name, text)
		}
	}
	return errors.New("is a folder without a file that runs by itself, such as a trace; name a scenario in it")
}

// planOfSweep is the file of a sweep that lists its points.
const planOfSweep = "plan.jsonl"

// Machines for what does not name one.
const (
	usualCluster = "hdr-infiniband"
	usualGPUs    = "dgx-h100"
)

func ofMPI(*sight) string { return usualCluster }

// gpuMachines are machines by what the names of their GPUs contain.
var gpuMachines = [][2]string{{"A100", "dgx-a100"}, {"H100", "dgx-h100"}, {"H200", "h200"}, {"B200", "b200"}, {"V100", "dgx-1v"}, {"MI300X", "mi300x"}}

// ofGPU is a machine with the GPUs that a trace names.
func ofGPU(s *sight) string {
	if s != nil && s.isDir && len(s.names) > 0 {
		s = see(filepath.Join(s.path, s.names[0]))
	}
	for _, one := range gpuMachines {
		if s != nil && strings.Contains(gputrace.Device(s.path, s.begin), one[0]) {
			return one[1]
		}
	}
	return usualGPUs
}

// collective is the workload that does collective operations.
const collective = "collective"

// nonBlocking runs a collective during computation, as OSU's benchmarks do.
const nonBlocking = "osu-nbc"

// The default number of nodes on which a workload runs, and of processes on each.
const (
	mostNodesAtFirst     = 8
	mostProcessesAtFirst = 8
)

// ofWorkload returns the text of a scenario for a workload with its defaults. The name of a collective
// operation is one, too, and so is the name of a published model.
func ofWorkload(name string, settings []string) (text []byte, ok bool) {
	if m := training.Model(name); m != nil {
		w := written{settings: settings}
		w.choose("machine", usualGPUs)
		w.choose("ranks", strconv.Itoa(m.Ranks))
		for _, one := range strings.Split(m.Spread, ", ") {
			if key, _, _ := strings.Cut(one, ": "); w.setting("workload."+key) == "" && !(w.setting("workload.layout") != "" && training.LaidOut(key)) {
				w.chosen = append(w.chosen, one)
			}
		}
		w.line("workload", "{name: transformer, "+m.Shape+", "+m.Spread+"}")
		return w.text(name), true
	}
	words, operation := name, false
	kind, ok := workloads.Lookup(name)
	if !ok {
		if kind, words = OperationOf(name); words == "" {
			return nil, false
		}
		operation = true
	}
	w := written{settings: settings}
	if see(name) != nil {
		w.chosen = append(w.chosen, "the built-in workload, not the file ./"+name)
	}
	usual := usualCluster
	if _, gpus := kind.New().(experiments.OnGPUs); gpus {
		usual = usualGPUs
	}
	m := machineNamed(w.choose("machine", usual))
	_, sized := kind.New().(workloads.Sized)
	_, fills := kind.New().(experiments.Experiment)
	if m != nil && !sized && !fills {
		w.place(m)
	}
	w.line("workload", "{name: "+words+"}")
	for _, row := range WorkloadRows(kind.New()) {
		said := operation && strings.Contains(words, " "+row.Path+":")
		if path := keys.Join("workload", row.Path); !said && row.Default() != "" && !row.Target().IsZero() && w.setting(path) == "" {
			w.chosen = append(w.chosen, row.Path+" "+row.Default())
		}
	}
	return w.text(name), true
}

// OperationOf returns the workload that does a collective operation, and what of its keys says so: "collective, operation: gather"; "":
// the word is no operation.
func OperationOf(word string) (kind workloads.Kind, keysOf string) {
	of := keys.Operation(word, operations())
	if of == "" {
		return kind, ""
	}
	name := collective
	if keys.Immediate(word, of) {
		name = nonBlocking
	}
	kind, _ = workloads.Lookup(name)
	if keysOf = name + ", operation: " + of; of == collectives.Barrier.Name { // which has no data
		keysOf += ", bytes: 0B"
	}
	return kind, keysOf
}

// machineNamed returns a machine of a name, a file or keys; nil if it cannot be read, which the reader of the scenario reports.
func machineNamed(text string) *Machine {
	set, ok := keys.ParseSetting("machine="+text, new(keys.Problems))
	if !ok {
		return nil
	}
	return loadMachine(set.Value, nil, new(keys.Problems))
}

// place puts ranks on some nodes of a machine.
func (w *written) place(m *Machine) {
	each, nodes := min(m.Processes, mostProcessesAtFirst), mostNodesAtFirst
	if m.Nodes > 0 {
		nodes = min(nodes, m.Nodes)
	}
	if n, err := strconv.Atoi(w.choose("processes_per_node", strconv.Itoa(each))); err == nil && n > 0 {
		w.choose("ranks", strconv.Itoa(n*nodes))
	}
}

// written is the text of a scenario that is being made.
type written struct {
	settings []string
	lines    []string
	chosen   []string // what is not said, for the title
}

// setting is the last value that the settings give a path, or "".
func (w *written) setting(path string) string {
	for _, s := range slices.Backward(w.settings) {
		if at, value, ok := strings.Cut(s, "="); ok && strings.TrimSpace(at) == path {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// choose writes a line with a default, and returns what holds with the settings. The line is written though a setting replaces it: what was
// measured has the default if the setting follows the measurement.
func (w *written) choose(path, value string) string {
	w.line(path, value)
	if set := w.setting(path); set != "" {
		return set
	}
	w.chosen = append(w.chosen, path+" "+value)
	return value
}

func (w *written) line(key, value string) { w.lines = append(w.lines, key+": "+value) }

// text is the whole text. The title says what was chosen.
func (w *written) text(name string) []byte {
	all := strings.Join(w.lines, "\n") + "\n"
	if w.chosen != nil {
		all = fmt.Sprintf("title: %q\n%s", name+" (defaults: "+strings.Join(w.chosen, ", ")+")", all)
	}
	return []byte(made + all)
}

// made is the first line of a text that the user has not written, so that no message gives a line of it.
const made = "# made by overlapsim\n"
