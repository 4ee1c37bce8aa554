package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/nodes/without"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/papers"
	"overlapsim/scenarios/sweep"
	"overlapsim/scenarios/validation"
	"overlapsim/workloads"
	"overlapsim/workloads/training"
)

// shells are the scripts that complete command lines by calling 'overlapsim completion --
// WORDS'. If that returns nothing, they offer files.
var shells = map[string]string{
	"bash": `_overlapsim() {
  local IFS=$'\n'
  COMPREPLY=($(overlapsim completion -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _overlapsim overlapsim
`,
	"zsh": `_overlapsim() {
  local -a all=(${(f)"$(overlapsim completion -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  (( $#all )) || { _files; return }
  compadd -S '' -- ${(M)all:#*=}
  compadd -- ${all:#*=}
}
compdef _overlapsim overlapsim
`,
	"fish": `complete -c overlapsim -a '(overlapsim completion -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
	"powershell": `Register-ArgumentCompleter -Native -CommandName overlapsim -ScriptBlock {
  param($word, $line, $at)
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $at } | ForEach-Object { "$_" }) + $word
  overlapsim completion '--' @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
}

func shellNames() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// completionCommand is filled in when the program starts, like help.
var completionCommand = command{
	name:  "completion",
	args:  "bash|zsh|fish|powershell",
	title: "print a completion script for your shell",
	text: `Prints a script for a shell, which then completes commands, flags, the names of
scenarios, machines and libraries, and the paths of --set. For bash, in .bashrc:
  source <(overlapsim completion bash)
The same for zsh, after compinit. For fish, and for PowerShell:
  overlapsim completion fish | source
  overlapsim completion powershell | Out-String | Invoke-Expression`,
	example: "overlapsim completion bash",
}

func init() {
	completionCommand.setup = func(flags *pflag.FlagSet) action {
		return func(c *call, args []string) error {
			if flags.ArgsLenAtDash() == 0 {
				for _, candidate := range candidates(args) {
					fmt.Fprintln(c.out, candidate)
				}
				return nil
			}
			if err := want("completion", args, 1, 1, "one of "+strings.Join(shellNames(), ", ")); err != nil {
				return err
			}
			script, ok := shells[args[0]]
			if !ok {
				return &usageError{"completion", unknown("shell", args[0], shellNames(), undescribed)}
			}
			_, err := fmt.Fprint(c.out, script)
			return err
		}
	}
}

// candidates returns the possible completions of the last word of a command line; none if
// any file is possible.
func candidates(words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	words, split := joined(words)
	last := words[len(words)-1]
	var all []string
	switch before := words[:len(words)-1]; {
	case len(before) == 0:
		all = commandNames()
	case strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		all = valuesOfFlag(before, last)
	case strings.HasPrefix(last, "-"):
		all = flagNames(words[0])
	default:
		all, last = arguments(before, last)
	}
	var left []string
	for _, s := range all {
		if strings.HasPrefix(s, last) {
			left = append(left, strings.TrimPrefix(s, split))
		}
	}
	return left
}

// joined returns words as other shells have them where bash has split them at "=", and the part of
// the last word that bash has as separate words.
func joined(words []string) (whole []string, split string) {
	for i, w := range words {
		after := i > 0 && words[i-1] == "=" // of what the last word of whole begins
		if n := len(whole); n > 0 && (w == "=" || after) {
			if whole[n-1] += w; i == len(words)-1 {
				split = strings.TrimSuffix(whole[n-1], w)
				if w == "=" {
					split += w
				}
			}
			continue
		}
		whole = append(whole, w)
	}
	return whole, split
}

// valuesOfFlag completes --flag=value, a single word.
func valuesOfFlag(before []string, last string) (all []string) {
	flag, value, _ := strings.Cut(last, "=")
	values, begun := arguments(append(slices.Clone(before), flag), value)
	written := strings.TrimSuffix(last, begun)
	for _, v := range values {
		all = append(all, written+v)
	}
	return all
}

// arguments returns the possible next arguments, and the part of it that is already typed.
func arguments(before []string, last string) (all []string, begun string) {
	switch before[len(before)-1] {
	case "--set", "--vary", "--over":
		if path, _, given := strings.Cut(last, "="); given {
			return valuesOf(path, path+"="), last
		}
		return paths(), last
	case "--machine", "--gpus":
		return files.Machines(), last
	case "--machines":
		return endOfList(files.Machines(), last), last
	case "--runtime":
		return files.Runtimes(), last
	case "--without":
		return endOfList(without.Names(), last), last
	case "--schema":
		return schemaKinds(), last
	case "--engine":
		return engineNames(), last
	case "--design":
		return sweep.Designs(), last
	case "--compat":
		return []string{"loggopsim"}, last
	}
	if takesValue(before[0], before[len(before)-1]) {
		return nil, last
	}
	return subjects(before[0]), last
}

// endOfList completes the last name of a list, in which commas are between names.
func endOfList(names []string, list string) (all []string) {
	before := list[:strings.LastIndexByte(list, ',')+1]
	for _, name := range names {
		all = append(all, before+name)
	}
	return all
}

// subjects returns the names that a command accepts.
func subjects(command string) []string {
	switch command {
	case "run":
		return sorted(scenarioNames(), workloads.Names(), training.ModelNames(), figureNames())
	case "compare", "sweep", "gradient", "potential", "explore", "optimize", "export":
		return sorted(scenarioNames(), workloads.Names(), training.ModelNames())
	case "overlap":
		return scenarioNames()
	case "show":
		return slices.Concat(libraryNames(), scenarioNames(), training.ModelNames())
	case "list":
		return listNames()
	case "reproduce":
		return papers.Names()
	case "validate":
		return validation.Names()
	case "help":
		return commandNames()
	case "completion":
		return shellNames()
	}
	return nil
}

// sorted returns the names of several lists, each once.
func sorted(lists ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(lists...))))
}

// scenarioNames returns the scenarios of the library and of papers.
func scenarioNames() []string {
	experiments, _, _ := papers.Experiments()
	return slices.Concat(files.Scenarios(), experiments)
}

// flagNames returns the flags of a command.
func flagNames(name string) (names []string) {
	if cmd, ok := lookup(name); ok {
		cmd.flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	}
	return names
}

// takesValue tells whether a word is a flag of the command and the next word its value.
func takesValue(command, word string) bool {
	cmd, ok := lookup(command)
	name, is := strings.CutPrefix(word, "--")
	if !ok || !is {
		return false
	}
	f := cmd.flags().Lookup(name)
	return f != nil && f.NoOptDefVal == ""
}

// paths returns the paths that --set accepts, without values.
func paths() (all []string) {
	for _, choice := range files.Choices("") {
		all = append(all, choice.Path+"=")
	}
	return all
}

// valuesOf returns the names that a path may be set to, after a prefix.
func valuesOf(path, prefix string) (all []string) {
	for _, choice := range files.Choices("") {
		if choice.Path == path {
			for _, value := range choice.Values {
				all = append(all, prefix+value)
			}
		}
	}
	return all
}
