package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"dyno.example/dyno/analysis"
)

// chromium finds a browser or skips the test.
func chromium(t testing.TB) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium or chrome in PATH: the report can't be looked at; install chromium to run this test")
	return ""
}

// patience is how long a browser may take to start, or a report to be looked at, on a
// machine that others keep busy.
const patience = 5 * time.Minute

// browser starts a headless browser with a fresh profile for one test.
func browser(t testing.TB) context.Context {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(chromium(t)),
		chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing the browser: %v", err)
		}
		cancel()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	return ctx
}

// tab is an open report and what went wrong in it.
type tab struct {
	t   testing.TB
	ctx context.Context
	url string

	mu       sync.Mutex
	problems []string
}

// viewport is the size and the colour scheme a report is looked at with.
type viewport struct {
	width, height int64
	scheme        string // "light" or "dark"
}

var desktop = viewport{1280, 900, "light"}

// openReport writes the analysis as HTML and opens it in a new tab.
func openReport(t testing.TB, parent context.Context, a *analysis.Analysis, lang string, v viewport) *tab {
	t.Helper()
	var page bytes.Buffer
	if err := HTML(&page, a, lang); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	ctx, cancelTime := context.WithTimeout(ctx, patience)
	t.Cleanup(func() { cancelTime(); cancel() })
	tb := &tab{t: t, ctx: ctx, url: "file://" + file}
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		t.Fatalf("opening a tab: %v", err)
	}
	call(tb, network.Enable, network.EnableParams{})
	call(tb, log.Enable, cdp.Empty{})
	tb.resize(v)
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}})
	tb.do(chromedp.Navigate(tb.url), chromedp.WaitReady(chromedp.CSS(`html[data-ready="true"]`)))
	return tb
}

// resize makes the tab as large as a screen.
func (tb *tab) resize(v viewport) {
	tb.t.Helper()
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 500})
}

// listen notes console messages, exceptions and requests that leave the file.
func (tb *tab) listen(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		tb.problems = append(tb.problems, "exception: "+exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			tb.problems = append(tb.problems, fmt.Sprintf("console.%s: %s", e.Type, arg.Value))
		}
	case *log.EventEntryAdded:
		tb.problems = append(tb.problems, fmt.Sprintf("log: %s %s", e.Entry.Level, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file://") && !strings.HasPrefix(e.Request.URL, "data:") {
			tb.problems = append(tb.problems, "network: "+e.Request.URL)
		}
	}
}

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if err := chromedp.Do(tb.ctx, steps...); err != nil {
		tb.fatal(err)
	}
}

func (tb *tab) fatal(err error) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.t.Fatalf("in the browser: %v; problems so far: %q", err, tb.problems)
}

// call runs a command of the DevTools protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) {
	tb.t.Helper()
	if _, err := chromedp.Call(tb.ctx, command, params); err != nil {
		tb.fatal(err)
	}
}

// eval evaluates a JavaScript expression into a T.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	out, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		tb.fatal(err)
	}
	return out
}

// clean fails the test if anything went wrong in the tab.
func (tb *tab) clean() {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, p := range tb.problems {
		tb.t.Error(p)
	}
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Exception.Description
	}
	return d.Text
}
