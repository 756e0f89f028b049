//go:build linux

package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/admin"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// What became of a plug-in's calls is told by metrics and by the admin address.
func TestPluginMetrics(t *testing.T) {
	const data = memory("hello")
	file := module(t, wt.Guest{})
	g, at := start(t, "plugins:\n  passes: {wasm: "+file+", "+unrushed+"}\n"+
		"  says: {wasm: "+module(t, wt.Guest{Imports: []string{"write_body"}, Data: string(data), Request: wt.Code(wt.I32(1), data.at("hello"), wt.Call(0), wt.I64(0))})+", "+unrushed+"}\n"+
		"  fails: {wasm: "+module(t, wt.Guest{Request: wt.Code(wt.Unreachable)})+", "+unrushed+"}\n"+
		"routes:\n  - {match: {path: /says}, use: says, to: u}\n  - {match: {path: /fails}, use: fails, to: u}\n  - {use: passes, to: u}\nupstreams: {u: [\""+saying(t)+"\"]}\n")
	for path, want := range map[string]int{"/": 200, "/again": 200, "/says": 200, "/fails": 500} {
		if resp, body := ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != want {
			t.Errorf("%s: %s %s", path, resp.Status, body)
		}
	}
	app := admin.New(g, admin.Options{Local: true})
	told := func(lines ...string) {
		t.Helper()
		_, text := shown(t, app, "/metrics")
		for _, line := range lines {
			if !strings.Contains(text, "\nnanogate_plugin_"+line+"\n") {
				var all []string
				for one := range strings.Lines(text) {
					if strings.HasPrefix(one, "nanogate_plugin_") {
						all = append(all, one)
					}
				}
				t.Errorf("/metrics lacks nanogate_plugin_%s:\n%s", line, strings.Join(all, ""))
			}
		}
	}
	told(`calls_total{plugin="passes",for="request"} 2`, `calls_total{plugin="passes",for="response"} 2`, `calls_total{plugin="says",for="response"} 0`,
		`responses_total{plugin="says"} 1`, `responses_total{plugin="passes"} 0`, `failures_total{plugin="fails",reason="trapped"} 1`,
		`duration_seconds_count{plugin="passes"} 4`, `instances{plugin="passes"} 1`, `instances{plugin="fails"} 0`,
		`memory_bytes{plugin="passes"} 65536`, `memory_bytes{plugin="fails"} 0`, `current{plugin="passes"} 1`)

	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Snapshot().Plugins[0].Look()
	told(`current{plugin="passes"} 0`, `current{plugin="says"} 1`, `calls_total{plugin="passes",for="request"} 2`)
	_, body := shown(t, app, "/plugins")
	var all []admin.Plugin
	if err := json.Unmarshal([]byte(body), &all); err != nil || len(all) != 3 {
		t.Fatalf("%v: %s", err, body)
	}
	for _, p := range all {
		switch p.Name {
		case "passes":
			if p.Requests != 2 || p.Responses != 2 || p.Mean <= 0 || len(p.SHA256) != 64 || !strings.Contains(p.Problem, "magic number") {
				t.Errorf("%+v", p)
			}
		case "fails":
			if p.Failed["trapped"] != 1 || p.Instances != 0 || p.Problem != "" {
				t.Errorf("%+v", p)
			}
		case "says":
			if p.Replied != 1 || len(p.Failed) != 0 {
				t.Errorf("%+v", p)
			}
		}
	}
}

// A response that is longer than a plug-in may read is a 502, however it is framed; the
// client's connection and others go on.
func TestPluginResponseTooLarge(t *testing.T) {
	const most = 10_000
	file := module(t, wt.Guest{Imports: []string{"enable_features"}, Begin: wt.Code(wt.I32(2), wt.Call(0), wt.Drop)})
	for version := 1; version <= 2; version++ {
		up := serverOver(t, version, func(w http.ResponseWriter, r *http.Request) {
			size, err := strconv.Atoi(r.URL.Query().Get("size"))
			if err != nil {
				t.Error(err)
			}
			if r.URL.Path == "/known" {
				w.Header().Set("Content-Length", strconv.Itoa(size))
			}
			for ; size > 0; size -= 1000 { // in pieces
				io.WriteString(w, strings.Repeat("x", min(size, 1000)))
				if r.URL.Path == "/unknown" {
					w.(http.Flusher).Flush()
				}
			}
		})
		for _, rules := range []string{"", ", on-failure: pass"} { // which is for what it has failed to look at, and not for what it mustn't see
			_, at := plugged(t, `"`+up+`"`, "p: {wasm: "+file+", "+unrushed+", body: 10kB"+rules+"}", "use: p")
			client := clientOver(t, version)
			for _, path := range []string{"/known", "/unknown"} {
				for _, size := range []int{0, 1, most, most + 1, 50 * most, most - 1} {
					resp, err := client.Get("http://" + at + path + "?size=" + strconv.Itoa(size))
					if err != nil {
						t.Fatalf("over HTTP/%d %d bytes: %v", version, size, err)
					}
					body, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					want := 200
					if size > most {
						want = 502
					}
					if err != nil || resp.StatusCode != want || want == 200 && len(body) != size || want == 502 && !strings.Contains(string(body), "larger than a plug-in may see") {
						t.Errorf("over HTTP/%d %s of %d bytes: %s, %d bytes, %v", version, path, size, resp.Status, len(body), err)
					}
				}
			}
		}
	}
}
