// Package record lets a program that uses MPI write a trace: it compiles the recorder with
// the compiler of the MPI library that the program uses, preloads it, and merges what the
// ranks wrote.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"overlapsim/scenarios/child"
	"overlapsim/scenarios/disk"
	"overlapsim/workloads/traces"
)

// launchers begin the names of programs that start MPI programs; the rest of the name, as in
// mpirun.mpich, is also the rest of the compiler's name.
var launchers = []string{"mpirun", "mpiexec", "orterun"}

// Compiler is the compiler that belongs to a launcher: mpicc next to it, with the same end of
// its name.
func Compiler(launcher string) string {
	folder, name := filepath.Split(launcher)
	for _, one := range launchers {
		if end, ok := strings.CutPrefix(name, one); ok {
			return folder + "mpicc" + end // ./mpicc is not that of the path
		}
	}
	return "mpicc"
}

// Library returns the recorder, compiled with that compiler. It is compiled once and kept in
// the user's cache.
func Library(compiler string) (string, error) {
	path, err := exec.LookPath(compiler)
	if err != nil {
		return "", fmt.Errorf("the recorder is compiled with the compiler of your MPI library: %w; name it with --mpicc", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "overlapsim")
	show, _ := exec.Command(path, "-show").Output() // what it calls, if it says so
	sum := sha256.New()
	for _, part := range [][]byte{traces.Recorder, []byte(path), show} {
		sum.Write(part)
	}
	library := filepath.Join(cache, "record-"+hex.EncodeToString(sum.Sum(nil)[:8])+".so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	return library, compile(path, cache, library)
}

// compile compiles the recorder; the library appears when it is whole.
func compile(compiler, cache, library string) error {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	return disk.Scratch(func(root *os.Root) error {
		source, out := filepath.Join(root.Name(), "shim.c"), filepath.Join(root.Name(), "shim.so")
		if err := os.WriteFile(source, traces.Recorder, 0o666); err != nil {
			return err
		}
		if said, err := child.Output(exec.Command(compiler, "-O2", "-w", "-shared", "-fPIC", "-o", out, source, "-ldl")); err != nil {
			return fmt.Errorf("%s cannot compile the recorder: %w\n%s", compiler, err, said)
		}
		code, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		return disk.Write(library, func(w io.Writer) error {
			_, err := w.Write(code)
			return err
		})
	})
}

// Program is a command whose ranks are recorded.
type Program struct {
	Command []string
	Library string // the recorder
	Folder  string // where the ranks write
}

// Run runs the program with its input and output. It ends when this one is told to. The error is the error of the program.
func (p *Program) Run() error {
	c := exec.Command(p.Command[0], p.Command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), traces.RecorderFolder+"="+p.Folder, "LD_PRELOAD="+preloaded(p.Library))
	return child.Run(c)
}

// preloaded puts the recorder before what is preloaded anyway.
func preloaded(library string) string {
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		return library + ":" + before
	}
	return library
}

// ErrNothing says that no rank wrote anything.
var ErrNothing = errors.New("no rank wrote a trace: is it a program that calls MPI_Init, from the library that the compiler belongs to?")

// Merge reads what the ranks wrote.
func (p *Program) Merge() (*traces.Raw, error) {
	if info, err := os.Stat(p.Folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: there is no such folder", p.Folder)
	}
	if _, err := os.Stat(filepath.Join(p.Folder, "rank-0")); errors.Is(err, os.ErrNotExist) {
		return nil, ErrNothing
	}
	t, err := traces.Merge(p.Folder, strings.Join(p.Command, " "))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; if it ran on another host, the folder or the recorder was not there: set TMPDIR and XDG_CACHE_HOME to folders that "+
			"all hosts see", err)
	}
	return t, err
}
