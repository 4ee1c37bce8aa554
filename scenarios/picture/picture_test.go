package picture

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// sample is one drawing of each kind.
func sample() map[string]Drawing {
	return map[string]Drawing{
		"bars": Of(&report.Bars{Unit: "s", Groups: []string{"a", "b"}, Members: []string{"E", "S"}, Parts: []report.Part{
			{Name: "x", Values: [][]float64{{1, 2}, {3, 4}}}, {Name: "y", Values: [][]float64{{4, math.NaN()}, {2, 1}}}}}),
		"lying": Of(&report.Bars{Unit: "s", Groups: []string{"longer", "shorter"}, Members: []string{""}, Horizontal: true,
			Ends:   []report.Ends{{High: "+1 s", Low: "+1 s"}, {High: "-2 s", Low: "-2 s"}},
			Starts: []float64{0, 1}, Parts: []report.Part{{Name: "x", Color: "#058d5e", Values: [][]float64{{1}, {0}}},
				{Name: "y", Color: "#4d61df", Values: [][]float64{{0}, {-2}}}}}),
		"curves": Of(&report.Curves{XUnit: "B", YUnit: "s", XLog: true, YLog: true, XName: "size", Curves: []report.Curve{
			{Name: "one", X: []float64{1, 1024, 1 << 20}, Y: []float64{1e-6, 2e-6, 1e-3}},
			{Name: "two", X: []float64{1, 0, 1 << 20}, Y: []float64{1e-6, math.NaN(), 2e-3}, Dashed: true}}}),
		"heat": Of(&report.HeatMap{X: []string{"1", "2"}, Y: []string{"p", "q"}, Values: [][]float64{{1, 10}, {math.NaN(), 100}}, Log: true,
			Min: 1, Max: 100, Line: []float64{0, 1}}),
		"timeline": &Timeline{Result: ring(3, 20)},
		"calls":    &Timeline{Result: ring(3, 20), Calls: true},
	}
}

// ring is a run in which each rank computes, waits and sends to the next one, again and again.
func ring(ranks, steps int) *results.Result {
	r := &results.Result{Ranks: ranks, Timeline: &results.Timeline{}}
	for rank := range ranks {
		l := results.Lane{Name: fmt.Sprint("rank ", rank), Index: rank}
		for step := range steps {
			at := sim.Time(100 * step)
			l.Spans = append(l.Spans, results.Span{Start: at, End: at + 60, Message: -1},
				results.Span{Start: at + 60, End: at + 100, Term: results.Transfer, Message: -1})
			r.Timeline.Messages = append(r.Timeline.Messages,
				results.Message{From: int32(rank), To: int32((rank + 1) % ranks), Sent: at + 70, Delivered: at + 90})
			l.Calls = append(l.Calls, results.Call{At: at + 60, Kind: results.Post}, results.Call{At: at + 90, Kind: results.Poll})
		}
		r.Timeline.Lanes = append(r.Timeline.Lanes, l)
		r.Finish = append(r.Finish, sim.Time(100*steps))
	}
	return r
}

func drawn(t *testing.T, format string, s Style, d ...Drawing) []byte {
	t.Helper()
	f := must.Get(FormatOf("x." + format))(t)
	var out bytes.Buffer
	must.Do(t, Write(&out, f, s, 2, d...))
	return out.Bytes()
}

