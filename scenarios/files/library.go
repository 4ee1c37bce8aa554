package files

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/collectives"
	"overlapsim/workloads/training"
)

//go:embed machines/*.yaml runtimes/*.yaml library/*.yaml calibrations/*.yaml
var embedded embed.FS

// The folders of the library.
const (
	machineFolder     = "machines"
	scenarioFolder    = "library"
	calibrationFolder = "calibrations"
	runtimeFolder     = "runtimes"
)

// Machines returns the names of the machines of the library, sorted.
func Machines() []string { return names(machineFolder) }

// Runtimes returns the names of the communication libraries of the library,
// sorted.
func Runtimes() []string { return names(runtimeFolder) }

// Scenarios returns the names of the scenarios of the library, sorted.
func Scenarios() []string { return names(scenarioFolder) }

// First is the scenario that runs if none is named.
const First = "halo-libraries"

// names returns the names of the files in a folder of the library.
func names(folder string) []string {
	entries, err := embedded.ReadDir(folder)
	if err != nil {
		panic(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(found)
	return found
}

// library returns a file of the library.
func library(folder, name string) ([]byte, bool) {
	if strings.ContainsAny(name, "/\\") {
		return nil, false
	}
	text, err := embedded.ReadFile(path.Join(folder, name+".yaml"))
	return text, err == nil
}

// IsFile tells whether a name must be the name of a file, and cannot be one of the
// library.
func IsFile(name string) bool { return strings.ContainsAny(name, "/\\") || isYAML(name) }

// isYAML tells whether a name belongs to a file that holds a scenario or a machine.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// inLibrary is the file of a scenario of the library.
func inLibrary(name string) string { return scenarioFolder + "/" + name + ".yaml" }

// ScenarioText returns the text of a scenario of the library.
func ScenarioText(name string) ([]byte, bool) { return library(scenarioFolder, name) }

// Text returns the text of a scenario, a runtime or a machine of the library.
func Text(name string) ([]byte, bool) {
	for _, folder := range []string{scenarioFolder, runtimeFolder, machineFolder} {
		if text, ok := library(folder, name); ok {
			return text, true
		}
	}
	return nil, false
}

// titleLine is the line of a file of the library that says what it is.
var titleLine = keys.Pattern(`(?m)^title: (.*)$`)

// instead says what may be meant by a name that is none of a folder of the library, by the names and the titles there.
func instead(name, folder string) string {
	return keys.InsteadOf(name, names(folder), func(choice string) string {
		text, _ := library(folder, choice)
		if found := titleLine().FindSubmatch(text); found != nil {
			return string(found[1])
		}
		return ""
	})
}

// insteadOfScenario says what may be meant by a name that is neither a file nor a scenario: a scenario, or a workload or a
// published model, which run by their names.
func insteadOfScenario(name string) string {
	if called := keys.CalledHere(name, workloads.Names()); len(called) > 0 {
		return fmt.Sprintf("%s%s? 'overlapsim run %s' runs it", keys.DidYouMean, strings.Join(called, " or "), called[0])
	}
	if text := keys.Instead(name, training.ModelNames()); strings.HasPrefix(text, keys.DidYouMean) && keys.Nearest(name, names(scenarioFolder)) == "" {
		return text
	}
	if text := instead(name, scenarioFolder); strings.HasPrefix(text, keys.DidYouMean) {
		return text
	}
	if text := keys.InsteadOf(name, workloads.Names(), workloads.Title); strings.HasPrefix(text, keys.DidYouMean) {
		return text
	}
	return "'overlapsim list scenarios' and 'overlapsim list workloads' name what runs"
}

// operations are the names of collective operations.
func operations() (names []string) {
	for _, of := range collectives.Operations {
		names = append(names, of.Name)
	}
	return names
}
