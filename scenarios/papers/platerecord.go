package papers

import (
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/overlap"
)

// PlateRecord is a figure in JSON. Values are in the unit of the axis, times in seconds; null
// stands where there is none.
type PlateRecord struct {
	Paper     string                 `json:"paper"`
	Figure    string                 `json:"figure"`
	Title     string                 `json:"title"`
	State     string                 `json:"state"`
	Why       string                 `json:"why,omitempty"`
	Panels    []PanelRecord          `json:"panels,omitempty"`
	Timelines []TimelineRecord       `json:"timelines,omitempty"`
	Libraries []*overlap.SuiteRecord `json:"libraries,omitempty"`
	Claims    []VerdictRecord        `json:"claims,omitempty"`
}

// PanelRecord is a panel.
type PanelRecord struct {
	Title  string         `json:"title"`
	Kind   string         `json:"kind"`
	X      Axis           `json:"x"`
	Y      Axis           `json:"y"`
	Unit   string         `json:"unit,omitempty"`
	Points []string       `json:"points"`
	At     []float64      `json:"at,omitempty"`
	Series []SeriesRecord `json:"series"`
}

// SeriesRecord is the values of a member, or of a piece of it.
type SeriesRecord struct {
	Name    string     `json:"name"`
	Piece   string     `json:"piece,omitempty"`
	Values  []*float64 `json:"values"`
	Printed []*float64 `json:"printed,omitempty"` // of the first piece: of the whole bar
}

// Record returns the figure for JSON.
func (a *Plate) Record() *PlateRecord {
	r := &PlateRecord{Paper: a.Paper.Name, Figure: a.Figure.Name, Title: a.Figure.Title, State: a.Paper.State(a.Figure), Why: a.Figure.Why()}
	for _, panel := range a.Panels {
		r.Panels = append(r.Panels, panel.record())
	}
	for _, o := range a.Timelines {
		r.Timelines = append(r.Timelines, timelineRecord(o))
	}
	for _, l := range a.Libraries {
		r.Libraries = append(r.Libraries, l.Record())
	}
	for _, v := range a.Verdicts {
		r.Claims = append(r.Claims, v.Record())
	}
	return r
}

func (a *Panel) record() PanelRecord {
	r := PanelRecord{Title: a.Title, Kind: a.Kind.Name, X: a.X, Y: a.Y, Unit: a.Unit, Points: a.Points, At: a.At}
	for _, bar := range a.Bars {
		for i, piece := range bar.Values {
			s := SeriesRecord{Name: bar.Name, Piece: a.Parts[i], Values: allKnown(piece)}
			if i == 0 && bar.Printed != nil {
				s.Printed = allKnown(bar.Printed)
			}
			r.Series = append(r.Series, s)
		}
	}
	return r
}

// allKnown writes values that JSON has; null stands where there is none.
func allKnown(x []float64) []*float64 {
	all := make([]*float64, len(x))
	for i := range x {
		all[i] = outcomes.Finite(x[i])
	}
	return all
}