// Each kind is drawn in each format, as large as asked for, and twice alike.
func TestFormats(t *testing.T) {
	s := plain
	s.Width, s.Height = 127, 50.8 // 5 x 2 inches
	for name, d := range sample() {
		if again := drawn(t, "pdf", s, d); !bytes.Equal(again, drawn(t, "pdf", s, d)) {
			t.Errorf("%s: two PDF files differ", name)
		} else if !bytes.HasPrefix(again, []byte("%PDF")) || !bytes.Contains(again, []byte("/MediaBox [0 0 360.00 144.00]")) {
			t.Errorf("%s: no PDF of 360 x 144 points: %.60s", name, again)
		}
		const size = `width="360pt" height="144pt"`
		if svg := drawn(t, "svg", s, d); !bytes.Equal(svg, drawn(t, "svg", s, d)) || !bytes.Contains(svg, []byte(size)) {
			t.Errorf("%s: no SVG of 360 x 144 points: %.200s", name, svg)
		}
		picture := must.Get(png.Decode(bytes.NewReader(drawn(t, "png", s, d))))(t)
		if size := picture.Bounds().Size(); size.X != 5*dotsPerInch || size.Y != 2*dotsPerInch {
			t.Errorf("%s: the PNG has %v dots", name, size)
		}
	}
}

// Several charts have titles in bold letters, in a PDF too.
func TestTitles(t *testing.T) {
	d := Of(&report.Bars{Title: "one of two", Unit: "s", Groups: []string{"a"}, Members: []string{""},
		Parts: []report.Part{{Name: "x", Values: [][]float64{{1}}}}})
	for _, serif := range []bool{false, true} {
		s := plain
		s.Serif = serif
		two := drawn(t, "pdf", s, d, d)
		if !regexp.MustCompile(`/BaseFont /Liberation(Sans|Serif)-Bold`).Match(two) || strings.Count(contents(t, two), "one of two") != 2 {
			t.Errorf("serif %v: no two titles in bold letters", serif)
		}
	}
}

// The letters of a PDF need temporary files: where there can be none, the error says so. None stay.
func TestLettersNeedFiles(t *testing.T) {
	f, _ := FormatOf("x.pdf")
	s := plain
	for points, c := range map[float64]struct{ tmp, want string }{ // those of each size are made once
		7.25: {filepath.Join(t.TempDir(), "none"), "the letters of a PDF need a folder of temporary files (TMPDIR): stat "},
		7.5:  {t.TempDir(), ""},
	} {
		t.Setenv("TMPDIR", c.tmp)
		s.Points = points
		err := Write(io.Discard, f, s, 1, sample()["bars"])
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if left, _ := os.ReadDir(c.tmp); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
}

// In grey nothing has a colour, and parts still differ.
func TestGrey(t *testing.T) {
	s := plain
	s.Grey = true
	for name, d := range sample() {
		picture := must.Get(png.Decode(bytes.NewReader(drawn(t, "png", s, d))))(t)
		greys := map[uint32]int{}
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				r, g, b, _ := picture.At(x, y).RGBA()
				if r != g || g != b {
					t.Fatalf("%s: a colour at %d, %d", name, x, y)
				}
				greys[r>>8]++
			}
		}
		if len(greys) < 3 {
			t.Errorf("%s: %d greys", name, len(greys))
		}
	}
	for i, a := range shades {
		for j, b := range shades[:i] {
			if a == b {
				t.Errorf("terms %d and %d look alike in grey", i, j)
			}
		}
	}
}

var polygon = regexp.MustCompile(`<path d="M([-0-9.]+),([-0-9.]+)L([-0-9.]+),[-0-9.]+L[-0-9.]+,([-0-9.]+)[^"]*" style="fill:#([0-9A-Fa-f]{6})`)

// The widths of horizontal bars are in proportion to their values: a waterfall goes to 1 and back
// by 2.
func TestBarsAreInProportion(t *testing.T) {
	svg := string(drawn(t, "svg", plain, sample()["lying"]))
	widths := map[string]float64{}
	for _, m := range polygon.FindAllStringSubmatch(svg, -1) {
		var left, right float64
		fmt.Sscan(m[1], &left)
		fmt.Sscan(m[3], &right)
		widths[strings.ToLower(m[5])] = right - left
	}
	if !strings.Contains(svg, ">+1 s<") || !strings.Contains(svg, ">-2 s<") {
		t.Error("the texts at the ends of the bars are missing")
	}
	if a, b := widths["058d5e"], widths["4d61df"]; !(a > 10) || math.Abs(b/a-2) > 0.001 {
		t.Errorf("bars of 1 and 2 are %g and %g wide: %v", a, b, svg[:400])
	}
}

