//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/config"
)

// toldBy asks an admin app.
func toldBy(t *testing.T, app *nano.App, method, path, fields, body string) (status int, response string) {
	t.Helper()
	if !strings.Contains(fields, "Host:") {
		fields = "Host: 127.0.0.1:9901\r\n" + fields
	}
	request := fmt.Sprintf("%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, fields, len(body), body)
	var b bytes.Buffer
	if err := app.ServeBytes(context.Background(), netip.MustParseAddrPort("127.0.0.1:1"), []byte(request), &b); err != nil {
		t.Fatal(err)
	}
	resp, response := parseResponse(t, b.Bytes())
	return resp.StatusCode, response
}

const asYAML = "Content-Type: application/yaml\r\n"

// A configuration is tried, compared, applied and taken back.
func TestChange(t *testing.T) {
	text := func(response, more string) string {
		return "listen: 127.0.0.1:0\nroutes:\n  - {name: a, match: {path: /a}, respond: {body: " + response + "}}\n" + more
	}
	second := "  - {name: b, match: {path: /b}, respond: {body: second}}\n"
	g, at := startLoops(t, 1, strings.TrimPrefix(text("one", second), "listen: 127.0.0.1:0\n"))
	app := admin.New(g, admin.Options{Local: true})
	put := func(path, fields, body string) (r admin.Changed, status int) {
		t.Helper()
		status, response := toldBy(t, app, "PUT", path, asYAML+fields, body)
		if err := json.Unmarshal([]byte(response), &r); err != nil {
			t.Fatalf("%v: %s", err, response)
		}
		return r, status
	}
	body := func() string { _, b := ask(t, at, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"); return b }

	r, status := put("/config?dry-run", "", text("two", "  - {name: c, redirect: /a}\n"))
	want := []config.Change{
		{Part: "route", Name: "a", Kind: config.Changed, Before: "{name: a, match: {path: \"/a\"}, respond: {body: one}}", After: "{name: a, match: {path: \"/a\"}, respond: {body: two}}"},
		{Part: "route", Name: "c", Kind: config.Added, After: "{name: c, redirect: \"/a\"}"},
		{Part: "route", Name: "b", Kind: config.Removed, Before: "{name: b, match: {path: \"/b\"}, respond: {body: second}}"},
	}
	if status != 200 || r.Applied || r.Version != 1 || !slices.Equal(r.Changes, want) || body() != "one" {
		t.Errorf("dry run: %d %+v, %s", status, r, body())
	}
	if r, status := put("/config", "If-Match: \"1\"\r\n", text("two", second)); status != 200 || !r.Applied || r.Version != 2 || len(r.Changes) != 1 || body() != "two" {
		t.Errorf("applied: %d %+v, %s", status, r, body())
	}
	if status, response := toldBy(t, app, "PUT", "/config", asYAML+"If-Match: \"1\"\r\n", text("three", second)); status != 412 || body() != "two" {
		t.Errorf("made for another version: %d %s", status, response)
	}
	for name, wrong := range map[string]string{
		"a mistake": "listen: 127.0.0.1:0\nrouts: []\n", "a guard that can't be made": text("three", "  - {name: b, jwt: {secret: /nowhere}, respond: {}}\n"),
	} {
		if r, status := put("/config", "", wrong); status != 422 || r.Applied || len(r.Problems) == 0 || !strings.Contains(r.Problems[0], "test.yaml:") || body() != "two" {
			t.Errorf("%s: %d %+v", name, status, r)
		}
	}
	if r, _ := put("/config?dry-run", "", "listen: 127.0.0.1:1\n"+strings.TrimPrefix(text("two", second), "listen: 127.0.0.1:0\n")); !slices.Equal(r.Restart, []string{"listen"}) {
		t.Errorf("another address: %+v", r)
	}
	roll := func(body string) (int, string) {
		return toldBy(t, app, "POST", "/config/rollback", "Content-Type: application/json\r\n", body)
	}
	if status, response := roll(""); status != 200 || body() != "one" {
		t.Errorf("back: %d %s, %s", status, response, body())
	}
	if status, response := roll(`{"to": 2}`); status != 200 || body() != "two" {
		t.Errorf("to 2: %d %s, %s", status, response, body())
	}
	if status, response := roll(`{"to": 99}`); status != 404 {
		t.Errorf("to 99: %d %s", status, response)
	}
	var versions []admin.Version
	if _, response := toldBy(t, app, "GET", "/config/versions", "", ""); json.Unmarshal([]byte(response), &versions) != nil || len(versions) != 4 || versions[3].By != "rollback to 2" || versions[0].By != "start" {
		t.Errorf("versions: %s", response)
	}
	for i := range 20 {
		put("/config", "", text(fmt.Sprint(i), second))
	}
	if n := len(g.Versions()); n != 10 {
		t.Errorf("%d versions are kept", n)
	}
}

// Nothing is changed by what a page of the web can send, by another machine, or by who
// doesn't know the token.
func TestChangeIsGuarded(t *testing.T) {
	text := "routes: [{name: a, respond: {body: one}}]\n"
	g, _ := startLoops(t, 1, text)
	token := t.TempDir() + "/token"
	write(t, token, "0123456789abcdef\n")
	const know = "Authorization: Bearer 0123456789abcdef\r\n"
	for _, c := range []struct {
		name, method, path, fields string
		options                    admin.Options
		status                     int
	}{
		{"a form", "POST", "/config", "Content-Type: application/x-www-form-urlencoded\r\n", admin.Options{Local: true}, 415},
		{"a form as text", "POST", "/config", "Content-Type: text/plain\r\n", admin.Options{Local: true}, 415},
		{"no type", "POST", "/config/rollback", "", admin.Options{Local: true}, 415},
		{"another site", "PUT", "/config", asYAML + "Sec-Fetch-Site: cross-site\r\n", admin.Options{Local: true}, 403},
		{"another origin", "PUT", "/config", asYAML + "Origin: http://evil.example\r\n", admin.Options{Local: true}, 403},
		{"another name", "PUT", "/config", asYAML + "Host: evil.example\r\n", admin.Options{Local: true}, 403},
		{"its own page", "PUT", "/config?dry-run", asYAML + "Origin: http://127.0.0.1:9901\r\nSec-Fetch-Site: same-origin\r\n", admin.Options{Local: true}, 200},
		{"from elsewhere", "PUT", "/config", asYAML, admin.Options{}, 403},
		{"looking from elsewhere", "GET", "/config", "", admin.Options{}, 403},
		{"at what was before", "GET", "/config/versions", "", admin.Options{}, 403},
		{"at what users were sent", "GET", "/mirrors/samples", "", admin.Options{}, 403},
		{"at what was before, without the token", "GET", "/config/versions", "", admin.Options{Local: true, Token: token}, 401},
		{"at figures", "GET", "/routes", "", admin.Options{}, 200},
		{"no token", "PUT", "/config", asYAML, admin.Options{Token: token}, 401},
		{"a wrong token", "PUT", "/config", asYAML + "Authorization: Bearer 0123456789abcdeg\r\n", admin.Options{Local: true, Token: token}, 401},
		{"no token to look", "GET", "/config", "", admin.Options{Local: true, Token: token}, 401},
		{"the token", "PUT", "/config?dry-run", asYAML + know, admin.Options{Token: token}, 200},
		{"the token's file is gone", "PUT", "/config", asYAML + know, admin.Options{Token: token + ".gone"}, 503},
		{"through a proxy", "PUT", "/config", asYAML + "Via: 1.1 a\r\n", admin.Options{Local: true}, 403},
		{"through a proxy that says for whom", "GET", "/config", "X-Forwarded-For: 10.0.0.1\r\n", admin.Options{Local: true}, 403},
		{"through one of RFC 7239", "POST", "/config/rollback", asYAML + "forwarded: for=a\r\n", admin.Options{Local: true}, 403},
		{"an empty field of a proxy", "GET", "/routes", "X-Forwarded-Proto:\r\n", admin.Options{Local: true}, 403},
		{"through a proxy, with the token", "PUT", "/config?dry-run", asYAML + know + "Via: 1.1 a\r\n", admin.Options{Token: token}, 200},
		{"through a proxy, without", "GET", "/routes", "Via: 1.1 a\r\n", admin.Options{Local: true, Token: token}, 401},
		{"metrics through a sidecar", "GET", "/metrics", "X-Forwarded-Proto: http\r\n", admin.Options{Local: true}, 200},
		{"metrics take none", "GET", "/metrics", "", admin.Options{Token: token}, 200},
	} {
		if status, response := toldBy(t, admin.New(g, c.options), c.method, c.path, c.fields, "listen: 127.0.0.1:0\n"+text); status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, status, response, c.status)
		}
	}
	if n := len(g.Versions()); n != 1 {
		t.Errorf("%d versions", n)
	}
	write(t, token, "short")
	if err := (admin.Options{Token: token}).Check(); err == nil {
		t.Error("a short token is taken")
	}
}

// Secrets that stand in the file all the same are not shown.
func TestConfigHidesSecrets(t *testing.T) {
	g, _ := startLoops(t, 1, "routes:\n  - name: a\n    match: {path: /a, headers: {Authorization: s3cret}}\n    request-headers: {set: {X-Api-Key: s3cret, X-Env: shown, Cookie: s3cret}}\n    sticky: {cookie: shown-too}\n    to: http://127.0.0.1:1\n")
	app := admin.New(g, admin.Options{Local: true})
	_, response := toldBy(t, app, "GET", "/config", "", "")
	if strings.Contains(response, "s3cret") || !strings.Contains(response, "shown") || !strings.Contains(response, "shown-too") || !strings.Contains(response, "(hidden)") {
		t.Error(response)
	}
	_, response = toldBy(t, app, "PUT", "/config?dry-run", asYAML, "listen: 127.0.0.1:0\nroutes: [{name: a, request-headers: {set: {Authorization: s3cret}}, to: http://127.0.0.1:1}]\n")
	if strings.Contains(response, "s3cret") || !strings.Contains(response, `"changed"`) {
		t.Error(response)
	}
}

// However often the configuration changes, memory, goroutines and open files stay as
// many.
func TestReloadsLeakNothing(t *testing.T) {
	dir := t.TempDir()
	var parsed [4]*config.Config
	for i := range parsed {
		var b strings.Builder
		fmt.Fprintf(&b, "listen: 127.0.0.1:0\naccess-log: {to: %s/log-%d}\ntrace: {sample: 0}\nupstreams: {u: [\"127.0.0.1:%d\"]}\nroutes:\n", dir, i%2, 1+i%2)
		for k := range 200 {
			fmt.Fprintf(&b, "  - {name: r%d, match: {host: h%d, path: \"/service-%d/*\"}, body: %dB, to: u}\n", k, k%(5+i), k, 1+(k+i)%3)
		}
		fmt.Fprintf(&b, "  - {name: limited, match: {path: /limited}, limit: {rate: %d/s, keys: 100}, to: u}\n", 1+i)
		c, err := config.Parse("test.yaml", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		parsed[i] = c
	}
	g, _ := startLoops(t, 1, "routes: [{respond: {}}]\n")
	measure := func() (heap uint64, goroutines, files int) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return m.HeapAlloc, runtime.NumGoroutine(), len(entries)
	}
	reload := func(n int) {
		for i := range n {
			g.Apply(parsed[i%len(parsed)])
		}
	}
	reload(40)
	heap, goroutines, files := measure()
	reload(400)
	for until := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // what was replaced ends a moment later
		heapNow, goroutinesNow, filesNow := measure()
		if heapNow <= heap+heap/4+1<<20 && goroutinesNow <= goroutines+3 && filesNow <= files+3 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d kB, %d goroutines, %d files; then %d kB, %d, %d", heap>>10, goroutines, files, heapNow>>10, goroutinesNow, filesNow)
		}
	}
}

