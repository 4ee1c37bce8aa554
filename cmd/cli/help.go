package cli

import (
	"slices"

	"github.com/spf13/pflag"
)

// helpCommand is set when the program starts: it names all commands, and is one of them.
var helpCommand = command{
	name:    "help",
	args:    "[COMMAND]",
	title:   "explain a command",
	text:    "Prints the help of a command, or the list of commands. With --json it prints all\ncommands with their flags, for programs.",
	example: "overlapsim help run",
}

func init() {
	helpCommand.setup = func(flags *pflag.FlagSet) action {
		asJSON := flags.Bool("json", false, "print JSON")
		return func(c *call, args []string) error {
			if err := want("help", args, 0, 1, "at most one command"); err != nil {
				return err
			}
			if len(args) == 1 {
				if _, ok := lookup(args[0]); !ok {
					if list := listOf(args[0]); list != "" {
						return &usageError{"help", "wants a command, got a kind of names; " + list}
					}
					return &usageError{"help", unknownCommand(args[0])}
				}
			}
			switch {
			case *asJSON:
				return writeJSON(c.out, describe(args))
			case len(args) == 0:
				return overview(c.out)
			}
			cmd, _ := lookup(args[0])
			return cmd.help(c.out)
		}
	}
}

// commandList are commands as help --json prints them.
type commandList struct {
	Commands []describedCommand `json:"commands"`
}

type describedCommand struct {
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Title     string          `json:"title"`
	Text      string          `json:"text"`
	Flags     []describedFlag `json:"flags"`
	Example   string          `json:"example"`
}

type describedFlag struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // what it takes, such as FILE; "": nothing
	Text    string `json:"text"`
	Default string `json:"default,omitempty"`
}

// describe describes the commands of these names; none: all.
func describe(names []string) (all commandList) {
	for _, cmd := range commands() {
		if len(names) > 0 && !slices.Contains(names, cmd.name) {
			continue
		}
		flags := cmd.flags()
		one := describedCommand{cmd.name, cmd.args, cmd.title, cmd.text, []describedFlag{}, cmd.example}
		flags.VisitAll(func(f *pflag.Flag) {
			value, text := pflag.UnquoteUsage(f)
			if f.DefValue == "[]" || f.DefValue == "false" { // it is not given
				f.DefValue = ""
			}
			if !f.Hidden {
				one.Flags = append(one.Flags, describedFlag{f.Name, value, text, f.DefValue})
			}
		})
		all.Commands = append(all.Commands, one)
	}
	return all
}
