package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/pflag"
)

var versionCommand = command{
	name:    "version",
	title:   "print the version",
	text:    "Prints the version of the program, the Go that built it, and a checksum of the build.",
	example: "overlapsim version",
	setup: func(*pflag.FlagSet) action {
		return func(c *call, args []string) error {
			if err := want("version", args, 0, 0, "no arguments"); err != nil {
				return err
			}
			_, err := fmt.Fprintln(c.out, version())
			return err
		}
	},
}

// version describes the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "overlapsim, unknown version"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	return fmt.Sprintf("overlapsim %s%s%s, %s%s", info.Main.Version, revision, dirty, info.GoVersion, build())
}

// build identifies the program file, so that builds of sources outside version control can
// be told apart; "" if it cannot be read.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return fmt.Sprintf(", build %x", sum.Sum(nil)[:6])
}
