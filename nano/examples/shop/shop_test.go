package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	lib "github.com/golang-jwt/jwt/v5"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

var secret = []byte(strings.Repeat("s", minSecret))

// token is what a seller sends.
func token(t *testing.T, subject string) string {
	t.Helper()
	made := lib.NewWithClaims(lib.SigningMethodHS256, lib.MapClaims{"sub": subject, "aud": "shop", "exp": time.Now().Add(time.Hour).Unix()})
	made.Header["kid"] = "shop"
	signed, err := made.SignedString(secret)
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + signed
}

// open starts the service on a free port and returns its URL and its spans.
func open(t *testing.T) (at string, spans *tracetest.SpanRecorder) {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	spans = tracetest.NewSpanRecorder()
	app := newShop(root).app(secret, trace.NewTracerProvider(trace.WithSpanProcessor(spans)))
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		if err := end(context.Background(), app, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		root.Close()
	})
	return "http://" + ln.Addr().String(), spans
}

// ask sends a request and returns its response, read.
func ask(t *testing.T, method, url, bearer, kind, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", bearer)
	}
	r.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestShop(t *testing.T) {
	at, spans := open(t)
	ann, bob := token(t, "ann"), token(t, "bob")
	const jsonType = "application/json"
	picture, pictureType := form(t, "picture", "\x89PNG and so on")
	other, otherType := form(t, "other", "x")
	for _, c := range []struct {
		method, path, bearer, kind, body string
		status                           int
		says                             string
	}{
		{"GET", "/health", "", "", "", 200, "ok"},
		{"GET", "/v1/items", "", "", "", 200, "[]"},
		{"POST", "/v1/items", "", jsonType, `{"name":"pan","cents":990}`, 401, ""},
		{"POST", "/v1/items", "Bearer x.y.z", jsonType, `{"name":"pan","cents":990}`, 401, ""},
		{"POST", "/v1/items", ann, jsonType, `{"name":"","cents":0}`, 422, `"cents"`},
		{"POST", "/v1/items", ann, jsonType, `{"name":"pan","price":1}`, 400, "price"},
		{"POST", "/v1/items", ann, jsonType, ``, 400, "no body"},
		{"POST", "/v1/items", ann, jsonType, `{"name":"pan","cents":990}`, 201, `"owner":"ann"`},
		{"POST", "/v1/items", bob, jsonType, `{"name":"` + strings.Repeat("x", 70<<10) + `","cents":1}`, 413, ""},
		{"GET", "/v1/items/1", "", "", "", 200, `"cents":990`},
		{"GET", "/v1/items/2", "", "", "", 404, "no such item"},
		{"GET", "/v1/items/one", "", "", "", 404, ""},
		{"GET", "/v1/items?size=0", "", "", "", 422, "size"},
		{"GET", "/v1/items?page=2", "", "", "", 200, "[]"},
		{"GET", "/v1/items/1/picture", "", "", "", 404, ""},
		{"PUT", "/v1/items/1/picture", bob, pictureType, picture, 403, ""},
		{"PUT", "/v1/items/1/picture", ann, otherType, other, 400, "picture"},
		{"PUT", "/v1/items/1/picture", ann, pictureType, picture, 204, ""},
		{"GET", "/v1/items/1/picture", "", "", "", 200, "PNG and so on"},
		{"DELETE", "/v1/items/1", ann, "", "", 405, ""},
		{"GET", "/openapi.json", "", "", "", 200, `"/v1/items/{id}/picture"`},
		{"GET", "/metrics", "", "", "", 200, `route="/v1/items/{id:int}"`},
	} {
		resp, text := ask(t, c.method, at+c.path, c.bearer, c.kind, c.body)
		if resp.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %d %.300s, want %d %s", c.method, c.path, resp.StatusCode, text, c.status, c.says)
		}
		if c.status == 201 && resp.Header.Get("Location") != "/v1/items/1" {
			t.Errorf("Location: %s", resp.Header.Get("Location"))
		}
		if c.status == 413 {
			continue // refused before any handler
		}
		if resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: fields of middleware are missing: %v", c.method, c.path, resp.Header)
		}
	}
	var names []string
	for _, s := range spans.Ended() {
		names = append(names, s.Name())
	}
	if all := strings.Join(names, ", "); !strings.Contains(all, "PUT /v1/items/{id:int}/picture") {
		t.Errorf("spans: %s", all)
	}
}

// form is a multipart form with one file.
func form(t *testing.T, name, content string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(name, "a.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, content); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.String(), w.FormDataContentType()
}

// TestListeners: what is sold is told by events and over a WebSocket.
func TestListeners(t *testing.T) {
	at, _ := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(at, "http", "ws", 1)+"/v1/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	resp, err := http.Get(at + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() { // the comment: it listens
		t.Fatal(lines.Err())
	}
	// The WebSocket's handler may not listen yet: sell until it tells.
	told := make(chan item, 1)
	failed := make(chan error, 1)
	go func() {
		var i item
		if err := wsjson.Read(ctx, conn, &i); err != nil {
			failed <- err
			return
		}
		told <- i
	}()
	for {
		if resp, text := ask(t, "POST", at+"/v1/items", token(t, "ann"), "application/json", `{"name":"pan","cents":990}`); resp.StatusCode != 201 {
			t.Fatal(text)
		}
		select {
		case err := <-failed:
			t.Fatal(err)
		case i := <-told:
			if i.Name != "pan" || i.Owner != "ann" {
				t.Errorf("over the WebSocket: %+v", i)
			}
		case <-time.After(20 * time.Millisecond):
			continue
		}
		break
	}
	var i item
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(data), &i); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if i.ID != 1 || i.Name != "pan" {
		t.Errorf("by events: %+v, %v", i, lines.Err())
	}
}

// TestProgram runs the program: it wants a secret, serves, and SIGTERM ends it well.
// Restarts are tested where they are made, in dyno.example/nano.
func TestProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "shop")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the image is, also where the race detector needs C
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err == nil || !strings.Contains(string(out), "SHOP_SECRET") {
		t.Errorf("without a secret: %v %s", err, out)
	}
	ln, err := net.Listen("tcp", "127.23.58.101:0") // where connections of others don't begin, nor listens anybody else
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	cmd := exec.Command(program, "-address", address, "-files", filepath.Join(dir, "files"))
	cmd.Env = append(os.Environ(), "SHOP_SECRET="+string(secret))
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	healthy := func() bool {
		resp, err := http.Get("http://" + address + "/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	}
	waitFor(t, "it serves", healthy)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v: %s", err, log.String())
	}
	if healthy() {
		t.Error("it serves after its end")
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for from := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(from) > time.Minute {
			t.Fatal(fmt.Sprint("waited a minute until ", what))
		}
	}
}
