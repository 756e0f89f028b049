package load

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // the server takes compressed messages
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// grpcServer serves grpc-go's interop service, or another, with reflection.
func grpcServer(t *testing.T, service testgrpc.TestServiceServer, options ...grpc.ServerOption) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(options...)
	testgrpc.RegisterTestServiceServer(srv, service)
	reflection.Register(srv)
	go srv.Serve(listener)
	t.Cleanup(srv.Stop)
	return "grpc://" + listener.Addr().String()
}

// calls is a spec of n calls of a method of the interop service.
func calls(target, engine, method, message string, connections, streams int, n uint64) Spec {
	s := overHTTP2(target, engine, connections, streams, n)
	s.Requests = []request.Request{request.NewGRPC(&request.GRPC{Method: "grpc.testing.TestService/" + method}, message)}
	return s
}

func fullDuplex() request.Request {
	return request.NewGRPC(&request.GRPC{Method: "grpc.testing.TestService/FullDuplexCall"}, "{}")
}

func zeros(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }

// The cases of grpc's interop suite
// (github.com/grpc/grpc/blob/master/doc/interop-test-descriptions.md) that are about
// what a client sees, as loads on grpc-go's server.
func TestGRPCInterop(t *testing.T) {
	t.Parallel()
	const n = 24
	type want struct {
		completed, out, in uint64
		codes              map[string]uint64
		kind, why          string // of errors, if there are any
		late               uint64 // of the statuses, those that may come after the load
	}
	ok := map[string]uint64{"OK": n}
	for _, c := range []struct {
		name, method, message string
		with                  func(r *request.Request)
		want                  want
	}{
		{"empty_unary", "EmptyCall", "", nil, want{n, n, n, ok, "", "", 0}},
		{"large_unary", "UnaryCall", `{"responseSize": 314159, "payload": {"body": "` + zeros(271828) + `"}}`, nil, want{n, n, n, ok, "", "", 0}},
		{"large_unary, held to its size", "UnaryCall", `{"response_size": 3, "payload": {"body": "AAAA"}}`, func(r *request.Request) {
			r.Expect = []string{`json $.payload.body == "AAAA"`, "header content-type == application/grpc"}
		}, want{n, n, n, ok, "", "", 0}},
		{"a response that is not expected", "UnaryCall", `{"responseSize": 3}`, func(r *request.Request) {
			r.Expect = []string{`json $.payload.body == "BBBB"`}
		}, want{0, n, n, ok, "expect", `json $.payload.body == "BBBB": got "AAAA"`, 0}},
		{"client_compressed_unary", "UnaryCall", `{"responseSize": 3141, "payload": {"body": "` + zeros(27182) + `"}}`, func(r *request.Request) {
			r.GRPC.Compression, r.Expect = "gzip", []string{"body size > 3000"}
		}, want{n, n, n, ok, "", "", 0}},
		{"client_streaming", "StreamingInputCall", `{"payload": {"body": "AAAAAAAA"}}`, func(r *request.Request) {
			r.GRPC.Messages, r.Expect = 7, []string{"json $.aggregatedPayloadSize == 42"}
		}, want{n, 7 * n, n, ok, "", "", 0}},
		{"client_streaming of large messages", "StreamingInputCall", `{"payload": {"body": "` + zeros(40_000) + `"}}`, func(r *request.Request) {
			r.GRPC.Messages, r.Expect = 5, []string{"json $.aggregatedPayloadSize == 200000"}
		}, want{n, 5 * n, n, ok, "", "", 0}},
		{"server_streaming", "StreamingOutputCall", `{"responseParameters": [{"size": 31415}, {"size": 9}, {"size": 2653}, {"size": 58979}]}`, func(r *request.Request) {
			r.Expect = []string{"json $.length() == 4", `json $[1].payload.body == "AAAAAAAAAAAA"`}
		}, want{n, n, 4 * n, ok, "", "", 0}},
		{"server_streaming without responses", "StreamingOutputCall", `{}`, nil, want{n, n, 0, ok, "", "", 0}},
		{"ping_pong", "FullDuplexCall", `{"responseParameters": [{"size": 9}]}`, func(r *request.Request) {
			r.Expect = []string{`json $.payload.body == "AAAAAAAAAAAA"`}
		}, want{n, n, n, nil, "", "", 0}},
		{"ping_pong, two messages on a stream", "FullDuplexCall", `{"responseParameters": [{"size": 9}]}`, func(r *request.Request) {
			r.GRPC.Messages = 2
		}, want{n, n, n, map[string]uint64{"OK": n/2 + 3}, "", "", n/2 + 2}},
		{"ping_pong, three responses each", "FullDuplexCall", `{"responseParameters": [{"size": 9}, {"size": 8}, {"size": 7}]}`, func(r *request.Request) {
			r.GRPC.Responses = 3
		}, want{n, n, 3 * n, nil, "", "", 0}},
		{"ping_pong, the call as a whole", "FullDuplexCall", `{"responseParameters": [{"size": 9}, {"size": 8}]}`, func(r *request.Request) {
			r.GRPC.Messages, r.GRPC.Unit, r.Expect = 5, request.UnitCall, []string{"json $.length() == 10"}
		}, want{n, 5 * n, 10 * n, ok, "", "", 0}},
		{"empty_stream, as far as a load can", "FullDuplexCall", `{}`, func(r *request.Request) {
			r.GRPC.Unit = request.UnitCall
		}, want{n, n, 0, ok, "", "", 0}},
		{"custom_metadata", "UnaryCall", `{"responseSize": 1}`, func(r *request.Request) {
			r.Headers = []request.Header{{Name: "X-Grpc-Test-Echo-Initial", Value: "value {{choice \"seven\"}}"}, {Name: "x-grpc-test-echo-trailing-bin", Value: "q6ur"}}
			r.Expect = []string{"header x-grpc-test-echo-initial == value seven"}
		}, want{n, n, n, ok, "", "", 0}},
		{"status_code_and_message", "UnaryCall", `{"responseStatus": {"code": 2, "message": "test status message"}}`, nil,
			want{0, n, 0, map[string]uint64{"UNKNOWN": n}, "grpc", "UNKNOWN: test status message", 0}},
		{"status_code_and_message of a stream", "FullDuplexCall", `{"responseStatus": {"code": 2, "message": "test status message"}}`, nil,
			want{0, n, 0, map[string]uint64{"UNKNOWN": n}, "grpc", "UNKNOWN: test status message", 0}},
		{"special_status_message", "UnaryCall", `{"responseStatus": {"code": 5, "message": "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"}}`, nil,
			want{0, n, 0, map[string]uint64{"NOT_FOUND": n}, "grpc", "NOT_FOUND: \t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n", 0}},
		{"a status that is expected", "UnaryCall", `{"responseStatus": {"code": 5}}`, func(r *request.Request) {
			r.Expect = []string{"grpc OK NOT_FOUND"}
		}, want{n, n, 0, map[string]uint64{"NOT_FOUND": n}, "", "", 0}},
		{"unimplemented_method", "UnimplementedCall", ``, nil, want{0, n, 0, map[string]uint64{"UNIMPLEMENTED": n}, "grpc", "UNIMPLEMENTED: ", 0}},
		{"timeout_on_sleeping_server", "StreamingOutputCall", `{"responseParameters": [{"size": 1, "intervalUs": 20000000}]}`, func(r *request.Request) {
			r.GRPC.Deadline = 20 * time.Millisecond
		}, want{0, n, 0, nil, "timeout", "DEADLINE_EXCEEDED: ", 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				s := calls(grpcServer(t, interop.NewTestServer()), engine, c.method, c.message, 2, 3, n)
				if c.with != nil {
					c.with(&s.Requests[0])
				}
				if engine == "portable" && c.method == "FullDuplexCall" && s.Requests[0].GRPC.Unit == "" {
					s.Requests[0].GRPC.Unit = request.UnitMessage
					if _, err := Run(t.Context(), s); err != errPortableStreams {
						t.Errorf("messages as requests: %v", err)
					}
					return
				}
				r := ran(t, s)
				all := allWindows(r)
				if got := all.Completed + all.Drained; got != c.want.completed || all.Sent != n {
					t.Fatalf("%d were completed of %d, want %d; errors %+v (%v)", got, all.Sent, c.want.completed, all.Errors, r.FirstErrors)
				}
				if all.Messages.Out != c.want.out {
					t.Errorf("%d messages were sent, want %d", all.Messages.Out, c.want.out)
				}
				if all.Messages.In != c.want.in {
					t.Errorf("%d messages came, want %d", all.Messages.In, c.want.in)
				}
				for code, n := range c.want.codes {
					if got := all.Codes[code]; got > n || got+c.want.late < n || len(all.Codes) != 1 {
						t.Errorf("statuses %v, want %v", all.Codes, c.want.codes)
					}
				}
				if c.want.kind == "" && all.Errors.Total() != 0 || !strings.HasPrefix(r.FirstErrors[c.want.kind].String(), c.want.why) {
					t.Errorf("errors %+v (%q), want %s: %q", all.Errors, r.FirstErrors, c.want.kind, c.want.why)
				}
			})
		})
	}
}

