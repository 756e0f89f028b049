package nano_test

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

//go:embed file_test.go
var embedded embed.FS

const text = "0123456789abcdefghij"

// fileApp serves a file of 20 bytes at /f.
func fileApp(t *testing.T) (*nanotest.Client, http.Header) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{})
	app.Any("/f", func(c nano.Ctx) error { return c.File(name) })
	client := nanotest.New(app)
	return client, client.Get("/f").Do().Header
}

func TestFileConditions(t *testing.T) {
	client, h := fileApp(t)
	tag, modified := h.Get("ETag"), h.Get("Last-Modified")
	if tag == "" || modified == "" || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Accept-Ranges") != "bytes" {
		t.Fatalf("got %v", h)
	}
	const old, future = "Mon, 02 Jan 2006 15:04:05 GMT", "Fri, 02 Jan 2099 15:04:05 GMT"
	for _, tt := range []struct {
		method string
		fields []string
		status int
		body   string
	}{
		{"GET", nil, 200, text},
		{"HEAD", nil, 200, ""},
		{"HEAD", []string{"Range", "bytes=0-1"}, 200, ""},
		{"POST", []string{"If-None-Match", tag}, 200, text},
		{"GET", []string{"If-None-Match", tag}, 304, ""},
		{"GET", []string{"If-None-Match", `"x", W/` + tag}, 304, ""},
		{"GET", []string{"If-None-Match", "*"}, 304, ""},
		{"GET", []string{"If-None-Match", `"x"`}, 200, text},
		{"GET", []string{"If-None-Match", `"x"`, "If-Modified-Since", future}, 200, text},
		{"GET", []string{"If-Modified-Since", modified}, 304, ""},
		{"HEAD", []string{"If-Modified-Since", modified}, 304, ""},
		{"GET", []string{"If-Modified-Since", old}, 200, text},
		{"GET", []string{"If-Modified-Since", "yesterday"}, 200, text},
		{"GET", []string{"If-Match", tag}, 200, text},
		{"GET", []string{"If-Match", "W/" + tag}, 412, ""},
		{"GET", []string{"If-Match", `"x"`}, 412, ""},
		{"GET", []string{"If-Unmodified-Since", old}, 412, ""},
		{"GET", []string{"If-Unmodified-Since", modified}, 200, text},
		{"GET", []string{"Range", "bytes=0-3"}, 206, "0123"},
		{"GET", []string{"Range", "bytes=18-"}, 206, "ij"},
		{"GET", []string{"Range", "bytes=-3"}, 206, "hij"},
		{"GET", []string{"Range", "bytes=-100"}, 206, text},
		{"GET", []string{"Range", "bytes=15-100"}, 206, "fghij"},
		{"GET", []string{"Range", "bytes=20-"}, 416, ""},
		{"GET", []string{"Range", "bytes=-0"}, 416, ""},
		{"GET", []string{"Range", "bytes=3-2"}, 200, text},
		{"GET", []string{"Range", "lines=0-3"}, 200, text},
		{"GET", []string{"Range", "bytes=0-19,0-19"}, 200, text},
		{"GET", []string{"Range", "bytes=" + strings.Repeat("0-0,", 17)}, 200, text},
		{"GET", []string{"Range", "bytes=0-3", "If-Range", tag}, 206, "0123"},
		{"GET", []string{"Range", "bytes=0-3", "If-Range", "W/" + tag}, 200, text},
		{"GET", []string{"Range", "bytes=0-3", "If-Range", `"x"`}, 200, text},
		{"GET", []string{"Range", "bytes=0-3", "If-Range", modified}, 206, "0123"},
		{"GET", []string{"Range", "bytes=0-3", "If-Range", old}, 200, text},
	} {
		r := client.Request(tt.method, "/f")
		for i := 0; i < len(tt.fields); i += 2 {
			r.Header(tt.fields[i], tt.fields[i+1])
		}
		got := r.Do()
		if got.Status >= 400 && got.Header.Get("Content-Type") == "application/problem+json" {
			got.Body = nil
		}
		if got.Status != tt.status || got.Text() != tt.body || got.Cut != nil {
			t.Errorf("%s %v: %d %q (%v), want %d %q", tt.method, tt.fields, got.Status, got.Body, got.Cut, tt.status, tt.body)
		}
		if tt.method == "HEAD" && got.Status == 200 && got.Header.Get("Content-Length") != "20" {
			t.Errorf("HEAD has length %q", got.Header.Get("Content-Length"))
		}
		if want := fmt.Sprintf("bytes */%d", len(text)); got.Status == 416 && got.Header.Get("Content-Range") != want {
			t.Errorf("416 with Content-Range %q", got.Header.Get("Content-Range"))
		}
	}
}