// Long names take two lines and are cut after them, so that bars keep half the width, on the side of their sign, at any size.
func TestLongNames(t *testing.T) {
	long := "messages of up to 500KiB sent at once (eager: a copy at 10GB/s by each side, charged)"
	d := Of(&report.Bars{Unit: "%", Groups: []string{long, "a"}, Members: []string{""}, Horizontal: true, Starts: []float64{0, 0},
		Ends:  []report.Ends{{High: "+1 %"}, {Low: "-2 %"}},
		Parts: []report.Part{{Name: "x", Color: "#058d5e", Values: [][]float64{{1}, {0}}}, {Name: "y", Color: "#4d61df", Values: [][]float64{{0}, {-2}}}}})
	for _, size := range [][2]float64{{85, 0}, {85, 30}, {40, 0}, {170, 0}} {
		s := plain
		s.Width, s.Height = size[0], size[1]
		svg := string(drawn(t, "svg", s, d))
		at := map[string][2]float64{}
		for _, m := range polygon.FindAllStringSubmatch(svg, -1) {
			var left, right float64
			fmt.Sscan(m[1], &left)
			fmt.Sscan(m[3], &right)
			if x, seen := at[strings.ToLower(m[5])]; !seen || right-left > x[1]-x[0] {
				at[strings.ToLower(m[5])] = [2]float64{left, right}
			}
		}
		up, down := at["058d5e"], at["4d61df"]
		if !(up[1] > up[0]) || math.Abs(down[1]-up[0]) > 0.1 || math.Abs((down[1]-down[0])/(up[1]-up[0])-2) > 0.01 {
			t.Errorf("%v: bars of 1 and -2 are at %v and %v", size, up, down)
		}
		if strings.Contains(svg, "charged)") != (size[0] == 170) {
			t.Errorf("%v: the name: %s", size, regexp.MustCompile(`>[^<]*mess[^<]*<`).FindAllString(svg, -1))
		}
	}
}

// The first row of a heat map is at its foot, and cells with room have their numbers.
func TestHeatMapGoesUp(t *testing.T) {
	svg := string(drawn(t, "svg", plain, Of(&report.HeatMap{X: []string{"a"}, Y: []string{"low", "high"}, Values: [][]float64{{1}, {5}}})))
	at := func(text string) (y float64) { // up, in the coordinates of the picture
		m := regexp.MustCompile(`y="([-0-9.]+)"[^>]*>`+text+"<").FindAllStringSubmatch(svg, -1)
		if m == nil {
			t.Fatalf("no %s in %s", text, svg)
		}
		fmt.Sscan(m[len(m)-1][1], &y)
		return -y
	}
	if math.Abs(at("1")-at("low")) > 2 || math.Abs(at("5")-at("high")) > 2 || at("1") >= at("5") {
		t.Errorf("the values are at %g and %g, the names at %g and %g", at("1"), at("5"), at("low"), at("high"))
	}
}

// The name of the axis that goes up has room, or its end has.
func TestHeatMapIsNamed(t *testing.T) {
	d := Of(&report.HeatMap{X: []string{"a"}, Y: []string{"b"}, YName: "machine.network.bandwidth", Values: [][]float64{{1}}})
	short := plain
	short.Height = 25
	for _, c := range []struct {
		style Style
		name  string
	}{{plain, "machine.network.bandwidth"}, {short, "bandwidth"}} {
		svg := string(drawn(t, "svg", c.style, d))
		var high, long float64
		fmt.Sscan(regexp.MustCompile(`height="([0-9.]+)pt"`).FindStringSubmatch(svg)[1], &high)
		m := regexp.MustCompile(`textLength="([0-9.]+)"[^>]*>([a-z.]*bandwidth)<`).FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("the axis has no name: %s", svg)
		}
		if fmt.Sscan(m[1], &long); m[2] != c.name || long > high {
			t.Errorf("%s is %g pt long, want %s in %g pt", m[2], long, c.name, high)
		}
	}
}

