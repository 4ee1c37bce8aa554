package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/scenarios"
	"overlapsim/scenarios/calibrate"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/optimize"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/overlap"
	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/potential"
	"overlapsim/scenarios/report"
	"overlapsim/scenarios/sensitivity"
	"overlapsim/scenarios/sweep"
	"overlapsim/scenarios/validation"
	"overlapsim/workloads"
)

var showCommand = command{
	name:  "show",
	args:  "NAME, or --schema KIND",
	title: "show a machine, a scenario or another built-in item",
	text: `Shows a machine or a runtime with the origin and source of every number, a
workload, a topology or a fabric with its parameters, units, defaults and
limits, or the text of a scenario or a data set. NAME is one of 'overlapsim
list', or a file (.yaml). --html draws a machine: its node, its network
interface, its network. --schema prints the JSON Schema of a kind of file, which
editors use to complete and check, or of what commands print with --json. --yaml
prints the file itself, to be saved, changed and used.`,
	example: "overlapsim show jacquard",
	setup: func(flags *pflag.FlagSet) action {
		schema := flags.String("schema", "", "print the schema of a `KIND` of file: "+strings.Join(schemaKinds(), ", "))
		asFile := flags.Bool("yaml", false, "print the file of a machine, a runtime, a scenario or a data set as it is")
		html := outputFlag(flags, "html", "write a drawing of a machine to `FILE`")
		return func(c *call, args []string) error {
			if flags.Changed("schema") {
				return showSchema(c.out, *schema, args)
			}
			kind := func(list string) bool { return strings.HasPrefix(list, strings.TrimSuffix(args[0], "y")) }
			if len(args) == 2 && slices.ContainsFunc(listNames(), kind) {
				return &usageError{"show", "wants the name alone: overlapsim show " + args[1]}
			}
			if err := want("show", args, 1, 1, "one name"); err != nil {
				return err
			}
			if *asFile && flags.Changed("html") {
				return &usageError{"show", "wants either --yaml or --html"}
			}
			if *asFile {
				return showFile(c.out, args[0])
			}
			if flags.Changed("html") {
				return drawMachine(c, args[0], output(*html))
			}
			return show(c.out, args[0])
		}
	},
}

// printedKind is a kind of JSON that the program writes.
type printedKind struct {
	kind   string
	schema func() ([]byte, error)
}

var printed = []printedKind{
	{"result", outcomes.Schema}, // of run, compare and replay
	{"sweep", sweep.Schema},     // and of a line of its results
	ofValues("export", written{}),
	ofValues("figure", papers.PlateRecord{}),
	ofValues("gradient", sensitivity.GradientRecord{}, sensitivity.Keys{}),
	ofValues("optimize", optimize.Study{}),
	ofValues("overlap", overlap.Printed{}),
	ofValues("potential", potential.Ladder{}),
	ofValues("reproduce", papers.Printed{}),
	ofValues("validate", validation.ReportRecord{}),
	ofValues("calibrate", calibrate.CalibrationRecord{}, calibrate.GPUFit{}),
	ofValues("help", commandList{}),
	ofValues("list", nameList{}),
}

// ofValues is a kind of JSON whose objects are of one of the types of some values.
func ofValues(kind string, values ...any) printedKind {
	return printedKind{kind, func() ([]byte, error) { return outcomes.SchemaOf(kind, values...) }}
}

func printedKinds() (all []string) {
	for _, p := range printed {
		all = append(all, p.kind)
	}
	return all
}

func schemaKinds() []string { return slices.Concat(files.Schemas, printedKinds()) }