// A weak ETag of the handler's own responses If-None-Match, and nothing that wants a
// strong one (RFC 9110 8.8.3.2).
func TestFileWithWeakETag(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/f", func(c nano.Ctx) error {
		c.SetHeader("ETag", `W/"v1"`)
		return c.FileFS(fstest.MapFS{"f.txt": {Data: []byte(text)}}, "f.txt")
	})
	client := nanotest.New(app)
	for _, tt := range []struct {
		fields []string
		status int
	}{
		{[]string{"If-None-Match", `W/"v1"`}, 304},
		{[]string{"If-None-Match", `"v1"`}, 304},
		{[]string{"If-None-Match", `W/"v2"`}, 200},
		{[]string{"If-Match", `W/"v1"`}, 412},
		{[]string{"If-Match", `"v1"`}, 412},
		{[]string{"If-Match", "*"}, 200},
		{[]string{"Range", "bytes=0-3", "If-Range", `W/"v1"`}, 200},
		{[]string{"Range", "bytes=0-3", "If-Range", `"v1"`}, 200},
		{[]string{"Range", "bytes=0-3"}, 206},
	} {
		r := client.Get("/f")
		for i := 0; i < len(tt.fields); i += 2 {
			r.Header(tt.fields[i], tt.fields[i+1])
		}
		if got := r.Do(); got.Status != tt.status {
			t.Errorf("%v: %d, want %d", tt.fields, got.Status, tt.status)
		}
	}
}

func TestFileRanges(t *testing.T) {
	client, _ := fileApp(t)
	got := client.Get("/f").Header("Range", "bytes=0-1, 5-6,-2, 50-").Do()
	kind, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" || got.Status != 206 {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	r := multipart.NewReader(bytes.NewReader(got.Body), params["boundary"])
	for _, want := range []struct{ where, content string }{{"bytes 0-1/20", "01"}, {"bytes 5-6/20", "56"}, {"bytes 18-19/20", "ij"}} {
		p, err := r.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(p)
		if err != nil || string(content) != want.content || p.Header.Get("Content-Range") != want.where || p.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("got %q %v %v, want %v", content, p.Header, err, want)
		}
	}
	if _, err := r.NextPart(); err != io.EOF {
		t.Errorf("after the last part: %v", err)
	}
}

