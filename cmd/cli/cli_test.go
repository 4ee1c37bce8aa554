package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The pages of all commands, docs/reference/commands.md and the manual, say what the help says; -update
// writes them.
func TestPagesOfCommands(t *testing.T) {
	for file, want := range map[string]string{"../../docs/reference/commands.md": cliPage(t), "../../docs/man/overlapsim.1": manual(t)} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s is not what the help says (%v): go test ./cmd/cli -run TestPagesOfCommands -update", file, err)
		}
	}
}

// helpOf is the help of a command.
func helpOf(t *testing.T, c command) string {
	var b strings.Builder
	if err := c.help(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func overviewText(t *testing.T) string {
	var b strings.Builder
	if err := overview(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func cliPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n*Scope: what `overlapsim help` says of each command; this page is written from it. What comes out is in " +
		"[output](output.md).*\n\n| command | what it does | more |\n|---|---|---|\n")
	more := map[string]string{
		"run": "[results](output.md)", "compare": "[where the time goes differently](output.md#where-the-time-goes-differently)",
		"sweep": "[sweeps](sweeps.md)", "gradient": "[critical path and gradient](../explanation/gradients.md)",
		"potential": "[the ladder of potential](../explanation/potential.md)",
		"optimize":  "[optima](../howto/optimize.md)", "record": "[recorded MPI programs](../howto/mpi-program.md)", "export": "[GOAL schedules](goal.md)",
		"replay": "[GOAL schedules](goal.md)", "overlap": "[the MPI overlap benchmark](../validation/papers/mpi.md)",
		"calibrate": "[a machine from measurements](../howto/your-machine.md)", "validate": "[measured and predicted](data-set-file.md)",
		"reproduce": "[claims of papers](../validation/claims.md)", "show": "[keys of files](scenario-file.md)",
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s | %s |\n", c.name, c.title, more[c.name])
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", c.name, helpOf(t, c))
	}
	b.WriteString("\n`man docs/man/overlapsim.1` shows the same as a manual.\n\n" +
		"**Validation**: `go test ./cmd/cli -run TestPagesOfCommands` compares this page with the help; another test runs the examples.\n")
	return b.String()
}

// manual is the help as a manual page, in the macros of man(7).
func manual(t *testing.T) string {
	var b strings.Builder
	literal := func(text string) { fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(strings.TrimRight(text, "\n"))) }
	b.WriteString(".TH OVERLAPSIM 1\n.SH NAME\noverlapsim \\- how much communication of a cluster hides behind computation\n" +
		".SH SYNOPSIS\n.B overlapsim\n.I COMMAND\n.RI [ ARGUMENTS ]\n.SH DESCRIPTION\n")
	literal(overviewText(t))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, ".SS %s\n", c.name)
		literal(helpOf(t, c))
	}
	b.WriteString(".SH EXIT STATUS\n")
	literal("0  done\n1  a run failed, or a claim does not hold\n" +
		"2  a mistake in a flag or a file, or more asked for than there is memory\n" +
		"3  a fault of overlapsim")
	return b.String()
}

// roff writes a text so that troff takes it literally.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	for _, first := range []string{".", "'"} { // at the beginning of a line they are macros
		text = strings.ReplaceAll("\n"+text, "\n"+first, "\n\\&"+first)[1:]
	}
	return text
}
