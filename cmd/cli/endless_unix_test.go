//go:build unix

package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"overlapsim/sim/must"
)

// readers are commands that read the file FILE, by the ending that it needs.
var readers = map[string][][]string{
	"": {{"run", "traced.yaml"}, {"run", "chakra.yaml"}, {"run", "kineto.yaml"}, {"run", "mapped.yaml"}, {"run", "places.yaml"},
		{"calibrate", "FILE"}},
	".goal":    {{"replay", "FILE"}, {"run", "FILE", "--machine", "jacquard"}},
	".goal.gz": {{"replay", "FILE"}},
	".csv":     {{"validate", "contention-plafrim", "--rows", "FILE"}, {"validate", "contention-plafrim", "--fit-rows", "FILE"}},
	".json":    {{"replay", "FILE"}, {"compare", "FILE", "fig22-initiation"}},
	".yaml": {{"run", "FILE"}, {"sweep", "FILE", "--vary", "ranks=1,2"}, {"validate", "FILE"}, {"overlap", "--machine", "FILE"},
		{"run", "fig22-initiation", "--set", "machine.runtime=FILE"}, {"optimize", "FILE", "--over", "ranks=1,2"}, {"show", "FILE"}},
}

// namers are scenarios that name FILE.
var namers = map[string]string{
	"traced": "machine: jacquard\nworkload: {name: trace, file: FILE}\n",
	"chakra": "machine: dgx-h100\nworkload: {name: chakra-trace, file: FILE}\n",
	"kineto": "machine: dgx-h100\nworkload: {name: gpu-trace, file: FILE}\n",
	"mapped": "machine: jacquard\nranks: 4\nmapping: file\nmapping_file: FILE\nworkload: {name: halo}\n",
	"places": "machine: hopper\nranks: 4\nmapping: consecutive\nmapping_file: FILE\nworkload: {name: halo}\nfabric: {kind: flow}\n",
}

// endless are files that no reader may read to their end, if they have one: a device, a
// hole of a terabyte, a file that unpacks to a gibibyte, and a FIFO without a writer.
var endless = map[string]func(name string) error{
	"device": func(name string) error { return os.Symlink("/dev/zero", name) },
	"hole":   func(name string) error { return errors.Join(os.WriteFile(name, nil, 0o666), os.Truncate(name, 1<<40)) },
	"bomb":   bomb,
	"fifo":   func(name string) error { return syscall.Mkfifo(name, 0o666) },
}

// bomb writes a small file that unpacks to a gibibyte of zeros: gzip's members follow each other.
func bomb(name string) error {
	var one strings.Builder
	z := gzip.NewWriter(&one)
	z.Write(make([]byte, 1<<20))
	z.Close()
	return os.WriteFile(name, []byte(strings.Repeat(one.String(), 1<<10)), 0o666)
}

// A command refuses a file without end at once, as a mistake of the user.
func TestEndlessInputs(t *testing.T) {
	must.Long(t)
	for what, create := range endless {
		t.Run(what, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for ending, all := range readers {
				file := "it" + ending
				must.Do(t, create(file))
				for name, text := range namers {
					must.Do(t, os.WriteFile(name+".yaml", []byte(strings.ReplaceAll(text, "FILE", file)), 0o666))
				}
				for _, args := range all {
					refused(t, strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "FILE", file), "\n"))
				}
			}
		})
	}
}

// refused checks that a command ends with the status of a mistake, and says why.
func refused(t *testing.T, args []string) {
	t.Helper()
	if _, errs, status := callMain(args...); status != wrong || errs == "" {
		t.Errorf("%q: status %d, %s", args, status, errs)
	}
}

// The output of <(COMMAND) is read like a file.
func TestPipesAreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	text, _, _ := callMain("show", "fig22-initiation")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	go func() {
		io.WriteString(in, text)
		in.Close()
	}()
	said, errs, status := callMain("run", fmt.Sprintf("/dev/fd/%d", out.Fd()), "--no-advice")
	if want := "Figure 22, case 3: initiation takes longer than computation\n"; status != done || !strings.HasPrefix(said, want) {
		t.Errorf("status %d, %s%s", status, errs, said)
	}
}
