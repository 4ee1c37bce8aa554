package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/sim/must"
)

// The pages that are written from the program, those of commands and of machines, are what it says;
// -update writes them.
func TestPagesOfCommands(t *testing.T) {
	for file, want := range map[string]string{"../../docs/reference/commands.md": cliPage(t), "../../docs/man/overlapsim.1": manual(t),
		"../../docs/reference/machines.md": machinesPage(t)} {
		if *update {
			must.Do(t, os.WriteFile(file, []byte(want), 0o666))
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s is not what the help says (%v): go test ./cmd/cli -run TestPagesOfCommands -update", file, err)
		}
	}
}

// machinesPage is the page of all machines, with the origins of their numbers.
func machinesPage(t *testing.T) string {
	rows := must.Get(machineList())(t)
	var b strings.Builder
	b.WriteString("# Machines\n\n*All built-in machines. The last column counts their numbers by origin ([" + strings.Join(keys.Origins, "/") +
		"](machine-file.md)). `overlapsim show NAME` prints each number with its source.*\n")
	for _, row := range rows {
		name, indented := strings.CutPrefix(row[0], "  ")
		if !indented {
			fmt.Fprintf(&b, "\n## %s\n\n| machine | is | numbers |\n|---|---|---|\n", name)
			continue
		}
		m := must.Get(files.LoadMachine(name))(t)
		count := map[string]int{}
		for _, f := range m.Facts {
			count[f.Origin]++
		}
		var counts []string
		for _, origin := range keys.Origins {
			counts = append(counts, fmt.Sprint(count[origin]))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(row[1], "|", "\\|"), strings.Join(counts, "/"))
	}
	return b.String()
}

// helpOf is the help of a command.
func helpOf(t *testing.T, c command) string {
	var b strings.Builder
	must.Do(t, c.help(&b))
	return b.String()
}

func overviewText(t *testing.T) string {
	var b strings.Builder
	must.Do(t, overview(&b))
	return b.String()
}

func cliPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n*Scope: the help of each command. [Output](output.md) explains what they print.*\n\n| command | what it does | more |\n|---|---|---|\n")
	more := map[string]string{
		"run": "[results](output.md)", "compare": "[where the time goes differently](output.md#where-the-time-goes-differently)",
		"sweep": "[sweeps](sweeps.md)", "gradient": "[critical path and gradient](../explanation/gradients.md)",
		"potential": "[what overlap could give](../explanation/potential.md)",
		"explore":   "[a report that runs what you change](../howto/change-a-report.md)",
		"optimize":  "[optima](../howto/optimize.md)", "record": "[recorded MPI programs](../howto/mpi-program.md)", "export": "[GOAL schedules](trace-formats.md#goal-schedules)",
		"replay": "[GOAL schedules](trace-formats.md#goal-schedules)", "overlap": "[the MPI overlap benchmark](../validation/papers/mpi.md)",
		"calibrate": "[a machine from measurements](../howto/your-machine.md)", "validate": "[measured and predicted](calibrate.md#data-sets-of-measurements)",
		"reproduce": "[claims of papers](../validation/claims.md)", "show": "[keys of files](scenario-file.md)",
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s | %s |\n", c.name, c.title, more[c.name])
	}
	shared, lists := sharedFlags(t)
	fmt.Fprintf(&b, "\n## Flags of many commands\n\n```text\n%s```\n", strings.Join(shared, "\n")+"\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s```\n", c.name, lists[c.name])
	}
	b.WriteString("\n`man docs/man/overlapsim.1` shows the same as a manual.\n\n" +
		"**Validation**: `go test ./cmd/cli -run TestPagesOfCommands` compares this page with the help; another test runs the examples.\n")
	return b.String()
}

// sharedFlags returns the lines of flags that six commands or more have, and the help of each command with only the names
// of these.
func sharedFlags(t *testing.T) (shared []string, helps map[string]string) {
	oneLine := regexp.MustCompile(`^ +(--[a-z-]+) .*$`)
	count, wrapped := map[string]int{}, map[string]bool{}
	plain := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	var lines [][]string
	for _, c := range commands() {
		of := strings.Split(helpOf(t, c), "\n")
		lines = append(lines, of)
		for i, line := range of {
			if oneLine.MatchString(line) {
				count[plain(line)]++
				next := of[i+1]
				wrapped[plain(line)] = wrapped[plain(line)] || strings.HasPrefix(next, "        ") && !oneLine.MatchString(next)
			}
		}
	}
	helps = map[string]string{}
	for n, c := range commands() {
		var kept, names []string
		for _, line := range lines[n] {
			m := oneLine.FindStringSubmatch(line)
			if m == nil || count[plain(line)] < 6 || wrapped[plain(line)] {
				if line == "" && len(names) > 0 {
					kept, names = append(kept, "      and "+strings.Join(names, " ")), nil
				}
				kept = append(kept, line)
				continue
			}
			names = append(names, m[1])
			if !slices.ContainsFunc(shared, func(s string) bool { return plain(s) == plain(line) }) {
				shared = append(shared, line)
			}
		}
		helps[c.name] = strings.Join(kept, "\n")
	}
	return shared, helps
}

