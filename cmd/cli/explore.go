package cli

import (
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/pflag"
)

// playgroundName is the scenario that explore opens if none is named.
const playgroundName = "playground"

var exploreCommand = command{
	name:  "explore",
	args:  "[THING]",
	title: "open a report that runs what you change in it",
	text: "Runs what 'run' runs (default: a playground), writes a report with the simulator\n" +
		"in it ('run --html FILE --live'), and opens it in a browser if the command\n" +
		"runs in a terminal. The report needs no network and no overlapsim: mail it.",
	example: "overlapsim explore playground --set workload.bytes=1MiB",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("explore", newFlags("explore"))
		r.live, r.htmlFile = new(true), outputFlag(flags, "html", "write the report to `FILE` (default explore.html)")
		r.pictures = newPictures(flags)
		r.json = flags.Bool("json", false, "print JSON, as 'run' does: times in seconds, sizes in bytes")
		closed := flags.Bool("no-open", false, "open nothing")
		given := newGiven("explore", flags)
		return func(c *call, args []string) error {
			if err := want("explore", args, 0, 1, "at most one thing to run"); err != nil {
				return err
			}
			settings, err := given.settings()
			if err != nil {
				return err
			}
			name := playgroundName
			if len(args) == 1 {
				name = args[0]
			}
			study, err := loadRuns(name, given.run, settings)
			if err != nil {
				return given.written(err)
			}
			if study, err = oneRun("explore", "a report that runs", study, ""); err != nil {
				return err
			}
			if *r.htmlFile == "" {
				*r.htmlFile = "explore.html"
			}
			r.typed, r.playground = given.typed(name), name == playgroundName
			quiet := c.unfiled()
			if !*r.json {
				quiet.out = newPrintable(io.Discard)
			}
			if err := r.run(quiet, study); err != nil {
				return given.written(err)
			}
			err = c.files()
			if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && !*closed {
				open(*r.htmlFile)
			}
			return err
		}
	},
}

// open opens a file as a click on it does, if the system has a command for that. The path is printed anyway.
func open(file string) {
	words := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if words == nil {
		words = []string{"xdg-open"}
	}
	_ = exec.Command(words[0], append(words[1:], file)...).Start()
}
