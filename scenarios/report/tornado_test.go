package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// TestTornado puts the pieces of swings on both sides, and leaves out those that never
// occur. Pieces of the same name have the same colour.
func TestTornado(t *testing.T) {
	b := sampleTornado()
	want := []Part{
		{"inside", "#4d61df", [][]float64{{-10}, {-1}}}, {"outside", "#b7c1f4", [][]float64{{-2}, {0}}}, {"inside", "#4d61df",
			[][]float64{{5}, {0}}},
	}
	if fmt.Sprint(b.Parts) != fmt.Sprint(want) || !slices.Equal(b.Groups, []string{"gap", "o"}) || !b.Horizontal {
		t.Errorf("the bars are %+v", b)
	}
	if colors := partColors(b.Parts); colors[0] != colors[2] || colors[0] == colors[1] {
		t.Errorf("the pieces are %v", colors)
	}
	// The label is at the last piece of its side.
	for _, c := range []struct {
		part, group int
		want        string
	}{{0, 0, ""}, {1, 0, "-12 %, then o"}, {2, 0, "+5 %"}, {0, 1, "-1 %"}, {1, 1, ""}, {2, 1, ""}} {
		got := ""
		if l := b.end(c.part, c.group, 0); l != nil {
			got = l.Formatter
		}
		if got != c.want {
			t.Errorf("at piece %d of bar %d stands %q, want %q", c.part, c.group, got, c.want)
		}
	}
}

// TestTornadoInBrowser has labels where there is room for them. The tooltip says what
// does not fit on the bar.
func TestTornadoInBrowser(t *testing.T) {
	must.Long(t)
	file := written(t, &Page{Title: "tornado", Sections: []Section{{Title: "s", Figures: []Figure{sampleTornado()}}}})
	const labels = `echarts.getInstanceByDom(document.querySelector('.plot')).getOption().series.flatMap((s) => s.data).filter((d) => d.label).length`
	for width, want := range map[int]int{1300: 3, 390: 0} {
		b := browse(t, file, width, 800)
		if n := eval[int](b, labels); n != want {
			t.Errorf("%d labels on %d px, want %d", n, width, want)
		}
		said := eval[string](b, `(() => { const chart = echarts.getInstanceByDom(document.querySelector('.plot'));
			chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: 1 });
			return document.querySelector('.plot').innerText; })()`)
		if !strings.Contains(said, "today 1 µs") || strings.Contains(said, "inside") {
			t.Errorf("the tooltip says %q", said)
		}
		b.Clean()
	}
}

// TestGivenAxes ends axes at round values outside the given ones.
func TestGivenAxes(t *testing.T) {
	for _, c := range []struct{ axis, want Axis }{
		{Axis{0, 2}, Axis{0, 2}}, {Axis{13, 47}, Axis{10, 50}}, {Axis{-1.5, 1}, Axis{-1.5, 1}},
	} {
		if low, high := c.axis.round(); low != c.want.Low || high != c.want.High {
			t.Errorf("%v goes from %g to %g, want %v", c.axis, low, high, c.want)
		}
	}
}

// TestRoomForEndsInBrowser leaves room for labels only on the sides of zero that have bars, and ticks of
// whole numbers stand at whole numbers.
func TestRoomForEndsInBrowser(t *testing.T) {
	must.Long(t)
	grows := &Bars{Title: "grows", Horizontal: true, Unit: "s", Groups: []string{"a"}, Starts: []float64{0},
		Ends: []Ends{{High: "+1 s"}}, Parts: []Part{{Name: "a", Values: [][]float64{{1}}}}}
	falls := &Bars{Title: "falls", Horizontal: true, Unit: "s", Members: []string{""}, Groups: []string{"Pencils on Jacquard"},
		Ends: []Ends{{Low: "-1.143 ms, -47.7 % of what it was"}}, Parts: []Part{{Name: "a", Values: [][]float64{{-1}}}}}
	whole := &Curves{Title: "whole", XName: "n", Curves: []Curve{{Name: "c", X: []float64{1, 2}, Y: []float64{0.5, 0.7}}}}
	figures := []Figure{grows, sampleTornado(), falls, whole}
	b := browse(t, written(t, &Page{Title: "ends", Sections: []Section{{Title: "s", Figures: figures}}}), 1300, 900)
	const axes = `[...document.querySelectorAll('.plot')].map((p) => { const x = echarts.getInstanceByDom(p).getOption().xAxis[0];
		return x.boundaryGap.map((gap) => (parseFloat(gap) > 0 ? 'room' : 'none')).join() + ' ' + x.minInterval; }).join('; ')`
	if got, want := eval[string](b, axes), "none,room undefined; room,room undefined; room,none undefined; none,none 1"; got != want {
		t.Errorf("axes have %q, want %q", got, want)
	}
	const room = `(() => { const chart = echarts.getInstanceByDom(document.querySelectorAll('.plot')[2]);
		const [low] = chart.getModel().getComponent('xAxis').axis.scale.getExtent(), at = (v) => chart.convertToPixel({ xAxisIndex: 0 }, v);
		return at(-1) - at(low) - widest(['-1.143 ms, -47.7 % of what it was']); })()`
	if px := eval[float64](b, room); px < 0 {
		t.Errorf("a label lies %g px over the names of bars", -px)
	}
	b.Clean()
}
