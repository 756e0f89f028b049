//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/reflection"

	"dyno.example/dyno/bench/rounds"
)

// What is called in all trials over gRPC: a message of some bytes, that comes back.
const (
	grpcService = "grpc.testing.TestService"
	grpcMethod  = "UnaryCall"
	grpcMessage = `{"payload": {"body": "aGVsbG8sIHdvcmxkLCBoZWxsbw=="}}`
)

// grpcLoads are the connections of a level, and the calls under way on each.
var grpcLoads = []struct{ connections, streams int }{{64, 1}, {10, 10}, {1, 100}}

// grpcCampaign has grpc-go's server: it is dearer than the generators that are compared,
// but for the CPU time of a call that doesn't matter.
func grpcCampaign() campaign {
	return campaign{
		Name: "grpc", Seconds: 4,
		Question: "What CPU time does a unary call over gRPC take in a closed loop, with 1, 10 and 100 calls under way on a connection?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			var arms []arm
			for _, load := range grpcLoads {
				tools := append(l.dynos("--message", grpcMessage, "--streams", strconv.Itoa(load.streams)), ghz(load.streams))
				if !l.dynoHas("--proto") {
					r.Note("dyno: has no gRPC")
					tools = tools[len(tools)-1:]
				}
				j := l.closedJob(r)
				j.Connections = load.connections
				level := fmt.Sprintf("%d connections with %d calls", load.connections, load.streams)
				arms = append(arms, armsOf(tools, level, j, serverSpec{Kind: "grpc"})...)
			}
			return arms, nil
		},
		Show: rounds.Summary{Columns: costColumns, Comparisons: []rounds.Comparison{{Figure: "cpu_us_per_request", Against: []string{"ghz"}, Wanted: 0.12}}},
	}
}

// ghz has so many calls under way on each connection. It learns what the service is from
// the server, as dyno does.
func ghz(streams int) tool {
	return tool{Name: "ghz", Program: "ghz", Version: []string{"--version"}, Parse: parseGhz, Closed: func(j job) []string {
		_, rest, _ := strings.Cut(j.URL, "://")
		host, _, _ := strings.Cut(rest, "/")
		return []string{"ghz", "--insecure", "--cpus", "1", "--call", grpcService + "." + grpcMethod, "--data", grpcMessage,
			"--concurrency", strconv.Itoa(j.Connections * streams), "--connections", j.connections(),
			"--duration", j.seconds(), "--duration-stop", "wait", host}
	}}
}

// What is read of ghz's report.
var (
	ghzCount   = regexp.MustCompile(`(?m)^\s+Count:\s+(\d+)`)
	ghzOK      = regexp.MustCompile(`(?m)^\s+\[OK\]\s+(\d+) responses`)
	ghzSlowest = regexp.MustCompile(`(?m)^\s+Slowest:\s+([\d.]+) (ns|µs|us|ms|s)`)
	ghzLatency = regexp.MustCompile(`(?m)^\s+(\d+) % in ([\d.]+) (ns|µs|us|ms|s)`)
)

// parseGhz reads ghz's report in text: that in JSON has every call, which would be the
// most of its cost.
func parseGhz(text string) (outcome, error) {
	count, ok := ghzCount.FindStringSubmatch(text), ghzOK.FindStringSubmatch(text)
	if count == nil {
		return outcome{}, errors.New("no count")
	}
	o := outcome{Latency: make(map[string]float64)}
	if ok != nil {
		o.Requests, _ = strconv.ParseFloat(ok[1], 64)
	}
	all, _ := strconv.ParseFloat(count[1], 64)
	o.Errors = all - o.Requests
	if m := ghzSlowest.FindStringSubmatch(text); m != nil {
		o.Latency["max"] = ghzMicros(m[1], m[2])
	}
	for _, m := range ghzLatency.FindAllStringSubmatch(text, -1) {
		o.Latency["p"+m[1]] = ghzMicros(m[2], m[3])
	}
	for _, other := range []string{"p10", "p25", "p75", "p95"} {
		delete(o.Latency, other) // no other tool is asked for them
	}
	return o, nil
}

// ghzMicros reads a time, in µs.
func ghzMicros(number, unit string) float64 {
	x, _ := strconv.ParseFloat(number, 64)
	return x * map[string]float64{"ns": 1e-3, "µs": 1, "us": 1, "ms": 1e3, "s": 1e6}[unit]
}

// echoService sends the payload back.
type echoService struct {
	testgrpc.UnimplementedTestServiceServer
}

func (echoService) UnaryCall(_ context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	return &testgrpc.SimpleResponse{Payload: in.Payload}, nil
}

// serveGRPC serves by grpc-go, with reflection.
func serveGRPC(ctx context.Context, address string) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	testgrpc.RegisterTestServiceServer(server, echoService{})
	reflection.Register(server)
	defer context.AfterFunc(ctx, server.Stop)()
	return server.Serve(ln)
}
