// Package cli has all commands of overlapsim. A main function of another module that registers
// workloads, topologies or fabrics, and then calls Main, has the commands with these too.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/sim"
	"overlapsim/workloads"
	"overlapsim/workloads/inputs"
	_ "overlapsim/workloads/inputs/parquet" // of users
)

// Main executes the command line of the process and ends the process. Kinds of another module must
// be registered before. The program may be started again for more processes of a sweep: do nothing
// else in main.
func Main() {
	handleSignals()
	collectLater()
	watchMemory(os.Stderr)
	status := Run(os.Args[1:], os.Stdout, os.Stderr)
	if status == interrupted {
		die(os.Interrupt)
	}
	os.Exit(status)
}

// Exit statuses.
const (
	done    = 0
	failed  = 1 // the run or a check failed
	wrong   = 2 // bad usage or bad input
	crashed = 3 // a fault of the program
	// interrupted is the status that shells give to a program that ^C ended; the results
	// are partial.
	interrupted = 130
)

// Run executes a command line and returns the exit status.
func Run(args []string, out, errors io.Writer) int {
	said := newPrintable(errors)
	err := dispatch(args, &call{out: newPrintable(out), errors: said, before: inputs.All()})
	if err == nil {
		return done
	}
	if fault := faultOf(err); fault != nil {
		sayFault(said, args, fault)
		return crashed
	}
	sayError(said, err.Error())
	return status(err)
}

// call holds the outputs that a command may use.
type call struct {
	out, errors *printable
	flags       *pflag.FlagSet // nil: it names no files
	before      []string       // files that the process has read before
}

// usageError is a mistake in how a command was called.
type usageError struct {
	command string // "" when it is the command's name
	message string
}

func (e *usageError) Error() string {
	name, help := "overlapsim", "overlapsim help"
	if e.command != "" {
		name, help = name+" "+e.command, help+" "+e.command
	}
	return fmt.Sprintf("%s: %s\nSee '%s'.", name, e.message, help)
}

// inputError is a mistake in a file without line numbers.
type inputError struct{ message string }

func (e *inputError) Error() string { return e.message }

// unreadable says that a file cannot be read, and why.
func unreadable(file string, err error) error {
	return &inputError{fmt.Sprintf("%s: cannot be read: %s", file, keys.ReasonOf(err))}
}

func status(err error) int {
	var usage *usageError
	var input *inputError
	var problems keys.Problems
	var stopped *stoppedError
	if errors.As(err, &stopped) {
		return interrupted
	}
	if errors.As(err, &usage) || errors.As(err, &input) || errors.As(err, &problems) || ofFiles(err) {
		return wrong
	}
	return failed
}

