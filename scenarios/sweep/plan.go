package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Plan is a complete sweep: to run it, nothing else is read except the library of the
// program. The same request gives the same plan.
type Plan struct {
	Format   int      `json:"format"`
	Scenario string   `json:"scenario"`
	Title    string   `json:"title"`
	Design   *Design  `json:"design"`
	Samples  int      `json:"samples,omitempty"`
	Seed     uint64   `json:"seed,omitempty"`
	Set      []string `json:"set"`
	Factors  []Factor `json:"factors"`
	Runs     int      `json:"runs"`
	Answer   bool     `json:"answer,omitempty"` // what communication costs is found at each point, by further runs
	Copies   bool     `json:"copies,omitempty"` // of what only some points send at once are charged; false: no path decides that, or of a version before
	Files    []File   `json:"files"`
	Count    int      `json:"points,omitempty"` // 0: written by a version that did not count
	Points   []Point  `json:"-"`
}

// Point is one run of a sweep.
type Point struct {
	Number int      `json:"point"`
	File   string   `json:"file"`           // of Files
	Run    string   `json:"run,omitempty"`  // of the scenario's runs, if it has any
	Levels []string `json:"levels"`         // by factor; "" leaves the path alone
	Twin   bool     `json:"twin,omitempty"` // only shows whether a path matters
}

const planFormat = 1

// settings are the changes to the scenario at a point.
func (p *Plan) settings(point Point) []string {
	all := slices.Clone(p.Set)
	for i, level := range point.Levels {
		if level != "" {
			all = append(all, p.Factors[i].Path+"="+level)
		}
	}
	return all
}

// WriteTo writes the plan as lines of JSON: the sweep, then each point.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	p.Count = len(p.Points)
	err := encoder.Encode(p)
	for i := 0; i < len(p.Points) && err == nil; i++ {
		err = encoder.Encode(p.Points[i])
	}
	if err != nil {
		return 0, err
	}
	return out.WriteTo(w)
}

// largestPlan is the largest size of a plan in bytes.
const largestPlan = 1 << 30

// readPlan reads what WriteTo wrote. It trusts nothing: the plan may come from another user.
func readPlan(r io.Reader) (*Plan, error) {
	decoder := json.NewDecoder(io.LimitReader(r, largestPlan)) // unbuffered: a buffer would look at many blanks again for each piece
	p := &Plan{}
	if err := decoder.Decode(p); err != nil {
		return nil, cutShort(err)
	}
	if p.Format != planFormat {
		return nil, fmt.Errorf("it has the format %d, this program knows %d", p.Format, planFormat)
	}
	if p.Design == nil {
		return nil, errors.New("it does not say its design")
	}
	names := map[string]bool{}
	for _, f := range p.Files {
		if !plainName(f.Name) {
			return nil, fmt.Errorf("%q is not the name of a file in its folder", f.Name)
		}
		names[f.Name] = true
	}
	for decoder.More() {
		var point Point
		if err := decoder.Decode(&point); err != nil {
			return nil, cutShort(err)
		}
		if point.Number != len(p.Points) || len(point.Levels) != len(p.Factors) {
			return nil, fmt.Errorf("point %d is not the one that follows %d points", point.Number, len(p.Points))
		}
		if !names[point.File] {
			return nil, fmt.Errorf("point %d is of %q, which is not one of its files", point.Number, point.File)
		}
		p.Points = append(p.Points, point)
	}
	if p.Count > 0 && p.Count != len(p.Points) {
		return nil, fmt.Errorf("it was cut short: it has %d of its %d points", len(p.Points), p.Count)
	}
	p.Count = len(p.Points)
	return p, nil
}

// cutShort explains an end in the middle of a line.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it was cut short, in the middle of a line")
	}
	return err
}

// plainName tells whether a name is a file in a folder, and leads nowhere else.
func plainName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`) && !strings.HasPrefix(name, ".")
}

// equals tells whether a text is the plan's, perhaps from an earlier version.
func (p *Plan) equals(text []byte) bool {
	other, err := readPlan(bytes.NewReader(text))
	if err != nil {
		return false
	}
	var a, b bytes.Buffer
	p.WriteTo(&a) // a Buffer takes everything
	other.WriteTo(&b)
	return bytes.Equal(a.Bytes(), b.Bytes())
}

// unlike says in words how the plan differs from the one with the given text; "" if that is
// not known.
func (p *Plan) unlike(text []byte) string {
	other, err := readPlan(bytes.NewReader(text))
	if err != nil {
		return ""
	}
	var what []string
	for _, part := range []struct {
		name    string
		differs bool
	}{
		{"--vary", !slices.Equal(p.described(), other.described())},
		{"--set", !slices.Equal(p.Set, other.Set)},
		{"--answer", p.Answer != other.Answer},
		{"--design", p.Design.name != other.Design.name},
		{"--samples", p.Design.name == other.Design.name && p.Samples != other.Samples},
		{"--seed", p.Design.name == other.Design.name && p.Seed != other.Seed},
		{"scenario", p.Scenario != other.Scenario},
		{"text in " + p.Scenario + " or a file that it names", p.Scenario == other.Scenario && !slices.Equal(p.Files, other.Files)},
	} {
		if part.differs {
			what = append(what, part.name)
		}
	}
	if len(what) == 0 {
		return ""
	}
	return " (with another " + strings.Join(what, ", another ") + ")"
}

// described lists the factors as they are written.
func (p *Plan) described() (all []string) {
	for i := range p.Factors {
		all = append(all, p.Factors[i].describe())
	}
	return all
}
