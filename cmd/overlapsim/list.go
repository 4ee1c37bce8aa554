package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/papers"
	"overlapsim/workloads"
)

// lists are the tables that list can print: each returns its rows.
var lists = []struct {
	name string
	rows func() ([][]string, error)
}{
	{"machines", machineList},
	{"runtimes", runtimeList},
	{"workloads", workloadList},
	{"scenarios", scenarioList},
	{"papers", paperList},
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
	args:  "machines|runtimes|workloads|scenarios|papers",
	title: "list what the library holds",
	text: "Lists the built-in machines, runtimes (communication libraries), workloads or\n" +
		"scenarios, or the papers that 'overlapsim reproduce' checks.\n" +
		"'overlapsim show NAME' shows one of them.",
	example: "overlapsim list machines",
	setup: func(*pflag.FlagSet) action {
		return func(c *call, args []string) error {
			if err := want("list", args, 1, 1, "one of machines, runtimes, workloads, scenarios, papers"); err != nil {
				return err
			}
			for _, l := range lists {
				if l.name == args[0] {
					rows, err := l.rows()
					if err != nil {
						return err
					}
					return grid(c.out, rows, 2)
				}
			}
			return &usageError{"list", unknown("list", args[0], listNames())}
		}
	},
}

func machineList() (rows [][]string, err error) {
	for _, name := range files.Machines() {
		m, err := files.LoadMachine(name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{name, m.Title})
	}
	return rows, nil
}

func runtimeList() (rows [][]string, err error) {
	for _, name := range files.Runtimes() {
		r, err := files.LoadRuntime(name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{name, r.Title})
	}
	return rows, nil
}

func workloadList() (rows [][]string, err error) {
	for _, name := range workloads.Names() {
		kind, _ := workloads.Lookup(name)
		rows = append(rows, []string{name, kind.Title})
	}
	return rows, nil
}

func scenarioList() (rows [][]string, err error) {
	for _, name := range files.Scenarios() {
		title, runs, err := files.Heading(name)
		if err != nil {
			return nil, err
		}
		if runs > 1 {
			title += fmt.Sprintf(" (%d runs)", runs)
		}
		rows = append(rows, []string{name, title})
	}
	names, titles, err := papers.Experiments()
	for i, name := range names {
		rows = append(rows, []string{name, titles[i]})
	}
	return rows, err
}

func paperList() (rows [][]string, err error) {
	for _, name := range papers.Names() {
		p, err := papers.Load(name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{name, p.Title})
	}
	return rows, nil
}
