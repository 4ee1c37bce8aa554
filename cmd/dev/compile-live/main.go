// Command compile-live compiles the simulator for pages into a folder, such as scenarios/live/compiled, before a program that
// carries it is built.
package main

import (
	"fmt"
	"os"

	"overlapsim/scenarios/live/compiled"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compile-live FOLDER")
		os.Exit(2)
	}
	if err := compiled.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "compile-live:", err)
		os.Exit(1)
	}
}