// recordingService notes what came.
type recordingService struct {
	testgrpc.UnimplementedTestServiceServer
	mu    sync.Mutex
	names []string
	md    metadata.MD
	left  time.Duration // until the deadline
}

// seen is what came, each once, in order.
func (s *recordingService) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.names)
	return slices.Compact(slices.Clone(s.names)) // the load may have been repeated
}

func (s *recordingService) UnaryCall(ctx context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, fmt.Sprintf("%s/%d", in.Payload.GetBody(), in.ResponseSize))
	s.md, _ = metadata.FromIncomingContext(ctx)
	if until, ok := ctx.Deadline(); ok {
		s.left = time.Until(until)
	}
	return &testgrpc.SimpleResponse{Username: string(in.Payload.GetBody())}, nil
}

func (s *recordingService) StreamingInputCall(stream testgrpc.TestService_StreamingInputCallServer) error {
	for {
		in, err := stream.Recv()
		if err != nil {
			return stream.SendAndClose(&testgrpc.StreamingInputCallResponse{})
		}
		s.mu.Lock()
		s.names = append(s.names, string(in.Payload.GetBody()))
		s.mu.Unlock()
	}
}

// Messages are made of templates and rows, rendered for each, and come with metadata, a deadline
// and credentials.
func TestGRPCTemplates(t *testing.T) {
	rows := make([]string, 40)
	csv := "body\n"
	for i := range rows {
		rows[i] = fmt.Sprintf("name%02d", i)
		csv += base64.StdEncoding.EncodeToString([]byte(rows[i])) + "\n"
	}
	feed := feedFile(t, "rows.csv", csv)
	for _, compression := range []string{"", "gzip"} {
		eachLoop(t, func(t *testing.T, engine string) {
			service := &recordingService{}
			s := calls(grpcServer(t, service), engine, "UnaryCall", `{"payload": {"body": "{{feed.rows.body}}"}, "responseSize": {{seq 100}}}`, 2, 3, 0)
			s.Feeds = []request.Feed{{Name: "rows", File: feed, End: request.Stop}}
			s.Duration = time.Minute
			r := &s.Requests[0]
			r.GRPC.Compression, r.GRPC.Deadline = compression, time.Minute
			r.Auth, r.Headers = "bearer secret", []request.Header{{Name: "X-Trace", Value: "{{seq}}"}}
			all := allWindows(ran(t, s))
			if all.Completed+all.Drained != 40 || all.Errors.Total() != 0 {
				t.Fatalf("%d completed, errors %+v", all.Completed, all.Errors)
			}
			seen := service.seen()
			for i, row := range rows {
				if want := fmt.Sprintf("%s/%d", row, 100+i); len(seen) != len(rows) || seen[i] != want {
					t.Fatalf("message %d of %d is not %s: %q", i, len(seen), want, seen)
				}
			}
			service.mu.Lock()
			defer service.mu.Unlock()
			md := service.md
			if md.Get("authorization")[0] != "Bearer secret" || md.Get("x-trace")[0] == "" || !strings.HasPrefix(md.Get(":authority")[0], "127.0.0.1:") {
				t.Errorf("metadata %v", md)
			}
			if service.left <= 0 || service.left > time.Minute {
				t.Errorf("the deadline is in %v", service.left)
			}
		})
	}
	// Each message of a stream takes a row of its own.
	eachLoop(t, func(t *testing.T, engine string) {
		service := &recordingService{}
		s := calls(grpcServer(t, service), engine, "StreamingInputCall", `{"payload": {"body": "{{feed.rows.body}}"}}`, 1, 2, 0)
		s.Feeds = []request.Feed{{Name: "rows", File: feed, End: request.Stop}}
		s.Duration, s.Requests[0].GRPC.Messages = time.Minute, 8
		all := allWindows(ran(t, s))
		if seen := service.seen(); all.Completed+all.Drained != 5 || all.Messages.Out != 40 || !slices.Equal(seen, rows) {
			t.Errorf("%d calls, %d messages: %v", all.Completed, all.Messages.Out, seen)
		}
	})
}

