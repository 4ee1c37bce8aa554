package report

import (
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// Every chart has a button that saves it as a PNG with its own name, and so has the timeline.
func TestSaveInBrowser(t *testing.T) {
	must.Long(t)
	b := browse(t, written(t, samplePage()), 1300, 900)
	type file struct{ Name, Begin string }
	files := eval[[]file](b, `(() => {
		const all = [];
		HTMLAnchorElement.prototype.click = function () { all.push({ Name: this.download, Begin: this.getAttribute('href').slice(0, 40) }); };
		for (const button of document.querySelectorAll('.save, [data-do=save]')) if (button.checkVisibility()) button.click();
		return all; })()`)
	seen := map[string]bool{}
	for _, f := range files {
		if !strings.HasPrefix(f.Begin, "data:image/png;base64,iVBOR") || !strings.HasSuffix(f.Name, ".png") {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	for _, want := range []string{"figure-8.png", "overlap-by-size.png", "overlap-ratio.png", "what-moves-it.png", "timeline.png"} {
		if !seen[want] {
			t.Errorf("%s is not offered: %v", want, seen)
		}
	}
	b.Clean()
}
