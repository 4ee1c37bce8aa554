package sweep

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlapsim/scenarios/disk"
	"overlapsim/sim/must"
)

// unpackTo writes the copies into a folder.
func (p *Plan) unpackTo(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return p.unpack(root, ".")
}

// begun returns the directory of a small sweep, and its plan as text.
func begun(t *testing.T) (d *Dir, plan string) {
	t.Helper()
	d = must.Get(Create(filepath.Join(t.TempDir(), "sweep"), newPlan(t, small, Request{Vary: []string{"ranks=2,4"}})))(t)
	text := must.Get(os.ReadFile(d.file(planFile)))(t)
	return d, string(text)
}

// A directory that someone else made is not trusted.
func TestHostilePlans(t *testing.T) {
	d, plan := begun(t)
	lines := strings.SplitAfter(plan, "\n")
	for _, c := range []struct{ text, want string }{
		{strings.ReplaceAll(plan, "small.yaml", "../../../PWNED.yaml"), `"../../../PWNED.yaml" is not the name of a file in its folder`},
		{strings.ReplaceAll(plan, "small.yaml", "/tmp/PWNED.yaml"), `"/tmp/PWNED.yaml" is not the name of a file in its folder`},
		{strings.ReplaceAll(plan, "small.yaml", ".hidden"), `".hidden" is not the name of a file in its folder`},
		{strings.Replace(plan, `"file":"small.yaml"`, `"file":"../../etc/passwd"`, 1),
			`point 0 is of "../../etc/passwd", which is not one of its files`},
		{lines[0] + lines[1], "it was cut short: it has 1 of its 2 points"},
		{lines[0] + lines[1][:20], "it was cut short, in the middle of a line"},
		{lines[0][:100], "it was cut short, in the middle of a line"},
		{"", "it was cut short, in the middle of a line"},
	} {
		writeText(t, d.file(planFile), c.text)
		if _, err := Open(d.Path); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// No folder of a sweep that is a link lets a process write elsewhere.
func TestHostileLinks(t *testing.T) {
	for _, name := range []string{"results", "input", "programs", "claims", "slurm"} {
		d, _ := begun(t)
		elsewhere := filepath.Join(filepath.Dir(d.Path), "elsewhere")
		must.Do(t, os.Mkdir(elsewhere, 0o777))
		target := elsewhere
		if name == "claims" || name == "programs" {
			target = filepath.Join(elsewhere, "file")
		}
		must.Do(t, os.Symlink(target, d.file(name)))
		w, err := d.worker("test", nil)
		if err == nil {
			_, err = w.run(0)
		}
		if err == nil && name != "slurm" {
			t.Errorf("%s: no error", name)
		}
		if found, _ := os.ReadDir(elsewhere); len(found) > 0 {
			t.Errorf("%s: wrote %v elsewhere", name, found)
		}
	}
}

// A result that was edited is noticed, removed, and missing again.
func TestEditedResult(t *testing.T) {
	d, _ := begun(t)
	d.run(t, 0, 1)
	text := d.logged(t)
	at := strings.LastIndex(text, `"makespan_s":`) + len(`"makespan_s":`)
	writeText(t, d.logFile(), text[:at]+"1"+text[at:])
	missing, err := d.Missing()
	if err != nil || len(missing) != 1 || missing[0] != 1 || len(d.Damaged) != 1 || d.Damaged[0] != "point 1" {
		t.Errorf("missing %v, damaged %v, error %v", missing, d.Damaged, err)
	}
}

// A plan that was edited is no plan of the results that are there: each is named with its place.
func TestEditedPlan(t *testing.T) {
	d, plan := begun(t)
	d.run(t, 0, 1)
	writeText(t, d.file(planFile), strings.Replace(plan, `"levels":["4"]`, `"levels":["8"]`, 1))
	edited := must.Get(Open(d.Path))(t)
	want := d.logFile() + ":2:1: point 1 was run with ranks=4, plan.jsonl has it with ranks=8: "
	for what, err := range map[string]error{
		"the points that are missing": second(edited.Missing()), "the table": second(edited.Table()), "a result": second(edited.Result(1)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzPlan reads plans, which may come from other users, and the results of their points. What is read is written the same.
func FuzzPlan(f *testing.F) {
	const line = `{"point":0,"settings":["ranks=2"],"error":"none"}`
	plan := must.Get(os.ReadFile("testdata/earlier/plan.jsonl"))(f)
	must.Get(readPlan(bytes.NewReader(plan)))(f)
	f.Add(plan, []byte(line))
	f.Fuzz(func(t *testing.T, plan, result []byte) {
		p, err := readPlan(bytes.NewReader(plan))
		if err != nil {
			return
		}
		var out, again bytes.Buffer
		must.Get(p.WriteTo(&out))(t)
		q, err := readPlan(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", out.Bytes(), err)
		}
		if _, err := q.WriteTo(&again); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("%s\nis written again as\n%s", out.Bytes(), again.Bytes())
		}
		d := &Dir{Plan: p}
		if point, ok := intact(result); ok && point < len(p.Points) {
			d.unplanned(point, result)
		}
		if line, ok := intact(bytes.TrimSuffix(seal([]byte(line)), []byte("\n"))); !ok || line != 0 {
			t.Error("a sealed result is not intact")
		}
	})
}

// Results and plans of versions before checksums and counts are read.
func TestUnsealed(t *testing.T) {
	d, plan := begun(t)
	writeText(t, d.file(planFile), strings.Replace(plan, `,"points":2`, "", 1))
	older, err := Open(d.Path)
	if err != nil || len(older.Plan.Points) != 2 {
		t.Fatal(err)
	}
	if again, err := Create(d.Path, d.Plan); err != nil || again.Path != d.Path {
		t.Errorf("it is not continued: %v", err)
	}
	must.Do(t, d.root.MkdirAll("results/000", 0o777))
	writeText(t, d.file("results/000/000000.json"), `{"point":0,"settings":["ranks=2"],"error":"none"}`+"\n")
	if r, err := older.Result(0); err != nil || r.Error != "none" {
		t.Errorf("%+v, %v", r, err)
	}
}

// No text of a CSV file is a formula for a spreadsheet; numbers stay numbers.
func TestNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "word": "word", "a=b": "a=b", "-3": "-3", "+1e-6": "+1e-6",
		"=1+1": "'=1+1", `=cmd|' /C calc'!A0`: `'=cmd|' /C calc'!A0`, "@SUM(A1)": "'@SUM(A1)", "-2+3": "'-2+3", "+3us": "'+3us",
		"\t=1": "'\t=1", "\r=1": "'\r=1",
	} {
		if got := disk.Cell(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	p := made(crossed, []string{"=r1", "r2"}, Factor{Path: "machine", Levels: []string{"@a", "b"}})
	table := tableOf(t, p, func(p Point) (float64, string) { return float64(p.Number), "" })
	var out bytes.Buffer
	must.Do(t, table.WriteCSV(&out))
	if text := out.String(); strings.Contains(text, ",@a") || strings.Contains(text, ",=r1") || !strings.Contains(text, ",'=r1,'@a,") {
		t.Errorf("got\n%s", text)
	}
}

// A sweep of an earlier version is opened with all its results, and gives its table.
func TestEarlierSweep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "earlier")
	must.Do(t, os.CopyFS(folder, os.DirFS("testdata/earlier")))
	d := must.Get(Open(folder))(t)
	missing, err := d.Missing()
	if err != nil || len(missing) > 0 || len(d.Plan.Points) != 2 {
		t.Fatalf("missing %v of %d, %v", missing, len(d.Plan.Points), err)
	}
	table := must.Get(d.Table())(t)
	var out bytes.Buffer
	must.Do(t, table.WriteCSV(&out))
	if want, err := os.ReadFile("testdata/earlier/results.csv"); err != nil || out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s, %v", out.String(), want, err)
	}
}
