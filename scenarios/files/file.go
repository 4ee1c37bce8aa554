package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads/training"
)

// File is what a scenario file asks for: one run, or several variants of it.
type File struct {
	Name  string // library name or file
	Title string
	Runs  []*Scenario
}

// Load reads and checks a scenario: a name of the library or a file. The
// settings ("path=value", as of --set) hold for every run of it. The error is
// of type [keys.Problems].
func Load(name string, settings []string) (*File, error) {
	var problems keys.Problems
	text, file := open(name, settings, &problems)
	if text == nil {
		return nil, problems.Err()
	}
	return Read(file, text, settings)
}

// Read checks the text of a scenario as Load checks a file. file is its name in messages;
// files that the text names are looked for next to it. A panic of a workload, topology or
// fabric is an error of type [sim.Panic].
func Read(file string, text []byte, settings []string) (f *File, err error) {
	defer sim.Catch(file, &err)
	return checked(file, text, settings, func(int) bool { return true })
}

// LoadRun reads and checks one of a scenario's runs, by its number.
func LoadRun(name string, run int, settings []string) (s *Scenario, err error) {
	defer sim.Catch(name, &err)
	var problems keys.Problems
	text, file := open(name, settings, &problems)
	if text == nil {
		return nil, problems.Err()
	}
	f, err := checked(file, text, settings, func(i int) bool { return i == run })
	if err != nil {
		return nil, err
	}
	return f.Runs[0], nil
}

// With reads and checks the run again, with more settings.
func (s *Scenario) With(settings []string) (run *Scenario, err error) {
	defer sim.Catch(s.Name, &err)
	if run, err = s.Source.read(settings); err != nil {
		return nil, err
	}
	run.Name, run.foreseen = s.Name, s.foreseen
	if !slices.ContainsFunc(settings, func(set string) bool { return !ofAbsence(set) }) {
		run.Best = s.Best
	}
	return run, nil
}

// Source is what a run is read from: the text of a file, its settings, and the number of the run in it.
type Source struct {
	File     string   `json:"file"` // files that the text names are next to it
	Text     string   `json:"text"`
	Settings []string `json:"settings"`
	Run      int      `json:"run"`
}

// Read reads and checks the run.
func (from Source) Read() (run *Scenario, err error) {
	defer sim.Catch(from.File, &err)
	return from.read(nil)
}

// read reads the run with more settings.
func (from Source) read(more []string) (*Scenario, error) {
	f, err := checked(from.File, []byte(from.Text), slices.Concat(from.Settings, more), func(run int) bool { return run == from.Run })
	if err != nil {
		return nil, err
	}
	return f.Runs[0], nil
}

// ofAbsence tells whether a setting only takes causes away, or orders equals.
func ofAbsence(set string) bool {
	path, _, _ := strings.Cut(set, "=")
	return path == "without" || path == "ties"
}