// manual is the help as a manual page, in the macros of man(7).
func manual(t *testing.T) string {
	var b strings.Builder
	b.WriteString(".TH OVERLAPSIM 1\n.SH NAME\noverlapsim \\- how much communication of a cluster hides behind computation\n" +
		".SH SYNOPSIS\n.B overlapsim\n.I COMMAND\n.RI [ ARGUMENTS ]\n.SH DESCRIPTION\n.nh\n.ad l\n")
	about, _, _ := strings.Cut(overviewText(t), "\n\n")
	fmt.Fprintf(&b, "%s\n.PP\nStart with\n.BR \"overlapsim run\" .\n.SH COMMANDS\n", roff(about))
	for _, c := range commands() {
		c.manual(&b)
	}
	for _, part := range manualParts {
		fmt.Fprintf(&b, ".SH %s\n", part.title)
		for _, row := range part.rows {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(row[0]), roff(row[1]))
		}
	}
	b.WriteString(".SH SEE ALSO\ndocs/README.md and docs/tutorial.md of the repository\n")
	return b.String()
}

// manual writes the part of the manual page about a command.
func (c command) manual(b *strings.Builder) {
	fmt.Fprintf(b, ".SS %s\n.B %s\n", c.name, roff(strings.TrimSpace("overlapsim "+c.name+" "+c.args)))
	indented := false
	b.WriteString(".PP\n")
	for _, line := range strings.Split(strings.TrimSpace(c.text), "\n") {
		switch is := strings.HasPrefix(line, " "); {
		case line == "":
			b.WriteString(".PP\n")
			continue
		case is && !indented:
			b.WriteString(".RS 0\n.nf\n")
		case !is && indented:
			b.WriteString(".fi\n.RE\n")
		}
		indented = strings.HasPrefix(line, " ")
		fmt.Fprintf(b, "%s\n", roff(line))
	}
	if indented {
		b.WriteString(".fi\n.RE\n")
	}
	for _, f := range describe([]string{c.name}).Commands[0].Flags {
		usage := f.Text
		if f.Default != "" {
			usage += " (default: " + f.Default + ")"
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace("--"+f.Name+" "+f.Value)), roff(usage))
	}
	fmt.Fprintf(b, ".PP\nExample:\n.B %s\n", roff(c.example))
}

// manualParts are the parts of the manual page that are in no help.
var manualParts = []struct {
	title string
	rows  [][2]string
}{
	{"ENVIRONMENT", [][2]string{
		{"COLUMNS", "the width of the text; default: the width of the terminal, 80 without one"},
		{"NO_COLOR, CLICOLOR=0", "either: no bold and no red text"},
		{"CLICOLOR_FORCE=1", "bold and red text also where the output is no terminal"},
		{"TMPDIR", "where temporary files are; for record a folder that all hosts see"},
		{"XDG_CACHE_HOME", "where record keeps the compiled recorder (default: .cache in the home directory)"},
		{"LD_PRELOAD, OVERLAPSIM_RECORD", "the recorder, and the folder into which it writes, where record does not start the program"},
		{"SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT", "partition, account and time limit of the jobs of sweep --engine slurm"},
		{"GOMAXPROCS", "how many processors the program uses; default: all"},
	}},
	{"FILES", [][2]string{
		{"SCENARIO.yaml, MACHINE.yaml", "what to run, and on what: docs/reference/scenario-file.md and machine-file.md"},
		{"app.trace", "what record writes and run reads"},
		{"SCENARIO-sweep/", "points, results and tables of a sweep"},
		{".overlapsim-*", "temporary files next to an output; the next command removes what a killed one left"},
	}},
	{"EXIT STATUS", [][2]string{
		{"0", "done"},
		{"1", "a run failed, or a claim does not hold"},
		{"2", "a mistake in a flag or a file, or more memory asked for than there is"},
		{"3", "a fault of overlapsim"},
		{"129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM"},
	}},
}

// widestLiteral is the width of a line that man does not fill: 80 columns less its indentation.
const widestLiteral = 73

// The manual page fits 80 columns: its other lines are filled.
func TestManualFits(t *testing.T) {
	literal := false
	for _, line := range strings.Split(manual(t), "\n") {
		switch line {
		case ".nf":
			literal = true
		case ".fi":
			literal = false
		}
		if shown := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "").Replace(line); literal && len([]rune(shown)) > widestLiteral {
			t.Errorf("%d columns: %s", len([]rune(shown)), shown)
		}
	}
}

// roff writes a text so that troff takes it literally.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	for _, first := range []string{".", "'"} { // at the beginning of a line they are macros
		text = strings.ReplaceAll("\n"+text, "\n"+first, "\n\\&"+first)[1:]
	}
	return text
}
