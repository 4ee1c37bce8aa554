package laws

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"overlapsim/scenarios/keys"
)

// Statuses of the program.
const (
	statusDone   = 0
	statusFailed = 1
	statusWrong  = 2
)

// mistake is a line about a mistake in the input, or in the flags.
var mistake = regexp.MustCompile(`^(\S*\.(yaml|map|csv):\d+(:\d+)?: |--set |--over |overlapsim [a-z]+: |See 'overlapsim help [a-z]+'|case takes no time)`)

// failures are the messages of runs that may fail: they cannot end, or take too long.
var failures = regexp.MustCompile(`deadlock:|rank \d+ never receives|rank \d+ posts a receive|more than 53 days`)

// Flags of run, each alone, and two together.
var runFlags = [][]string{
	{}, {"--gradient"}, {"--per-rank"}, {"--json"},
	{"--json", "--per-rank"}, {"--json", "--gradient"}, {"--json", "--per-rank", "--gradient"},
}

// Flags that ask for a file.
var fileFlags = []string{"--html", "--figure", "--trace"}

func status(t *trial) error {
	flags := one(t.draw, runFlags)
	if t.chance(0.3) {
		const file = "case.pdf"
		flags = []string{one(t.draw, fileFlags), t.lab.file(file)}
		defer t.lab.take(file)
	}
	if t.chance(0.8) { // it is made of more runs
		flags = append(slices.Clone(flags), "--no-advice")
	}
	out, errs, code, err := t.lab.call(t.Case, "run", flags...)
	if err != nil {
		return err
	}
	return t.ends(out, errs, code)
}

// strangeValues are what any key or group may be given by mistake.
var strangeValues = []string{"none", "x2", "x0", "x-1", "x", "{}", "[]", "[{}]", "~", `""`, "true"}

// longestTime is the last time that there is.
const longestTime = "9223372036854775807ps"

// strange gives one or two keys or groups of the case, mostly of those that it has, a strange value.
func strange(t *trial) error {
	c := t.strangely()
	out, errs, code, err := t.lab.call(c, "run", slices.Concat(one(t.draw, runFlags), []string{"--no-advice"})...)
	if err == nil {
		err = t.ends(out, errs, code)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", c.Settings, err)
	}
	return nil
}

// strangely is the case with strange values.
func (t *trial) strangely() Case {
	c := t.Case.clone()
	for range 1 + t.IntN(2) {
		path, k := t.keyOrGroup()
		value := one(t.draw, strangeValues)
		if k.Is == keys.Time && t.chance(0.2) {
			value = longestTime
		}
		s := steps(path)
		within, given := c.Scenario.at(s[:len(s)-1]...), scalar(value)
		if within != nil && within.form == mappingForm && t.chance(0.5) {
			if tree, err := read([]byte(value)); err == nil {
				given = tree
			}
			within.put(s[len(s)-1], given)
		} else {
			c.Settings = append(c.Settings, path+"="+value)
		}
	}
	return c
}

// studied are values that optimize tries of any key.
var studied = []string{"x0.5,x2", "0,1,2", "1..4", "1us,0s,x-1", "x1e30,x1", "none,x1", longestTime + ",x1"}

// studies runs a command that runs the case again.
func studies(t *trial) error {
	c := t.Case
	if t.chance(0.4) {
		c = t.strangely()
	}
	path, _ := t.keyOrGroup()
	args := one(t.draw, [][]string{{"gradient"}, {"potential"}, {"optimize", "--over", path + "=" + one(t.draw, studied)}, {"optimize", "--over", path}})
	args = append(slices.Clone(args), "--json")
	out, errs, code, err := t.lab.call(c, args[0], args[1:]...)
	if err == nil {
		err = t.ends(out, errs, code)
	}
	if err == nil && code == statusDone {
		var value any
		if err = json.Unmarshal([]byte(out), &value); err == nil {
			err = timesIn(value, "")
		}
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", args, c.Settings, err)
	}
	return nil
}

