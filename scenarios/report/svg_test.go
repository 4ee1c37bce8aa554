package report

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/results"
)

// svgFile is the part of the picture that a reader sees.
type svgFile struct {
	Rects []struct {
		X      float64 `xml:"x,attr"`
		Y      float64 `xml:"y,attr"`
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Fill   string  `xml:"fill,attr"`
		Title  string  `xml:"title"`
	} `xml:"rect"`
	Texts []string `xml:"text"`
	Paths []struct {
		End string `xml:"marker-end,attr"`
	} `xml:"path"`
}

func readSVG(t *testing.T, r *results.Result) (file svgFile) {
	t.Helper()
	var out strings.Builder
	if err := WriteSVG(&out, r); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(out.String()), &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// Every span is a rectangle of its colour, length and place; every message an arrow.
func TestSVGHoldsTheTimeline(t *testing.T) {
	r := textbook.result()
	file := readSVG(t, r)
	var drawn int
	perPixel := float64(r.Makespan()) / (svgWidth - svgGutter - 12)
	rects := file.Rects
	for len(rects) > 0 && rects[0].Title == "" { // background and legend
		rects = rects[1:]
	}
	for _, l := range r.Timeline.Lanes {
		for i, s := range l.Spans {
			b := rects[0]
			rects = rects[1:]
			if b.Fill != looks[s.Term].Color || math.Abs((b.X-svgGutter)*perPixel-float64(s.Start)) > 0.01*perPixel ||
				math.Abs(b.Width*perPixel-float64(s.End-s.Start)) > 0.01*perPixel {
				t.Fatalf("%s, span %d %+v: %+v", l.Name, i, s, b)
			}
			if !strings.HasPrefix(b.Title, l.Name+": ") {
				t.Fatalf("%s, span %d is called %q", l.Name, i, b.Title)
			}
			drawn++
		}
	}
	if drawn != int(r.Events) || len(rects) > 0 {
		t.Errorf("%d of %d spans drawn, %d rectangles too many", drawn, r.Events, len(rects))
	}
	arrows := 0
	for _, p := range file.Paths {
		if p.End != "" {
			arrows++
		}
	}
	if arrows != len(r.Timeline.Messages) {
		t.Errorf("%d arrows for %d messages", arrows, len(r.Timeline.Messages))
	}
}

func TestSVGOfHostileNames(t *testing.T) {
	if file := readSVG(t, hostilePage().Runs[0].Result); !strings.Contains(file.Rects[len(file.Rects)-1].Title, hostile) {
		t.Errorf("the last span is called %q", file.Rects[len(file.Rects)-1].Title)
	}
}

func TestSVGErrors(t *testing.T) {
	if err := WriteSVG(io.Discard, &results.Result{}); !errors.Is(err, errNoTimeline) {
		t.Errorf("without a timeline: %v", err)
	}
	many := textbook
	many.rows = 2000
	if err := WriteSVG(io.Discard, many.result()); err == nil || !strings.Contains(err.Error(), "at most 20,000 spans") {
		t.Errorf("too many spans: %v", err)
	}
	if err := WriteSVG(&full{100}, textbook.result()); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}
