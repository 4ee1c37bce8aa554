package report

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Figure is a chart of the page: *Bars, *Curves or *HeatMap.
type Figure interface {
	chart() chart
}

// Bars are stacked bars as the papers draw them: the x axis has groups, a
// group has one bar per member, and a bar is a stack of parts. NaN leaves a
// piece out.
type Bars struct {
	Title, Note string
	XName       string
	Unit        string   // of the values; "s" is scaled
	Groups      []string // along the x axis
	Members     []string // labels of the bars of a group, such as E, S, P; {""} for one bar
	Parts       []Part   // bottom to top
	Horizontal  bool     // bars lie; better for few groups with long names
	Ends        []Ends   // by group: the text at the ends of its bar; may be omitted
	// Starts make a waterfall of bars with one part each: where the bar of each group begins.
	Starts []float64
}

// Ends is the text at the ends of a bar below and above zero, and what the pointer shows
// besides.
type Ends struct {
	Low, High string
	Says      []string
}

// Part is a piece of every bar of Bars.
type Part struct {
	Name   string
	Color  string      // #rrggbb; "": chosen by the name
	Values [][]float64 // by group, by member
}

// Curves are lines over a common numeric x axis.
type Curves struct {
	Title, Note  string
	XName, YName string
	XUnit, YUnit string
	XLog, YLog   bool
	X, Y         Axis
	Small        bool // one of many side by side: lower, no legend
	Curves       []Curve
}

// Curve is one line; a point whose X or Y is NaN is omitted.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool // a model's or a published curve next to a simulated one
	Marks  Marks
	Color  string // #rrggbb; "": chosen by the place in the list
	Group  string // text of the legend for all curves of a group; "": the curve's name
}

// Axis has the ends of an axis; both 0: they follow from the values.
type Axis struct{ Low, High float64 }

func (a Axis) given() bool { return a != Axis{} }

// round returns the ends, moved outwards to round values.
func (a Axis) round() (low, high float64) {
	step := roundStep((a.High - a.Low) / 5)
	return step * math.Floor(a.Low/step+1e-9), step * math.Ceil(a.High/step-1e-9)
}

// Marks are the points of a curve.
type Marks uint8

// The kinds of marks.
const (
	MarksIfFew Marks = iota // a dot for each point, unless there are many
	LineOnly
	DotsOnly
	Ring // one large ring for each point, no line
)

// HeatMap is a grid of coloured cells. NaN leaves a cell empty.
type HeatMap struct {
	Title, Note  string
	XName, YName string
	X, Y         []string
	XTicks       []int  // columns that have labels, or some of them at one distance if not all fit; nil: all
	YTicks       []int  // the same for rows
	LineName     string // what the white line is
	Unit         string
	Min, Max     float64       // ends of the colours, to which values are cropped; both 0: the extremes of the values
	Log          bool          // the colours are of logarithms; values, Min and Max are positive
	Contours     bool          // lines along the levels of the scale; both axes are of numbers in order
	Values       [][]float64   // by y, by x
	Line         []float64     // a white line: at each x the y, counted in cells from the middle of the first one; NaN: outside
	Details      []Detail      // what the pointer shows of a cell in addition to its value
	Small        bool          // one of many side by side: few labels, no scale
	Parts        [][][]float64 // the values in each part of a run, between which a slider of the page chooses; their ends are 0 and Max
}

// Detail is a number for each cell of a heat map; 0 is not shown.
type Detail struct {
	Name, Unit string
	Color      string      // #rrggbb; "": none
	Values     [][]float64 // by y, by x
}

// Row is a row of figures under a heading.
type Row struct {
	Title, Note string
	Figures     []Figure
}

// chart is the input of the page's script: an echarts option and how to write its
// numbers.
type chart struct {
	Title, Note string
	Height      int // px
	Data        chartData
}

type chartData struct {
	XUnit    string         `json:"xUnit"`
	YUnit    string         `json:"yUnit"`
	Members  []string       `json:"members"`          // of stacked bars: the tooltip adds each one's parts up
	Groups   []string       `json:"groups,omitempty"` // of curves: the text of the legend for each
	Log      bool           `json:"log,omitempty"`
	Small    bool           `json:"small,omitempty"`
	Line     [][]any        `json:"line,omitempty"`
	Contours [][]any        `json:"contours,omitempty"`
	Levels   []float64      `json:"levels,omitempty"` // of the scale of colours
	Of       string         `json:"of,omitempty"`     // what a selection in the timeline filters it by: "ranks" or "phases"
	Run      int            `json:"run"`              // whose timeline it is
	XTicks   []int          `json:"xTicks,omitempty"` // of a heat map
	YTicks   []int          `json:"yTicks,omitempty"`
	Details  []detailData   `json:"details,omitempty"`
	Ends     bool           `json:"ends,omitempty"`  // of bars have labels
	Bare     bool           `json:"bare,omitempty"`  // the groups say what the colours mean
	Says     [][]string     `json:"says,omitempty"`  // lines of the tooltip, by group
	Parts    string         `json:"parts,omitempty"` // of a heat map
	Option   map[string]any `json:"option"`
}

