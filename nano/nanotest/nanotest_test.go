package nanotest_test

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func newApp() *nano.App {
	app := nano.New(nano.Config{Limits: nano.Limits{Head: 1 << 10, Body: 1 << 10}})
	app.Any("/echo", func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		return c.Text(200, fmt.Sprintf("%s %s %s %s %s", c.Method(), c.Host(), c.RemoteAddr().Addr(), c.Header("X-A"), body))
	})
	app.Get("/cut", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { s.WriteString("x"); return nano.ErrAborted })
	})
	app.Get("/abort", func(nano.Ctx) error { return nano.ErrAborted })
	return app
}

func TestDo(t *testing.T) {
	client := nanotest.New(newApp()).From(netip.MustParseAddrPort("[2001:db8::1]:1")).Host("a.example")
	for _, tt := range []struct {
		name   string
		ask    *nanotest.Request
		status int
		body   string
	}{
		{"get", client.Get("/echo").Header("X-A", "b"), 200, "GET a.example 2001:db8::1 b "},
		{"put", client.Put("/echo").Text("hi"), 200, "PUT a.example 2001:db8::1  hi"},
		{"chunked", client.Patch("/echo").Text("hi").Chunked(), 200, "PATCH a.example 2001:db8::1  hi"},
		{"head", client.Head("/echo"), 200, ""},
		{"delete", client.Delete("/echo"), 200, "DELETE a.example 2001:db8::1  "},
		{"a wrong field", client.Get("/echo").Header("X A", "b"), 400, ""},
		{"a long head", client.Get("/echo").Header("X-A", strings.Repeat("b", 2000)), 431, ""},
		{"a long body", client.Post("/echo").Text(strings.Repeat("b", 2000)), 413, ""},
		{"no route", client.Get("/none"), 404, ""},
	} {
		got := tt.ask.Do()
		if got.Status != tt.status || tt.status == 200 && got.Text() != tt.body || got.Cut != nil {
			t.Errorf("%s: %d %q %v", tt.name, got.Status, got.Body, got.Cut)
		}
	}
	if got := client.Get("/cut").Do(); got.Cut == nil || got.Text() != "x" {
		t.Errorf("a cut response: %+v", got)
	}
	if got := client.Get("/abort").Do(); got.Cut == nil || got.Status != 0 {
		t.Errorf("no response: %+v", got)
	}
}

func TestMultipart(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Post("/", func(c nano.Ctx) error {
		form, err := c.Form()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(form.File("picture").Open())
		if err != nil {
			return err
		}
		return c.Text(200, form.Get("title").String()+" "+form.File("picture").FileName+" "+string(content))
	})
	got := nanotest.New(app).Post("/").Multipart(url.Values{"title": {"me"}},
		nanotest.File{Field: "picture", Name: "a.png", Content: []byte("png")}).Do()
	if got.Status != 200 || got.Text() != "me a.png png" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

func TestOpen(t *testing.T) {
	app := nano.New(nano.Config{})
	next, failed := make(chan string), make(chan error, 1)
	app.Get("/", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error {
			s.Flush()
			for text := range next {
				s.WriteString(text)
				if err := s.Flush(); err != nil {
					failed <- err
					return nano.ErrAborted
				}
			}
			return nil
		})
	})
	resp, err := nanotest.New(app).Get("/").Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	next <- "one"
	got := make([]byte, 3)
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "one" {
		t.Fatalf("got %q %v", got, err)
	}
	resp.Body.Close()
	next <- "two"
	if err := <-failed; err == nil {
		t.Error("the handler writes to nobody")
	}
}

func Example() {
	app := nano.New(nano.Config{})
	app.Post("/hello", func(c nano.Ctx) error {
		who, err := nano.Bind[struct{ Name string }](c)
		if err != nil {
			return err
		}
		return c.Text(201, "hello "+who.Name)
	})
	got := nanotest.New(app).Post("/hello").JSON(map[string]string{"name": "Ada"}).Do()
	fmt.Println(got.Status, got.Text())
	// Output: 201 hello Ada
}
