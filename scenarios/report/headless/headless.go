// Package headless opens pages in a headless browser, for tests: what a page must not do is collected,
// and what must not be on it is found by expressions.
package headless

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Tab is a page open in a headless browser. It collects everything that must not happen.
type Tab struct {
	testing.TB
	Ctx context.Context

	mu       sync.Mutex
	troubles []string // console errors, exceptions, requests
}

// browser is the one Chromium of these tests, with a tab for each report.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  func() // waits until it has ended and its folder can go
}

// open starts the browser, once.
func open(path string) context.Context {
	browser.once.Do(func() {
		allocator, cancel := chromedp.NewExecAllocator(context.Background(),
			chromedp.ExecPath(path), chromedp.WSURLReadTimeout(5*time.Minute), // on a loaded machine
			chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
		browser.ctx, _ = chromedp.NewContext(allocator)
		browser.end = func() {
			chromedp.Cancel(browser.ctx)
			cancel()
		}
	})
	return browser.ctx
}

// Browse opens a report in Chromium and waits until it is drawn.
func Browse(tb testing.TB, file string, width, height int, options ...chromedp.EmulateViewportOption) *Tab {
	tb.Helper()
	return BrowseAt(tb, file, "", width, height, options...)
}

// BrowseAt opens a report as a link with a hash does.
func BrowseAt(tb testing.TB, file, hash string, width, height int, options ...chromedp.EmulateViewportOption) *Tab {
	tb.Helper()
	all := open(chromium(tb))
	if err := chromedp.Run(all); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(all)
	tb.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	tb.Cleanup(cancel)
	b := &Tab{TB: tb, Ctx: ctx}
	b.watch((&url.URL{Scheme: "file", Path: file}).String())
	b.Run(network.Enable(), chromedp.EmulateViewport(int64(width), int64(height), options...), chromedp.Navigate("file://"+file+hash),
		chromedp.Poll("window.overlapsim && (overlapsim.ready || overlapsim.error !== '')", nil, chromedp.WithPollingTimeout(4*time.Minute)))
	if message := Eval[string](b, "overlapsim.error"); message != "" {
		tb.Fatalf("the page reports: %s", message)
	}
	return b
}

// End ends the browser, if there is one.
func End() {
	if browser.end != nil {
		browser.end()
	}
}

// chromium finds the browser or skips the test.
func chromium(tb testing.TB) string {
	if testing.Short() {
		tb.Skip("a browser takes seconds; -short leaves it out")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tb.Skip("Chromium is not installed: looked for chromium, chromium-browser and google-chrome in PATH")
	return ""
}

func (b *Tab) watch(self string) {
	note := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.troubles = append(b.troubles, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(b.Ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				note("console %s: %s", e.Type, e.Args[0].Value)
			}
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != self && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				note("request: %s", u)
			}
		}
	})
}

// Clean fails the test for everything that must not happen.
func (b *Tab) Clean() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		b.Error(trouble)
	}
}

// Run does something in the tab.
func (b *Tab) Run(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.Ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](b *Tab, script string) (value T) {
	b.Helper()
	b.Run(chromedp.Evaluate(script, &value))
	return value
}

// Wide lists what is wider than the window, or the sheet of paper, and cannot be scrolled to inside it.
const Wide = `[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('.lanes, pre') &&
		(matchMedia('print').matches || !e.parentElement.closest('.wide')))
	.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 20))`

// Unnamed lists the controls that have no name for those who do not see them, or that no key reaches.
const Unnamed = `[...document.querySelectorAll('button, input, select, summary, [role=application], [role=img]')].filter((e) => e.checkVisibility())
	.filter((e) => !(e.ariaLabel || e.textContent.trim() || e.title || [...(e.labels || [])].some((l) => l.textContent.trim())) ||
		(e.role !== 'img' && e.tagName !== 'CANVAS' && e.tabIndex < 0)).map((e) => e.outerHTML.slice(0, 80))`

// Broken lists what is wrong with the structure of a page: names that are twice, links that go nowhere, heads without a text, headings
// that leave a level out, places that scroll and that no key reaches, and a page without language, main part, or policy.
const Broken = `(() => {
	const found = [], all = (what) => [...document.querySelectorAll(what)], said = (e) => e.outerHTML.slice(0, 80);
	const ids = all('[id]').map((e) => e.id);
	ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.push('twice: ' + id));
	for (const a of all('a')) if (!document.getElementById(decodeURIComponent(a.hash.slice(1)))) found.push('nowhere: ' + said(a));
	for (const e of all('h1, h2, h3, th')) if (!e.textContent.trim()) found.push('empty: ' + said(e));
	all('h1, h2, h3').map((e) => +e.tagName[1]).forEach((level, i, levels) => { if (level > (levels[i - 1] || 0) + 1) found.push('level ' + level); });
	for (const e of all('pre')) if (e.tabIndex < 0) found.push('not reached: ' + said(e));
	if (!document.documentElement.lang || all('main').length !== 1 || all('h1').length !== 1) found.push('no language, main part, or title');
	if (!(document.querySelector('meta[http-equiv=Content-Security-Policy]')?.content || '').startsWith("default-src 'none'")) found.push('no policy');
	if (all('.contents a').length > 0 && all('.contents a').length !== all('main section[id]').length) found.push('contents');
	return found; })()`

// Contrasts lists the texts of a page whose contrast with their background is below the contrast of
// WCAG 2, level AA: 4.5, or 3 for large ones.
const Contrasts = `(() => {
	const light = (c) => { const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
		return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]); };
	const read = (text) => text.match(/[\d.]+/g).map(Number);
	const behind = (e) => { for (; e; e = e.parentElement) {
		const c = read(getComputedStyle(e).backgroundColor);
		if (c.length < 4 || c[3] > 0) return c; }
		return theme.paper === '#ffffff' ? [255, 255, 255] : [20, 24, 29]; };
	const found = [];
	for (const e of document.querySelectorAll('body *')) {
		if (!e.checkVisibility() || !['P', 'TD', 'TH', 'DT', 'DD', 'SMALL', 'BUTTON', 'LABEL', 'H1', 'H2', 'H3', 'FIGCAPTION', 'SUMMARY',
			'KBD', 'B', 'SELECT', 'SPAN'].includes(e.tagName)) continue;
		const style = getComputedStyle(e), a = light(read(style.color)), b = light(behind(e)), size = parseFloat(style.fontSize);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const large = size >= 24 || (size >= 18.6 && style.fontWeight >= 600);
		if (ratio < (large ? 3 : 4.5)) found.push(e.tagName + ' ' + e.textContent.slice(0, 20) + ' ' + ratio.toFixed(2));
	}
	return found; })()`

// Dark shows the page as on a system with a dark theme.
func Dark(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
}

// Drawn waits until a page has followed a change of its size: some frames are drawn.
func Drawn() chromedp.Action {
	return chromedp.Evaluate(`new Promise((done) => { let left = 4; const next = () => (left-- ? requestAnimationFrame(next) : done(true)); next(); })`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })
}
