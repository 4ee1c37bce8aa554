package laws

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Names of the program's own unfinished files resemble these, which are the user's.
var bystanders = []string{".overlapsim-notes", ".overlapsim-", "overlapsim-scratch-mine"}

// outputFlags ask for a file, whose name must end so; "": as it likes.
var outputFlags = [][2]string{{"--html", ""}, {"--html", ".gz"}, {"--figure", ".svg"}, {"--figure", ".pdf"}, {"--trace", ""}, {"--trace", ".gz"}}

// inFiles runs the case from a file of any name, and lets it write over a file of any name and any permissions, or behind a link.
func inFiles(t *trial) error {
	p, err := t.newPlace()
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.folder)
	const ordinary = "case.out"
	flags := []string{"--no-advice", "--json"}
	_, _, want, err := t.lab.call(t.Case, "run", p.with(flags, t.lab.file(ordinary))...)
	if err != nil {
		return err
	}
	os.Remove(t.lab.file(ordinary + p.ending))
	args := []string{"run", p.scenario}
	for _, s := range t.Settings {
		args = append(args, "--set", s)
	}
	out, errs, code, err := t.lab.raw(append(args, p.with(flags, p.output)...)...)
	if err == nil {
		err = p.check(out, errs, code, want)
	}
	var crashed *crash
	if err == nil || errors.As(err, &crashed) {
		return err
	}
	return errors.New(t.bare(fmt.Sprintf("%q over a file of mode %o: %v", args[1:], p.mode, err)))
}

// place is a folder with a case, and what the run is asked to write there.
type place struct {
	folder, scenario string
	flag, ending     string            // of the output; "": there is none
	output           string            // without its ending
	file             string            // behind the output, if that is a link
	mode             fs.FileMode       // of that file; 0: it does not exist yet
	others           map[string]string // files that stay as they are, by path
}

// earlier is what an output has in it before.
const earlier = "earlier"

func (t *trial) newPlace() (*place, error) {
	p := &place{folder: filepath.Join(t.lab.dir, t.fileName()+"d"), others: map[string]string{}}
	if err := os.Mkdir(p.folder, 0o777); err != nil {
		return nil, err
	}
	p.scenario = filepath.Join(p.folder, t.fileName()+one(t.draw, []string{"", ".yaml"}))
	p.others[p.scenario] = t.Scenario.yaml()
	for name, text := range t.Files {
		p.others[filepath.Join(p.folder, name)] = text
	}
	for _, name := range bystanders {
		p.others[filepath.Join(p.folder, name)] = name
	}
	for path, text := range p.others {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	if t.chance(0.3) {
		return p, nil
	}
	what := one(t.draw, outputFlags)
	p.flag, p.ending = what[0], what[1]
	p.output = filepath.Join(p.folder, "o"+t.fileName())
	p.file = p.output + p.ending
	if t.chance(0.3) {
		link := p.file
		p.file = filepath.Join(p.folder, "l"+t.fileName())
		if err := os.Symlink(p.file, link); err != nil {
			return nil, err
		}
	}
	if t.chance(0.3) {
		return p, nil
	}
	p.mode = fs.FileMode(0o200 | t.IntN(0o1000))
	if err := os.WriteFile(p.file, []byte(earlier), 0o600); err != nil {
		return nil, err
	}
	return p, os.Chmod(p.file, p.mode)
}

// with returns flags with the output under a name.
func (p *place) with(flags []string, output string) []string {
	if p.flag == "" {
		return flags
	}
	return append(slices.Clone(flags), p.flag, output+p.ending)
}

// fileName draws the name of a file: bytes of any value, except those that no name has.
func (d *draw) fileName() string {
	some := make([]byte, 1+d.IntN(12))
	for i := range some {
		for some[i] == 0 || some[i] == '/' {
			some[i] = byte(d.IntN(256))
		}
	}
	return string(some) + "_" // never . or ..
}

// check checks what a run has left.
func (p *place) check(out, errs string, code, want int) error {
	switch {
	case code != want:
		return fmt.Errorf("status %d, and %d by the name %s: %s", code, want, scenarioName, errs)
	case code == statusDone && (!utf8.ValidString(out) || !json.Valid([]byte(out))):
		return fmt.Errorf("no JSON: %.200q", out)
	}
	there, err := os.ReadDir(p.folder)
	if err != nil {
		return err
	}
	for _, e := range there {
		path := filepath.Join(p.folder, e.Name())
		if _, ours := p.others[path]; !ours && path != p.output+p.ending && path != p.file {
			return fmt.Errorf("there is a file %q", e.Name())
		}
	}
	for path, text := range p.others {
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			return fmt.Errorf("%q has changed: %v", path, err)
		}
	}
	if p.flag == "" {
		return nil
	}
	return p.written(code == statusDone)
}

// written checks the output: it is new, or the earlier one, with the same permissions.
func (p *place) written(done bool) error {
	if info, err := os.Lstat(p.output + p.ending); p.file != p.output+p.ending && (err != nil || info.Mode().Type() != fs.ModeSymlink) {
		return fmt.Errorf("the link is gone: %v", err)
	}
	info, err := os.Stat(p.file)
	if !done && p.mode == 0 {
		if err == nil {
			return errors.New("a run that failed has written")
		}
		return nil
	}
	if err != nil {
		return err
	}
	if p.mode != 0 && info.Mode().Perm() != p.mode {
		return fmt.Errorf("the file has now mode %o", info.Mode().Perm())
	}
	os.Chmod(p.file, 0o600)
	if text, err := os.ReadFile(p.file); err != nil || (string(text) == earlier) == done || len(text) == 0 {
		return fmt.Errorf("it has %.20q in it: %v", text, err)
	}
	return nil
}
