package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// command is one command of overlapsim.
type command struct {
	name    string
	args    string // after the name
	title   string // one line
	text    string // the help before the flags
	example string // a command line that works as it is
	// setup binds the flags and returns the action for the arguments.
	setup func(flags *pflag.FlagSet) action
}

// action does the work of a command.
type action func(c *call, args []string) error

// commands are all commands, in the order of the overview. A new command is a file and a
// row here.
func commands() []command {
	return []command{
		runCommand,
		compareCommand,
		sweepCommand,
		gradientCommand,
		potentialCommand,
		exploreCommand,
		optimizeCommand,
		recordCommand,
		exportCommand,
		replayCommand, // runs what the example of export wrote
		overlapCommand,
		calibrateCommand,
		validateCommand,
		reproduceCommand,
		listCommand,
		showCommand,
		completionCommand,
		helpCommand,
		versionCommand,
	}
}

func lookup(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// titleOf is the title of a command.
func titleOf(name string) string {
	c, _ := lookup(name)
	return c.title
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// overview lists the commands on one screen.
func overview(w io.Writer) error {
	var rows [][]string
	for _, c := range commands() {
		rows = append(rows, []string{"  " + c.name, c.title})
	}
	p := &printer{out: w}
	p.print("overlapsim simulates clusters: how much communication hides behind computation,\n" +
		"what keeps the rest exposed, and what would change that.\n\n")
	p.grid(rows, 2)
	p.print("\nStart with 'overlapsim run'. 'overlapsim help COMMAND' explains a command.\n" +
		"docs/tutorial.md shows how to study your own machine and program.\n")
	return p.err
}

// flags returns the flags of the command, as they are before a command line is read.
func (c command) flags() *pflag.FlagSet {
	flags := newFlags(c.name)
	c.setup(flags)
	return flags
}

// help prints what a command does, its flags and an example.
func (c command) help(w io.Writer) error {
	flags := c.flags()
	line := strings.TrimSpace("overlapsim " + c.name + " " + c.args)
	columns := usualWidth
	if width := widthOf(w); width > 0 {
		columns = min(columns, width)
	}
	text := fmt.Sprintf("Usage: %s\n\n%s\n", line, strings.TrimSpace(c.text))
	if flags.HasFlags() {
		text += "\nFlags:\n" + flags.FlagUsagesWrapped(columns)
	}
	_, err := io.WriteString(w, folded(text, columns)+fmt.Sprintf("\nExample:\n  %s\n", c.example))
	return err
}

// want checks the number of arguments of a command.
func want(command string, args []string, least, most int, what string) error {
	if len(args) < least || len(args) > most {
		got := fmt.Sprint(len(args))
		if len(args) == 0 {
			got = "none"
		}
		if i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, "=") }); i >= 0 {
			got += "; did you mean --set " + args[i] + "?"
		}
		return &usageError{command, fmt.Sprintf("wants %s, got %s", what, got)}
	}
	return nil
}
