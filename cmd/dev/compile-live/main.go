// Command compile-live compiles the simulator for pages into a folder, such as scenarios/live/compiled, before a program that
// carries it is built.
package main

import (
	"flag"
	"fmt"
	"os"

	"overlapsim/scenarios/live/compiled"
)

const usage = `usage: go run ./cmd/dev/compile-live FOLDER

Compiles the simulator for reports into a folder. A program that is built with
scenarios/live/compiled/built carries it.
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := compiled.Write(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "compile-live:", err)
		os.Exit(1)
	}
}
