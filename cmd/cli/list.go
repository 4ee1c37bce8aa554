package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/network/fabrics"
	"overlapsim/network/topology"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/validation"
	"overlapsim/workloads"
	"overlapsim/workloads/training"
)

// lists are the tables that list can print: each returns its rows.
var lists = []struct {
	name, says string
	rows       func() ([][]string, error)
}{
	{"machines", "clusters and nodes of GPUs, for --machine", machineList},
	{"runtimes", "communication libraries: who moves a message, and when", runtimeList},
	{"workloads", "programs and measurements that a scenario runs", workloadList},
	{"topologies", "shapes of networks, for machine.topology", topologyList},
	{"fabrics", "models of networks, for fabric.kind", fabricList},
	{"mappings", "placements of ranks on nodes, for mapping", func() ([][]string, error) { return files.Mappings(), nil }},
	{"scenarios", "scenarios that run as they are", scenarioList},
	{"papers", "studies whose claims reproduce checks", paperList},
	{"figures", "figures and tables of the papers, which run draws", figureList},
	{"datasets", "measured data, which validate compares with predictions", datasetList},
}

// rowsOfLists are which lists there are.
func rowsOfLists() (rows [][]string) {
	for _, l := range lists {
		rows = append(rows, []string{l.name, l.says})
	}
	return rows
}

func listNames() []string {
	var names []string
	for _, l := range lists {
		names = append(names, l.name)
	}
	return names
}

var listCommand = command{
	name:  "list",
	args:  "[KIND]",
	title: "list what is built in",
	text: "Lists the built-in machines, runtimes (communication libraries), workloads,\n" +
		"topologies, fabrics, mappings or scenarios, the papers that 'overlapsim reproduce'\n" +
		"checks, their figures and tables, which 'overlapsim run' draws, or the data\n" +
		"sets of 'overlapsim validate'. 'overlapsim show NAME' shows one of them, except\n" +
		"papers and figures. Without a KIND it lists the kinds.",
	example: "overlapsim list machines",
	setup: func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print the names as JSON")
		return func(c *call, args []string) error {
			if len(args) == 0 {
				if *asJSON {
					return writeJSON(c.out, namesOf("", rowsOfLists()))
				}
				return grid(c.out, rowsOfLists(), 2)
			}
			if err := want("list", args, 1, 1, "one of "+strings.Join(listNames(), ", ")); err != nil {
				return err
			}
			for _, l := range lists {
				if l.name == args[0] {
					rows, err := l.rows()
					if err != nil {
						return err
					}
					if *asJSON {
						return writeJSON(c.out, namesOf(l.name, rows))
					}
					return grid(c.out, rows, len(rows[0]))
				}
			}
			return &usageError{"list", unknown("list", args[0], listNames(), undescribed)}
		}
	},
}

// nameList is a list as JSON.
type nameList struct {
	Of    string       `json:"of,omitempty"` // absent in the list of lists
	Names []listedName `json:"names"`
}

// listedName is something with a name, by which other commands know it.
type listedName struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Group string `json:"group,omitempty"`
	State string `json:"state,omitempty"` // of a figure
}

// namesOf makes a list of the rows of a table: a row of one cell is the name of a group.
func namesOf(of string, rows [][]string) nameList {
	list, group := nameList{Of: of}, ""
	for _, row := range rows {
		if strings.Join(row[1:], "") == "" {
			group = row[0]
			continue
		}
		one := listedName{Name: strings.TrimSpace(row[0]), Title: row[1], Group: group}
		if len(row) > 2 {
			one.State = row[2]
		}
		list.Names = append(list.Names, one)
	}
	return list
}

// machineGroup is a group of machines.
type machineGroup struct {
	title string
	has   func(m *files.Machine) bool
}

// machineGroups are all groups. A machine is in the first that has it.
var machineGroups = []machineGroup{
	{"What if", func(m *files.Machine) bool { return strings.HasPrefix(m.Title, "What if: ") }},
	{"Calibrated or fitted here", func(m *files.Machine) bool {
		return strings.Contains(m.Title, "calibrated from") || strings.Contains(m.Title, "fitted to")
	}},
	{"Nodes of GPUs", func(m *files.Machine) bool { return m.GPUs != nil }},
	{"Historical", func(m *files.Machine) bool { return m.Past }},
	{"Clusters of today", func(*files.Machine) bool { return true }},
}