func TestStatic(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("site/index.html", "<p>home")
	write("site/docs/index.html", "<p>docs")
	write("site/empty/x.txt", "x")
	write("site/app.js", "plain")
	write("site/app.js.gz", "gzipped")
	write("site/app.js.br", "brotli")
	write("site/.secret", "hidden")
	write("site/.git/config", "hidden")
	write("site/page", "<html><body>")
	write("site/a b.txt", "spaced")
	write("outside.txt", "outside")
	if err := os.Symlink("../outside.txt", filepath.Join(dir, "site/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("app.js", filepath.Join(dir, "site/inside.js")); err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{})
	app.Static("/s/", os.DirFS(filepath.Join(dir, "site")), nano.StaticOptions{Precompressed: true})
	app.Static("/spa", os.DirFS(filepath.Join(dir, "site")), nano.StaticOptions{Fallback: "index.html", Immutable: true})
	client := nanotest.New(app)
	for _, tt := range []struct {
		path, encoding string
		status         int
		body, kind     string
	}{
		{"/s/", "", 200, "<p>home", "text/html; charset=utf-8"},
		{"/s/docs/", "", 200, "<p>docs", "text/html; charset=utf-8"},
		{"/s/docs", "", 301, "", ""},
		{"/s/empty/", "", 404, "", ""},
		{"/s/empty", "", 404, "", ""},
		{"/s/app.js", "", 200, "plain", "text/javascript; charset=utf-8"},
		{"/s/app.js", "gzip", 200, "gzipped", "text/javascript; charset=utf-8"},
		{"/s/app.js", "gzip, br", 200, "brotli", "text/javascript; charset=utf-8"},
		{"/s/app.js", "gzip, br;q=0", 200, "gzipped", "text/javascript; charset=utf-8"},
		{"/s/app.js/", "", 404, "", ""},
		{"/s/page", "", 200, "<html><body>", "text/html; charset=utf-8"},
		{"/s/a%20b.txt", "", 200, "spaced", "text/plain; charset=utf-8"},
		{"/s/inside.js", "", 200, "plain", "text/javascript; charset=utf-8"},
		{"/s/link", "", 404, "", ""},
		{"/s/.secret", "", 404, "", ""},
		{"/s/.git/config", "", 404, "", ""},
		{"/s/%2e%2e/outside.txt", "", 404, "", ""},
		{"/s/..%2foutside.txt", "", 404, "", ""},
		{"/s/x%00", "", 404, "", ""},
		{"/s/docs%2findex.html", "", 404, "", ""},
		{"/s/x%2F..%2Findex.html", "", 404, "", ""},
		{"/spa/some/where", "", 200, "<p>home", "text/html; charset=utf-8"},
		{"/spa/.secret", "", 404, "", ""},
		{"/spa/assets/app.OLD.js", "", 404, "", ""},
		{"/spa/%2f", "", 404, "", ""},
	} {
		r := client.Get(tt.path)
		if tt.encoding != "" {
			r.Header("Accept-Encoding", tt.encoding)
		}
		got := r.Do()
		if tt.status == 404 && got.Status != 200 {
			if strings.Contains(got.Text(), "outside") || strings.Contains(got.Text(), "hidden") {
				t.Errorf("%s: %s", tt.path, got.Body)
			}
			continue
		}
		if got.Status != tt.status || got.Text() != tt.body || tt.kind != "" && got.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s (%s): %d %q %v", tt.path, tt.encoding, got.Status, got.Body, got.Header)
		}
	}
	if got := client.Get("/s/docs?a=b").Do().Header.Get("Location"); got != "/s/docs/?a=b" {
		t.Errorf("redirected to %q", got)
	}
	if got := client.Get("/spa/app.js").Do().Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("Cache-Control: %q", got)
	}
}

func TestStaticEmbedded(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Static("/e/", embedded, nano.StaticOptions{MaxAge: time.Hour})
	app.Get("/one", func(c nano.Ctx) error { return c.Attachment("tést \".go").FileFS(embedded, "file_test.go") })
	app.Get("/none", func(c nano.Ctx) error { return c.FileFS(embedded, "none") })
	app.Get("/map", func(c nano.Ctx) error {
		return c.FileFS(fstest.MapFS{"x.bin": {Data: []byte("\x00\x01")}}, "x.bin")
	})
	client := nanotest.New(app)
	want, err := fs.ReadFile(embedded, "file_test.go")
	if err != nil {
		t.Fatal(err)
	}
	got := client.Get("/e/file_test.go").Do()
	tag := got.Header.Get("ETag")
	if got.Status != 200 || !bytes.Equal(got.Body, want) || tag == "" || got.Header.Get("Cache-Control") != "public, max-age=3600" {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	if got := client.Get("/e/file_test.go").Header("If-None-Match", tag).Do(); got.Status != 304 {
		t.Errorf("got %d", got.Status)
	}
	if got := client.Get("/e/file_test.go").Header("Range", "bytes=8-17").Do(); got.Text() != string(want[8:18]) {
		t.Errorf("got %q", got.Body)
	}
	one := client.Get("/one").Do()
	if one.Header.Get("ETag") != tag || one.Header.Get("Content-Disposition") != `attachment; filename="t_st _.go"; filename*=UTF-8''t%C3%A9st%20%22.go` {
		t.Errorf("got %v", one.Header)
	}
	if got := client.Get("/none").Do(); got.Status != 404 {
		t.Errorf("got %d", got.Status)
	}
	if got := client.Get("/map").Do(); got.Text() != "\x00\x01" || got.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("got %v", got)
	}
}

