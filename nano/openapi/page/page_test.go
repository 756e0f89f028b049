package page_test

import (
	"regexp"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/openapi"
	"dyno.example/nano/openapi/page"
)

func client(config page.Config) *nanotest.Client {
	app := nano.New(nano.Config{})
	app.Use(middleware.Secure(middleware.SecureConfig{}))
	app.Get("/openapi.json", openapi.Handler(openapi.Config{Title: "Notes", Version: "1.0.0"}))
	app.Get("/docs", page.Handler(config))
	return nanotest.New(app)
}

// TestPage: everything it refers to is there, of the type that browsers insist on
// with nosniff.
func TestPage(t *testing.T) {
	c := client(page.Config{Document: "/openapi.json", Connect: []string{"https://api.example.com"}})
	for target, want := range map[string]string{"/docs": "text/html", "/docs?file=page.css": "text/css", "/docs?file=page.js": "text/javascript", "/openapi.json": "application/json"} {
		got := c.Get(target).Do()
		if got.Status != 200 || !strings.HasPrefix(got.Header.Get("Content-Type"), want) || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", target, got.Status, got.Header)
		}
	}
	got := c.Get("/docs").Do()
	for _, ref := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(got.Text(), -1) {
		if ref[1] != "data:," && c.Get("/docs"+ref[1]).Do().Status != 200 {
			t.Errorf("the page refers to %q, which isn't there", ref[1])
		}
	}
	if !strings.Contains(got.Text(), `data-document="/openapi.json"`) {
		t.Error("the page doesn't name the document")
	}
	if other := c.Get("/docs?file=page.go").Do(); other.Status != 404 {
		t.Errorf("a file that isn't there: %d", other.Status)
	}
}

// TestPolicy: the page's policy takes the place of the app's, and the page gets by
// with it: nothing inline, nothing of others, no text taken for HTML.
func TestPolicy(t *testing.T) {
	c := client(page.Config{Document: "/openapi.json", Connect: []string{"https://api.example.com"}})
	got := c.Get("/docs").Do()
	policies := got.Header.Values("Content-Security-Policy")
	if len(policies) != 1 {
		t.Fatalf("policies: %q", policies)
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self' https://api.example.com;", "frame-ancestors 'none'"} {
		if !strings.Contains(policies[0], want) {
			t.Errorf("%s\nlacks %s", policies[0], want)
		}
	}
	for file, never := range map[string]string{
		"/docs":               `(?i)<script>|<style|\sstyle=|\son[a-z]+=|javascript:|https?://`,
		"/docs?file=page.css": `(?i)@import|url\(|https?://`,
		"/docs?file=page.js":  `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?://|localStorage|sessionStorage`,
	} {
		if found := regexp.MustCompile(never).FindString(c.Get(file).Do().Text()); found != "" {
			t.Errorf("%s has %q", file, found)
		}
	}
}

// TestDocumentIsText: the URL of the document can't end the attribute it is in.
func TestDocumentIsText(t *testing.T) {
	text := client(page.Config{Document: `/a?b=1&c="><script>`}).Get("/docs").Do().Text()
	if !strings.Contains(text, `data-document="/a?b=1&amp;c=&#34;&gt;&lt;script&gt;"`) {
		t.Error(text)
	}
}

func TestMistakes(t *testing.T) {
	for _, config := range []page.Config{
		{}, {Document: "/d", Connect: []string{""}}, {Document: "/d", Connect: []string{"https://a; script-src *"}}, {Document: "/d", Connect: []string{"a\r\nb"}},
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "page: Config.") {
					t.Errorf("%+v: %q", config, said)
				}
			}()
			page.Handler(config)
		}()
	}
}