type detailData struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Color string `json:"color,omitempty"`
}

// hidden turns echarts' legend off; the page has its own, which wraps.
var hidden = charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)})

// others are the colours of everything that is not a ledger term, so that a hue has one
// meaning on a page. They are at least 15 from the colours of the terms, and as far from
// each other as those are (a test computes it).
var others = []string{"#029fd3", "#aa3888", "#307247", "#8c9d00", "#6954cb", "#7a6316", "#ff5780", "#9718ff"}

func (b *Bars) chart() chart {
	c := charts.NewBar()
	c.SetGlobalOptions(b.layout()...)
	c.SetXAxis(b.Groups)
	if b.Starts != nil {
		b.addFloating(c)
	} else {
		b.addStacks(c)
	}
	c.Validate()
	v := chart{Title: b.Title, Note: b.Note, Height: 300,
		Data: chartData{YUnit: b.Unit, Members: b.Members, Option: option(c.JSON()), Ends: b.Ends != nil, Bare: b.Starts != nil}}
	for _, e := range b.Ends {
		v.Data.Says = append(v.Data.Says, e.Says)
	}
	if b.Horizontal {
		v.lay(b)
	}
	return v
}

// addStacks adds a series for each part of each member.
func (b *Bars) addStacks(c *charts.Bar) {
	colors := partColors(b.Parts)
	for m, member := range b.Members {
		for i, p := range b.Parts {
			options := append(stackedBar(m), charts.WithItemStyleOpts(opts.ItemStyle{Color: colors[i]}))
			if i == len(b.Parts)-1 && member != "" {
				options = append(options, charts.WithLabelOpts(*endLabel(b.above(), member)))
			}
			c.AddSeries(p.Name, b.data(i, m), options...)
		}
	}
}

// above is the position of the label of a member.
func (b *Bars) above() string {
	if b.Horizontal {
		return "right"
	}
	return "top"
}

// lay makes the bars of a chart horizontal: the first group comes on top.
func (c *chart) lay(b *Bars) {
	o := c.Data.Option
	x, y := o["xAxis"].([]opts.XAxis), o["yAxis"].([]opts.YAxis)
	o["xAxis"], o["yAxis"] = y, x
	x[0].Inverse, x[0].Name = opts.Bool(true), ""
	c.Data.XUnit, c.Data.YUnit = c.Data.YUnit, c.Data.XUnit
	c.Height = 48 + len(b.Groups)*max(34, 24*len(b.Members))
}

func (b *Bars) layout() []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithAnimation(false),
		hidden,
		charts.WithGridOpts(opts.Grid{Left: "12", Right: "30", Top: "14", Bottom: bottom(b.XName), ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis", AxisPointer: &opts.AxisPointer{Type: "shadow"}}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Name: b.XName, NameLocation: "middle", NameGap: 32,
			AxisTick: &opts.AxisTick{Show: opts.Bool(false)}}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value"}),
	}
}

// bottom leaves room for the name of an x axis.
func bottom(name string) string {
	if name == "" {
		return "8"
	}
	return "32"
}

// top leaves room for the name of a y axis.
func top(name string) string {
	if name == "" {
		return "14"
	}
	return "28"
}

// data is one part of one member over all groups; a missing value is "-".
func (b *Bars) data(part, member int) []opts.BarData {
	data := make([]opts.BarData, len(b.Groups))
	for g := range b.Groups {
		data[g].Value = known(b.Parts[part].Values[g][member])
		if b.Ends != nil {
			data[g].Label = b.end(part, g, member)
		}
	}
	return data
}

// end is the label of the last piece of a bar to either side.
func (b *Bars) end(part, group, member int) *opts.Label {
	v := b.Parts[part].Values[group][member]
	for _, p := range b.Parts[part+1:] {
		if v*p.Values[group][member] > 0 {
			return nil
		}
	}
	if v > 0 {
		return endLabel("right", b.Ends[group].High)
	}
	if v < 0 {
		return endLabel("left", b.Ends[group].Low)
	}
	return nil
}

