package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
)

var versionCommand = command{
	name:    "version",
	title:   "print the version",
	text:    "Prints the version with its commit, whether its sources had changes, the Go that\nbuilt it and for what, and a checksum of the build.",
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
		case s.Key == "vcs.revision" && !strings.Contains(info.Main.Version, s.Value[:min(12, len(s.Value))]):
			revision = " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	return fmt.Sprintf("overlapsim %s%s%s%s, %s %s/%s%s", within(info.Main.Path), strings.TrimSuffix(info.Main.Version, "+dirty"), revision,
		dirty, info.GoVersion, runtime.GOOS, runtime.GOARCH, build())
}

// within names the module of the program if it is another one, to which version and revision then belong.
func within(module string) string {
	if module == "overlapsim" || module == "" {
		return ""
	}
	return "in " + module + " "
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
	start := make([]byte, 8<<10)
	if _, err := io.ReadFull(f, start); err != nil {
		return ""
	}
	sum := sha256.New()
	sum.Write(start)
	if !identified(start) {
		if _, err := io.Copy(sum, f); err != nil {
			return ""
		}
	}
	return fmt.Sprintf(", build %x", sum.Sum(nil)[:6])
}

// identified tells whether the start of a program file holds what the go command writes there: a
// hash of all that went into the file, and a hash of its bytes. It is a note of the owner "Go" in
// the files of Linux, and a text in files of other systems. A linker may be told to write none.
func identified(start []byte) bool {
	return bytes.Contains(start, []byte("Go\x00\x00")) || bytes.Contains(start, []byte("\xff Go build ID: \""))
}