// BenchmarkApplyOneOf10000 is how long it takes until one changed route of ten thousand
// is live: what it matches, or what is done with it. The file has been read.
func BenchmarkApplyOneOf10000(b *testing.B) {
	var text strings.Builder
	text.WriteString("upstreams: {u: [\"127.0.0.1:1\"]}\nroutes:\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "  - {name: r%d, match: {host: h%d.example.com, path: \"/service-%d/*\"}, to: u}\n", i, i%1000, i)
	}
	parse := func(from, to string) *config.Config {
		c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+strings.Replace(text.String(), from, to, 1)))
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	g, _ := startLoops(b, 1, text.String())
	for name, change := range map[string][2]string{
		"match":   {"/service-5000/*", "/changed/*"},
		"rest":    {"/service-5000/*\"}", "/service-5000/*\"}, timeout: 1s"},
		"added":   {"  - {name: r5000,", "  - {name: new, match: {path: /new}, to: u}\n  - {name: r5000,"},
		"nothing": {"", ""},
	} {
		both := [2]*config.Config{parse("", ""), parse(change[0], change[1])}
		b.Run(name, func(b *testing.B) {
			heap := func() float64 {
				runtime.GC()
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc)
			}
			for i := range 20 { // as many versions are kept as there will be
				g.Apply(both[i%2])
			}
			before := heap()
			for i := 0; b.Loop(); i++ {
				g.Apply(both[i%2])
			}
			b.ReportMetric((heap()-before)/1024, "kB-grown")
		})
	}
}

// BenchmarkRead10000 is how long it takes to read a file of ten thousand routes, which
// comes before that.
func BenchmarkRead10000(b *testing.B) {
	var text strings.Builder
	text.WriteString("listen: 127.0.0.1:0\nupstreams: {u: [\"127.0.0.1:1\"]}\nroutes:\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "  - {name: r%d, match: {host: h%d.example.com, path: \"/service-%d/*\"}, to: u}\n", i, i%1000, i)
	}
	for b.Loop() {
		if _, err := config.Parse("test.yaml", []byte(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