// known returns x as echarts wants it: "-" for a missing value.
func known(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return x
}

func (c *Curves) chart() chart {
	l := charts.NewLine()
	l.SetGlobalOptions(
		charts.WithAnimation(false),
		hidden,
		charts.WithGridOpts(opts.Grid{Left: "12", Right: "30", Top: top(c.YName), Bottom: bottom(c.XName), ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithXAxisOpts(c.xAxis()),
		charts.WithYAxisOpts(c.yAxis()),
	)
	for i, line := range c.Curves {
		l.AddSeries(line.Name, line.points(), charts.WithLineStyleOpts(line.style()),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: line.ColorAt(i)}),
			charts.WithLineChartOpts(line.symbols()))
	}
	l.Validate()
	v := chart{Title: c.Title, Note: c.Note, Height: 300,
		Data: chartData{XUnit: c.XUnit, YUnit: c.YUnit, Groups: c.groups(), Small: c.Small, Option: option(l.JSON())}}
	if c.Small {
		v.Height = 220
	}
	return v
}

func (c *Curves) xAxis() opts.XAxis {
	x := opts.XAxis{Type: scale(c.XLog), Name: c.XName, NameLocation: "middle", NameGap: 32, Min: "dataMin", Max: "dataMax"}
	if c.X.given() {
		x.Min, x.Max = c.X.round()
	}
	return x
}

func (c *Curves) yAxis() opts.YAxis {
	y := opts.YAxis{Type: scale(c.YLog), Name: c.YName, AxisLabel: &opts.AxisLabel{}}
	if c.Y.given() {
		y.Min, y.Max = c.Y.round()
	} else if c.YLog {
		_, _, low, high := c.Extent()
		y.Min, y.Max = under(low), roundStep(high)
	}
	return y
}

func (c *Curve) style() opts.LineStyle {
	style := opts.LineStyle{Width: 2}
	if c.Dashed {
		style.Type = "dashed"
	}
	if c.Marks >= DotsOnly {
		style.Opacity = opts.Float(0)
	}
	return style
}

func (c *Curve) symbols() opts.LineChart {
	l := opts.LineChart{ShowSymbol: opts.Bool(c.Dotted()), SymbolSize: 6}
	switch c.Marks {
	case DotsOnly:
		l.Symbol = "circle"
	case Ring:
		l.SymbolSize = 12
	}
	return l
}

// Dotted tells whether the points of the curve are marked.
func (c *Curve) Dotted() bool {
	return c.Marks >= DotsOnly || c.Marks == MarksIfFew && len(c.X) <= 64
}

// groups are the texts of the legend for each curve; nil: their names.
func (c *Curves) groups() []string {
	var all []string
	grouped := false
	for _, line := range c.Curves {
		all, grouped = append(all, cmp.Or(line.Group, line.Name)), grouped || line.Group != ""
	}
	if !grouped {
		return nil
	}
	return all
}

// ColorAt is the colour of a curve, as #rrggbb; at is its place in the list.
func (c *Curve) ColorAt(at int) string {
	if c.Color != "" {
		return c.Color
	}
	return others[at%len(others)]
}

// Color returns the n-th colour that is not of a ledger term, for curves that belong
// together.
func Color(n int) string { return others[n%len(others)] }

func (c *Curve) points() []opts.LineData {
	var data []opts.LineData
	for i, x := range c.X {
		if !math.IsNaN(x) && !math.IsNaN(c.Y[i]) {
			data = append(data, opts.LineData{Value: []float64{x, c.Y[i]}})
		}
	}
	return data
}

func scale(log bool) string {
	if log {
		return "log"
	}
	return "value"
}

func (h *HeatMap) chart() chart {
	c := charts.NewHeatMap()
	low, high := h.Span()
	c.SetGlobalOptions(
		charts.WithAnimation(false),
		hidden,
		charts.WithGridOpts(opts.Grid{Left: "28", Right: "112", Top: "28", Bottom: bottom(h.XName), ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: h.X, Name: h.XName, NameLocation: "middle", NameGap: 32}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: h.Y, Name: h.YName}),
		charts.WithVisualMapOpts(opts.VisualMap{Calculable: opts.Bool(true), Min: float32(h.shade(low)), Max: float32(h.shade(high)),
			Right: "8", Top: "middle",
			Dimension: "2", InRange: &opts.VisualMapInRange{Color: viridis}}),
	)
	c.AddSeries(h.Title, h.cells(low, high), charts.WithItemStyleOpts(h.border()))
	c.Validate()
	data := chartData{YUnit: h.Unit, Log: h.Log, Small: h.Small, Levels: h.Levels(), XTicks: h.XTicks, YTicks: h.YTicks, Option: option(c.JSON())}
	for _, line := range h.ContourLines() {
		data.Contours = append(data.Contours, []any{line[0].X, line[0].Y}, []any{line[1].X, line[1].Y}, []any{"-", "-"})
	}
	for x, y := range h.Line {
		data.Line = append(data.Line, []any{x, known(y)})
	}
	for _, d := range h.Details {
		data.Details = append(data.Details, detailData{d.Name, d.Unit, d.Color})
	}
	data.Parts = h.packedParts(high)
	return chart{Title: h.Title, Note: h.note(), Height: h.height(), Data: data}
}

