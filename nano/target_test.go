package nano_test

import (
	"fmt"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// TestRewriteInAPipeline: what is rewritten leaves the requests behind it alone, and
// the fields and bodies of all as they were.
func TestRewriteInAPipeline(t *testing.T) {
	config := nano.Config{Rewrite: func(t *nano.Target) {
		if rest, ok := strings.CutPrefix(string(t.Path()), "/s/"); ok {
			t.SetPath("/a/much/longer/path/than/was/sent/" + rest)
		}
		if string(t.Header("X-As")) != "" {
			t.SetMethod(string(t.Header("X-As")))
		}
	}}
	tell := func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		return c.Text(200, fmt.Sprintf("%s %s?%s %s %s %s", c.Method(), c.Path(), c.RawQuery(), c.Param("rest"), c.Header("X-Name"), body))
	}
	for name, option := range map[string]nano.Option{"on the loop": nano.OnLoop, "on goroutines": nano.OnGoroutine} {
		t.Run(name, func(t *testing.T) {
			address, _ := serve(t, config, func(app *nano.App) { app.Any("/{rest...}", tell, option) })
			pipelined(t, dial(t, address))
		})
	}
}

func pipelined(t *testing.T, conn *client) {
	for i := range 3 {
		fmt.Fprintf(conn, "POST /s/%d?q=%d HTTP/1.1\r\nHost: a\r\nX-Name: n%d\r\nX-As: PUT\r\nContent-Length: 2\r\n\r\nb%d", i, i, i, i)
		fmt.Fprintf(conn, "POST /t/%d HTTP/1.1\r\nHost: a\r\nX-Name: m%d\r\nContent-Length: 2\r\n\r\nc%d", i, i, i)
	}
	for i := range 3 {
		conn.want(200, fmt.Sprintf("PUT /a/much/longer/path/than/was/sent/%d?q=%d a/much/longer/path/than/was/sent/%d n%d b%d", i, i, i, i, i))
		conn.want(200, fmt.Sprintf("POST /t/%d? t/%d m%d c%d", i, i, i, i))
	}
}

func TestTargetRefuses(t *testing.T) {
	for name, rewrite := range map[string]func(*nano.Target){
		"no path":        func(t *nano.Target) { t.SetPath("a") },
		"a query":        func(t *nano.Target) { t.SetPath("/a?b") },
		"a line break":   func(t *nano.Target) { t.SetPath("/a\r\nX: y") },
		"half an escape": func(t *nano.Target) { t.SetPath("/a%2") },
		"no method":      func(t *nano.Target) { t.SetMethod("A B") },
		"HEAD":           func(t *nano.Target) { t.SetMethod("HEAD") },
	} {
		panicked := false
		app := nano.New(nano.Config{Rewrite: func(t *nano.Target) {
			defer func() { panicked = recover() != nil }()
			rewrite(t)
		}})
		app.Get("/", func(c nano.Ctx) error { return c.NoContent(204) })
		if got := nanotest.New(app).Get("/").Do(); !panicked || got.Status != 204 {
			t.Errorf("%s: panicked %v, got %d", name, panicked, got.Status)
		}
	}
}
