// Command shake-papers changes all numbers of the machines of a paper at random, by up to
// a factor of 4, and counts in how many draws each claim holds. A claim that holds in all
// is no prediction: it follows from how the programs are built. In a second round it
// changes what fits found, in a third what they did not find, with a third of the draws each.
// With the word predicted it draws in the first round alone, and judges predictions and the
// claims that were drawn before. It writes scenarios/papers/shaken/PAPER.yaml.
//
//	go run ./cmd/dev/shake-papers probes 8
//	go run ./cmd/dev/shake-papers smt 8 predicted
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"overlapsim/scenarios/papers"
)

const usage = `usage: go run ./cmd/dev/shake-papers PAPER DRAWS [predicted]

Multiplies the numbers of a paper's machines by random factors from 1/4 to 4, and
counts in how many draws each claim holds: all numbers, those that were fitted,
and the others. With the word predicted it draws only for predictions. Writes
scenarios/papers/shaken/PAPER.yaml. Takes tens of minutes, smt hours.

Example: go run ./cmd/dev/shake-papers probes 8
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	draws, ok := 0, false
	if flag.NArg() > 1 {
		draws, ok = count(flag.Arg(1))
	}
	predicted := flag.NArg() == 3 && flag.Arg(2) == "predicted"
	if !ok || flag.NArg() != 2 && !predicted {
		flag.Usage()
		os.Exit(2)
	}
	if err := shake(flag.Arg(0), draws, predicted, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func count(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// shake writes the result file of a paper.
func shake(name string, draws int, predicted bool, log io.Writer) error {
	p, err := papers.Load(name)
	if err != nil {
		return err
	}
	result, err := p.ShakeAgain(draws, predicted, papers.Simulate, func(s papers.Shaking, draw int) {
		fmt.Fprintf(log, "%s: %s, draw %d\n", name, s, draw)
	})
	if err != nil {
		return err
	}
	text, err := result.Marshal()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("scenarios", "papers", "shaken", name+".yaml"), text, 0o666)
}
