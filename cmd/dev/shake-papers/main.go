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
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"overlapsim/scenarios/papers"
)

func main() {
	draws, ok := 0, false
	if len(os.Args) > 2 {
		draws, ok = count(os.Args[2])
	}
	predicted := len(os.Args) == 4 && os.Args[3] == "predicted"
	if !ok || len(os.Args) != 3 && !predicted {
		fmt.Fprintln(os.Stderr, "usage: shake-papers PAPER DRAWS [predicted], at the root of the project")
		os.Exit(2)
	}
	if err := shake(os.Args[1], draws, predicted, os.Stderr); err != nil {
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
