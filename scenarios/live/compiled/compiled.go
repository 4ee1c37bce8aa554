// Package compiled has the simulator for pages as WebAssembly. Released programs carry it. Other programs compile it
// from its source when it is first wanted.
package compiled

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"overlapsim/scenarios/child"
	"overlapsim/scenarios/disk"
)

// Program is the simulator, and the script by which a browser runs it.
type Program struct {
	Packed  []byte // WebAssembly in gzip
	Support string
}

//go:embed built
var built embed.FS

// The names of the parts of a program.
const (
	packed  = "simulator.wasm.gz"
	support = "wasm_exec.js" // of Go
)

// source is the command that is compiled.
const source = "overlapsim/cmd/live"

// inlined are the packages in which functions are inlined. All others do without: a page is smaller then by a sixth, and
// these are where a run spends its time. In the runtime it would cost 55 kB of a page and save nothing: nodes.BenchmarkExchange takes 0.54 to
// 0.57 s in WebAssembly without it, and 0.55 to 0.65 with it.
var inlined = []string{"math/bits", "overlapsim/sim", "overlapsim/network", "overlapsim/network/flow",
	"overlapsim/nodes", "overlapsim/nodes/match"}

// Load returns the program. It calls compiling before it compiles it.
func Load(compiling func()) (*Program, error) {
	wasm, err := built.ReadFile("built/" + packed)
	if err != nil {
		compiling()
		return compile()
	}
	script, err := built.ReadFile("built/" + support)
	return &Program{wasm, string(script)}, err
}

// Missing says why the program can be neither read nor compiled, as far as that is known before it is compiled.
func Missing() error {
	if _, err := built.Open("built/" + packed); err == nil {
		return nil
	}
	goTool, err := findGo()
	if err != nil {
		return err
	}
	find := exec.Command(goTool, "list", source)
	find.Dir = home()
	if said, err := child.Output(find); err != nil {
		return notCompiled(err, said)
	}
	return nil
}

func findGo() (string, error) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("this program does not carry the simulator for pages, and there is no Go to compile it: take a released program, " +
			"or install Go (https://go.dev/dl) and put it on the PATH")
	}
	return goTool, nil
}

func notCompiled(err error, said []byte) error {
	return fmt.Errorf("the simulator for pages cannot be compiled (go build %s: %w): take a released program, which carries it, or "+
		"call this one in the source of overlapsim, or of a module that needs it\n%s", source, err, bytes.TrimSpace(said))
}

// compile compiles the program. Go keeps what it has compiled, so that a second time takes seconds.
func compile() (p *Program, err error) {
	goTool, err := findGo()
	if err != nil {
		return nil, err
	}
	err = disk.Scratch(func(root *os.Root) error {
		p, err = compileIn(root.Name(), goTool)
		return err
	})
	return p, err
}

// compileIn compiles the program in an empty folder.
func compileIn(folder, goTool string) (*Program, error) {
	out, err := filepath.Abs(filepath.Join(folder, "simulator.wasm"))
	if err != nil {
		return nil, err
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-pgo=off", "-ldflags=-s -w", "-gcflags=all=-l"}
	for _, p := range inlined {
		args = append(args, "-gcflags="+p+"=")
	}
	build := exec.Command(goTool, append(args, "-o", out, source)...)
	build.Dir = home()
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOTMPDIR="+filepath.Dir(out))
	if said, err := child.Output(build); err != nil {
		return nil, notCompiled(err, said)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command(goTool, "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", support))
	if err != nil {
		return nil, err
	}
	p := &Program{Support: string(script)}
	p.Packed, err = pack(wasm)
	return p, err
}

// home is where the source of this program was when it was compiled, if it is still there; "": where the user is.
func home() string {
	_, file, _, _ := runtime.Caller(0)
	if _, err := os.Stat(file); err != nil || !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(file)
}

func pack(wasm []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Write compiles the program and writes its parts into a folder: into the one that programs carry, before they are built.
func Write(folder string) error {
	p, err := compile()
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, packed), p.Packed, 0o666),
		os.WriteFile(filepath.Join(folder, support), []byte(p.Support), 0o666))
}
