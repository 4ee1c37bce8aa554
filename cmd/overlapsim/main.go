// Command overlapsim simulates clusters to show how much communication hides behind
// computation, and what keeps the rest exposed.
package main

import "overlapsim/cmd/cli"

func main() { cli.Main() }