// In an open loop messages start on schedule, on streams that stay open.
func TestGRPCOpenLoopOfMessages(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		s := calls(grpcServer(t, interop.NewTestServer()), engine, "FullDuplexCall", `{"responseParameters": [{"size": 9}]}`, 2, 4, 0)
		s.Profile = profile.Profile{Mode: profile.Open, Connections: 2, Rate: 400, Arrivals: profile.Uniform}
		s.Duration = time.Second
		r := mustRun(t, s)
		all := allWindows(r)
		if all.Offered != 400 || all.Completed+all.Drained != 400 || all.Errors.Total() != 0 || all.Messages.In != 400 {
			t.Errorf("offered %d, completed %d, errors %+v (%v)", all.Offered, all.Completed+all.Drained, all.Errors, r.FirstErrors)
		}
		if n := count(r, measure.Response); n != 400 {
			t.Errorf("%d response times", n)
		}
		for _, f := range r.Findings {
			if f.Name == "little" {
				t.Errorf("%+v", f)
			}
		}
	})
}

// The clock of messages has the times between those of a stream.
func TestGRPCMessageClock(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		s := calls(grpcServer(t, interop.NewTestServer()), engine, "StreamingOutputCall", `{"responseParameters": [{"size": 1, "intervalUs": 20000}, {"size": 1, "intervalUs": 20000}, {"size": 1, "intervalUs": 20000}]}`, 1, 2, 10)
		eventually(t, func(wrong func(string, ...any)) {
			r := mustRun(t, s)
			h := r.Total.Hist[measure.Message]
			if n := count(r, measure.Message); n != 30 {
				t.Fatalf("%d times", n)
			}
			if low := time.Duration(h.ValueAtPercentile(50)); low < 19*time.Millisecond {
				wrong("half of the messages came within %v of the one before", low) // it was late
			}
			if got := time.Duration(r.Total.Hist[measure.Response].Min()); got < 59*time.Millisecond {
				t.Errorf("a call took %v", got)
			}
		})
	})
}