// checked returns the wanted runs of the text of a scenario, or all that is wrong with it.
func checked(file string, text []byte, settings []string, wanted func(run int) bool) (*File, error) {
	var problems keys.Problems
	f := decodeFile(file, text, settings, wanted, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	f.Name = stem(file)
	return f, nil
}

// open finds the text of a scenario and the name of its file.
func open(name string, settings []string, problems *keys.Problems) (text []byte, file string) {
	if text, ok := library(scenarioFolder, name); ok {
		return text, inLibrary(name)
	}
	at := keys.Place{Flag: "scenario " + keys.Quote(name)}
	text, file, ok, err := OfInput(name, settings)
	if ok {
		return text, file
	}
	if err == nil {
		err = notRunning(name)
	}
	if err != nil {
		problems.Add(at, "", "%s", err)
		return nil, ""
	}
	if text, err = keys.ReadLimited(name); err == nil {
		return text, name
	}
	if IsFile(name) || isTraceName().MatchString(name) {
		problems.Add(at, "", "cannot be read: %s", keys.ReasonOf(err))
	} else if _, err := os.Stat(name + ".yaml"); err == nil {
		problems.Add(at, "", "is no built-in scenario; did you mean the file %s.yaml?", name)
	} else if slices.Contains(Machines(), name) {
		problems.AddKind(keys.OtherFile, at, "", "is a machine; run something on it: overlapsim run halo --machine %s; on several: "+
			"overlapsim compare halo --machines %[1]s,...", name)
	} else if why := training.NoModel(name); why != "" {
		problems.Add(at, "", "%s", why)
	} else {
		problems.Add(at, "", "is neither a file nor a built-in scenario; %s", insteadOfScenario(name))
	}
	return nil, ""
}

// isTraceName tells whether a name looks like the name of a file of another tool.
var isTraceName = keys.Pattern(`\.(goal|trace|json|et|meta|txt|csv|parquet|bin|gz|zst)$`)

// Head is what a scenario says of itself before it is run.
type Head struct {
	Title   string
	Machine string // its name, or the name of the machine from which it differs; "": each run has its own
	Runs    int
}

// Heading returns the head of a scenario with settings, without making the runs.
func Heading(name string, settings ...string) (h Head, err error) {
	var problems keys.Problems
	text, file := open(name, settings, &problems)
	if text == nil {
		return h, problems.Err()
	}
	tree := parsedOnce(file, text, &problems)
	if tree == nil {
		return h, problems.Err()
	}
	h.Title, h.Runs = titleOf(text, tree, settings), 1
	if listed := tree.At("runs"); listed != nil {
		h.Runs = len(listed.Items)
	}
	machine := tree.At("machine")
	if machine != nil && machine.Shape == keys.Mapping {
		machine = machine.At("base")
	}
	if machine != nil {
		h.Machine = machine.Text
	}
	return h, nil
}

// decodeFile makes the wanted runs of the text of a scenario with the settings applied.
func decodeFile(file string, text []byte, settings []string, wanted func(run int) bool, problems *keys.Problems) *File {
	tree := parsedOnce(file, text, problems)
	var sets []keys.Setting
	for i, s := range settings {
		if parsed, ok := keys.ParseSetting(s, problems); ok {
			parsed.Value.Place.Number = i + 1
			sets = append(sets, parsed)
		}
	}
	switch {
	case foreign(file, tree):
		*problems = keys.Problems{{Place: keys.Place{File: file}, Message: "is neither a scenario, with keys such as machine and workload, nor " +
			"another file that runs: " + runs()}}
		return nil
	case tree == nil:
		return nil
	}
	if tree.Shape != keys.Mapping {
		problems.Add(tree.Place, "", "must be a mapping of keys, got %s", tree.Shape)
		return nil
	}
	if isMachine(tree) {
		problems.AddKind(keys.OtherFile, tree.Place, "", "is a machine; run something on it: overlapsim run halo --machine %s; "+
			"on several: overlapsim compare halo --machines %[1]s,...; "+
			"a scenario has machine: %[1]s, a workload and ranks", keys.Quote(file))
		return nil
	}
	f := &File{Title: titleOf(text, tree, settings)}
	whole := string(text) // one for all runs
	for _, s := range settings {
		whole += "# --set " + s + "\n"
	}
	for i, v := range variants(tree, problems) {
		if !wanted(i) {
			continue
		}
		if run := decodeScenario(tree.Copy(), append(v.settings, sets...), problems); run != nil {
			run.Name, run.Text, run.Title = v.name, whole, titled(text, run.Title, settings)
			run.Source = Source{file, string(text), settings, i}
			f.Runs = append(f.Runs, run)
		}
	}
	nameRuns(f, file)
	return f
}

// foreign tells whether a file that is not called a scenario is none: its text is no mapping, or has none of the keys that a scenario needs.
func foreign(file string, tree *keys.Node) bool {
	if isYAML(file) || tree == nil && filepath.Ext(file) == ".json" {
		return false
	}
	return tree == nil || tree.Shape != keys.Mapping || !isMachine(tree) &&
		!slices.ContainsFunc([]string{"machine", "workload", "runs"}, func(key string) bool { return tree.At(key) != nil })
}

// isScenario tells whether the tree of a file that should be a machine is a scenario: it
// has both a workload and a machine.
func isScenario(tree *keys.Node) bool { return tree.At("workload") != nil && tree.At("machine") != nil }

// isMachine tells whether a tree has keys of a machine file and none of a scenario.
func isMachine(tree *keys.Node) bool {
	return tree.At("machine") == nil && tree.At("workload") == nil && (tree.At("network") != nil || tree.At("cores") != nil)
}

// titleOf is the title of a scenario as settings change it.
func titleOf(text []byte, tree *keys.Node, settings []string) (title string) {
	if own := tree.At("title"); own != nil {
		title = own.Text
	}
	for _, s := range settings {
		if given, ok := strings.CutPrefix(s, "title="); ok {
			title = given
		}
	}
	return titled(text, title, settings)
}

// titled is a title of a scenario as settings change it. A text that is made for them knows them.
func titled(text []byte, title string, settings []string) string {
	if bytes.HasPrefix(text, []byte(made)) {
		return title
	}
	return Changed(title, settings)
}

// mostChanged is the largest number of settings that stand in a title.
const mostChanged = 4

// Changed returns the title of a scenario or a machine with what settings ("path=value", or a path) change, as a title may speak of what
// they replace.
func Changed(title string, settings []string) string {
	if title == "" || len(settings) == 0 || slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "title=") }) {
		return title
	}
	all := strings.Join(settings, ", ")
	if more := len(settings) - mostChanged; more > 1 {
		all = strings.Join(settings[:mostChanged], ", ") + fmt.Sprintf(" and %d more", more)
	}
	if inBrackets, ok := strings.CutSuffix(title, ")"); ok {
		return inBrackets + "; changed: " + all + ")"
	}
	return title + " (changed: " + all + ")"
}

