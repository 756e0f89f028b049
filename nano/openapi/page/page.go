// Package page is a page to read an OpenAPI document and to try its operations. It is
// part of the program: nothing is loaded from other sites.
//
//	app.Get("/openapi.json", openapi.Handler(openapi.Config{Title: "Users", Version: "1.0.0"}))
//	app.Get("/docs", page.Handler(page.Config{Document: "/openapi.json"}))
package page

import (
	"embed"
	"fmt"
	"html"
	"strings"

	"dyno.example/nano"
)

//go:embed page.html page.css page.js
var files embed.FS

// Config says what is shown.
type Config struct {
	// Document is where the browser finds the document, in JSON: a URL, which may be
	// relative to the page's. Required.
	Document string
	// Connect are further origins that the page may send requests to, such as
	// "https://api.example.com": those of the document and of its servers if they aren't
	// the page's own. They must allow it, too (CORS).
	Connect []string
}

// Handler responds with the page, and with its parts, by the parameter "file". What
// the page may do is bound by its own Content-Security-Policy, which takes the place
// of the app's: no scripts or styles but its own, no frames around it. What a user
// types in as a secret stays in the page.
//
// It panics if config can't be used.
func Handler(config Config) nano.Handler {
	if config.Document == "" {
		panic(`page: Config.Document is empty; it is where the document is, such as "/openapi.json"`)
	}
	for _, origin := range config.Connect {
		if origin == "" || strings.ContainsFunc(origin, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ';' || r == ',' || r == '\'' }) {
			panic(fmt.Sprintf("page: Config.Connect: %q is no origin, such as \"https://api.example.com\"", origin))
		}
	}
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src " + strings.Join(append([]string{"'self'"}, config.Connect...), " ") +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	styles, script := read("page.css"), read("page.js")
	page := []byte(strings.Replace(string(read("page.html")), "{{document}}", html.EscapeString(config.Document), 1))
	return func(c nano.Ctx) error {
		c.SetHeader("X-Content-Type-Options", "nosniff")
		c.SetHeader("Cache-Control", "no-cache")
		switch string(c.Query("file")) {
		case "":
			c.SetHeader("Content-Security-Policy", policy)
			c.SetHeader("Referrer-Policy", "no-referrer")
			return c.Bytes(200, "text/html; charset=utf-8", page)
		case "page.css":
			return c.Bytes(200, "text/css; charset=utf-8", styles)
		case "page.js":
			return c.Bytes(200, "text/javascript; charset=utf-8", script)
		}
		return nano.NewProblem(404, "the page has no such file")
	}
}

// read returns a file, which is there: it is embedded.
func read(name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return text
}
