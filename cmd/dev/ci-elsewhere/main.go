// Command ci-elsewhere checks that everything, tests included, is Go for other systems too:
//
//	ci-elsewhere darwin/arm64 windows/386
//
// It reads sources and compiles nothing, so it takes seconds where go vet takes minutes to
// compile the standard library for each system.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// home is the folder of this module, in which the command runs.
var home, _ = os.Getwd()

const usage = `usage: go run ./cmd/dev/ci-elsewhere SYSTEM/ARCHITECTURE...

Checks that all packages and tests compile for other systems, in seconds:
it checks types and compiles nothing.

Example: go run ./cmd/dev/ci-elsewhere darwin/arm64 windows/386
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	wrong := 0
	for _, system := range flag.Args() {
		wrong += check(system)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// check returns how many packages cannot be compiled for a system, and prints why.
func check(system string) (wrong int) {
	name, arch, _ := strings.Cut(system, "/")
	all, err := packages.Load(&packages.Config{
		Mode:      packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
		Env:       append(os.Environ(), "GOOS="+name, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests:     true,
		ParseFile: parse,
	}, "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, system, err)
		return 1
	}
	fmt.Println(system, len(all), "packages")
	for _, p := range all {
		for _, err := range p.Errors {
			fmt.Fprintln(os.Stderr, system, err)
			wrong++
		}
	}
	return wrong
}

// parse reads a file. Functions of other modules lose their bodies, most of what there is to
// check: only what they declare is asked for.
func parse(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	generated := !strings.HasSuffix(name, ".go") // the main function of tests
	if err == nil && !generated && !strings.HasPrefix(name, home) {
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				f.Body = nil
			}
		}
	}
	return file, err
}
