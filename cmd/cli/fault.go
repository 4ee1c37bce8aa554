package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"overlapsim/sim"
)

// faultOf returns the fault of the program that an error is, or nil.
func faultOf(err error) *sim.Panic {
	var caught *sim.Panic
	errors.As(err, &caught)
	return caught
}

// sayFault says that the fault is in the program and not in its input, and keeps the
// details in a file for a report.
func sayFault(out io.Writer, args []string, fault *sim.Panic) {
	details := fmt.Sprintf("%s\ncommand: overlapsim %s\n%s\n", version(), strings.Join(args, " "), fault.Error())
	fmt.Fprintf(out, "overlapsim: a fault of the program, not of its input: %s: %v\n", fault.In, fault.Value)
	file, err := keep(details)
	if err != nil {
		fmt.Fprintf(out, "Please report it with these details:\n%s", details)
		return
	}
	fmt.Fprintf(out, "Please report it, with the input and %s, which has the details.\n", file)
}

// keep writes a text to a new file and returns its name.
func keep(text string) (string, error) {
	f, err := os.CreateTemp("", "overlapsim-fault-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}