// Several drawings stand in columns, each below its title.
func TestColumns(t *testing.T) {
	s := plain
	s.Width, s.Height = 127, 50.8
	titled := func(title string) Drawing {
		return Of(&report.Curves{Title: title, Curves: []report.Curve{{Name: "c", X: []float64{0, 1}, Y: []float64{1, 2}}}})
	}
	svg := string(drawn(t, "svg", s, titled("First"), titled("Second"), titled("Third")))
	if !strings.Contains(svg, `width="720pt" height="288pt"`) {
		t.Errorf("not twice as wide and high as one: %.200s", svg)
	}
	for _, title := range []string{"First", "Second", "Third"} {
		if !strings.Contains(svg, ">"+title+"<") {
			t.Errorf("%s is missing", title)
		}
	}
	if one := string(drawn(t, "svg", s, titled("First"))); strings.Contains(one, "First") {
		t.Error("one drawing has a title, which belongs into the caption")
	}
}

// The critical path goes from lane to lane.
func TestPath(t *testing.T) {
	r := ring(2, 1)
	r.Critical = []results.Piece{
		{Start: 0, End: 60, Part: results.PartCompute, Resource: results.CPU, Index: 0, Message: -1},
		{Start: 60, End: 100, Part: results.PartCompute, Resource: results.CPU, Index: 1, Message: -1},
	}
	o := &over{&Timeline{Result: r}, func(at sim.Time) vg.Length { return vg.Length(at) }, map[*results.Lane]vg.Rectangle{
		&r.Timeline.Lanes[0]: area(0, 100, 50, 60), &r.Timeline.Lanes[1]: area(0, 100, 10, 20),
	}}
	foot := vg.Points(0.6)
	want := []vg.Point{{X: 0, Y: 50 + foot}, {X: 60, Y: 50 + foot}, {X: 60, Y: 10 + foot}, {X: 100, Y: 10 + foot}}
	if got := o.path(); !slices.Equal(got, want) {
		t.Errorf("the path is %v, want %v", got, want)
	}
}

// The shares of a column are those of its time: against the time of each picosecond.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := results.Lane{}
		at := sim.Time(0)
		for range rapid.IntRange(0, 12).Draw(t, "spans") {
			at += sim.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
			end := at + sim.Time(rapid.IntRange(0, 9).Draw(t, "length"))
			l.Spans = append(l.Spans, results.Span{Start: at, End: end, Term: results.Term(rapid.IntRange(0, 2).Draw(t, "term"))})
			at = end
		}
		line := &Timeline{Result: &results.Result{}, From: sim.Time(rapid.IntRange(0, 8).Draw(t, "from"))}
		columns, wide := rapid.IntRange(1, 5).Draw(t, "columns"), sim.Time(rapid.IntRange(1, 6).Draw(t, "width"))
		line.To = line.From + sim.Time(columns)*wide
		var want = make([]share, columns)
		for k := range columns {
			for ps := range wide {
				now := line.From + sim.Time(k)*wide + ps
				for _, x := range l.Spans {
					if x.Start <= now && now < x.End {
						want[k][x.Term] += 1 / float32(wide)
					}
				}
			}
		}
		got := line.shares(row{lanes: []*results.Lane{&l}}, columns)
		for k := range want {
			for term := range want[k] {
				if math.Abs(float64(got[k][term]-want[k][term])) > 0.003 {
					t.Fatalf("column %d, term %d: %g, want %g", k, term, got[k][term], want[k][term])
				}
			}
		}
	})
}

