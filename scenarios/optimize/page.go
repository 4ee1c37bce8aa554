package optimize

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Page shows the curves, the optima, and what they are made of.
func (s *Study) Page(texts string) *report.Page {
	return &report.Page{
		Title: s.Title, Subtitle: s.Summary(), Lead: s.Lead(), Notes: s.Assumed(), Figures: s.Figures(), Sections: s.answer(),
		Runs: []report.Run{{Name: s.Title, Scenario: texts}},
	}
}

// Summary says in a line what was asked for.
func (s *Study) Summary() string {
	text := fmt.Sprintf("%s for the least %s, %d values from %s to %s", s.Path, s.label(), s.Values, s.From, s.To)
	for _, o := range s.Optima {
		if failed, _ := o.Failed(); failed > 0 {
			of := ""
			if len(s.Optima) > 1 {
				of = " of " + o.Run
			}
			text += fmt.Sprintf(", of which %d were tried%s and %d cannot be run", len(o.Points), of, failed)
		}
	}
	return text
}

// label is the name of the minimized result, for readers.
func (s *Study) label() string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(s.Minimize, "metrics."), "_s"), "_", " ")
}

func (s *Study) resultUnit() string {
	if strings.HasSuffix(s.Minimize, "_s") {
		return "s"
	}
	return ""
}

// Figures are the curves and, where the optimum is explained, the resources.
func (s *Study) Figures() (all []report.Figure) {
	if s.numbers == nil {
		all = append(all, s.columns())
	} else {
		all = append(all, s.curves())
	}
	if s.resultUnit() == "s" {
		if bars := s.reasons(); bars != nil {
			all = append(all, bars)
		}
	}
	return all
}

// curves draws the result over the values: the runs, the closed form if it gives the same
// quantity, and a ring at each value that is as good as the best.
func (s *Study) curves() *report.Curves {
	c := &report.Curves{
		Title: keys.Capital(s.label()) + " by " + s.Path, Note: "rings: the best value, and those next to it that are as good" + s.dashed(),
		XName: s.Path, XUnit: s.unit, YUnit: s.resultUnit(), XLog: places(s.numbers)[0] != s.numbers[0],
	}
	for i, o := range s.Optima {
		group := fmt.Sprintf("%s: best at %s, %s", o.Run, o.BestAt(), report.Quantity(*o.Best.Result, s.resultUnit()))
		line := report.Curve{Name: o.Run, Group: group, Color: report.Color(i)}
		model := report.Curve{Name: o.Run + ", " + o.Model, Group: group, Dashed: true, Color: report.Color(i)}
		for _, p := range o.Points {
			if p.Result == nil {
				continue
			}
			x := s.numbers[p.index]
			line.X, line.Y = append(line.X, x), append(line.Y, *p.Result)
			if p.Modeled > 0 && s.Minimize == makespan {
				model.X, model.Y = append(model.X, x), append(model.Y, p.Modeled)
			}
		}
		c.Curves = append(c.Curves, line)
		if model.X != nil {
			c.Curves = append(c.Curves, model)
		}
		best := report.Curve{Name: o.Run + ", best", Group: group, Marks: report.Ring, Color: report.Color(i)}
		for _, p := range o.onPlateau() {
			best.X, best.Y = append(best.X, s.numbers[p.index]), append(best.Y, *p.Result)
		}
		c.Curves = append(c.Curves, best)
	}
	return c
}

// dashed describes the dashed curves.
func (s *Study) dashed() string {
	var names []string
	for _, o := range s.Optima {
		if o.Model != "" && !slices.Contains(names, o.Model) {
			names = append(names, o.Model)
		}
	}
	if names == nil {
		return ""
	}
	return ", dashed the closed form, " + strings.Join(names, ", ")
}

// columns draws the result over values that are words; of many words the ones with the smallest results, the smallest first.
func (s *Study) columns() *report.Bars {
	b := &report.Bars{Title: keys.Capital(s.label()) + " by " + s.Path, XName: s.Path, Unit: s.resultUnit()}
	part := report.Part{Name: s.label()}
	for _, o := range s.Optima {
		b.Members = append(b.Members, o.Run)
	}
	order := make([]int, len(s.texts))
	for i := range order {
		order[i] = i
	}
	if len(order) > mostRunners {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.least(i), s.least(j)) })
		order, b.Horizontal = order[:mostRunners], true
		b.Note = fmt.Sprintf("the best %d of %d", mostRunners, len(s.texts))
	}
	for _, i := range order {
		b.Groups = append(b.Groups, s.texts[i])
		row := make([]float64, len(s.Optima))
		for m, o := range s.Optima {
			if row[m] = math.NaN(); o.Points[i].Result != nil {
				row[m] = *o.Points[i].Result
			}
		}
		part.Values = append(part.Values, row)
	}
	b.Parts = []report.Part{part}
	return b
}

// least is the smallest result of a value in any run.
func (s *Study) least(value int) float64 {
	least := math.Inf(1)
	for _, o := range s.Optima {
		if r := o.Points[value].Result; r != nil {
			least = min(least, *r)
		}
	}
	return least
}

// reasons draws what each resource accounts for on either side of each optimum, relative
// to the optimum.
func (s *Study) reasons() *report.Bars {
	b := &report.Bars{
		Title: "What binds on either side of the best", Unit: "s", Members: []string{""}, Horizontal: true,
		Note: "seconds that each resource costs more (right) or less (left) than at the best",
	}
	seen := map[string]bool{}
	for _, o := range s.Optima {
		for _, r := range o.Why {
			for name, x := range r.Resources {
				seen[name] = seen[name] || math.Abs(x-o.Reason(Best).Resources[name]) > 0.01*r.More && r.More > 0
			}
		}
	}
	maps.DeleteFunc(seen, func(_ string, shown bool) bool { return !shown })
	names := slices.Sorted(maps.Keys(seen))
	for _, name := range names {
		b.Parts = append(b.Parts, report.Part{Name: words[name].name + ": " + words[name].meaning})
	}
	for _, o := range s.Optima {
		best := o.Reason(Best)
		for _, r := range o.Why {
			if r.Side == Best {
				continue
			}
			b.Groups = append(b.Groups, fmt.Sprintf("%s, %s against %s", o.Run, r.Value, best.Value))
			for i, name := range names {
				b.Parts[i].Values = append(b.Parts[i].Values, []float64{r.Resources[name] - best.Resources[name]})
			}
		}
	}
	if b.Groups == nil {
		return nil
	}
	return b
}

// Reason returns the explanation of a side or of the best; nil if there is none.
func (o *Optimum) Reason(side Side) *Reason {
	for i := range o.Why {
		if o.Why[i].Side == side {
			return &o.Why[i]
		}
	}
	return nil
}
