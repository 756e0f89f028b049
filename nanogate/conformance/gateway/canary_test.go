//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/gateway"
)

// canaryIn is how the first route's canary is doing.
func canaryIn(g *gateway.Gateway) canary.Report { return g.Snapshot().Routes[0].Canary.Report() }

// A canary whose requests fail is rolled back while its clients are under way; none of
// them is left without a response, and all that follow are the stable upstream's. It stays
// so until its configuration changes or somebody resumes it.
func TestCanaryIsRolledBack(t *testing.T) {
	stable, _ := respondingWith(t, ok)
	failing, asked := respondingWith(t, strings.Replace(ok, "200 OK", "500 No", 1))
	text := func(more string) string {
		return fmt.Sprintf("routes: [{name: a, to: s, canary: {to: c, weight: 30%%, header: x-release, roll-back: {least: 20}}%s}]\nupstreams: {s: [%q], c: [%q]}\n", more, stable, failing)
	}
	g, at := start(t, text(""))
	client := dial(t, at)
	get := func(fields string) int {
		t.Helper()
		client.send("GET / HTTP/1.1\r\nHost: h\r\n%s\r\n", fields)
		resp, _ := client.response(t, "GET")
		return resp.StatusCode
	}
	if status := get("X-Release: canary\r\n"); status != 500 {
		t.Errorf("who asks for the canary gets %d", status)
	}
	waitFor(t, "the canary is rolled back", func() bool {
		get("")
		return canaryIn(g).State == canary.RolledBack
	})
	r, before := canaryIn(g), asked.Load()
	if r.Canary.Failed != r.Canary.Requests || r.Canary.Requests < 20 || r.Stable.Failed != 0 || r.Failed.Low <= 1 {
		t.Errorf("%+v", r)
	}
	for range 50 {
		if status := get(""); status != 200 {
			t.Fatalf("%d after it was rolled back", status)
		}
	}
	applied(t, g, "listen: 127.0.0.1:0\n"+text(", timeout: 1m"))
	get("X-Release: canary\r\n")
	if canaryIn(g).State != canary.RolledBack || asked.Load() != before {
		t.Error("it was resumed by a change of something else")
	}
	app := admin.New(g, admin.Options{Local: true})
	post := func(path, body string) (int, string) {
		t.Helper()
		var b bytes.Buffer
		request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
		if err := app.ServeBytes(context.Background(), netip.MustParseAddrPort("127.0.0.1:1"), []byte(request), &b); err != nil {
			t.Fatal(err)
		}
		resp, body := parseResponse(t, b.Bytes())
		return resp.StatusCode, body
	}
	var all []admin.Canary
	if _, body := shown(t, app, "/canaries"); json.Unmarshal([]byte(body), &all) != nil || len(all) != 1 || all[0].State != "rolled-back" || all[0].Why == "" || all[0].Weight != 0 || all[0].Failed == nil || all[0].Failed.Low <= 1 || all[0].Slow != nil {
		t.Errorf("/canaries: %s", body)
	}
	if _, text := shown(t, app, "/metrics"); !strings.Contains(text, "nanogate_canary_rolled_back{route=\"a\"} 1\n") || !strings.Contains(text, `nanogate_canary_ratio{route="a",of="failed",bound="low"}`) {
		t.Errorf("/metrics: %s", text)
	}
	if status, body := post("/canaries/resume", `{"route":"b"}`); status != 404 {
		t.Errorf("another route: %d %s", status, body)
	}
	if status, body := post("/canaries/resume", `{"route":"a"}`); status != 200 || canaryIn(g).State != canary.Running {
		t.Errorf("resume: %d %s", status, body)
	}
	if status, body := post("/canaries/roll-back", `{"route":"a"}`); status != 200 || canaryIn(g).State != canary.RolledBack {
		t.Errorf("roll-back: %d %s", status, body)
	}
	applied(t, g, "listen: 127.0.0.1:0\n"+strings.Replace(text(""), "30%", "40%", 1))
	if r := canaryIn(g); r.State != canary.Running || r.Weight != 0.4 || r.Canary.Requests != 0 {
		t.Errorf("after its weight was changed: %+v", r)
	}
}

// Calls over gRPC fail by their status, though each is a 200.
func TestCanaryOfCalls(t *testing.T) {
	stable, _, _ := grpcServer(t)
	failing, service, _ := grpcServer(t)
	service.hook = func(context.Context) error { return status.Error(codes.Unavailable, "not now") }
	g, at := start(t, "routes: [{to: \"h2c://"+stable+"\", retry: {attempts: 1}, canary: {to: \"h2c://"+failing+"\", weight: 50%, roll-back: {least: 5}}}]\n")
	client := grpcClient(t, at)
	waitFor(t, "the canary is rolled back", func() bool {
		if _, err := client.EmptyCall(soon(t), &testgrpc.Empty{}); err != nil && status.Code(err) != codes.Unavailable {
			t.Fatal(err)
		}
		return canaryIn(g).State == canary.RolledBack
	})
	for range 20 {
		if _, err := client.EmptyCall(soon(t), &testgrpc.Empty{}); err != nil {
			t.Fatalf("%v after it was rolled back", err)
		}
	}
}
