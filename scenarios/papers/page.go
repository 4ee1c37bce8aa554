package papers

import (
	"cmp"
	"math"
	"strings"

	"overlapsim/scenarios/report"
)

// Page puts the figures of papers and the verdicts on their claims on one
// report.
func Page(papers []*Paper, results []Results, verdicts []*Verdict) *report.Page {
	page := &report.Page{Title: "Published against simulated", Subtitle: Count(verdicts).String()}
	for i, p := range papers {
		for _, e := range p.Experiments {
			if len(e.Bars) > 0 {
				page.Figures = append(page.Figures, e.figure(results[i]))
			}
		}
		for _, d := range p.Drawings {
			if f, err := p.draw(d, results[i]); err == nil {
				page.Figures = append(page.Figures, f)
			}
		}
	}
	for _, v := range verdicts {
		page.Claims = append(page.Claims, v.onPage())
	}
	return page
}

// figure draws an experiment as papers do: stacked bars by point and variant.
func (e *Experiment) figure(results Results) *report.Bars {
	f := &report.Bars{Title: e.Title, XName: e.XName, Unit: "s", Groups: e.labels(), Members: e.variantNames()}
	for _, bar := range e.Bars {
		part := report.Part{Name: bar.Name}
		for point := range e.Points {
			values := make([]float64, len(e.Variants))
			for variant := range e.Variants {
				x, err := results.metric(e, variant, point, bar.Metric)
				if err != nil {
					x = math.NaN() // other variants have this piece
				}
				values[variant] = x
			}
			part.Values = append(part.Values, values)
		}
		f.Parts = append(f.Parts, part)
	}
	return f
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
	case v.Judged == Withheld:
		c.Note = "withheld in the text here: computed, and not judged"
	}
	if c.Unit == "ratio" {
		c.Unit = ""
	}
	return c
}

// limits says how far off a value may be, in the claim's unit.
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
