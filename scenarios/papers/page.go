package papers

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Page puts the figures of papers and the verdicts on their claims on one
// report.
func Page(papers []*Paper, results []Results, verdicts []*Verdict) *report.Page {
	text := Count(verdicts).String()
	page := &report.Page{Title: "Published against simulated", Lead: keys.Capital(text) + "."}
	for i, p := range papers {
		own := slices.DeleteFunc(slices.Clone(verdicts), func(v *Verdict) bool { return v.Paper != p })
		if c := scatter(p, own); c != nil && drawable(own) >= leastPoints {
			page.Figures = append(page.Figures, c)
		}
		for _, f := range p.Figures {
			page.Figures = append(page.Figures, p.charts(f, results[i])...)
		}
	}
	for _, v := range verdicts {
		page.Claims = append(page.Claims, v.onPage())
	}
	return page
}

// leastPoints is the smallest number of claims with numbers that are drawn: fewer are in the list.
const leastPoints = 4

// charts draws the panels of a figure, each with the figure's name.
func (p *Paper) charts(f *Figure, results Results) (all []report.Figure) {
	panels, err := p.panels(f, results)
	if err != nil {
		return nil // the claims say what cannot be computed
	}
	for _, panel := range panels {
		titled := *panel.Drawing
		titled.Title = f.Name + ": " + f.Title
		if panel.Title != f.Title {
			titled.Title += "; " + panel.Title
		}
		panel.Drawing = &titled
		all = append(all, panel.figure())
	}
	return all
}

func (v *Verdict) onPage() report.Claim {
	c := report.Claim{
		Paper: v.Paper.Name, ID: v.ID, Text: v.Text + " (" + v.Place + ")",
		Published: v.Published, Simulated: v.Simulated, Unit: v.Unit, Tolerance: v.limits(),
		Model: v.model(), Kind: v.Kind.String(), Pass: v.Pass, Note: cmp.Or(v.Explanation(), v.Why, v.Basis),
	}
	switch {
	case v.Judged == Truth:
		c.Published, c.Tolerance, c.Unit = 1, "order only", "yes"
	case v.Unknown != "":
		c.Note = "not predicted: " + v.Unknown
	case v.Judged == Withheld:
		c.Note = "withheld in the text here: computed, and not judged"
	}
	if v.AtEdge(v.Simulated) {
		c.Tolerance += ", at its edge"
	}
	if c.Unit == "ratio" {
		c.Unit = ""
	}
	return c
}

// limits returns the tolerance of a value, in the claim's unit.
func (v *Verdict) limits() string {
	off := ""
	if v.Tolerance != 0 {
		off = digits(v.Tolerance)
	}
	switch {
	case v.Judged == Withheld:
		return report.Dash
	case v.Judged == Least:
		return strings.TrimSuffix("at least − "+off, " − ")
	case v.Judged == Most:
		return strings.TrimSuffix("at most + "+off, " + ")
	case v.Judged == Band:
		return strings.TrimSuffix("to "+digits(v.Upper)+" ± "+off, " ± ")
	case off == "":
		return "exact"
	}
	return "± " + off
}

// numeric tells whether a claim can be drawn: a positive number next to a published one.
func (v *Verdict) numeric() bool {
	return (v.Judged == Value || v.Judged == Band) && v.Published > 0 && v.Simulated > 0
}

// drawable counts the claims that can be drawn.
func drawable(verdicts []*Verdict) (n int) {
	for _, v := range verdicts {
		if v.numeric() {
			n++
		}
	}
	return n
}

// scatter draws the numbers of a paper, simulated over published, by kind; nil: it has none.
func scatter(p *Paper, verdicts []*Verdict) *report.Curves {
	c := &report.Curves{Title: p.Name + ": simulated over published", Note: "numbers above 0; 1 is exact",
		XName: "published, in the unit of the claim", XLog: true, YLog: true}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range kinds() {
		points := report.Curve{Name: k.String(), Marks: report.DotsOnly, Color: report.Color(int(k))}
		for _, v := range verdicts {
			if v.Kind == k && v.numeric() {
				points.X, points.Y = append(points.X, v.Published), append(points.Y, v.Simulated/v.Published)
				low, high = min(low, v.Published), max(high, v.Published)
			}
		}
		if points.X != nil {
			c.Curves = append(c.Curves, points)
		}
	}
	if c.Curves == nil {
		return nil
	}
	c.Curves = append(c.Curves, report.Curve{Name: "exact", X: []float64{low, high}, Y: []float64{1, 1}, Dashed: true, Color: report.EndedColor})
	return c
}
