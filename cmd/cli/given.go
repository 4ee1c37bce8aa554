package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios/keys"
)

// given are the flags that say which run of a scenario is meant, and what is changed in it.
// They mean the same in every command that takes a scenario.
type given struct {
	command string
	flags   *pflag.FlagSet
	set     []string
	machine string
	phase   string
	without []string
	run     string // the name of one of several runs; "": all
}

// newGiven adds the flags to a command.
func newGiven(command string, flags *pflag.FlagSet) *given {
	g := &given{command: command, flags: flags}
	flags.StringVar(&g.run, "run", "", "the run to take, by its `NAME`, if there are several")
	flags.StringArrayVar(&g.set, "set", nil, "change a `path=value`, such as ranks=16 (repeatable)")
	flags.StringVar(&g.machine, "machine", "", "short for --set machine=`NAME`")
	flags.StringVar(&g.phase, "phase", "", "only phase `NAME` of a trace, or its loop")
	flags.StringSliceVar(&g.without, "without", nil, "take `CAUSES` away: short for --set without=[CAUSES]")
	return g
}

// typed is the command that runs a scenario as the flags change it, quoted for a shell.
func (g *given) typed(scenario string) string {
	words := []string{"overlapsim", "run", keys.ForShell(scenario)}
	g.flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "set":
			for _, setting := range g.set {
				words = append(words, "--set", keys.ForShell(setting))
			}
		case "run", "machine":
			words = append(words, "--"+f.Name, keys.ForShell(f.Value.String()))
		case "without":
			words = append(words, "--without", keys.ForShell(strings.Join(g.without, ",")))
		}
	})
	return strings.Join(words, " ")
}

// settings returns all changes as settings, path=value.
func (g *given) settings() ([]string, error) {
	all := slices.Clone(g.set)
	for _, short := range g.shorts() {
		path, _, _ := strings.Cut(short.setting, "=")
		if slices.ContainsFunc(g.set, func(s string) bool { return strings.HasPrefix(s, path+"=") }) {
			flag, _, _ := strings.Cut(short.flag, " ")
			return nil, &usageError{g.command, fmt.Sprintf("%s and --set %s are the same; give one of them", flag, path)}
		}
		all = append(all, short.setting)
	}
	return all, nil
}

// short is a flag in place of a setting.
type short struct{ flag, setting string }

// shorts are those that the user wrote.
func (g *given) shorts() (all []short) {
	if g.flags.Changed("machine") {
		all = append(all, short{"--machine " + g.machine, "machine=" + g.machine})
	}
	if g.flags.Changed("phase") {
		all = append(all, short{"--phase " + g.phase, "workload.phase=" + g.phase})
	}
	if causes := strings.Join(g.without, ","); g.flags.Changed("without") {
		all = append(all, short{"--without " + causes, "without=[" + causes + "]"})
	}
	return all
}

// written puts the flag that the user wrote into problems with a setting for which it is short.
func (g *given) written(err error) error {
	shorts := g.shorts()
	if shorts == nil {
		return err
	}
	return keys.Moved(err, func(p *keys.Problem, setting string) {
		for _, s := range shorts {
			if s.setting == setting {
				p.Place.Flag = s.flag
				if strings.HasPrefix(s.setting, "workload.phase=") && p.Kind == keys.UnknownKey {
					p.Message = "phases are of traces of MPI programs (MPI_Pcontrol); this workload has none"
				}
			}
		}
	})
}
