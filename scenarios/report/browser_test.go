package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"overlapsim/scenarios/report/headless"
	"overlapsim/sim/must"
)

type tab = headless.Tab

func browse(tb testing.TB, file string, width, height int, options ...chromedp.EmulateViewportOption) *tab {
	tb.Helper()
	return headless.Browse(tb, file, width, height, options...)
}

func eval[T any](b *tab, script string) T {
	b.Helper()
	return headless.Eval[T](b, script)
}

// written writes the page into a file of a temporary folder.
func written(tb testing.TB, p *Page) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "report.html")
	file := must.Get(os.Create(name))(tb)
	must.Do(tb, Write(file, p))
	must.Do(tb, file.Close())
	return name
}