// showSchema prints the schema of a kind of file.
func showSchema(w io.Writer, kind string, args []string) error {
	if err := want("show", args, 0, 0, "no name with --schema"); err != nil {
		return err
	}
	text, err := files.Schema(kind)
	for _, p := range printed {
		if p.kind == kind {
			text, err = p.schema()
		}
	}
	if err != nil {
		return &usageError{"show", fmt.Sprintf("--schema: %s; of what is printed, %s", err, strings.Join(printedKinds(), ", "))}
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// show finds the kind of thing that a name stands for.
func show(w io.Writer, name string) error {
	if kind, ok := workloads.Lookup(name); ok {
		return showKind(w, kind.Name, kind.Title, kind.New())
	}
	if kind, keysOf := files.OperationOf(name); keysOf != "" {
		return showKind(w, name, kind.Title+" (workload: {name: "+keysOf+"})", kind.New())
	}
	if kind, err := topology.Lookup(name); err == nil {
		return errors.Join(showKind(w, kind.Name, kind.Doc, kind.New()), showExamples(w, "topology", kind.Name, kind.Examples))
	}
	if kind, err := fabrics.Lookup(name); err == nil {
		return errors.Join(showKind(w, kind.Name, kind.Doc, kind.New()), showExamples(w, "fabric", kind.Name, kind.Examples))
	}
	if text, ok := files.ScenarioText(name); ok {
		_, err := w.Write(text)
		return err
	}
	if text, ok := validation.Text(name); ok {
		_, err := w.Write(text)
		return err
	}
	r, notRuntime := files.LoadRuntime(name)
	if notRuntime == nil {
		return showFacts(w, r.Name, r.Title, r.Facts)
	}
	m, notMachine := files.LoadMachine(name)
	if notMachine == nil {
		if _, err := m.Shape(); err != nil {
			return &inputError{err.Error()}
		}
		return showFacts(w, m.Name, m.Title, m.Facts)
	}
	study, notScenario := loadStudy(name, nil)
	if notScenario == nil {
		return showStudy(w, study)
	}
	if _, err := os.Stat(name); err == nil {
		return likeliest(notMachine, notRuntime, notScenario)
	} else if files.IsFile(name) {
		return notScenario
	}
	if list := listOf(name); list != "" {
		return &usageError{"show", "wants a name, got a kind of names; " + list}
	}
	return &usageError{"show", unknown("name", name, slices.Concat(libraryNames(), files.Scenarios()), kindTitle)}
}

// listOf says which command lists the names of a kind, and how to write your own; "": it is no kind.
func listOf(kind string) string {
	of := []string{kind, kind + "s", strings.TrimSuffix(kind, "y") + "ies"}
	at := slices.IndexFunc(listNames(), func(list string) bool { return slices.Contains(of, list) })
	if at < 0 {
		return ""
	}
	text := fmt.Sprintf("'overlapsim list %s' lists them", listNames()[at])
	if own := map[string]string{"machines": "hdr-infiniband", "runtimes": "openmpi-5", "scenarios": "halo-libraries"}[listNames()[at]]; own != "" {
		text += fmt.Sprintf("; 'overlapsim show %s --yaml' prints one to save and change", own)
	}
	return text
}

// showFile prints a file of the library as it is.
func showFile(w io.Writer, name string) error {
	text, ok := files.Text(name)
	if !ok {
		text, ok = validation.Text(name)
	}
	switch {
	case ok:
		_, err := w.Write(text)
		return err
	case files.IsFile(name):
		return &usageError{"show", "--yaml prints files of the library; " + name + " is a file already"}
	case kindTitle(name) != "":
		return &usageError{"show", "--yaml: " + name + " has no file; a machine, a runtime, a scenario or a data set has one"}
	}
	return &usageError{"show", unknown("name", name, slices.Concat(files.Machines(), files.Runtimes(), files.Scenarios(), validation.Names()), kindTitle)}
}

// kindTitle says what the workload, topology or fabric of a name is; "": the name is of something else.
func kindTitle(name string) string {
	shape, _ := topology.Lookup(name)
	fabric, _ := fabrics.Lookup(name)
	return cmp.Or(workloads.Title(name), shape.Doc, fabric.Doc)
}

// libraryNames are the names that show knows, without the scenarios.
func libraryNames() []string {
	return slices.Concat(files.Machines(), files.Runtimes(), workloads.Names(), topology.Names(), fabrics.Names(), validation.Names())
}

// likeliest returns the error for the kind that a file was probably meant to be: the one
// with the fewest keys that belong to another kind, then with the fewest problems, then
// the first.
func likeliest(all ...error) error {
	return slices.MinFunc(all, func(a, b error) int {
		foreignA, allA := mistakes(a)
		foreignB, allB := mistakes(b)
		return cmp.Or(foreignA-foreignB, allA-allB)
	})
}

// mistakes counts the keys that belong to another kind, and all problems.
func mistakes(err error) (foreign, all int) {
	var problems keys.Problems
	errors.As(err, &problems)
	for _, p := range problems {
		switch {
		case p.Key == "base", p.Kind == keys.OtherFile: // nothing else was read
			foreign += 100
		case p.Kind == keys.UnknownKey:
			foreign++
		}
	}
	return foreign, len(problems)
}

// showStudy prints the text of a scenario's file, or the texts of the runs of a
// paper's experiment.
func showStudy(w io.Writer, study *scenarios.Study) error {
	last := ""
	for _, s := range study.Runs {
		if s.Text == last {
			continue
		}
		if last != "" {
			fmt.Fprintln(w, "---")
		}
		if _, err := io.WriteString(w, s.Text); err != nil {
			return err
		}
		last = s.Text
	}
	return nil
}

// showFacts prints a row for each value that a file states.
func showFacts(w io.Writer, name, title string, facts []keys.Fact) error {
	rows := [][]string{{"parameter", "value", "origin", "source"}}
	for _, f := range stated(facts) {
		rows = append(rows, []string{f.Path, f.Value, orDash(f.Origin), orDash(f.Source)})
	}
	fmt.Fprintf(w, "%s\n", folded(name+": "+title+"\n", widthOf(w)))
	return grid(w, rows, 4)
}

// stated leaves out the facts that stand above the rows.
func stated(facts []keys.Fact) []keys.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f keys.Fact) bool {
		return f.Path == "title" || f.Path == "name" || f.Path == "runtime.name"
	})
}

func orDash(text string) string {
	if text == "" {
		return report.Dash
	}
	return text
}

// showKind prints the keys that a workload, a topology or a fabric reads.
func showKind(w io.Writer, name, title string, own any) error {
	rows := [][]string{{"parameter", "default", "value", "limits", "meaning"}}
	for _, row := range keys.Tagged(own) {
		unset := row.Default()
		if row.Needs == keys.Required {
			if unset = "required"; strings.HasPrefix(row.Path, "fabric.") {
				unset = "the machine's"
			}
		}
		rows = append(rows, []string{row.Path, unset, row.Kind(), row.Limits(), row.Doc})
	}
	if _, err := fmt.Fprint(w, folded(name+": "+title+"\n", widthOf(w))); err != nil || len(rows) == 1 {
		return err
	}
	fmt.Fprintln(w)
	return grid(w, rows, 5)
}

// showExamples prints small examples of a topology or a fabric, as a file has them.
func showExamples(w io.Writer, group, name string, examples []string) error {
	for i, example := range examples {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, kindText(group, name, example)); err != nil {
			return err
		}
	}
	return nil
}

// kindText writes a group of a file with a kind and the keys next to it.
func kindText(group, name, keys string) string {
	if keys != "" {
		keys = ", " + keys
	}
	return fmt.Sprintf("%s: {kind: %s%s}\n", group, name, keys)
}
