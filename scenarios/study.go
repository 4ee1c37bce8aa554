package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlapsim/sim"
	"overlapsim/workloads"
)

// Study holds the runs that a scenario file asks for: one run, or several variants of it.
type Study struct {
	Name  string // library name or file
	Title string
	Runs  []*Scenario
}

// Add appends the runs of another study. Later runs with a name that is in use get a
// number.
func (s *Study) Add(t *Study) {
	for _, run := range t.Runs {
		taken := func(name string) bool {
			return slices.ContainsFunc(s.Runs, func(o *Scenario) bool { return o.Name == name })
		}
		name := run.Name
		for i := 2; taken(run.Name); i++ {
			run.Name = fmt.Sprintf("%s (%d)", name, i)
		}
		s.Runs = append(s.Runs, run)
	}
}

// Load reads and checks a scenario: a name of the library or a file. The
// settings ("path=value", as of --set) hold for every run of it. The error is
// of type Problems.
func Load(name string, settings []string) (*Study, error) {
	var problems Problems
	text, file := open(name, &problems)
	if text == nil {
		return nil, problems.Err()
	}
	return Read(file, text, settings)
}

// Read checks the text of a scenario as Load checks a file. file is its name in messages;
// files that the text names are looked for beside it. A panic of a workload, topology or
// fabric is an error of type [sim.Panic].
func Read(file string, text []byte, settings []string) (study *Study, err error) {
	defer sim.Catch(file, &err)
	var problems Problems
	study = load(file, text, settings, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	study.Name = stem(file)
	return study, nil
}

// Heading returns the title of a scenario of the library and the number of its runs,
// without making the runs.
func Heading(name string) (title string, runs int, err error) {
	var problems Problems
	text, file := open(name, &problems)
	if text == nil {
		return "", 0, problems.Err()
	}
	tree := parsedOnce(file, text, &problems)
	if tree == nil {
		return "", 0, problems.Err()
	}
	runs = 1
	if listed := tree.at("runs"); listed != nil {
		runs = len(listed.items)
	}
	return titleOf(tree), runs, nil
}

// LoadRun reads and checks one of a scenario's runs, by its number.
func LoadRun(name string, run int, settings []string) (s *Scenario, err error) {
	defer sim.Catch(name, &err)
	var problems Problems
	text, file := open(name, &problems)
	if text == nil {
		return nil, problems.Err()
	}
	study := loadSome(file, text, settings, func(i int) bool { return i == run }, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return study.Runs[0], nil
}

// stem is the name of a file without its folder and extension.
func stem(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml"), ".yml")
}

// open finds the text of a scenario and the name of its file.
func open(name string, problems *Problems) (text []byte, file string) {
	if text, ok := library(scenarioFolder, name); ok {
		return text, scenarioFolder + "/" + name + ".yaml"
	}
	if text, ok := OfSchedule(name); ok {
		return text, name
	}
	text, err := readSome(name)
	if err == nil {
		return text, name
	}
	at := Place{Flag: "scenario " + quote(name)}
	if IsFile(name) {
		problems.add(at, "", "cannot be read: %s", reason(err))
	} else if _, err := os.Stat(name + ".yaml"); err == nil {
		problems.add(at, "", "is not in the library; did you mean the file %s.yaml?", name)
	} else if slices.Contains(Machines(), name) {
		problems.addKind(OtherFile, at, "", "is a machine; run a scenario on it, such as halo.yaml with machine: %[1]s, or "+
			"ft-slabs-jacquard with --set machine=%[1]s", name)
	} else if _, ok := workloads.Lookup(name); ok {
		problems.add(at, "", "is a workload; a scenario has a machine, ranks and workload: {name: %s}", name)
	} else {
		problems.add(at, "", "is neither a file nor in the library; %s", instead(name, Scenarios()))
	}
	return nil, ""
}

// load checks a scenario text with the settings applied.
func load(file string, text []byte, settings []string, problems *Problems) *Study {
	return loadSome(file, text, settings, func(int) bool { return true }, problems)
}

// loadSome checks the wanted runs of a scenario text.
func loadSome(file string, text []byte, settings []string, wanted func(run int) bool, problems *Problems) *Study {
	tree := parse(file, text, problems)
	var sets []setting
	for _, s := range settings {
		if parsed, ok := parseSetting("--set", s, problems); ok {
			sets = append(sets, parsed)
		}
	}
	if tree == nil {
		return nil
	}
	if tree.shape != mapping {
		problems.add(tree.place, "", "must be a mapping of keys, got %s", tree.shape)
		return nil
	}
	if isMachine(tree) {
		problems.addKind(OtherFile, tree.place, "", "is a machine; a scenario has machine: %s, a workload and ranks", quote(filepath.Base(file)))
		return nil
	}
	study := &Study{Title: titleOf(tree)}
	for _, s := range settings {
		text = append(text, "# --set "+s+"\n"...)
	}
	for i, v := range variants(tree, problems) {
		if !wanted(i) {
			continue
		}
		if run := decodeScenario(tree.clone(), append(v.settings, sets...), problems); run != nil {
			run.Name, run.Text = v.name, string(text)
			study.Runs = append(study.Runs, run)
		}
	}
	nameRuns(study, file)
	return study
}

// isScenario tells whether the tree of a file that should be a machine is a scenario: it
// has both a workload and a machine.
func isScenario(tree *node) bool { return tree.at("workload") != nil && tree.at("machine") != nil }

// isMachine tells whether a tree has keys of a machine file and none of a scenario.
func isMachine(tree *node) bool {
	return tree.at("machine") == nil && tree.at("workload") == nil && (tree.at("network") != nil || tree.at("cores") != nil)
}

func titleOf(tree *node) string {
	if title := tree.at("title"); title != nil {
		return title.text
	}
	return ""
}

// nameRuns makes sure that every run has a name.
func nameRuns(study *Study, file string) {
	for _, run := range study.Runs {
		if run.Name == "" {
			run.Name = stem(file)
		}
	}
}

// variant is an entry of runs.
type variant struct {
	name     string
	settings []setting
}

// variants takes the list of runs out of the tree. Without a list there is one variant
// that changes nothing.
func variants(tree *node, problems *Problems) []variant {
	runs := tree.drop("runs")
	if runs == nil {
		return []variant{{}}
	}
	if runs.shape != list || len(runs.items) == 0 {
		problems.add(runs.place, "runs", "must be a list such as [{name: slow, machine.network.latency: 9us}], got %s", emptyOr(runs))
		return []variant{{}}
	}
	var all []variant
	for i, item := range runs.items {
		key := fmt.Sprintf("runs[%d]", i)
		if item.shape != mapping {
			problems.add(item.place, key, "must be a mapping of paths to values, got %s", item.shape)
			continue
		}
		v := variant{}
		if name := item.drop("name"); name == nil || name.shape != scalar || name.text == "" {
			problems.add(item.place, key+".name", "is missing; every run has a name")
		} else if v.name = name.text; slices.ContainsFunc(all, func(o variant) bool { return o.name == v.name }) {
			problems.add(name.place, key+".name", "is given twice: %s", quote(v.name))
		}
		for j, path := range item.names {
			v.settings = append(v.settings, setting{path, item.values[j]})
		}
		all = append(all, v)
	}
	return all
}

// emptyOr names the shape of a node, or says that it is empty.
func emptyOr(n *node) string {
	if n.shape == list {
		return "an empty list"
	}
	return n.shape.String()
}
