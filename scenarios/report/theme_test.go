package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"overlapsim/scenarios/report/headless"
)

// poorInk lists the colours, of heat maps and greys, on which the ink of values in cells and of words in
// spans has a contrast below 4.5.
var poorInk = `[...Array(256).keys()].map((i) => shadeOf({ max: 255, inRange: { color: ` + strings.ReplaceAll(fmt.Sprintf("%q", viridis), " ", ",") +
	` } }, i)).concat([...Array(256).keys()].map((i) => '#' + i.toString(16).padStart(2, '0').repeat(3))).map((shade) => {
		const light = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
			.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
			.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
		const a = light(shade), b = light(inkOn(shade) === '#fff' ? '#ffffff' : inkOn(shade)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		return ratio < 4.5 ? shade + ' ' + ratio.toFixed(2) : ''; }).filter(Boolean)`

// The page follows the system between light and dark at once, charts and timelines too, and
// every text can be read in both.
func TestDarkPageInBrowser(t *testing.T) {
	p := samplePage()
	p.Figures = append(p.Figures, overlapMap(false))
	b := browse(t, written(t, p), 1300, 900)
	paper := `(() => { const c = overlapsim.gantts[0].base, p = c.getContext('2d').getImageData(2, 2, 1, 1).data;
		const chart = echarts.getInstanceByDom(document.querySelector('.plot'));
		return [p[0], chart.getOption().textStyle.color, getComputedStyle(document.documentElement).backgroundColor].join(' '); })()`
	for _, c := range []struct{ scheme, want string }{
		{"light", "255 #1d232c rgb(255, 255, 255)"}, {"dark", "20 #e8ebef rgb(20, 24, 29)"}, {"light", "255 #1d232c rgb(255, 255, 255)"},
	} {
		b.Run(headless.Dark(c.scheme), chromedp.Poll("theme.paper === '"+map[string]string{"light": "#ffffff", "dark": "#14181d"}[c.scheme]+"'", nil))
		if got := eval[string](b, paper); got != c.want {
			t.Errorf("%s: the page has %s, want %s", c.scheme, got, c.want)
		}
		for _, text := range eval[[]string](b, headless.Contrasts) {
			t.Errorf("%s: little contrast of %s", c.scheme, text)
		}
	}
	for _, text := range eval[[]string](b, poorInk) {
		t.Errorf("little contrast on %s", text)
	}
	b.Clean()
}

// Things that must not appear on paper: pictures over their neighbours, pictures that do not fill
// their width, and ink in the last column of pixels.
const (
	flatOnPaper = `[...document.querySelectorAll('.plot .picture')].filter((c) => c.checkVisibility()).map((c) => {
		const box = c.parentNode.getBoundingClientRect(), own = c.getBoundingClientRect();
		return own.top < box.top - 1 || own.bottom > box.bottom + 1
			? own.top + ' to ' + own.bottom + ' outside ' + box.top + ' to ' + box.bottom : ''; }).filter(Boolean)`
	narrowOnPaper = `[...document.querySelectorAll('.gantt .base, .overview, .plot')].filter((c) => c.checkVisibility()).map((c) => {
		const drawn = c.querySelector('.picture') || c, own = drawn.getBoundingClientRect().width;
		const box = c.closest('.plot, .gantt').getBoundingClientRect().width;
		return drawn.tagName !== 'CANVAS' || Math.abs(own - box) > 4 ? drawn.className + ' ' + own + ' of ' + box : ''; }).filter(Boolean)`
	cutOnPaper = `[...document.querySelectorAll('.plot .picture')].filter((c) => {
		const pixels = c.getContext('2d').getImageData(c.width - 1, 0, 1, c.height).data;
		return pixels.some((v) => v < 255); }).map((c) => c.closest('figure').querySelector('figcaption').firstChild.textContent)`
)

// On paper a page is light, and charts and timelines fill its width.
func TestPrintedPageInBrowser(t *testing.T) {
	const paper = 718 // px, of A4 between margins
	page := samplePage()
	page.Figures = append(page.Figures, overlapMap(false))
	b := browse(t, written(t, page), 1300, 900)
	b.Run(headless.Dark("dark"), chromedp.EmulateViewport(paper, 1000),
		emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	eval[bool](b, "dispatchEvent(new Event('beforeprint'))")
	if ink := eval[string](b, "theme.paper + ' ' + getComputedStyle(document.body).color"); ink != "#ffffff rgb(29, 35, 44)" {
		t.Errorf("on paper the colours are %s", ink)
	}
	for _, text := range eval[[]string](b, flatOnPaper) {
		t.Errorf("on paper a chart overlaps what is beside it: %s", text)
	}
	for _, text := range eval[[]string](b, narrowOnPaper) {
		t.Errorf("on paper a picture has not the full width: %s", text)
	}
	for _, text := range eval[[]string](b, cutOnPaper) {
		t.Errorf("on paper a chart is cut at its right edge: %s", text)
	}
	for _, text := range eval[[]string](b, headless.Wide) {
		t.Errorf("on paper something is wider than the sheet: %s", text)
	}
	if wide := eval[float64](b, "document.querySelector('.gantt').getBoundingClientRect().width"); wide < paper-2 {
		t.Errorf("a timeline is %g px wide on a paper of %d", wide, paper)
	}
	b.Clean()
}
