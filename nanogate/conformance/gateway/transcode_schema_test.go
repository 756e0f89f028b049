//go:build linux

package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// reflected offers the echo as one of a server's services.
type reflected struct{}

func (reflected) GetServiceInfo() map[string]grpc.ServiceInfo {
	return map[string]grpc.ServiceInfo{"echo.v1.Echo": {}}
}

// What an upstream offers is asked of it; nothing is served before it is known, and what
// was known last stays.
func TestTranscodeReflection(t *testing.T) {
	upstream, _, _ := notesUpstream(t)
	g, address := start(t, fmt.Sprintf("routes: [{match: {path: /v1/*}, to: \"h2c://%s\", grpc-json: {reflection: true}}, {to: \"h2c://127.0.0.1:1\", grpc-json: {reflection: true}}]\n", upstream))
	client := clients(t)["HTTP/1.1"]
	for began := time.Now(); ; {
		resp, got := do(t, client, "GET", "http://"+address+"/v1/notes/7", "")
		if resp.StatusCode == 200 {
			break
		}
		if resp.StatusCode != 503 || time.Since(began) > patience {
			t.Fatalf("%d %s", resp.StatusCode, got)
		}
		time.Sleep(time.Millisecond)
	}
	if resp, got := do(t, client, "GET", "http://"+address+"/other", ""); resp.StatusCode != 503 || !strings.Contains(got, "it isn't known yet what the upstream offers") {
		t.Errorf("%d %s", resp.StatusCode, got)
	}
	app := admin.New(g, admin.Options{Local: true})
	get := func(path string) (int, string) {
		var b bytes.Buffer
		if err := app.ServeBytes(t.Context(), netip.MustParseAddrPort("127.0.0.1:1"), []byte("GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), &b); err != nil {
			t.Fatal(err)
		}
		resp, body := parseResponse(t, b.Bytes())
		return resp.StatusCode, body
	}
	var apis []admin.API
	if status, body := get("/openapi"); status != 200 || json.Unmarshal([]byte(body), &apis) != nil || len(apis) != 2 || !apis[0].Known || apis[0].Methods != 4 || apis[1].Known {
		t.Errorf("%d %s", status, body)
	}
	for path, want := range map[string]int{"/openapi?route=route-1": 200, "/openapi?route=route-2": 503, "/openapi?route=none": 404} {
		if status, body := get(path); status != want || want == 200 && !strings.Contains(body, `"openapi":"3.1.0"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// The API describes itself at a path of its own, as its guards let it.
func TestTranscodeDocument(t *testing.T) {
	upstream, file, _ := notesUpstream(t)
	_, address := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s, openapi: /v1/openapi.json}, cors: {origins: [\"https://a.example\"]}}]\n", upstream, file))
	for version, client := range clients(t) {
		resp, got := do(t, client, "GET", "http://"+address+"/v1/openapi.json", "", "Origin", "https://a.example")
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Access-Control-Allow-Origin") == "" || !strings.Contains(got, `"/v1/notes/{name}:repeat"`) {
			t.Errorf("%s: %d %v %s", version, resp.StatusCode, resp.Header, got)
		}
		if resp, got := do(t, client, "HEAD", "http://"+address+"/v1/openapi.json", ""); resp.StatusCode != 200 || got != "" {
			t.Errorf("%s: %d %s", version, resp.StatusCode, got)
		}
		if resp, got := do(t, client, "POST", "http://"+address+"/v1/openapi.json", "{}"); resp.StatusCode != 404 {
			t.Errorf("%s: %d %s", version, resp.StatusCode, got)
		}
	}
}

// Descriptors that don't fit are found before they are served, with file, method and rule;
// a file that is replaced is read again, and one that is broken changes nothing.
func TestTranscodeDescriptors(t *testing.T) {
	wrong := writeSet(t, transcodetest.Set(t, map[string]string{"wrong.proto": strings.Replace(echoProto, `/v1/notes:sum`, `/v1/{nobody}:sum`, 1)}))
	parse := func(file string) *config.Config {
		c, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes:\n  - {name: notes, to: \"h2c://127.0.0.1:1\", grpc-json: {descriptors: "+file+"}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	problems := snapshot.Check(parse(wrong), nil)
	if want := `f.yaml:3:5: routes[0]: grpc-json: wrong.proto: echo.v1.Echo/Sum: POST /v1/{nobody}:sum: {nobody}: echo.v1.Note has no field "nobody"`; len(problems) != 1 || problems[0].String() != want {
		t.Errorf("%v, want %s", problems, want)
	}
	if problems := snapshot.Check(parse("/nowhere.pb"), nil); len(problems) != 1 || !strings.Contains(problems[0].String(), "no such file") {
		t.Errorf("%v", problems)
	}
	upstream, file, _ := notesUpstream(t)
	g, address := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s}}]\n", upstream, file))
	client := clients(t)["HTTP/1.1"]
	replace := func(with string) {
		b, err := os.ReadFile(with)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+".new", b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > patience {
				t.Fatal(what)
			}
		}
	}
	replace(wrong)
	until("nobody says that the file is wrong", func() bool { return len(g.Problems()) == 1 && strings.Contains(g.Problems()[0], "echo.v1.Echo/Sum") })
	if resp, got := do(t, client, "GET", "http://"+address+"/v1/notes/7", ""); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, got)
	}
	replace(writeSet(t, transcodetest.Set(t, map[string]string{"echo.proto": strings.ReplaceAll(echoProto, "/v1/", "/v2/")})))
	until("the new file isn't served", func() bool {
		resp, _ := do(t, client, "GET", "http://"+address+"/v2/notes/7", "")
		return resp.StatusCode == 200 && len(g.Problems()) == 0
	})
}

// What a call is tried again for holds for those made of JSON, with their bodies; a second
// endpoint is asked when the first one takes long.
func TestTranscodeElsewhere(t *testing.T) {
	serve := func(handle grpc.StreamHandler) string {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer(grpc.UnknownServiceHandler(handle))
		go server.Serve(ln)
		t.Cleanup(server.Stop)
		return ln.Addr().String()
	}
	refuses := serve(func(any, grpc.ServerStream) error { return status.Error(codes.Unavailable, "not now") })
	hangs := serve(func(_ any, s grpc.ServerStream) error { <-s.Context().Done(); return s.Context().Err() })
	good, file, _ := notesUpstream(t)
	for route, other := range map[string]string{"retry: {grpc: [unavailable], attempts: 2, budget: 100%}": refuses, "hedge: {after: 1ms, budget: 100%}": hangs} {
		_, address := start(t, fmt.Sprintf("routes: [{to: u, grpc-json: {descriptors: %s}, %s}]\nupstreams: {u: {endpoints: [\"h2c://%s\", \"h2c://%s\"], balance: round-robin}}\n", file, route, other, good))
		client := clients(t)["HTTP/1.1"]
		for range 4 {
			if resp, got := do(t, client, "GET", "http://"+address+"/v1/notes/7?count=1", ""); resp.StatusCode != 200 || got != `{"name":"notes/7","count":1}`+"\n" {
				t.Errorf("%s: %d %s", route, resp.StatusCode, got)
			}
			if other == hangs {
				continue // who sends a body isn't hedged
			}
			if resp, got := do(t, client, "POST", "http://"+address+"/v1/notes", `{"name":"n"}`); resp.StatusCode != 200 || got != `{"name":"n"}`+"\n" {
				t.Errorf("%s: %d %s", route, resp.StatusCode, got)
			}
		}
	}
}

// An upstream that doesn't speak gRPC after all.
func TestTranscodeNotGRPC(t *testing.T) {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(b, []byte("busy")):
			w.WriteHeader(503)
		case bytes.Contains(b, []byte("open")):
			w.Header().Set("Content-Type", "application/grpc")
		}
		io.WriteString(w, "\x00\x00\x00\x00\x00")
	})}
	go server.Serve(ln)
	t.Cleanup(func() { server.Close() })
	_, file, _ := notesUpstream(t)
	_, address := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s}}]\n", ln.Addr(), file))
	for version, client := range clients(t) {
		for name, want := range map[string]string{
			"other": `{"type":"about:blank","title":"Bad Gateway","status":502,"detail":"the upstream's response is not gRPC as it should be"}`,
			"open":  `{"type":"about:blank","title":"Bad Gateway","status":502,"detail":"the upstream's response is not gRPC as it should be"}`, // it has no status
			"busy":  `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"the upstream responded with HTTP status 503","code":"UNAVAILABLE"}`,
		} {
			if _, got := do(t, client, "GET", "http://"+address+"/v1/notes/"+name, ""); got != want+"\n" {
				t.Errorf("%s, %s: %s", version, name, got)
			}
		}
		if _, got := do(t, client, "GET", "http://"+address+"/v1/notes/open:repeat", ""); got != "{}\n"+`{"error":{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"the upstream's response is not gRPC as it should be","code":"INTERNAL"}}`+"\n" {
			t.Errorf("%s: %s", version, got)
		}
	}
}
