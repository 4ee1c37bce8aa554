package report

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// chartFile is the part of a chart that a reader sees.
type chartFile struct {
	Rects []struct {
		X      float64 `xml:"x,attr"`
		Y      float64 `xml:"y,attr"`
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Fill   string  `xml:"fill,attr"`
		Title  string  `xml:"title"`
	} `xml:"rect"`
	Circles []struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
		R float64 `xml:"r,attr"`
	} `xml:"circle"`
	Texts []string `xml:"text"`
}

func readCharts(t *testing.T, figures ...Figure) (file chartFile) {
	t.Helper()
	var out strings.Builder
	if err := WriteCharts(&out, figures...); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(out.String()), &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// Points are drawn where the scales say: evenly in the logarithm, from the bottom up. A
// single point is a ring. Missing values are not drawn.
func TestCurvesPicture(t *testing.T) {
	file := readCharts(t, &Curves{
		Title: "T <1>", XName: "messages", YUnit: "s", XLog: true,
		Curves: []Curve{
			{Name: "a", X: []float64{1, 10, 100, 1000}, Y: []float64{4, 2, math.NaN(), 1}},
			{Name: "best", X: []float64{1000}, Y: []float64{1}},
		},
	})
	if len(file.Circles) != 4 {
		t.Fatalf("%d circles, want 4", len(file.Circles))
	}
	c := file.Circles
	width := chartWidth - plotRight - plotLeft
	for i, want := range []float64{0, width / 3, width, width} {
		if math.Abs(c[i].X-plotLeft-want) > 0.1 {
			t.Errorf("point %d at %g px, want %g", i, c[i].X-plotLeft, want)
		}
	}
	if low, high := c[2].Y-c[1].Y, c[1].Y-c[0].Y; math.Abs(high-2*low) > 0.2 {
		t.Errorf("from 1 to 2 s %g px, from 2 to 4 s %g px", low, high)
	}
	if c[3].R <= c[2].R || c[3].X != c[2].X || c[3].Y != c[2].Y {
		t.Errorf("the ring is %+v, its point %+v", c[3], c[2])
	}
	if all := strings.Join(file.Texts, "|"); !strings.Contains(all, "T <1>") || !strings.Contains(all, "|messages") ||
		!strings.Contains(all, "|1 s|") {
		t.Errorf("texts %s", all)
	}
}

// Parts of a bar lie end to end, as long as their values; parts below zero go the other
// way.
func TestBarsPicture(t *testing.T) {
	file := readCharts(t, &Bars{
		Title: "T", Unit: "s", Groups: []string{"g", "h"}, Members: []string{""}, Horizontal: true,
		Parts: []Part{{Name: "p", Values: [][]float64{{1}, {-2}}}, {Name: "q", Values: [][]float64{{3}, {math.NaN()}}}},
	})
	b := file.Rects[1:] // behind the ground
	if len(b) != 3 {
		t.Fatalf("%d bars, want 3", len(b))
	}
	if math.Abs(b[1].Width-3*b[0].Width) > 0.3 || math.Abs(b[1].X-b[0].X-b[0].Width) > 0.1 {
		t.Errorf("bars %+v", b)
	}
	if math.Abs(b[2].X+b[2].Width-b[0].X) > 0.1 || math.Abs(b[2].Width-2*b[0].Width) > 0.2 {
		t.Errorf("the bar below zero is %+v, the first %+v", b[2], b[0])
	}
	if b[1].Title != "q: 3 s" {
		t.Errorf("title %q", b[1].Title)
	}
}

// The parts of a standing bar stand on each other; members stand side by side in their group.
func TestStandingBars(t *testing.T) {
	file := readCharts(t, &Bars{
		Title: "T", Unit: "s", Groups: []string{"g"}, Members: []string{"A", "B"},
		Parts: []Part{{Name: "p", Values: [][]float64{{1, 2}}}, {Name: "q", Values: [][]float64{{3, math.NaN()}}}},
	})
	b := file.Rects[1:]
	if len(b) != 3 {
		t.Fatalf("%d bars, want 3", len(b))
	}
	if math.Abs(b[1].Height-3*b[0].Height) > 0.3 || math.Abs(b[1].Y+b[1].Height-b[0].Y) > 0.2 || b[1].X != b[0].X {
		t.Errorf("the parts of A are %+v", b[:2])
	}
	if math.Abs(b[2].Height-2*b[0].Height) > 0.2 || b[2].X < b[0].X+b[0].Width || math.Abs(b[2].Y+b[2].Height-b[0].Y-b[0].Height) > 0.2 {
		t.Errorf("B is %+v, beside %+v", b[2], b[0])
	}
}

// The extreme cells have the colours at the ends of the map.
func TestHeatMapPicture(t *testing.T) {
	file := readCharts(t, &HeatMap{Title: "T", X: []string{"a", "b"}, Y: []string{"c"}, Values: [][]float64{{1, 5}}})
	b := file.Rects[1:]
	if len(b) != 2 || b[0].Fill != viridis[0] || b[1].Fill != viridis[len(viridis)-1] || b[1].Title != "c, b: 5" {
		t.Errorf("cells %+v", b)
	}
}

// The first row of a heat map is at the bottom: the axis goes up.
func TestHeatMapGoesUp(t *testing.T) {
	file := readCharts(t, &HeatMap{Title: "T", X: []string{"a"}, Y: []string{"low", "high"}, Values: [][]float64{{1}, {5}}})
	b := file.Rects[1:]
	if len(b) != 2 || b[0].Title != "low, a: 1" || b[1].Title != "high, a: 5" || b[0].Y <= b[1].Y {
		t.Errorf("cells %+v", b)
	}
}

// Round values are inside the scale, ascend, and stand apart.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scaleOf{
			low: rapid.Float64Range(1e-9, 1e9).Draw(t, "low"), from: 100, to: 700,
			log: rapid.Bool().Draw(t, "log"), bytes: rapid.Bool().Draw(t, "bytes"),
		}
		s.high = s.low * rapid.Float64Range(1.001, 1e6).Draw(t, "times")
		all := s.ticks(50)
		if len(all) > 13 || !s.log && len(all) < 2 {
			t.Fatalf("%d ticks: %v", len(all), all)
		}
		for i, v := range all {
			if v < s.low*(1-1e-9) || v > s.high*(1+1e-9) || i > 0 && s.at(v)-s.at(all[i-1]) < 50 {
				t.Fatalf("ticks %v", all)
			}
		}
	})
}