// machineList lists the machines by groups, the machines of today first.
func machineList() (rows [][]string, err error) {
	grouped := make([][][]string, len(machineGroups))
	for _, name := range files.Machines() {
		m, err := files.LoadMachine(name)
		if err != nil {
			return nil, err
		}
		of := slices.IndexFunc(machineGroups, func(g machineGroup) bool { return g.has(m) })
		grouped[of] = append(grouped[of], []string{"  " + name, m.Title})
	}
	for i, g := range slices.Backward(machineGroups) {
		rows = append(append(rows, []string{g.title, ""}), grouped[i]...)
	}
	return rows, nil
}

// titled lists things of the library with their titles.
func titled[T any](names []string, load func(name string) (T, error), title func(T) string) (rows [][]string, err error) {
	for _, name := range names {
		one, err := load(name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{name, title(one)})
	}
	return rows, nil
}

func runtimeList() ([][]string, error) {
	return titled(files.Runtimes(), files.LoadRuntime, func(r *files.Runtime) string { return r.Title })
}

func workloadList() (rows [][]string, err error) {
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		rows = append(rows, []string{name, kind.Title})
	}
	return rows, nil
}

func topologyList() (rows [][]string, err error) {
	for _, kind := range topology.Kinds() {
		rows = append(rows, []string{kind.Name, kind.Doc})
	}
	return rows, nil
}

func fabricList() (rows [][]string, err error) {
	for _, kind := range fabrics.Kinds() {
		rows = append(rows, []string{kind.Name, kind.Doc})
	}
	return rows, nil
}

// firstScenarios are the scenarios to begin with, by kind of user.
var firstScenarios = []string{files.First, "alltoall-dragonfly", "training-step", "gpu-halo"}

// scenarioGroups are the groups of scenarios, by the machine that they run on.
var scenarioGroups = []struct {
	title string
	has   func(name string, m *files.Machine) bool
}{
	{"To start with", func(name string, _ *files.Machine) bool { return slices.Contains(firstScenarios, name) }},
	{"On GPUs", func(_ string, m *files.Machine) bool { return m != nil && m.GPUs != nil }},
	{"On clusters of today", func(_ string, m *files.Machine) bool { return m != nil && !m.Past }},
	{"On historical machines, or on several", func(string, *files.Machine) bool { return true }},
}

// scenarioList lists the scenarios by groups, and the experiments of papers.
func scenarioList() (rows [][]string, err error) {
	grouped := make([][][]string, len(scenarioGroups))
	for _, name := range files.Scenarios() {
		h, err := files.Heading(name)
		if err != nil {
			return nil, err
		}
		if h.Runs > 1 {
			h.Title += fmt.Sprintf(" (%d runs)", h.Runs)
		}
		m, _ := files.LoadMachine(h.Machine)
		for i, g := range scenarioGroups {
			if g.has(name, m) {
				grouped[i] = append(grouped[i], []string{"  " + name, h.Title})
				break
			}
		}
	}
	slices.SortStableFunc(grouped[0], func(a, b []string) int { return firstAt(a) - firstAt(b) })
	for i, g := range scenarioGroups {
		rows = append(append(rows, []string{g.title, ""}), grouped[i]...)
	}
	rows = append(rows, []string{"Published models, on GPUs", ""})
	for i := range training.Models {
		rows = append(rows, []string{"  " + training.Models[i].Name, training.Models[i].Title})
	}
	names, titles, err := papers.Experiments()
	rows = append(rows, []string{"Experiments of papers", ""})
	for i, name := range names {
		rows = append(rows, []string{"  " + name, titles[i]})
	}
	return rows, err
}

// firstAt is the place of a row among the scenarios to start with.
func firstAt(row []string) int { return slices.Index(firstScenarios, strings.TrimSpace(row[0])) }

func paperList() ([][]string, error) {
	return titled(papers.Names(), papers.Load, func(p *papers.Paper) string { return p.Title })
}

func datasetList() ([][]string, error) {
	return titled(validation.Names(), validation.Load, func(s *validation.Set) string {
		if !s.HasRows() {
			return s.Title + "; give --rows"
		}
		return s.Title
	})
}
