package report

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page open in a headless browser. It collects everything that must not happen.
type tab struct {
	testing.TB
	ctx context.Context

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
			chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
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

// browse opens a report in Chromium and waits until it is drawn.
func browse(tb testing.TB, file string, width, height int, options ...chromedp.EmulateViewportOption) *tab {
	tb.Helper()
	all := open(chromium(tb))
	if err := chromedp.Run(all); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(all)
	tb.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	tb.Cleanup(cancel)
	b := &tab{TB: tb, ctx: ctx}
	b.watch((&url.URL{Scheme: "file", Path: file}).String())
	b.run(network.Enable(), chromedp.EmulateViewport(int64(width), int64(height), options...), chromedp.Navigate("file://"+file),
		chromedp.Poll("window.overlapsim && (overlapsim.ready || overlapsim.error !== '')", nil, chromedp.WithPollingTimeout(4*time.Minute)))
	if message := eval[string](b, "overlapsim.error"); message != "" {
		tb.Fatalf("the page reports: %s", message)
	}
	return b
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

func (b *tab) watch(self string) {
	note := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.troubles = append(b.troubles, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(b.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				note("console %s: %s", e.Type, e.Args[0].Value)
			}
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != self && !strings.HasPrefix(u, "data:") {
				note("request: %s", u)
			}
		}
	})
}

// clean fails the test for everything that must not happen.
func (b *tab) clean() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		b.Error(trouble)
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *tab, script string) (value T) {
	b.Helper()
	b.run(chromedp.Evaluate(script, &value))
	return value
}

// written writes the page into a file of a temporary folder.
func written(tb testing.TB, p *Page) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "report.html")
	file, err := os.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	if err := Write(file, p); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
	return name
}