// packedParts returns the values of the parts as numbers of two bytes, in base64. The
// largest such number stands for high. Empty cells are omitted.
func (h *HeatMap) packedParts(high float64) string {
	var bytes []byte
	for _, values := range h.Parts {
		for y, row := range values {
			for x, v := range row {
				if !math.IsNaN(h.Values[y][x]) {
					bytes = binary.LittleEndian.AppendUint16(bytes, uint16(math.Round(math.MaxUint16*min(1, v/max(high, math.SmallestNonzeroFloat64)))))
				}
			}
		}
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

// height is the height of the chart, in px. If there are many rows, each is lower.
func (h *HeatMap) height() int {
	rows := len(h.Y)
	switch {
	case h.Small:
		return 150
	case rows == 1:
		return 150
	case rows > 16:
		return 120 + rows*max(10, 352/rows)
	}
	return 120 + 22*max(rows, 8)
}

// dense tells whether cells are too small for lines between them.
func (h *HeatMap) dense() bool {
	return h.Small || len(h.X) > maxLines || len(h.X)*len(h.Y) > maxLined
}

func (h *HeatMap) border() opts.ItemStyle {
	if h.dense() {
		return opts.ItemStyle{}
	}
	return opts.ItemStyle{BorderColor: "#fff", BorderWidth: 1}
}

// shade is the number that the colour of a value stands for.
func (h *HeatMap) shade(v float64) float64 {
	if h.Log {
		return math.Log10(v)
	}
	return v
}

// maxLines is the number of columns, and maxLined the number of cells, beyond which
// cells are too small for lines between them.
const (
	maxLines = 48
	maxLined = 400
)

// note explains what is white on a large map: the line, and cells without a value.
func (h *HeatMap) note() string {
	var white []string
	if h.Line != nil && h.LineName != "" {
		white = append(white, "White line: "+h.LineName+".")
	}
	empty := func(row []float64) bool { return slices.ContainsFunc(row, math.IsNaN) }
	if !h.Small && h.LineName != "" && slices.ContainsFunc(h.Values, empty) {
		white = append(white, "Cells without colour have no value.")
	}
	if h.Small || white == nil {
		return h.Note
	}
	return strings.TrimSpace(h.Note + " " + strings.Join(white, " "))
}

// Every returns every n-th of some columns, from the first one on.
func Every(n, columns int) (ticks []int) {
	for i := 0; n > 0 && i < columns; i += n {
		ticks = append(ticks, i)
	}
	return ticks
}

// viridis is matplotlib's perceptually uniform colour map, in steps.
var viridis = []string{"#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"}

// cells returns the place, shade, value and details of each cell.
func (h *HeatMap) cells(low, high float64) []opts.HeatMapData {
	var data []opts.HeatMapData
	for y, row := range h.Values {
		for x, v := range row {
			cell := []any{x, y, "-", "-"}
			if !math.IsNaN(v) {
				cell = []any{x, y, short(h.shade(min(max(v, low), high))), short(v)}
			}
			for _, d := range h.Details {
				cell = append(cell, short(d.Values[y][x]))
			}
			data = append(data, opts.HeatMapData{Value: cell})
		}
	}
	return data
}

// short rounds a number to the four digits that are shown.
func short(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	text := strconv.FormatFloat(x, 'g', 4, 64)
	x, _ = strconv.ParseFloat(text, 64)
	return x
}

// Span returns the values that the first and the last colour stand for.
func (h *HeatMap) Span() (low, high float64) {
	if h.Min != 0 || h.Max != 0 {
		return h.Min, h.Max
	}
	return extremes(slices.Concat(h.Values...))
}

// option keeps what the embedded script understands, and drops the extras of go-echarts.
func option(all map[string]any) map[string]any {
	delete(all, "toolbox")
	delete(all, "title")
	delete(all, "color")
	return all
}
