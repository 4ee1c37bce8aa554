package report

import (
	"math"
	"strings"
	"testing"
)

// overlapMap is a heat map with all features.
func overlapMap(small bool) *HeatMap {
	return &HeatMap{
		Title: "sender side", XName: "message size", YName: "computation", X: []string{"1KB", "1MB", "16MB"}, Y: []string{"1 us", "1 ms"},
		Max: 2, Small: small,
		Values: [][]float64{{0, 0.5, 3}, {-0.1, 1, math.NaN()}},
		Line:   []float64{0, 0.7, math.NaN()},
		Details: []Detail{
			{Name: "took", Unit: "s", Values: [][]float64{{2e-6, 1.5e-3, 3}, {1e-3, 2e-3, 0}}},
			{Name: "waited: no agent made progress", Unit: "s", Color: "#660037", Values: [][]float64{{0, 5e-4, 0}, {0, 1e-3, 0}}},
		},
	}
}

// The pointer shows the exact value, even if the colour is clipped, and the details that are not
// 0. The line and the scale are drawn.
func TestHeatMapInBrowser(t *testing.T) {
	logarithmic := overlapMap(false)
	logarithmic.Log, logarithmic.Min, logarithmic.Max, logarithmic.Line, logarithmic.Unit = true, 1, 1e4, nil, "x"
	logarithmic.Values = [][]float64{{1, 10, 1e6}, {1, 1, 1}}
	p := &Page{Title: "heat maps", Figures: []Figure{overlapMap(false), logarithmic},
		Rows: []Row{{Title: "small", Figures: []Figure{overlapMap(true)}}}}
	b := browse(t, written(t, p), 1200, 900)
	tip := func(figure, cell string) string {
		return eval[string](b, `(() => {
			const plot = document.querySelectorAll('.plot')[`+figure+`], chart = echarts.getInstanceByDom(plot);
			chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: `+cell+` });
			return plot.innerText.replace(/\s+/g, ' ');
		})()`)
	}
	for _, c := range []struct{ figure, cell, want string }{
		{"0", "1", "message size 1MB computation 1 us0.5 took1.5 ms waited: no agent made progress500 µs"},
		{"0", "2", "message size 16MB computation 1 us3 took3 s"},
		{"0", "3", "message size 1KB computation 1 ms-0.1 took1 ms"},
		{"1", "2", "message size 16MB computation 1 us1000000 x took3 s"},
		{"2", "1", "message size 1MB computation 1 us0.5 took1.5 ms waited: no agent made progress500 µs"},
	} {
		if got := strings.ReplaceAll(tip(c.figure, c.cell), " ", ""); got != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("figure %s, cell %s: %q, want %q", c.figure, c.cell, got, c.want)
		}
	}
	// The first row is at the bottom, the first column on the left.
	places := eval[[]float64](b, `(() => {
		const chart = echarts.getInstanceByDom(document.querySelectorAll('.plot')[0]);
		return [[0, 0], [1, 1]].flatMap((cell) => chart.convertToPixel({ seriesIndex: 0 }, cell));
	})()`)
	if len(places) != 4 || places[0] >= places[2] || places[1] <= places[3] {
		t.Errorf("the first cell and the one to the right and above are at %v", places)
	}
	for figure, want := range map[string]string{"0": "3", "1": "2", "2": "2"} {
		if got := eval[string](b,
			"String(echarts.getInstanceByDom(document.querySelectorAll('.plot')["+figure+"]).getOption().series.length)"); got != want {
			t.Errorf("figure %s has %s series, want %s", figure, got, want)
		}
	}
	b.Clean()
}