// timesIn finds a time that is negative.
func timesIn(value any, key string) error {
	switch v := value.(type) {
	case float64:
		if v < 0 && strings.HasSuffix(key, "_s") && key != "slope_s" && key != "time_s" { // slopes, and what a demand of bytes would save
			return fmt.Errorf("%s is %g", key, v)
		}
	case []any:
		for _, item := range v {
			if err := timesIn(item, key); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if err := timesIn(v[name], name); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyOrGroup returns a key or a group of a scenario, of its machine or of its workload, and its path.
func (t *trial) keyOrGroup() (path string, k *key) {
	table, path := t.tables.scenario, ""
	switch {
	case t.chance(0.7):
		table, path = t.tables.machine, "machine."
	case t.chance(0.5) && t.scenario() != nil:
		table, path = t.tables.workloads[t.scenario().Kind], "workload."
	}
	for len(table) > 0 {
		k = one(t.draw, table)
		path += k.name
		if table = k.inside; t.chance(0.3) {
			break
		}
		path += "."
	}
	return strings.TrimSuffix(path, "."), k
}

// ends checks how a command ended.
func (t *trial) ends(out, errs string, code int) error {
	if at := strings.IndexFunc(out+errs, controls); at >= 0 {
		return fmt.Errorf("a terminal is told something: %.40q", (out + errs)[at:])
	}
	switch code {
	case statusDone:
		if errs != "" || out == "" {
			return fmt.Errorf("status 0 with %q on the standard error and %d bytes of output", errs, len(out))
		}
	case statusFailed:
		if !failures.MatchString(errs) {
			return fmt.Errorf("status 1, and it is no deadlock: %s", t.bare(errs))
		}
	case statusWrong:
		for line := range strings.Lines(errs) {
			if !mistake.MatchString(strings.ReplaceAll(line, t.lab.dir+"/", "")) {
				return fmt.Errorf("status 2 without a place: %s", t.bare(line))
			}
		}
		if errs == "" || out != "" {
			return fmt.Errorf("status 2 with %d bytes of output, and %q", len(out), errs)
		}
	default:
		return fmt.Errorf("status %d", code)
	}
	return nil
}

// controls tells whether a terminal obeys a character.
func controls(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
}

// bare returns a message without the folder of the lab.
func (t *trial) bare(message string) string {
	return strings.TrimSpace(strings.ReplaceAll(message, t.lab.dir+"/", ""))
}

// prints runs a command that must not fail, since the case runs.
func (t *trial) prints(command string, flags ...string) (string, error) {
	if _, err := t.runs(); err != nil {
		return "", err
	}
	out, errs, code, err := t.lab.call(t.Case, command, flags...)
	if err == nil && code == statusWrong && len(t.study.Runs) > 1 {
		return "", errNotFor // the first run is right, and another one is not
	}
	if _, unknown := t.explained(); err == nil && code == statusWrong && errors.Is(unknown, errNotFor) {
		return "", errNotFor // no critical path of such a run is known
	}
	if err == nil && code != statusDone {
		err = fmt.Errorf("%s %s: status %d of a scenario that runs: %s", command, strings.Join(flags, " "), code, t.bare(errs))
	}
	return out, err
}

// mayBeNull are the values of JSON that are not always known.
var mayBeNull = map[string]bool{"value": true, "derivative": true, "computation_alone_s": true, "communication_alone_s": true, "exposed_s": true,
	"hidden_s": true, "overlap": true, "efficiency": true, "noise": true}

func jsonNumbers(t *trial) error {
	flags := []string{"--json"}
	if s := t.scenario(); s != nil && s.Program != nil {
		flags = one(t.draw, runFlags[3:])
	}
	if t.chance(0.8) {
		flags = append(slices.Clone(flags), "--no-advice")
	}
	out, err := t.prints("run", flags...)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal([]byte(out), &value); err != nil {
		return fmt.Errorf("JSON does not parse: %w", err)
	}
	return numbersIn(value, "")
}

// numbersIn finds a null in place of a number.
func numbersIn(value any, key string) error {
	switch v := value.(type) {
	case nil:
		if !mayBeNull[key] {
			return fmt.Errorf("%s is null", key)
		}
	case []any:
		for _, item := range v {
			if err := numbersIn(item, key); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if err := numbersIn(v[name], name); err != nil {
				return err
			}
		}
	}
	return nil
}

func again(t *trial) error {
	first, err := t.prints("run", "--json", "--per-rank", "--no-advice")
	if err != nil {
		return err
	}
	second, err := t.prints("run", "--json", "--per-rank", "--no-advice")
	if err != nil || first != second {
		return differs("the second run", first, second, err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone, err := t.prints("run", "--json", "--per-rank", "--no-advice")
	if err != nil || first != alone {
		return differs("the run on one core", first, alone, err)
	}
	return nil
}

// differs says where two texts differ.
func differs(what, a, b string, err error) error {
	if err != nil {
		return err
	}
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Errorf("%s differs: %s, not %s", what, strings.TrimSpace(lb[i]), strings.TrimSpace(la[i]))
		}
	}
	return fmt.Errorf("%s is longer or shorter", what)
}

// sense is the largest elasticity that is meaningful.
const sense = 100

func gradientCommand(t *trial) error {
	o, err := t.runs()
	if err != nil || t.scenario().Program == nil || o.Result.Makespan() == 0 || len(t.study.Runs) > 1 {
		return errNotFor
	}
	out, err := t.prints("gradient", "--json")
	if err != nil {
		return err
	}
	var record struct {
		Gradient map[string]struct{ Elasticity float64 }
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		return fmt.Errorf("JSON does not parse: %w", err)
	}
	for _, name := range sortedKeys(record.Gradient) {
		if e := record.Gradient[name].Elasticity; math.Abs(e) > sense {
			return fmt.Errorf("%s has an elasticity of %g", name, e)
		}
	}
	return nil
}

func schemaAccepts(t *trial) error {
	file := Case{Scenario: t.Scenario.clone(), Files: t.Files} // without what takes the place of a wrong value
	for _, over := range []string{"changes", "runs"} {
		file.Scenario.drop(over)
	}
	if _, err := t.lab.load(file); t.loaded != nil || err != nil {
		return errNotFor
	}
	return t.lab.schema.accepts(t.overridden())
}

// overridden is the scenario without the values of its machine that a run does not
// read, because the scenario has others in their place.
func (t *trial) overridden() *Tree {
	scenario := t.Scenario.clone()
	for _, group := range []string{"topology", "fabric"} {
		if over := scenario.at(group); over != nil {
			for _, key := range over.keys {
				scenario.drop("machine", group, key)
			}
		}
	}
	return scenario
}

// exported matches the message of export.
var exported = regexp.MustCompile(`([0-9,]+) ranks, [0-9,]+ operations, ([0-9,]+) messages`)

func exportReplay(t *trial) error {
	if _, err := t.runs(); err != nil || len(t.study.Runs) > 1 {
		return errNotFor
	}
	const file = "case.goal"
	out, _, code, err := t.lab.call(t.Case, "export", "--goal", t.lab.file(file))
	if err != nil {
		return err
	}
	if code != statusDone {
		return errNotFor
	}
	defer t.lab.take(file)
	said := exported.FindStringSubmatch(out)
	if said == nil {
		return errors.New("export does not say how many ranks and messages there are")
	}
	record, err := t.replay(file)
	if err != nil {
		return err
	}
	if ranks, messages := commas(uint64(record.Ranks)), commas(record.Messages); ranks != said[1] || messages != said[2] {
		return fmt.Errorf("replay has %s ranks and %s messages, export wrote %s and %s", ranks, messages, said[1], said[2])
	}
	return nil
}

// replayed is the part of a replay that the law compares.
type replayed struct {
	Ranks    int
	Messages uint64
}

// replay runs a schedule of the lab.
func (t *trial) replay(file string) (r replayed, err error) {
	out, errs, code, err := t.lab.raw("replay", t.lab.file(file), "--json")
	if err != nil {
		return r, err
	}
	if code != statusDone {
		return r, fmt.Errorf("replay: status %d: %s", code, t.bare(errs))
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return r, fmt.Errorf("JSON of replay does not parse: %w", err)
	}
	return r, nil
}

// commas writes a number as the program's output does.
func commas(n uint64) string {
	digits := fmt.Sprint(n)
	var out bytes.Buffer
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(c)
	}
	return out.String()
}