// Over TLS both ends show certificates.
func TestGRPCMutualTLS(t *testing.T) {
	cert, certFile, keyFile := certificate(t, time.Now().Add(time.Hour))
	secure := mutual(cert, certFile, t)
	eachLoop(t, func(t *testing.T, engine string) {
		target := "grpcs" + strings.TrimPrefix(grpcServer(t, interop.NewTestServer(), grpc.Creds(credentials.NewTLS(secure))), "grpc")
		s := calls(target, engine, "EmptyCall", "", 2, 2, 20)
		s.TLS = request.TLS{CAFile: certFile, CertFile: certFile, KeyFile: keyFile}
		if all := allWindows(ran(t, s)); all.Completed+all.Drained != 20 || all.Errors.Total() != 0 {
			t.Errorf("completed %d, errors %+v", all.Completed, all.Errors)
		}
		s.TLS.CertFile, s.TLS.KeyFile = "", ""
		if _, err := Run(t.Context(), s); err == nil {
			t.Error("a client without a certificate is served")
		}
	})
}

// What is wrong with a call is reported before any load.
func TestGRPCProblems(t *testing.T) {
	target := grpcServer(t, interop.NewTestServer())
	none := server(t, func(c net.Conn) { c.Close() })
	for _, c := range []struct {
		name  string
		with  func(s *Spec)
		wants string
	}{
		{"service", func(s *Spec) { method(s, "grpc.testing.TestServce/EmptyCall") }, `there is no service "grpc.testing.TestServce"`},
		{"near service", func(s *Spec) { method(s, "grpc.testing.TestServce/EmptyCall") }, "did you mean grpc.testing.TestService?"},
		{"method", func(s *Spec) { method(s, "grpc.testing.TestService/EmptyCal") }, `has no method "EmptyCal"; did you mean EmptyCall?`},
		{"not written so", func(s *Spec) { method(s, "EmptyCall") }, "not written as package.Service/Method"},
		{"field", func(s *Spec) { s.Requests[0].Body = `{"x": 1}` }, "message: x: there is no such field"},
		{"messages to a unary method", func(s *Spec) { s.Requests[0].GRPC.Messages = 2 }, "it is unary and takes one"},
		{"unit", func(s *Spec) { s.Requests[0].GRPC.Unit = request.UnitMessage }, "only bidirectional streaming"},
		{"answers", func(s *Spec) { s.Requests[0].GRPC.Responses = 2 }, "the number of responses to a message"},
		{"compression", func(s *Spec) { s.Requests[0].GRPC.Compression = "zstd" }, "only gzip is"},
		{"http status", func(s *Spec) { s.Requests[0].Expect = []string{"status 200"} }, "write grpc OK"},
		{"status", func(s *Spec) { s.Requests[0].Expect = []string{"grpc NOTFOUND"} }, "did you mean NOT_FOUND?"},
		{"grpc-timeout", func(s *Spec) { header(s, "grpc-timeout", "1S") }, "grpc-timeout is set by the deadline"},
		{"reserved", func(s *Spec) { header(s, "TE", "x") }, "the header TE belongs to gRPC itself"},
		{"binary", func(s *Spec) { header(s, "trace-bin", "§") }, "must be base64"},
		{"http/1.1", func(s *Spec) { s.Link.Streams = 0 }, "go over HTTP/2"},
		{"portable", func(s *Spec) { s.Engine, s.Requests[0] = "portable", fullDuplex() }, "portable engine"},
		{"no server", func(s *Spec) { s.Target = "grpc://127.0.0.1:1" }, "connection refused"},
		{"no gRPC", func(s *Spec) { s.Target = none }, "asking"},
		{"of HTTP", func(s *Spec) {
			s.Requests = []request.Request{{Method: "GET", Path: "/", Expect: []string{"grpc OK"}}}
		}, "of calls over gRPC only"},
	} {
		s := calls(target, "epoll", "EmptyCall", "", 1, 1, 1)
		c.with(&s)
		if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wants)
		}
	}
}

