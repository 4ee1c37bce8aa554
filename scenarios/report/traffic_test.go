package report

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overlapsim/network"
	"overlapsim/network/topology"
	"overlapsim/nodes/results"
	"overlapsim/scenarios/files"
	"overlapsim/scenarios/outcomes"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// carrying is the outcome of a run of 100 us on a ring of four nodes: in its first half router 0
// sends as fast as it can to router 1, in its second half nothing but node 2 waits, twice over.
func carrying(t *testing.T) *outcomes.Outcome {
	shape := must.Get(topology.NewTorus(topology.Grid{Sizes: []int{4}}))(t)
	const end = 100 * sim.Microsecond
	l := &network.Links{Shape: shape, Elapsed: end, Unit: "flows"}
	for range shape.Links() {
		l.Loads = append(l.Loads, network.LinkLoad{Capacity: 1e9})
	}
	from0 := shape.Route(0, 1, nil)[0]
	l.Loads[from0].Bytes = 50_000
	traffic := &network.Traffic{Carried: network.NewSeries(len(l.Loads)), Waiting: network.NewSeries(4)}
	traffic.Carried.Add(int(from0), 0, end/2, 50_000*network.ByteParts)
	traffic.Waiting.Add(2, end/2, end, int64(end))
	traffic.Finish(l, end)
	return &outcomes.Outcome{Scenario: &files.Scenario{}, Links: l, Result: &results.Result{Ranks: 4, Traffic: traffic}}
}

// A network without its own links has only queues at injection over time; one without
// recording has nothing.
func TestQueuesWithoutLinks(t *testing.T) {
	o := carrying(t)
	o.Links, o.Result.Traffic.Carried = nil, nil
	links := linksOf(o)
	if links == nil || len(links.Over.Charts) != 1 || links.Over.Charts[0].Name != OfQueues {
		t.Fatalf("the page has %+v", links)
	}
	longest := links.Over.Charts[0].Figure.(*Curves).Curves[1].Y
	if first, last := longest[0], longest[len(longest)-1]; first != 0 || math.Abs(last-2) > 1e-9 {
		t.Errorf("the longest queue is %g at first and %g at last, want 0 and 2", first, last)
	}
	if v := links.view(); len(v.Maps) != 0 || len(v.Charts) != 1 {
		t.Errorf("%d maps and %d charts, want a chart", len(v.Maps), len(v.Charts))
	}
	if o.Result.Traffic = nil; linksOf(o) != nil {
		t.Error("there are queues of which nothing was recorded")
	}
}

// The parts of a run show the bytes carried in each, and the whole run is their mean.
func TestPartsOfRun(t *testing.T) {
	o := carrying(t)
	links := linksOf(o)
	parts := len(links.Over.Starts) - 1
	if parts < 16 || parts > mostParts || links.Over.Starts[parts] != 100e-6 {
		t.Fatalf("%d parts until %v", parts, links.Over.Starts[parts])
	}
	for y, row := range links.Map[0].Values {
		for x, whole := range row {
			mean := 0.0
			for part, values := range links.Map[0].Parts {
				mean += values[y][x] * (links.Over.Starts[part+1] - links.Over.Starts[part]) / 100e-6
			}
			if math.Abs(mean-whole) > 1e-9 {
				t.Errorf("cell %d, %d: %v in the whole run, its parts give %v", x, y, whole, mean)
			}
		}
	}
	first, last := links.Over.Queues.Parts[0][0], links.Over.Queues.Parts[parts-1][0]
	if want := []float64{0, 0, 2, 0}; !reflect.DeepEqual(last, want) || !reflect.DeepEqual(first, make([]float64, 4)) {
		t.Errorf("queues begin as %v and end as %v, want %v", first, last, want)
	}
	if got := links.Over.Queues.Values[0]; math.Abs(got[2]-1) > 1e-9 {
		t.Errorf("queues of the whole run: %v", got)
	}
}

// The slider of a page chooses the part of the run that the maps show, also by keys; Play goes
// through them.
func TestPartsInBrowser(t *testing.T) {
	links := linksOf(carrying(t))
	page := onePage("links over time", textbook.result())
	page.Runs[0].Links = links
	b := browse(t, written(t, page), 1200, 900)
	shown := func() []float64 {
		return eval[[]float64](b, `(() => {
			const plot = document.querySelector('.parts + .charts .plot');
			return echarts.getInstanceByDom(plot).getOption().series[0].data.map((d) => d.value[3]).filter((v) => v !== '-');
		})()`)
	}
	values := func(map_ [][]float64) (all []float64) {
		for _, row := range map_ {
			for _, v := range row {
				if !math.IsNaN(v) {
					all = append(all, v)
				}
			}
		}
		return all
	}
	if got, want := shown(), values(links.Map[0].Values); !reflect.DeepEqual(got, want) {
		t.Errorf("the whole run shows %v, want %v", got, want)
	}
	b.Run(chromedp.Focus(".parts input"), chromedp.KeyEvent(kb.ArrowRight))
	if got, want := shown(), values(links.Map[0].Parts[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("the first part shows %v, want %v", got, want)
	}
	said := eval[string](b, "document.querySelector('.parts output').textContent")
	read := eval[string](b, "document.querySelector('.parts input').getAttribute('aria-valuetext')")
	if want := "0 s to " + Seconds(links.Over.Starts[1]); said != want || read != want {
		t.Errorf("the slider says %q, and %q to a screen reader, want %q", said, read, want)
	}
	b.Run(chromedp.Focus(".parts input"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.Focus(".parts button"), chromedp.KeyEvent(kb.Enter),
		chromedp.Poll("((s) => s.value === s.max)(document.querySelector('.parts input'))", nil,
			chromedp.WithPollingTimeout(20*time.Second)),
		chromedp.Poll(`document.querySelector('.parts button').getAttribute('aria-pressed') === 'false'`, nil, chromedp.WithPollingTimeout(20*time.Second)))
	if got, want := shown(), values(links.Map[0].Parts[len(links.Map[0].Parts)-1]); !reflect.DeepEqual(got, want) {
		t.Errorf("played to the end it shows %v, want %v", got, want)
	}
	b.Clean()
}
