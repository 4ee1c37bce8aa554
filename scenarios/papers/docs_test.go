package papers

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

const rerecord = "run 'go test ./scenarios/papers -run TestReproduce -every-claim -update'"

// checkRecorded compares what was simulated with what is recorded, or records it.
func checkRecorded(t *testing.T, p *Paper, verdicts []*Verdict) {
	t.Helper()
	got := p.Record(verdicts)
	want, err := loadRecorded(p.Name)
	if *update {
		if err == nil {
			got.Trials = want.Trials
		}
		if *everyClaim {
			got.Fits = directionsOf(t, p)
		} else if err == nil {
			got.Fits = want.Fits
		}
		write(t, "recorded/"+p.Name+".yaml", got.Marshal)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(got.Claims)) {
		if got.Claims[id] != want.Claims[id] {
			t.Errorf("%s: %s is %s, recorded is %s; %s", p.Name, id, got.Claims[id], want.Claims[id], rerecord)
		}
	}
}

func write(t *testing.T, file string, marshal func() ([]byte, error)) {
	t.Helper()
	text, err := marshal()
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// directionsOf returns the directions of the fits of a paper that do not keep theirs.
func directionsOf(t *testing.T, p *Paper) map[string][]Direction {
	all := map[string][]Direction{}
	for _, name := range fits() {
		f, result, err := loadFit(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Paper.Name != p.Name || result.Directions != nil {
			continue
		}
		values := must.Get(result.Values(f))(t)
		jacobian := must.Get(f.Jacobian(values, Simulate))(t)
		all[name] = Directions(f.Parameters, jacobian)
	}
	return all
}

// docs is the folder of the documentation.
const docs = "../../docs"

// The pages of claims, and their pictures, are those of the recorded results.
func TestValidationPage(t *testing.T) {
	var recorded []*Recorded
	var all []*Verdict
	for _, name := range Names() {
		r := must.Get(loadRecorded(name))(t)
		recorded = append(recorded, r)
		p, verdicts := verdictsOf(t, r)
		checkPicture(t, p, verdicts)
		all = append(all, verdicts...)
		var claims strings.Builder
		p.writeDocs(&claims, verdicts, r)
		tally := Count(verdicts)
		checkPart(t, filepath.Join("papers", name+".md"), "tally", fmt.Appendf(nil, "%s.\n\nAgainst chance: %s.\n", tally, &tally.Chance))
		checkPart(t, filepath.Join("papers", name+".md"), "claims", []byte(claims.String()))
	}
	var part bytes.Buffer
	must.Do(t, writeDocs(&part, recorded))
	checkPart(t, "claims.md", "papers", part.Bytes())
	checkPart(t, "../explanation/trust.md", "claims", []byte(trusted(all)))
}

// trusted is what the page about trust says of the claims of all papers.
func trusted(all []*Verdict) string {
	t := Count(all)
	c := &t.Chance
	asGood := 0
	papers := byPaper(all)
	for _, verdicts := range papers {
		one := Count(verdicts)
		some, _ := one.Chance.AsGood()
		asGood += int(bit(some > 0))
	}
	return fmt.Sprintf("**%d of %d** predictions that could be wrong are reproduced. Many of them hold on nearly any machine: of %d that were tried on machines\n"+
		"with random numbers, %d hold here and %.0f there; of those with a number that has two sides %d of %d, and %.0f by chance. In %d of the %d\n"+
		"papers some random machine meets at least as many predictions as the machine that the paper describes.\n",
		t.Hold[Predicted], t.Claims[Predicted], c.Of, c.Hold, c.Random, c.Numbers, c.NumbersOf, c.RandomNumbers, asGood, len(papers))
}

// checkPart compares a part of a page in docs/validation, or writes it.
func checkPart(t *testing.T, page, name string, want []byte) {
	t.Helper()
	file := filepath.Join(docs, "validation", page)
	text := must.Get(os.ReadFile(file))(t)
	if *update {
		write(t, file, func() ([]byte, error) { return ReplacePart(text, name, want) })
		return
	}
	if now, err := partOf(text, name); err != nil || !bytes.Equal(now, want) {
		t.Errorf("%s is not what the recorded results say (%v); run 'go test ./scenarios/papers -run TestValidationPage -update'", file, err)
	}
}

// verdictsOf returns a paper and the verdicts of its recorded results.
func verdictsOf(t *testing.T, r *Recorded) (*Paper, []*Verdict) {
	t.Helper()
	p := must.Get(Load(r.Paper))(t)
	verdicts, err := p.Verdicts(r)
	if err != nil {
		t.Fatalf("%v; %s", err, rerecord)
	}
	return p, verdicts
}

// checkPicture compares the picture of a paper, or writes it.
func checkPicture(t *testing.T, p *Paper, verdicts []*Verdict) {
	t.Helper()
	var picture bytes.Buffer
	must.Do(t, writeScatter(&picture, p, verdicts))
	file := filepath.Join(docs, "validation", p.Name+".svg")
	if *update {
		write(t, file, func() ([]byte, error) { return picture.Bytes(), nil })
		return
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, picture.Bytes()) {
		t.Errorf("%s is not what the recorded results say; run 'go test ./scenarios/papers -run TestValidationPage -update'", file)
	}
}

// The results of other claims than the paper's are an error.
func TestVerdictsOfRecorded(t *testing.T) {
	p := read(t, judged)
	_, verdicts, err := p.Reproduce(fake, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := p.Record(verdicts)
	again := must.Get(p.Verdicts(r))(t)
	for i, v := range again {
		if v.Pass != verdicts[i].Pass || v.Status() != verdicts[i].Status() {
			t.Errorf("%s: %v, recorded %v", v.ID, verdicts[i].Status(), v.Status())
		}
	}
	r.Claims["other"] = "1"
	must.Refuse(p.Verdicts(r))(t, "no claim: [other]")
	delete(r.Claims, "equal")
	must.Refuse(p.Verdicts(r))(t, "equal is not recorded")
}