// If there are more lanes than rows, they share rows, and none is omitted; ranks and windows
// choose lanes.
func TestRows(t *testing.T) {
	line := &Timeline{Result: ring(1000, 1)}
	rows := line.rows(&Style{Width: 85, Points: 8})
	lanes := 0
	for _, r := range rows {
		lanes += len(r.lanes)
	}
	if lanes != 1000 || len(rows) > mostTall/leastRow || rows[0].name != "rank 0 to rank 6" {
		t.Errorf("%d lanes in %d rows, the first is %s", lanes, len(rows), rows[0].name)
	}
	few := &Timeline{Result: ring(10, 20), Ranks: []int{2, 5}, From: 150, To: 350}
	if rows := few.rows(&plain); len(rows) != 2 || rows[1].name != "rank 5" {
		t.Errorf("%+v", rows)
	}
	if spans, ok := few.few(few.lanes()[0], 5); !ok || len(spans) != 5 || spans[0].Start != 100 || spans[4].End != 360 {
		t.Errorf("within the window: %+v", spans)
	}
	late := &Timeline{Result: ring(1, 1), From: 100}
	if err := late.Check(); err == nil || err.Error() != "window: the run ends at 100ps, before 100ps" {
		t.Error(err)
	}
}

// Messages are arrows between the rows; too many are none.
func TestArrows(t *testing.T) {
	arrows := func(d Drawing) int { return strings.Count(string(drawn(t, "svg", plain, d)), "fill:#303030") }
	if n := arrows(&Timeline{Result: ring(3, 20)}); n != 60 {
		t.Errorf("%d arrows of 60 messages", n)
	}
	if n := arrows(&Timeline{Result: ring(3, 20), To: 195}); n != 6 {
		t.Errorf("%d arrows of 6 messages", n)
	}
	if n := arrows(&Timeline{Result: ring(3, 50)}); n != 0 {
		t.Errorf("%d arrows of 150 messages", n)
	}
}

func TestOptions(t *testing.T) {
	o, wrong := ParseOptions([]string{"of=ranks", "size=85x60mm", "font=9pt", "grey", "serif", "ranks=0-2+7", "from=1ms", "to=2ms", "nics"})
	if wrong != nil || !slices.Equal(o.Of, []string{"ranks"}) || o.Width != 85 || o.Height != 60 || o.Points != 9 ||
		!o.Grey || !o.Serif || !o.Timeline.NICs ||
		!slices.Equal(o.Timeline.Ranks, []int{0, 1, 2, 7}) || o.Timeline.From != sim.Millisecond || o.Timeline.To != 2*sim.Millisecond {
		t.Errorf("%+v, %v", o, wrong)
	}
	for text, want := range map[string]string{
		"gray":        "gray: unknown; did you mean grey?",
		"grey=yes":    "grey: takes no value",
		"size":        "size: needs a value, such as size=85x60",
		"size=8":      "size: must be a width, or width x height, of 20 to 1000 mm, such as 85 or 85x60, got 8",
		"size=85x":    "size: must be a width, or width x height, of 20 to 1000 mm, such as 85 or 85x60, got 85x",
		"font=tall":   "font: must be a size of letters from 3 to 36 points, such as 8, got tall",
		"ranks=7-2":   "ranks: must be ranks such as 3 or 0-7+12, got 7-2",
		"ranks=0-1e9": "ranks: must be ranks such as 3 or 0-7+12, got 0-1e9",
		"from=-1ms":   "from: must be a time such as 1.5ms, got -1ms",
	} {
		if _, wrong := ParseOptions([]string{text}); len(wrong) != 1 || wrong[0] != want {
			t.Errorf("%s: %q, want %q", text, wrong, want)
		}
	}
	_, wrong = ParseOptions([]string{"from=2ms", "to=1ms", "x"})
	if len(wrong) != 2 || wrong[1] != "to: must be later than from, 2ms, got 1ms" {
		t.Errorf("%q", wrong)
	}
	o, _ = ParseOptions([]string{"ranks=4", "of=timeline+ranks"})
	if o.Fits(4) != "ranks: the run has ranks 0 to 3, got 4" || o.Fits(5) != "" {
		t.Errorf("%q, %q", o.Fits(4), o.Fits(5))
	}
	if o.Of = []string{"ranks"}; o.Fits(9) == "" {
		t.Error("ranks of a chart")
	}
	if _, err := FormatOf("x.jpeg"); err == nil {
		t.Error("a format of its own")
	}
}

