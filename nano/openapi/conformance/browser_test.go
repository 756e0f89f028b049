package conformance

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/openapi"
	"dyno.example/nano/openapi/page"
)

type author struct {
	Name  string  `json:"name" validate:"required,max=40"`
	Knows *author `json:"knows,omitempty"` // a schema that holds itself
}

type note struct {
	Text   string   `json:"text" validate:"required,min=3,max=280"`
	Tags   []string `json:"tags" validate:"max=5"`
	Colour string   `json:"colour" validate:"oneof=red green"`
	Author author   `json:"author"`
}

// notes is an app with something to look at; what it says of itself holds HTML, which
// must be shown as it is.
func notes() *nano.App {
	app := nano.New(nano.Config{})
	app.Use(middleware.Secure(middleware.SecureConfig{}))
	app.Get("/openapi.json", openapi.Handler(openapi.Config{
		Title: "Notes", Version: "1.0.0", Description: "Keeps notes.\n<img src=x onerror=alert(1)>",
		Security: map[string]openapi.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
	}), nano.Describe(openapi.Operation{Hidden: true}))
	app.Get("/docs", page.Handler(page.Config{Document: "openapi.json"}), nano.Describe(openapi.Operation{Hidden: true}))
	tagged := openapi.Operation{Tags: []string{"notes"}}
	v1 := app.Group("/notes")
	v1.Get("", func(c nano.Ctx) error { return c.NoContent(204) }, nano.Describe(tagged), nano.Describe(openapi.Operation{
		Summary: "Find notes", Params: []openapi.Param{{Name: "q", Description: "what to look for", Validate: "max=20"}}, Responses: openapi.Responses{200: {Body: []note{}}},
	}))
	v1.Post("/{folder}", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.JSON(201, map[string]string{"folder": c.Param("folder").String(), "by": c.Header("Authorization").String(), "got": string(b)})
	}, nano.Describe(tagged), nano.Describe(openapi.Operation{
		ID: "keep", Summary: "Keep a note <b>for long</b>", Body: note{}, Security: []string{"token"}, Responses: openapi.Responses{201: {Body: note{}}},
	}))
	v1.Delete("/{id}", func(c nano.Ctx) error { return c.NoContent(204) }, nano.Describe(tagged), nano.Describe(openapi.Operation{
		Summary: "Forget a note", Deprecated: true, Responses: openapi.Responses{204: {}},
	}))
	return app
}

// TestInABrowser looks at the page under its policy and tries an operation.
func TestInABrowser(t *testing.T) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: the page can't be looked at; install chromium to run this test")
	}
	server := httptest.NewServer(notes())
	defer server.Close()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, late := context.WithTimeout(ctx, time.Minute)
	defer late()
	var mu sync.Mutex
	var wrong []string
	note := func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *log.EventEntryAdded:
			wrong = append(wrong, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, e.ExceptionDetails.Text)
		}
	}
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			mu.Lock()
			defer mu.Unlock()
			t.Fatalf("in the browser: %v; it says: %q", err, wrong)
		}
	}
	text := func(of string) string {
		t.Helper()
		got, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(of)))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if err := chromedp.Listen(ctx, note); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	do(chromedp.EmulateViewport(1000, 1400), chromedp.Navigate(server.URL+"/docs"), chromedp.WaitVisible(chromedp.CSS("#keep")))
	shown := text("main")
	elements, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.querySelectorAll("main img, main b").length`))
	if err != nil {
		t.Fatal(err)
	}
	do(chromedp.SendKeys(chromedp.CSS(`input[aria-label="token"]`), "s3cret"), chromedp.Click(chromedp.CSS("#keep > summary")), chromedp.WaitVisible(chromedp.CSS("#keep button")),
		chromedp.SendKeys(chromedp.CSS(`#keep input[aria-label="folder"]`), "a b/c"))
	form := text("#keep form")
	do(chromedp.Click(chromedp.CSS("#keep button")), chromedp.WaitVisible(chromedp.CSS("#keep pre:last-child")))
	got := text("#keep pre:last-child")
	for _, want := range []string{"Notes", "<img src=x onerror=alert(1)>", "Keep a note <b>for long</b>", "/notes/{folder}", "(deprecated)", "token"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page doesn't show %q:\n%s", want, shown)
		}
	}
	for _, want := range []string{"folder", "length ≤ 280", `one of "red", "green"`, "author", "201"} {
		if !strings.Contains(form, want) {
			t.Errorf("the operation doesn't show %q:\n%s", want, form)
		}
	}
	for _, want := range []string{`a b/c`, "Bearer s3cret", `\"colour\": \"red\"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the response of the try lacks %q:\n%s", want, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if elements != 0 || len(wrong) > 0 {
		t.Errorf("HTML of the document: %d elements; the browser says: %q", elements, wrong)
	}
}