// nameRuns makes sure that every run has a name.
func nameRuns(f *File, file string) {
	for _, run := range f.Runs {
		if run.Name == "" {
			run.Name = stem(file)
		}
	}
}

// variant is an entry of runs.
type variant struct {
	name     string
	settings []keys.Setting
}

// variants takes the list of runs out of the tree. Without a list there is one variant
// that changes nothing.
func variants(tree *keys.Node, problems *keys.Problems) []variant {
	runs := tree.Drop("runs")
	if runs == nil {
		return []variant{{}}
	}
	if runs.Shape != keys.List || len(runs.Items) == 0 {
		problems.Add(runs.Place, "runs", "must be a list such as [{name: slow, machine.network.latency: 9us}], got %s", emptyOr(runs))
		return []variant{{}}
	}
	var all []variant
	for i, item := range runs.Items {
		key := fmt.Sprintf("runs[%d]", i)
		if item.Shape != keys.Mapping {
			problems.Add(item.Place, key, "must be a mapping of paths to values, got %s", item.Shape)
			continue
		}
		v := variant{}
		item = item.Copy()
		if name := item.Drop("name"); name == nil || name.Shape != keys.Scalar || name.Text == "" {
			problems.Add(item.Place, key+".name", "is missing; every run has a name")
		} else if v.name = name.Text; slices.ContainsFunc(all, func(o variant) bool { return o.name == v.name }) {
			problems.Add(name.Place, key+".name", "is given twice: %s", keys.Quote(v.name))
		}
		for j, path := range item.Names {
			v.settings = append(v.settings, keys.Setting{Path: path, Value: item.Values[j]})
		}
		all = append(all, v)
	}
	return all
}

// emptyOr names the shape of a node, or says that it is empty.
func emptyOr(n *keys.Node) string {
	if n.Shape == keys.List {
		return "an empty list"
	}
	return n.Shape.String()
}

// stem is the name of a file without its folder and extension.
func stem(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml"), ".yml")
}
