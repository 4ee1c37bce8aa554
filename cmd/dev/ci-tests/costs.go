package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// listed is how many tests are listed.
const listed = 10

// cost is what a test costs by itself.
type cost struct {
	test      string
	processor time.Duration // also of the processes that it starts
	clock     time.Duration
}

// costs runs each test of packages by itself and lists the most expensive ones. Processor time does not depend on what else runs.
func costs(packages []string) error {
	folder, err := os.MkdirTemp("", "ci-tests")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	places, err := lines("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)...)
	if err != nil {
		return err
	}
	var all []cost
	for _, line := range places {
		of, dir, _ := strings.Cut(line, " ")
		some, err := costsOf(of, dir, filepath.Join(folder, "tests"))
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b cost) int { return cmp.Compare(b.processor, a.processor) })
	sum := time.Duration(0)
	for _, c := range all {
		sum += c.processor
	}
	fmt.Printf("%d tests by themselves: %.0f s of processor time; the most expensive\n", len(all), sum.Seconds())
	for _, c := range all[:min(listed, len(all))] {
		fmt.Printf("%7.1f s of processor time, %5.1f s: %s\n", c.processor.Seconds(), c.clock.Seconds(), c.test)
	}
	return nil
}

// costsOf runs the tests of a package in its folder.
func costsOf(of, dir, binary string) ([]cost, error) {
	if said, err := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, of).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", of, err, said)
	}
	names, err := lines(binary, "-test.list", "^(Test|Example|Fuzz)")
	if err != nil {
		return nil, err
	}
	var all []cost
	for _, name := range names {
		c := exec.Command(binary, "-test.run", "^"+name+"$")
		c.Dir = dir
		began := time.Now()
		if said, err := c.CombinedOutput(); err != nil {
			fmt.Printf("FAIL %s %s: %v\n%s", of, name, err, said)
		}
		all = append(all, cost{of + " " + name, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(began)})
	}
	return all, nil
}

// lines are what a command prints.
func lines(name string, args ...string) ([]string, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return s == "" }), err
}