// ofFiles tells whether an error is of the file system, such as a disk that is full.
func ofFiles(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

// dispatch finds the command and runs it.
func dispatch(args []string, c *call) (err error) {
	defer sim.Catch("overlapsim", &err)
	if len(args) == 0 {
		return overview(c.out)
	}
	switch args[0] {
	case "-h", "--help":
		return overview(c.out)
	case "--version":
		args = []string{"version"}
	}
	cmd, ok := lookup(args[0])
	if !ok {
		return &usageError{"", unknownCommand(args[0])}
	}
	flags := newFlags(cmd.name)
	action := cmd.setup(flags)
	c.flags = flags
	if err := flags.ParseAll(args[1:], once(flags)); errors.Is(err, pflag.ErrHelp) {
		return cmd.help(c.out)
	} else if err != nil {
		return &usageError{cmd.name, flagMistake(err, flags, args[1:])}
	}
	if err := apart(cmd.name, flags); err != nil {
		return err
	}
	if asksOfPictures(flags) {
		return explainPictures(c.out)
	}
	return action(c, flags.Args())
}

// once sets a flag. It refuses another value for one that has a single value.
func once(flags *pflag.FlagSet) func(*pflag.Flag, string) error {
	return func(f *pflag.Flag, value string) error {
		before := f.Value.String()
		again := f.Changed
		if err := flags.Set(f.Name, value); err != nil {
			return err
		}
		if _, many := f.Value.(pflag.SliceValue); many || !again || f.Value.String() == before {
			return nil
		}
		several := ""
		if f.Name == "machine" {
			several = fmt.Sprintf("; 'overlapsim compare SCENARIO --machines %s,%s' runs both", before, f.Value)
		}
		return fmt.Errorf("--%s is given twice, as %s and %s%s", f.Name, before, f.Value, several)
	}
}

// newFlags returns an empty set of flags that reports mistakes to its caller.
func newFlags(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.SortFlags = false
	return flags
}

// unknown says that a name is not known, and suggests similar names, or those whose
// description contains it.
func unknown(what, name string, choices []string, of func(choice string) string) string {
	return fmt.Sprintf("unknown %s %s, %s", what, name, keys.InsteadOf(name, choices, of))
}

// unknownCommand says what is meant by a command that is not known: another one, or to run what is named.
func unknownCommand(name string) string {
	if _, err := os.Stat(name); err == nil || slices.Contains(files.Scenarios(), name) || slices.Contains(workloads.Names(), name) {
		return fmt.Sprintf("unknown command %s, did you mean 'overlapsim run %[1]s'?", name)
	}
	if path := files.Meant(name); path != "" && len(keys.CalledHere(name, commandNames())) == 0 && keys.Nearest(name, commandNames()) == "" {
		return fmt.Sprintf("unknown command %s, did you mean 'overlapsim run SCENARIO --set %s=VALUE'?", name, path)
	}
	return unknown("command", name, commandNames(), titleOf)
}

// undescribed is the description of choices that have none.
func undescribed(string) string { return "" }

// flagMistake explains a mistake in a flag.
func flagMistake(err error, flags *pflag.FlagSet, args []string) string {
	var missing *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		return unknownFlag(missing, flags, args)
	case errors.As(err, &value) && value.GetFlag().Value.Type() == "uint64":
		return fmt.Sprintf("--%s must be a whole number, got %s", value.GetFlag().Name, value.GetValue())
	case errors.As(err, &value) && value.GetFlag().Value.Type() == "bool":
		return fmt.Sprintf("--%s takes no value, got %s", value.GetFlag().Name, value.GetValue())
	}
	return err.Error()
}

// unknownFlag says what is meant by a flag that is not known: another flag, or a key that --set sets.
func unknownFlag(missing *pflag.NotExistError, flags *pflag.FlagSet, args []string) string {
	word := missing.GetSpecifiedName()
	name := "--" + word
	if short := missing.GetSpecifiedShortnames(); short != "" {
		word, name = "", "-"+short
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	path, other := files.Meant(word), withFlag(word)
	if short := missing.GetSpecifiedShortnames(); files.Meant(short) == "ranks" {
		path = "ranks"
	}
	ofRanks := path == "ranks"
	if ofRanks || path == "machine.nodes" {
		if key := files.RanksKey(args); key != "ranks" {
			ofRanks, path = true, key
		}
	}
	switch {
	case ofRanks && path == "":
		return fmt.Sprintf("unknown flag %s; what was recorded runs on its ranks; --set processes_per_node=VALUE changes the nodes", name)
	case word == "no-advice" && flags.Lookup("set") != nil:
		return fmt.Sprintf("unknown flag %s; the command makes no re-runs to explain a run, leave it out", name)
	case path == "machine.nodes" && slices.Contains(names, "--set"):
		return fmt.Sprintf("unknown flag %s; ranks fill as many nodes: --set ranks=VALUE --set processes_per_node=VALUE", name)
	case other != "" && path == "" && len(keys.CalledHere(word, names)) == 0:
		return fmt.Sprintf("unknown flag %s; 'overlapsim %s' has it", name, other)
	case len(names) == 0:
		return fmt.Sprintf("unknown flag %s; the command has no flags", name)
	case path != "" && slices.Contains(names, "--set") && (ofRanks || len(keys.CalledHere(word, names)) == 0):
		return fmt.Sprintf("unknown flag %s, did you mean --set %s=VALUE?", name, path)
	}
	return unknown("flag", name, names, func(name string) string { return flags.Lookup(name[2:]).Usage })
}

// withFlag is the first command that has a flag; "": none has.
func withFlag(name string) string {
	for _, c := range commands() {
		flags := newFlags(c.name)
		c.setup(flags)
		if f := flags.Lookup(name); f != nil && !f.Hidden {
			return c.name
		}
	}
	return ""
}