// TestFileOverSockets sends a file larger than any buffer, also to a client that
// is slow to read.
func TestFileOverSockets(t *testing.T) {
	content := make([]byte, 9<<20)
	for i := range content {
		content[i] = byte(i >> 8 * (i & 255))
	}
	name := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/f", func(c nano.Ctx) error { return c.File(name) })
		app.Get("/spawned", func(c nano.Ctx) error { return c.File(name) }, nano.OnGoroutine)
	})
	for _, path := range []string{"/f", "/spawned"} {
		c := dial(t, at)
		c.send(get + "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\nHEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\nGET " + path + " HTTP/1.1\r\nHost: a\r\nRange: bytes=100-5000099\r\n\r\n" + get)
		time.Sleep(20 * time.Millisecond) // let the socket fill up
		other := dial(t, at)
		other.send(get)
		other.want(200, "hello") // the loop goes on
		c.want(200, "hello")
		c.want(200, string(content))
		if resp, _ := c.respond("HEAD"); resp.ContentLength != int64(len(content)) {
			t.Errorf("HEAD: %d bytes", resp.ContentLength)
		}
		c.want(206, string(content[100:5000100]))
		c.want(200, "hello")
	}
}

// TestStaticSlashesDontPassGuards: what guards a part of a tree can't be passed by
// with an encoded slash.
func TestStaticSlashesDontPassGuards(t *testing.T) {
	files := fstest.MapFS{"private/secret.txt": {Data: []byte("secret")}, "a b.txt": {Data: []byte("public")}}
	app := nano.New(nano.Config{})
	app.Static("/files/", files, nano.StaticOptions{})
	app.Static("/of/{tenant}/", files, nano.StaticOptions{})
	app.Static("/seen/", files, nano.StaticOptions{}, nano.With(func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error { _ = c.Rest(); return next(c) } // which has it decoded before
	}))
	for _, prefix := range []string{"/files", "/of/{tenant}", "/seen"} {
		app.Group(prefix+"/private").Any("/{rest...}", func(nano.Ctx) error { return nano.NewProblem(403, "") })
	}
	for _, prefix := range []string{"/files", "/of/x%2fy", "/seen"} {
		for path, status := range map[string]int{
			"/a%20b.txt": 200, "/private/secret.txt": 403,
			"/private%2fsecret.txt": 404, "/private%2Fsecret.txt": 404, "/x%2f..%2fprivate/secret.txt": 404, "/x/..%2fprivate%2fsecret.txt": 404,
			"/%70rivate/secret.txt": 403, "/private%5csecret.txt": 404,
		} {
			if got := nanotest.New(app).Get(prefix + path).Do(); got.Status != status {
				t.Errorf("%s%s: %d, want %d", prefix, path, got.Status, status)
			}
		}
	}
}

// TestStaticOfABrowserApplication: a release's names are cached for good, its page
// never; what isn't there is no page unless the client wants one.
func TestStaticOfABrowserApplication(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte("page")}, "app.1.js": {Data: []byte("code")}}
	app := nano.New(nano.Config{})
	app.Static("/", files, nano.StaticOptions{Fallback: "/index.html", Immutable: true, MaxAge: time.Hour})
	for _, tt := range []struct {
		path, accept string
		status       int
		body, cache  string
	}{
		{"/", "", 200, "page", "no-cache"},
		{"/index.html", "", 200, "page", "no-cache"},
		{"/users/7", "*/*", 200, "page", "no-cache"},
		{"/app.1.js", "*/*", 200, "code", "public, max-age=31536000, immutable"},
		{"/app.2.js", "*/*", 404, "", ""},
		{"/app.2.js", "", 404, "", ""},
		{"/users/jane.doe", "text/html,application/xhtml+xml", 200, "page", "no-cache"},
	} {
		got := nanotest.New(app).Get(tt.path).Header("Accept", tt.accept).Do()
		if got.Status != tt.status || tt.status == 200 && (got.Text() != tt.body || got.Header.Get("Cache-Control") != tt.cache) ||
			tt.status == 404 && strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s (%s): %d %q %v", tt.path, tt.accept, got.Status, got.Body, got.Header)
		}
	}
}

// TestStaticWithoutItsFallback: that is told when the tree is registered, not by 404s.
func TestStaticWithoutItsFallback(t *testing.T) {
	dir := t.TempDir()
	for name, tree := range map[string]fs.FS{
		"missing": fstest.MapFS{"page.html": {}}, "missing on disk": os.DirFS(dir), "a directory": fstest.MapFS{"index.html/x": {}},
	} {
		message := panicOf(func() {
			nano.New(nano.Config{}).Static("/", tree, nano.StaticOptions{Fallback: "/index.html"})
		})
		if !strings.Contains(message, "the fallback index.html: ") || !strings.Contains(message, "file_test.go:") {
			t.Errorf("%s: %q", name, message)
		}
	}
}
