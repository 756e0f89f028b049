package main

import (
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

const healthProto = `
syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse {
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  ServingStatus status = 1;
}
service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
`

// grpcHost serves grpc-go's health service and reflection, and returns host and port.
func grpcHost(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("gRPC is for the event loops, which are for Linux")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(srv, health.NewServer())
	reflection.Register(srv)
	go srv.Serve(listener)
	t.Cleanup(srv.Stop)
	return listener.Addr().String()
}

func TestLoadGRPC(t *testing.T) {
	t.Parallel()
	home, host := t.TempDir(), grpcHost(t)
	url := "grpc://" + host + "/grpc.health.v1.Health/Check"
	o := undisturbed(t, home, "load", "-c", "1", "--streams", "3", "-n", "30", "--message", `{"service": "{{choice ""}}"}`, "--expect", `json $.status == "SERVING"`, url)
	o.want(t, 0, o.stdout, "grpc         OK: ", "messages     30 sent", "30 received")
	contains(t, o.stderr, "call "+url+": 1 connection, HTTP/2 with 3 streams each")

	file := write(t, home, "health.proto", healthProto)
	o = undisturbed(t, home, "load", "-c", "1", "-n", "20", "--proto", file, "--message", `{"service": "nobody"}`, "--json", url)
	o.want(t, 1, o.stdout, `"grpc": 20`, `"NOT_FOUND": 20`, `"out": 20`)
	contains(t, o.stderr, "grpc: NOT_FOUND: unknown service")
	o = undisturbed(t, home, "load", "-c", "1", "-n", "20", "--proto", file, "--message", `{"service": "nobody"}`, "--html", filepath.Join(home, "r.html"), url)
	o.want(t, 1, o.stdout, "20 grpc status (NOT_FOUND: unknown service)", "NOT_FOUND: 20", "POST /grpc.health.v1.Health/Check")
	contains(t, read(t, filepath.Join(home, "r.html")), "NOT_FOUND")

	mix := write(t, home, "mix.yaml", "- {grpc: grpc.health.v1.Health/Check, proto: health.proto, name: up}\n- {grpc: grpc.health.v1.Health/Check, name: down, message: '{\"service\": \"x\"}', expect: [grpc NOT_FOUND]}\n")
	o = undisturbed(t, home, "load", "-c", "1", "-n", "40", "--request", mix, "grpc://"+host)
	o.want(t, 0, o.stdout, "up  ", "down  ", "NOT_FOUND: ", "OK: ")
}

// What can't be meant is refused before anything is sent.
func TestLoadGRPCWrongUsage(t *testing.T) {
	t.Parallel()
	home, host := t.TempDir(), grpcHost(t)
	file := write(t, home, "health.proto", healthProto)
	url := "grpc://" + host + "/grpc.health.v1.Health/Check"
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"grpc://" + host}, "the URL names no method"},
		{[]string{"grpc://127.0.0.1/a.B/C"}, "names no port"},
		{[]string{url + "x", "--proto", file}, `has no method "Checkx"; did you mean Check?`},
		{[]string{url, "--proto", file, "--message", `{"servic": 1}`}, "servic: there is no such field in grpc.health.v1.HealthCheckRequest; did you mean service?"},
		{[]string{url, "--message", `{"servic": 1}`}, "did you mean service?"}, // by reflection
		{[]string{url, "--proto", file, "--message", `{"service": 1}`}, "message: service: expected a string, got 1"},
		{[]string{url, "--proto", file, "--message", "@none.json"}, "--message: open none.json"},
		{[]string{url, "--proto", "none.proto"}, "none.proto"},
		{[]string{url, "--import-path", "x"}, "none is given"},
		{[]string{url, "--descriptors", file}, "is no FileDescriptorSet"},
		{[]string{url, "--proto", file, "--messages", "2"}, "it is unary and takes one"},
		{[]string{url, "--messages", "0"}, "--messages must be at least 1"},
		{[]string{url, "--answers", "none"}, "it is how many messages come in response to each"},
		{[]string{url, "--unit", "stream"}, `unit "stream" is neither "message" nor "call"`},
		{[]string{url, "--compression", "br"}, "only gzip is"},
		{[]string{url, "-b", "x"}, "give what is sent over gRPC as --message"},
		{[]string{url, "-m", "GET"}, "--method is HTTP's"},
		{[]string{url, "--sse"}, "not of gRPC"},
		{[]string{url, "-H", "grpc-timeout: 1S"}, "set by the deadline"},
		{[]string{url, "--expect", "status 200"}, "write grpc OK"},
		{[]string{"http://" + host, "--proto", file}, "--proto is for a URL such as grpc://"},
		{[]string{"http://" + host, "--message", "x"}, "of WebSockets and gRPC"},
	} {
		o := dyno(t, home, append([]string{"load"}, c.args...)...)
		o.want(t, 2, o.stderr, c.why)
		if strings.Contains(o.stdout, "requests in") {
			t.Errorf("%q: there was a load", c.args)
		}
	}
}

// A study calls a service that is up, and reports the statuses of gRPC.
func TestRunGRPC(t *testing.T) {
	t.Parallel()
	home, host := t.TempDir(), grpcHost(t)
	write(t, home, "health.proto", healthProto)
	file := write(t, home, "s.yaml", `study: health
subjects: [{name: here, url: "http://`+host+`"}]
requests:
  - {grpc: grpc.health.v1.Health/Check, proto: health.proto}
  - {grpc: grpc.health.v1.Health/Check, name: nobody, message: '{"service": "x"}', expect: [grpc NOT_FOUND]}
loads: [{closed: {connections: 2}, streams: 4}]
trial: {warmup: 1s, duration: 1s}
blocks: 1
twin: false
`)
	o := dyno(t, home, "run", file, "--keep-going")
	o.want(t, 0, o.stdout, "here")
	wrong := write(t, home, "wrong.yaml", `study: health
subjects: [{name: here, url: "http://`+host+`"}]
requests: [{grpc: grpc.health.v1.Health/Check, message: '{"service": "x"}'}]
loads: [{closed: {connections: 2}}]
trial: {warmup: 1s, duration: 1s}
blocks: 1
twin: false
`)
	o = dyno(t, home, "run", wrong)
	o.want(t, 1, o.stderr, "grpc.health.v1.Health/Check responded with NOT_FOUND: unknown service, and OK is expected")
}