func method(s *Spec, name string) {
	s.Requests[0] = request.NewGRPC(&request.GRPC{Method: name}, "")
}

func header(s *Spec, name, value string) {
	s.Requests[0].Headers = []request.Header{{Name: name, Value: value}}
}

// A stream that the server ends between two messages is opened again; what it says about
// it counts if it is no success.
func TestGRPCStreamsThatEnd(t *testing.T) {
	for _, failing := range []bool{false, true} {
		eachLoop(t, func(t *testing.T, engine string) {
			s := calls(grpcServer(t, endingService{failing: failing}), engine, "FullDuplexCall", `{"responseParameters": [{"size": 1}]}`, 1, 1, 10)
			s.Profile.Think = profile.Think{Mean: 20e6, Spread: profile.Fixed}
			eventually(t, func(wrong func(string, ...any)) { // the end may come after the next message
				r := ran(t, s)
				all := allWindows(r)
				if all.Completed+all.Drained != 10 || all.Errors.Total() != all.Errors.Stream {
					wrong("completed %d, errors %+v (%v)", all.Completed, all.Errors, r.FirstErrors)
				}
				if told := strings.Contains(r.FirstErrors["stream"].String(), "with nothing asked: ABORTED: enough"); told != failing || (all.Errors.Stream > 0) != failing {
					wrong("errors %+v (%v)", all.Errors, r.FirstErrors)
				}
			})
		})
	}
}

// endingService ends its streams after each message.
type endingService struct {
	testgrpc.UnimplementedTestServiceServer
	failing bool
}

func (s endingService) FullDuplexCall(stream testgrpc.TestService_FullDuplexCallServer) error {
	if _, err := stream.Recv(); err != nil {
		return nil
	}
	if err := stream.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil || !s.failing {
		return err
	}
	return status.Error(10, "enough")
}

// mutual are the TLS settings of a server that asks for a client's certificate.
func mutual(cert tls.Certificate, caFile string, t *testing.T) *tls.Config {
	t.Helper()
	pem, err := os.ReadFile(caFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
}
