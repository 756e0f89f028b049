//go:build linux

package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/admin"
)

// wires are clients over each version of HTTP, of whatever host at one address; with a
// config over TLS.
func wires(t *testing.T, address string, config *tls.Config) map[string]*http.Client {
	all := map[string]*http.Client{}
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		if config != nil {
			transport.TLSClientConfig = config.Clone()
			name += " over TLS"
			transport.Protocols.SetHTTP2(h2)
		}
		transport.Protocols.SetHTTP1(!h2)
		transport.Protocols.SetUnencryptedHTTP2(h2 && config == nil)
		t.Cleanup(transport.CloseIdleConnections)
		all[name] = &http.Client{Transport: transport, Timeout: lifetime}
	}
	return all
}

// A hit is the same over each version of HTTP, with and without TLS, to its last byte:
// whole, a part, nothing but its head, or that it hasn't changed. One response serves all of
// them that ask by the same scheme.
func TestCacheHitsOverEachWire(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 300_000; i++ { // more than the loops write at once
		fmt.Fprintf(&b, "%d,", i)
	}
	whole := b.String()
	o := newOrigin(t)
	o.give("/large", responseOf(whole, "Cache-Control: max-age=600", `ETag: "a"`, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Type: text/x-numbers"))
	o.give("/none", "HTTP/1.1 204 No Content\r\nCache-Control: max-age=600\r\n\r\n")
	routes := "routes: [{cache: {}, to: http://" + o.address + "}]\n"
	_, open := start(t, routes)
	closed, config := securely(t, 2, routes)

	asked := 0
	for scheme, clients := range map[string]map[string]*http.Client{"http": wires(t, open, nil), "https": wires(t, closed, config)} {
		for _, path := range []string{"/large", "/none"} { // the response is stored
			for _, client := range clients {
				resp, err := client.Get(scheme + "://site.example" + path)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				break
			}
		}
		asked++
		for wire, client := range clients {
			for _, c := range []struct {
				method, path string
				fields       [2]string
				status       int
				body, ranged string
				length       int64
			}{
				{"GET", "/large", [2]string{}, 200, whole, "", int64(len(whole))},
				{"HEAD", "/large", [2]string{}, 200, "", "", int64(len(whole))},
				{"GET", "/large", [2]string{"Range", "bytes=5-9"}, 206, whole[5:10], fmt.Sprintf("bytes 5-9/%d", len(whole)), 5},
				{"GET", "/large", [2]string{"Range", "bytes=100000-"}, 206, whole[100000:], fmt.Sprintf("bytes 100000-%d/%d", len(whole)-1, len(whole)), int64(len(whole) - 100000)},
				{"GET", "/large", [2]string{"Range", "bytes=-70000"}, 206, whole[len(whole)-70000:], fmt.Sprintf("bytes %d-%d/%d", len(whole)-70000, len(whole)-1, len(whole)), 70000},
				{"GET", "/large", [2]string{"Range", "bytes=9999999-"}, 416, "", fmt.Sprintf("bytes */%d", len(whole)), 0},
				{"HEAD", "/large", [2]string{"Range", "bytes=5-9"}, 200, "", "", int64(len(whole))},
				{"GET", "/large", [2]string{"If-None-Match", `"b", W/"a"`}, 304, "", "", -1},
				{"HEAD", "/large", [2]string{"If-None-Match", `"a"`}, 304, "", "", -1},
				{"GET", "/large", [2]string{"If-None-Match", `"b"`}, 200, whole, "", int64(len(whole))},
				{"GET", "/large", [2]string{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}, 304, "", "", -1},
				{"GET", "/none", [2]string{}, 204, "", "", -1},
			} {
				what := fmt.Sprintf("%s: %s %s %v", wire, c.method, c.path, c.fields)
				r, err := http.NewRequest(c.method, scheme+"://site.example"+c.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.fields[0] != "" {
					r.Header.Set(c.fields[0], c.fields[1])
				}
				resp, err := client.Do(r)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != c.status || string(body) != c.body || resp.Header.Get("Content-Range") != c.ranged || c.length >= 0 && resp.ContentLength != c.length {
					t.Errorf("%s: %d, %d bytes of %d, %q, %v", what, resp.StatusCode, len(body), resp.ContentLength, resp.Header.Get("Content-Range"), err)
				}
				if c.status != 416 && (!strings.HasPrefix(resp.Header.Get("Cache-Status"), "nanogate; hit; ttl=") || resp.Header.Get("Age") == "" || c.path == "/large" && resp.Header.Get("Etag") != `"a"`) {
					t.Errorf("%s: %v", what, resp.Header)
				}
				if strings.HasPrefix(wire, "HTTP/2") != (resp.ProtoMajor == 2) {
					t.Errorf("%s came over %s", what, resp.Proto)
				}
			}
		}
	}
	if n := o.count("/large"); n != asked {
		t.Errorf("the upstream was asked %d times", n)
	}
}

// What is purged by URL, by tag, or with all else is asked for again; what can't be done
// purges nothing.
func TestCachePurged(t *testing.T) {
	o := newOrigin(t)
	g, at := start(t, "routes: [{cache: {}, to: http://"+o.address+"}]\n")
	app := admin.New(g, admin.Options{Local: true})
	paths := []string{"/a", "/b?q=1", "/c"}
	o.give("/a", responseOf("{n}", "Cache-Control: max-age=600", "Cache-Tag: user-7, all"))
	o.give("/b", responseOf("{n}", "Cache-Control: max-age=600", "Surrogate-Key: user-7 user-8", "Vary: X-Lang"))
	o.give("/c", responseOf("{n}", "Cache-Control: max-age=600"))
	hits := func() (hit string) {
		for _, path := range paths {
			if resp, _ := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); strings.Contains(resp.Header.Get("Cache-Status"), "; hit;") {
				hit += path[1:2]
			}
		}
		return hit
	}
	hits()
	const asJSON = "Content-Type: application/json\r\n"
	for _, c := range []struct {
		body, fields   string
		status         int
		response, left string // what is hit afterwards, with all stored before
	}{
		{`{"urls": ["http://h/a"]}`, asJSON, 200, `{"purged":1}`, "bc"},
		{`{"urls": ["HTTP://H:80/x/../a", "http://h/none"]}`, asJSON, 200, `{"purged":1}`, "bc"},
		{`{"urls": ["http://h/b"]}`, asJSON, 200, `{"purged":0}`, "abc"},
		{`{"urls": ["http://h/b?q=1"]}`, asJSON, 200, `{"purged":1}`, "ac"},
		{`{"urls": ["https://h/a"]}`, asJSON, 200, `{"purged":0}`, "abc"},
		{`{"tags": ["user-7"]}`, asJSON, 200, `{"purged":2}`, "c"},
		{`{"tags": ["user-8"]}`, asJSON, 200, `{"purged":1}`, "ac"},
		{`{"tags": ["user"]}`, asJSON, 200, `{"purged":0}`, "abc"},
		{`{"tags": ["user-8"], "urls": ["http://h/c"]}`, asJSON, 200, `{"purged":2}`, "a"},
		{`{"all": true}`, asJSON, 200, `{"purged":3}`, ""},
		{`{"tags": ["user-7", ""]}`, asJSON, 400, "a tag is empty", "abc"},
		{`{"tags": ["user-7"], "urls": ["/a"]}`, asJSON, 400, "expected http://host/path", "abc"},
		{`{}`, asJSON, 400, "expected", "abc"},
		{`user-7`, asJSON, 400, "expected", "abc"},
		{`{"tags": [` + strings.Repeat(`"user-7",`, 100) + `"user-7"]}`, asJSON, 400, "at most 100", "abc"},
		{`{"all": true}`, "Content-Type: text/plain\r\n", 415, "", "abc"},
		{`{"all": true}`, asJSON + "Origin: http://evil.example\r\n", 403, "", "abc"},
	} {
		if status, response := toldBy(t, app, "POST", "/cache/purge", c.fields, c.body); status != c.status || !strings.Contains(response, c.response) {
			t.Errorf("%.60s: %d %s, want %d %s", c.body, status, response, c.status, c.response)
		}
		if left := hits(); left != c.left {
			t.Errorf("%.60s: %q is stored still, want %q", c.body, left, c.left)
		}
	}
	if status, _ := toldBy(t, admin.New(g, admin.Options{}), "POST", "/cache/purge", asJSON, `{"all": true}`); status != 403 || hits() != "abc" {
		t.Errorf("an address that others reach, without a token: %d", status)
	}
	none, _ := start(t, "routes: [{to: http://"+o.address+"}]\n")
	if status, _ := toldBy(t, admin.New(none, admin.Options{Local: true}), "POST", "/cache/purge", asJSON, `{"all": true}`); status != 409 {
		t.Errorf("a gateway without a cache: %d", status)
	}
}

// What the cache did is counted, for the admin address and for Prometheus.
func TestCacheCounts(t *testing.T) {
	o := newOrigin(t)
	g, at := start(t, "cache: {size: 1MiB, object: 64KiB}\nroutes: [{name: r, cache: {stale-if-error: 1h}, to: http://"+o.address+"}]\n")
	app := admin.New(g, admin.Options{Local: true})
	get := func(path, fields string) { ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n"+fields+"\r\n") }
	o.give("/fresh", responseOf("12345", "Cache-Control: max-age=600"))
	o.give("/stale", responseOf("12345", "Cache-Control: max-age=1", "Age: 5", `ETag: "a"`))
	o.give("/large", responseOf(strings.Repeat("x", 70_000), "Cache-Control: max-age=600"))
	get("/fresh", "")                                 // a miss
	get("/fresh", "")                                 // a hit
	get("/fresh", "")                                 // a hit
	get("/fresh", "Cache-Control: no-store\r\n")      // a bypass
	get("/stale", "")                                 // a miss
	get("/stale", "Cache-Control: max-stale=600\r\n") // a stale hit
	o.give("/stale", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
	get("/stale", "") // given in place of the failure
	o.give("/stale", responseOf("12345", "Cache-Control: max-age=600", `ETag: "a"`))
	get("/stale", "") // revalidated
	get("/large", "") // a miss, not stored
	toldBy(t, app, "POST", "/cache/purge", "Content-Type: application/json\r\n", `{"urls": ["http://h/fresh"]}`)

	var store admin.Cache
	waitFor(t, "the bytes that are stored, which are counted a moment later", func() bool {
		_, body := toldBy(t, app, "GET", "/cache", "", "")
		if json.Unmarshal([]byte(body), &store) != nil || store.Most != 1<<20 || store.URLs != 1 || store.Purged != 1 || store.Refused != 1 {
			t.Fatalf("/cache: %s", body)
		}
		return store.Bytes > 0
	})
	var routes []admin.Route
	_, body := toldBy(t, app, "GET", "/routes", "", "")
	if err := json.Unmarshal([]byte(body), &routes); err != nil {
		t.Fatal(err)
	}
	want := map[string]uint64{"miss": 3, "hit": 2, "bypass": 1, "stale": 1, "saved": 1, "revalidated": 1}
	c := routes[0].Cache
	if c == nil || fmt.Sprint(c.Results) != fmt.Sprint(want) || c.Stored != 2 || c.Bytes != 5*5 {
		t.Errorf("/routes: %+v, want %v", c, want)
	}
	_, text := toldBy(t, app, "GET", "/metrics", "", "")
	lines := []string{
		"nanogate_cache_most_bytes 1.048576e+06", "nanogate_cache_urls 1", "nanogate_cache_purged_total 1", "nanogate_cache_refused_total 1", "nanogate_cache_evictions_total 0",
		`nanogate_cache_stored_total{route="r"} 2`, `nanogate_cache_served_bytes_total{route="r"} 25`, `nanogate_cache_requests_total{route="r",result="coalesced"} 0`,
	}
	for result, n := range want {
		lines = append(lines, fmt.Sprintf(`nanogate_cache_requests_total{route="r",result=%q} %d`, result, n))
	}
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}