// A picture of calls names its blocks, and the calls of the NIC in it. With more lanes than rows
// it shows where time goes.
func TestCalls(t *testing.T) {
	names := func(line *Timeline) (all []string) {
		for _, e := range line.legend(&plain) {
			all = append(all, e.name)
		}
		return all
	}
	few := ring(2, 3)
	few.Phases = []string{"post", "wait"}
	few.Timeline.Lanes[1].Spans[1].Phase = 1
	want := []string{"computation", "post", "wait", "polls in vain", "post (stick)", "poll (stick)"}
	if got := names(&Timeline{Result: few, Calls: true}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	few.Timeline.Lanes[0].Calls, few.Timeline.Lanes[1].Calls = nil, nil
	if got := names(&Timeline{Result: few, Calls: true}); slices.Contains(got, "post (stick)") {
		t.Errorf("no calls: got %q", got)
	}
	if got := names(&Timeline{Result: ring(1000, 1), Calls: true}); !slices.Contains(got, report.TermTitle(results.Transfer)) {
		t.Errorf("1000 lanes: got %q", got)
	}
}

// Where Liberation is missing, letters of the same widths take its place; a PDF writes µ as one letter.
func TestLetters(t *testing.T) {
	d := Of(&report.Bars{Unit: "s", Groups: []string{"10 µs"}, Members: []string{""},
		Parts: []report.Part{{Name: "x", Values: [][]float64{{1e-5}}}}})
	s := plain
	for serif, want := range map[bool]string{
		false: "font-family:Liberation Sans,Arial,Helvetica,sans-serif;", true: "font-family:Liberation Serif,Times New Roman,Times,serif;",
	} {
		s.Serif = serif
		svg := string(drawn(t, "svg", s, d))
		if strings.Count(svg, want) != strings.Count(svg, "font-family:") || !strings.Contains(svg, ">10 µs<") {
			t.Errorf("not only %s: %.600s", want, svg)
		}
	}
	if text := contents(t, drawn(t, "pdf", plain, d)); !strings.Contains(text, "10 \xb5s") {
		t.Errorf("no 10 µs in %.600q", text)
	}
}

// contents are the streams of a PDF that are packed.
func contents(t *testing.T, pdf []byte) string {
	var all strings.Builder
	for _, part := range bytes.Split(pdf, []byte("\nstream\n"))[1:] {
		if z, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			if text, err := io.ReadAll(z); err == nil {
				all.Write(text)
			}
		}
	}
	return all.String()
}

// Each text of an SVG states how wide it is, so that letters of another font take as much room.
func TestTextsHaveWidths(t *testing.T) {
	for name, d := range sample() {
		var out bytes.Buffer
		must.Do(t, Write(&out, SVG(), plain, 1, d))
		all := regexp.MustCompile(`<text ([^>]*?)transform[^>]*>([^<]*)</text>`).FindAllStringSubmatch(out.String(), -1)
		if len(all) == 0 {
			t.Errorf("%s has no text", name)
		}
		for _, text := range all {
			var width float64
			_, err := fmt.Sscanf(text[1], `textLength="%g" lengthAdjust="spacingAndGlyphs"`, &width)
			if letters := float64(len([]rune(text[2]))); text[2] != "" && (err != nil || width < 0.15*plain.Points*letters || width > plain.Points*letters) {
				t.Errorf("%s: %q is %g points wide: %s", name, text[2], width, text[1])
			}
		}
	}
}
