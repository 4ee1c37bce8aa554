package report

import (
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"overlapsim/scenarios/report/headless"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

var (
	pictureOf = flag.String("page", "", "an HTML report to take the picture of; without it a made-up run")
	pictureTo = flag.String("out", "", "the PNG `file` for the picture; without it the picture is only checked")
)

// TestScreenshot takes the picture of the README, from a report or a made-up run. File
// names are absolute or relative to this folder:
//
//	overlapsim run ft-pencils-jacquard --set ranks=8 --set workload.rows=64 \
//	  --set workload.row_length=4096 --set workload.computation=0.6 --html ft.html
//	go test ./scenarios/report -run Screenshot -args -page=../../ft.html -out=../../docs/report.png
func TestScreenshot(t *testing.T) {
	must.Long(t)
	source := *pictureOf
	if source == "" {
		s := textbook
		s.rows, s.compute, s.jitter = 5, 13*sim.Microsecond, 0.7
		p := onePage("FT Pencils on four nodes", s.result())
		p.Subtitle = "a made-up machine, 4 ranks, 5 rows of 1,024 elements"
		source = written(t, p)
	}
	source = must.Get(filepath.Abs(source))(t)
	b := browse(t, source, 1400, 880, chromedp.EmulateScale(2))
	file := *pictureTo
	if file == "" {
		file = filepath.Join(t.TempDir(), "report.png")
	}
	shot(b, file, false)
	checkPicture(t, file, 2800, 1760)
	b.Clean()
}

func checkPicture(t *testing.T, file string, width, height int) {
	in := must.Get(os.Open(file))(t)
	defer in.Close()
	picture := must.Get(png.Decode(in))(t)
	if size := picture.Bounds().Size(); size.X != width || size.Y != height {
		t.Errorf("the picture has %v pixels, want %d x %d", size, width, height)
	}
	missing := map[string]bool{looks[0].Color: true}
	for y := 0; y < height; y += 3 {
		for x := 0; x < width; x += 3 {
			red, green, blue, _ := picture.At(x, y).RGBA()
			delete(missing, fmt.Sprintf("#%02x%02x%02x", red>>8, green>>8, blue>>8))
		}
	}
	if len(missing) > 0 {
		t.Error("nothing on the picture has the colour of computation")
	}
}

// shot saves a picture of the window, or of the whole page.
func shot(b *tab, file string, all bool) {
	b.Helper()
	var picture []byte
	if all {
		b.Run(chromedp.FullScreenshot(&picture, 100))
	} else {
		b.Run(chromedp.CaptureScreenshot(&picture))
	}
	must.Do(b, os.WriteFile(file, picture, 0o644))
}

// BenchmarkOpen writes and opens reports: their size, the time until
// everything is drawn, and that of one redraw, the mean over zooming in
// twentyfold steps from the whole run to single spans.
func BenchmarkOpen(b *testing.B) {
	for _, c := range []struct {
		name string
		synthetic
		spans int
	}{{"262k_messages", large, 1298446}, {"2M_messages", huge, 10335608}} {
		b.Run(c.name, func(b *testing.B) {
			file := written(b, onePage(c.name, c.result()))
			info := must.Get(os.Stat(file))(b)
			ready, redraw, worst := 0.0, 0.0, 0.0
			for b.Loop() {
				tab := browse(b, file, 1400, 1000)
				if n := eval[int](tab, "overlapsim.spans"); n != c.spans {
					b.Fatalf("%d spans, want %d", n, c.spans)
				}
				ready += eval[float64](tab, "overlapsim.readyMs")
				times := eval[[]float64](tab,
					`[...Array(40).keys()].map((i) => { overlapsim.view.zoom(0.74, overlapsim.view.length / 2); drawAll(); return overlapsim.drawMs; })`)
				for _, ms := range times {
					redraw += ms / float64(len(times))
					worst = max(worst, ms)
				}
				tab.Clean()
			}
			b.ReportMetric(float64(c.spans), "spans")
			b.ReportMetric(float64(info.Size())/1e6, "MB")
			b.ReportMetric(ready/float64(b.N), "ms-ready")
			b.ReportMetric(redraw/float64(b.N), "ms/redraw")
			b.ReportMetric(worst, "ms-worst")
		})
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *pictureTo != "" && !strings.HasSuffix(*pictureTo, ".png") {
		fmt.Fprintln(os.Stderr, "-out: the picture is a PNG, name the file so")
		os.Exit(2)
	}
	status := m.Run()
	headless.End()
	os.Exit(status)
}
