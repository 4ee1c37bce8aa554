package cli

import "github.com/spf13/pflag"

// helpCommand is set when the program starts: it names all commands, and is one of them.
var helpCommand = command{
	name:    "help",
	args:    "[COMMAND]",
	title:   "explain a command",
	text:    "Prints the help of a command, or the list of commands.",
	example: "overlapsim help run",
}

func init() {
	helpCommand.setup = func(*pflag.FlagSet) action {
		return func(c *call, args []string) error {
			if err := want("help", args, 0, 1, "at most one command"); err != nil {
				return err
			}
			if len(args) == 0 {
				return overview(c.out)
			}
			cmd, ok := lookup(args[0])
			if !ok {
				return &usageError{"help", unknown("command", args[0], commandNames(), titleOf)}
			}
			return cmd.help(c.out)
		}
	}
}
