package laws

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
)

// Command is the program: it executes the arguments and returns the exit status.
type Command func(args []string, out, errs *bytes.Buffer) int

// lab is the place where cases run: its own folder, and the program.
type lab struct {
	dir     string
	command Command
	written map[string]string // files in the folder, by name
	schema  schema
}

func newLab(dir string, command Command) (*lab, error) {
	rules, err := scenarioSchema()
	return &lab{dir: dir, command: command, written: map[string]string{}, schema: rules}, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// file is the path of a file of the lab.
func (l *lab) file(name string) string { return filepath.Join(l.dir, name) }

// lay writes the files of a case into the folder, and removes the files of other cases.
func (l *lab) lay(c Case) error {
	files := maps.Clone(c.Files)
	if files == nil {
		files = map[string]string{}
	}
	files[scenarioName] = c.Scenario.yaml()
	for _, name := range sortedKeys(l.written) {
		if _, ok := files[name]; !ok {
			if err := os.Remove(l.file(name)); err != nil {
				return err
			}
			delete(l.written, name)
		}
	}
	for _, name := range sortedKeys(files) {
		if l.written[name] == files[name] {
			continue
		}
		if err := os.WriteFile(l.file(name), []byte(files[name]), 0o666); err != nil {
			return err
		}
		l.written[name] = files[name]
	}
	return nil
}

// crash is a panic of the program.
type crash struct {
	value any
	place string // the first line of the program on the stack
}

func (c *crash) Error() string { return fmt.Sprintf("panic at %s: %v", c.place, c.value) }

// catch turns a panic, also one that is an error already, into a crash.
func catch(err *error) {
	var caught *sim.Panic
	if value := recover(); value != nil {
		*err = &crash{value, panicPlace(string(debug.Stack()))}
	} else if errors.As(*err, &caught) {
		*err = &crash{caught.Value, panicPlace(string(caught.Stack))}
	}
}

// crashed is the status of the program where it panicked.
const crashed = 3

// ownCode matches a line of the program in a stack, except in this package and in tests.
var ownCode = regexp.MustCompile(`/((?:sim|network|nodes|workloads|scenarios|cmd)/[a-z/_]+\.go):\d+`)

// panicPlace finds where a panic came from.
func panicPlace(stack string) string {
	_, after, _ := strings.Cut(stack, "panic(")
	for _, m := range ownCode.FindAllStringSubmatch(after, -1) {
		if !strings.Contains(m[1], "cmd/dev/laws") {
			return m[1]
		}
	}
	return "an unknown place"
}

// load reads a case as the program does.
func (l *lab) load(c Case) (study *scenarios.Study, err error) {
	defer catch(&err)
	if err := l.lay(c); err != nil {
		return nil, err
	}
	return scenarios.Load(l.file(scenarioName), c.Settings)
}

// run runs the first run of a case.
func (l *lab) run(c Case, o nodes.Options) (outcome *outcomes.Outcome, err error) {
	defer catch(&err)
	study, err := l.load(c)
	if err != nil {
		return nil, err
	}
	return study.Runs[0].Run(o)
}

// call runs the program on a case; the case's file and settings follow the name of
// the command.
func (l *lab) call(c Case, command string, flags ...string) (out, errs string, status int, err error) {
	if err := l.lay(c); err != nil {
		return "", "", 0, err
	}
	args := append([]string{command, l.file(scenarioName)}, c.flags()...)
	return l.raw(append(args, flags...)...)
}

// raw runs the program.
func (l *lab) raw(args ...string) (out, errs string, status int, err error) {
	defer catch(&err)
	var o, e bytes.Buffer
	if status = l.command(args, &o, &e); status == crashed {
		what, stack, _ := strings.Cut(e.String(), "\n")
		err = &crash{what, panicPlace(stack)}
	}
	return o.String(), e.String(), status, err
}

// take returns a file that a run wrote, and removes it.
func (l *lab) take(name string) (string, error) {
	text, err := os.ReadFile(l.file(name))
	if err == nil {
		err = os.Remove(l.file(name))
	}
	if err != nil {
		return "", fmt.Errorf("the run wrote no %s: %w", name, err)
	}
	return string(text), nil
}
