//go:build linux

package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// echoProto is a service of which each method gives back what it gets, as its name says.
const echoProto = `syntax = "proto3"; package echo.v1; import "google/api/annotations.proto";
	message Note { string name = 1; int32 count = 2; repeated string words = 3; }
	service Echo {
		rpc Say(Note) returns (Note) { option (google.api.http) = { get: "/v1/{name=notes/*}" additional_bindings { post: "/v1/notes" body: "*" } }; }
		rpc Repeat(Note) returns (stream Note) { option (google.api.http) = { get: "/v1/{name=notes/*}:repeat" }; }
		rpc Sum(stream Note) returns (Note) { option (google.api.http) = { post: "/v1/notes:sum" body: "*" }; }
		rpc Chat(stream Note) returns (stream Note) { option (google.api.http) = { post: "/v1/{name=notes/*}:chat" body: "*" }; }
	}`

// notesServer is a server of that service by grpc-go, which knows it by its descriptors
// only. What a note's name says is what comes of it.
type notesServer struct {
	note  protoreflect.MessageDescriptor
	calls chan metadata.MD // of calls that hang
	sent  atomic.Int64     // messages of streams
}

func (s *notesServer) handle(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	first := dynamicpb.NewMessage(s.note)
	if err := stream.RecvMsg(first); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch name := first.Get(s.note.Fields().ByName("name")).String(); {
	case strings.HasSuffix(name, "missing"):
		st, _ := status.New(codes.NotFound, "there is no "+name).WithDetails(&errdetails.ErrorInfo{Reason: "NONE", Domain: "echo"})
		return st.Err()
	case strings.HasSuffix(name, "hangs"):
		md, _ := metadata.FromIncomingContext(stream.Context())
		s.calls <- md
		<-stream.Context().Done()
		return stream.Context().Err()
	case strings.HasSuffix(name, "tells"):
		md, _ := metadata.FromIncomingContext(stream.Context())
		words := first.Mutable(s.note.Fields().ByName("words")).List()
		for _, key := range []string{"x-asked", "content-type", "accept", "grpc-timeout", "content-length", "te"} {
			for _, value := range md.Get(key) {
				words.Append(protoreflect.ValueOfString(key + "=" + value))
			}
		}
		stream.SetHeader(metadata.Pairs("x-told", "yes"))
		stream.SetTrailer(metadata.Pairs("x-after", "no"))
	}
	count := s.note.Fields().ByName("count")
	switch _, method, _ := strings.Cut(method[1:], "/"); method {
	case "Say":
		return stream.SendMsg(first)
	case "Repeat":
		n := int(first.Get(count).Int())
		for i := range n {
			first.Set(count, protoreflect.ValueOfInt32(int32(i)))
			if err := stream.SendMsg(first); err != nil {
				return err
			}
			s.sent.Add(1)
		}
		if strings.HasSuffix(first.Get(s.note.Fields().ByName("name")).String(), "breaks") {
			return status.Error(codes.DataLoss, "it broke")
		}
		return nil
	case "Sum":
		sum, next := first, dynamicpb.NewMessage(s.note)
		for stream.RecvMsg(next) == nil {
			sum.Set(count, protoreflect.ValueOfInt32(int32(sum.Get(count).Int()+next.Get(count).Int())))
			next = dynamicpb.NewMessage(s.note)
		}
		return stream.SendMsg(sum)
	}
	for {
		if err := stream.SendMsg(first); err != nil {
			return err
		}
		first = dynamicpb.NewMessage(s.note)
		if err := stream.RecvMsg(first); err != nil {
			return nil
		}
	}
}

// notesUpstream serves the echo, and gives a file that describes it.
func notesUpstream(t testing.TB, options ...grpc.ServerOption) (address, file string, s *notesServer) {
	t.Helper()
	set := transcodetest.Set(t, map[string]string{"echo.proto": echoProto})
	files, err := descriptors.Link(set, "test")
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName("echo.v1.Note")
	if err != nil {
		t.Fatal(err)
	}
	s = &notesServer{note: d.(protoreflect.MessageDescriptor), calls: make(chan metadata.MD, 10)}
	server := grpc.NewServer(append(options, grpc.UnknownServiceHandler(s.handle))...)
	grpc_reflection_v1.RegisterServerReflectionServer(server, reflection.NewServerV1(reflection.ServerOptions{Services: reflected{}, DescriptorResolver: files}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(ln)
	t.Cleanup(server.Stop)
	return ln.Addr().String(), writeSet(t, set), s
}

// writeSet writes a descriptor set as protoc does.
func writeSet(t testing.TB, set *descriptorpb.FileDescriptorSet) (file string) {
	t.Helper()
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "api.pb")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// transcoding is a gateway before an echo.
func transcoding(t testing.TB, more string) (address string, s *notesServer) {
	t.Helper()
	upstream, file, s := notesUpstream(t)
	_, address = start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s, message: 64KiB}%s}]\n", upstream, file, more))
	return address, s
}

// clients are those that ask the gateway in one of the two versions of HTTP.
func clients(t *testing.T) map[string]*http.Client {
	both := map[string]*http.Client{}
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(!h2)
		transport.Protocols.SetUnencryptedHTTP2(h2)
		t.Cleanup(transport.CloseIdleConnections)
		both[name] = &http.Client{Transport: transport, Timeout: patience}
	}
	return both
}

// do asks with JSON, and gives the status and the body, and what a header says.
func do(t testing.TB, client *http.Client, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	if body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return doRaw(t, client, method, url, body, header...)
}

// doRaw asks with a body of whatever type. Of JSON those spaces are taken out that
// protobuf's library puts in at will.
func doRaw(t testing.TB, client *http.Client, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v after %.100q", method, url, err, b)
	}
	if kind := resp.Header.Get("Content-Type"); !strings.Contains(kind, "json") && !strings.Contains(kind, "event-stream") {
		return resp, string(b)
	}
	return resp, strings.NewReplacer(`": `, `":`, `, "`, `,"`, `}, {`, `},{`).Replace(string(b))
}

func TestTranscode(t *testing.T) {
	address, _ := transcoding(t, ", timeout: 1m, response-headers: {set: {x-added: a}}")
	const json, problem, lines = "application/json", "application/problem+json", "application/x-ndjson"
	for version, client := range clients(t) {
		for _, c := range []struct {
			method, path, body string
			header             []string
			status             int
			kind, want         string
		}{
			{"GET", "/v1/notes/7?count=3&words=a&words=b", "", nil, 200, json, `{"name":"notes/7","count":3,"words":["a","b"]}` + "\n"},
			{"HEAD", "/v1/notes/7", "", nil, 200, json, ""},
			{"POST", "/v1/notes", `{"name":"n","count":5}`, nil, 200, json, `{"name":"n","count":5}` + "\n"},
			{"POST", "/v1/notes", `{"name":"` + strings.Repeat("x", 50_000) + `"}`, nil, 200, json, `{"name":"` + strings.Repeat("x", 50_000) + `"}` + "\n"},
			{"POST", "/v1/notes", `{"name":"` + strings.Repeat("x", 70_000) + `"}`, nil, 413, problem, `{"type":"about:blank","title":"Content Too Large","status":413,"detail":"the body is larger than the limit"}` + "\n"},
			{"POST", "/v1/notes", `{"count":"many"}`, nil, 400, problem, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"count: invalid value for int32 field count: \"many\"","field":"count"}` + "\n"},
			{"GET", "/v1/notes/7?count=many", "", nil, 400, problem, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"count: expected a whole number of 32 bits, got \"many\"","field":"count"}` + "\n"},
			{"GET", "/v1/notes/missing", "", nil, 404, problem, `{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no notes/missing","code":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NONE","domain":"echo"}]}` + "\n"},
			{"GET", "/v1/other", "", nil, 404, problem, `{"type":"about:blank","title":"Not Found","status":404,"detail":"no method of the API has this path"}` + "\n"},
			{"PUT", "/v1/notes", "", nil, 405, problem, `{"type":"about:blank","title":"Method Not Allowed","status":405}` + "\n"},
			{"POST", "/v1/notes", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, problem, `{"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"the body of a request is JSON here: say so by Content-Type: application/json"}` + "\n"},
			{"GET", "/v1/notes/7:repeat?count=3", "", nil, 200, lines, `{"name":"notes/7"}` + "\n" + `{"name":"notes/7","count":1}` + "\n" + `{"name":"notes/7","count":2}` + "\n"},
			{"GET", "/v1/notes/7:repeat", "", nil, 200, lines, ""},
			{"GET", "/v1/notes/7:repeat?count=2", "", []string{"Accept", "text/event-stream"}, 200, "text/event-stream", "data: {\"name\":\"notes/7\"}\n\ndata: {\"name\":\"notes/7\",\"count\":1}\n\n"},
			{"GET", "/v1/notes/missing:repeat", "", nil, 404, problem, `{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no notes/missing","code":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NONE","domain":"echo"}]}` + "\n"},
			{"GET", "/v1/notes/breaks:repeat?count=1", "", nil, 200, lines, `{"name":"notes/breaks"}` + "\n" + `{"error":{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"it broke","code":"DATA_LOSS"}}` + "\n"},
			{"GET", "/v1/notes/breaks:repeat?count=1", "", []string{"Accept", "text/event-stream"}, 200, "text/event-stream", "data: {\"name\":\"notes/breaks\"}\n\nevent: error\ndata: {\"type\":\"about:blank\",\"title\":\"Internal Server Error\",\"status\":500,\"detail\":\"it broke\",\"code\":\"DATA_LOSS\"}\n\n"},
			{"HEAD", "/v1/notes/7:repeat", "", nil, 405, problem, ""},
			{"POST", "/v1/notes:sum", "{\"count\":1}\n{\"count\":2}\n\n{\"count\":4}", []string{"Content-Type", lines}, 200, json, `{"count":7}` + "\n"},
			{"POST", "/v1/notes:sum", "{\"count\":1}\n{\"count\":x}\n", []string{"Content-Type", lines}, 400, problem, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"line 2: count: syntax error (line 1:10): invalid value x","field":"count"}` + "\n"},
			{"POST", "/v1/notes/7:chat", "{\"count\":1}\n{\"count\":2}\n", []string{"Content-Type", lines}, 200, lines, `{"name":"notes/7","count":1}` + "\n" + `{"name":"notes/7","count":2}` + "\n"},
		} {
			resp, got := do(t, client, c.method, "http://"+address+c.path, c.body, c.header...)
			if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != c.kind || got != c.want || c.status == 200 && resp.Header.Get("x-added") != "a" || resp.Header.Get("grpc-status") != "" || len(resp.Trailer) > 0 {
				t.Errorf("%s: %s %s: %d %v %.300q %v, want %d %s %.300q", version, c.method, c.path, resp.StatusCode, resp.Header, got, resp.Trailer, c.status, c.kind, c.want)
			}
		}
		resp, got := do(t, client, "GET", "http://"+address+"/v1/tells?name=x", "", "X-Asked", "a", "Accept", "*/*")
		if resp.StatusCode != 404 { // it has no such path
			t.Errorf("%d %s", resp.StatusCode, got)
		}
		resp, got = do(t, client, "POST", "http://"+address+"/v1/notes", `{"name":"tells"}`, "X-Asked", "a", "Accept", "*/*", "Grpc-Timeout", "50S")
		if resp.Header.Get("x-told") != "yes" || resp.Header.Get("x-after") != "" || got != `{"name":"tells","words":["x-asked=a","content-type=application/grpc"]}`+"\n" {
			t.Errorf("%s: %v %s", version, resp.Header, got)
		}
	}
}

// A client of gRPC is served by the same route as it is, by all methods if the route says so.
func TestTranscodeAndGRPC(t *testing.T) {
	upstream, _, _ := grpcServer(t)
	_, file, _ := notesUpstream(t)
	_, at := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s, calls: all}}]\n", upstream, file))
	if _, err := grpcClient(t, at).EmptyCall(soon(t), &testgrpc.Empty{}); err != nil {
		t.Error(err)
	}
}

// The route's timeout is the call's deadline, which the upstream is told; a stream ends
// with what became of it.
func TestTranscodeDeadline(t *testing.T) {
	address, s := transcoding(t, ", timeout: 300ms")
	for version, client := range clients(t) {
		waitFor(t, "a call comes to the upstream while there is time", func() bool {
			resp, got := do(t, client, "GET", "http://"+address+"/v1/notes/hangs", "")
			if resp.StatusCode != 504 || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d %s", version, resp.StatusCode, got)
			}
			select {
			case <-s.calls:
				return true
			case <-time.After(time.Second): // it never came, or is on its way still
				return false
			}
		})
	}
}

// A client that goes takes its call with it.
func TestTranscodeCancelled(t *testing.T) {
	address, s := transcoding(t, "")
	for _, client := range clients(t) {
		ctx, cancel := context.WithCancel(context.Background())
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+address+"/v1/notes/hangs:repeat", nil)
		ended := make(chan error)
		go func() {
			_, err := client.Do(r)
			ended <- err
		}()
		<-s.calls
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// Messages go both ways while neither side has ended.
func TestTranscodeBothWays(t *testing.T) {
	address, _ := transcoding(t, "")
	for version, client := range clients(t) {
		body, in := io.Pipe()
		r, _ := http.NewRequest("POST", "http://"+address+"/v1/notes/7:chat", body)
		r.Header.Set("Content-Type", "application/x-ndjson")
		go in.Write([]byte("{\"count\":0}\n"))
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for i := range 5 {
			if !lines.Scan() {
				t.Fatalf("%s: %v", version, lines.Err())
			}
			want := fmt.Sprintf(`{"name":"notes/7","count":%d}`, i)
			if i == 0 {
				want = `{"name":"notes/7"}`
			}
			if got := strings.ReplaceAll(strings.ReplaceAll(lines.Text(), ", ", ","), ": ", ":"); got != want {
				t.Fatalf("%s: %s, want %s", version, got, want)
			}
			fmt.Fprintf(in, "{\"count\":%d}\n", i+1)
		}
		lines.Scan()
		in.Write([]byte("{\"cuont\":1}\n"))
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"error":{"type":"about:blank","title":"Bad Request","status":400,"detail":"line 7: cuont: unknown field \"cuont\"","code":"INVALID_ARGUMENT"`) {
			t.Errorf("%s: %s", version, lines.Text())
		}
		in.Close()
		resp.Body.Close()
	}
}

// What a client doesn't take waits at the upstream, not in the gateway.
func TestTranscodeBackPressure(t *testing.T) {
	upstream, file, s := notesUpstream(t)
	g, address := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s}}]\n", upstream, file))
	c := dial(t, address)
	c.send("GET /v1/notes/%s:repeat?count=2000000 HTTP/1.1\r\nhost: h\r\n\r\n", strings.Repeat("x", 1000))
	if head, err := c.head(); err != nil || !strings.HasPrefix(head, "HTTP/1.1 200 ") {
		t.Fatal(head, err)
	}
	route := g.Snapshot().Routes[0]
	if n := route.Counters.Read().Requests; n != 0 {
		t.Fatalf("%d have ended", n)
	}
	for last := int64(-1); s.sent.Load() != last; { // until it can't send more
		last = s.sent.Load()
		time.Sleep(50 * time.Millisecond)
	}
	if n := s.sent.Load(); n*1000 > 64<<20 {
		t.Errorf("%d messages of a kilobyte were sent that nobody takes", n)
	}
	c.Close()
	for began := time.Now(); route.Counters.Read().Requests == 0 && time.Since(began) < patience; {
		time.Sleep(time.Millisecond)
	}
	if f := route.Counters.Read(); f.Requests != 1 {
		t.Errorf("%+v", f)
	}
}

// A client that waits to be asked for its body is.
func TestTranscodeContinue(t *testing.T) {
	address, _ := transcoding(t, "")
	c := dial(t, address)
	c.send("POST /v1/notes HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 13\r\n\r\n")
	if head, err := c.head(); err != nil || head != "HTTP/1.1 100 Continue\r\n\r\n" {
		t.Fatalf("%q, %v", head, err)
	}
	c.send(`{"count": 55}`)
	if resp, body := c.response(t, "POST"); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	c.send("GET /v1/notes/1 HTTP/1.1\r\nhost: h\r\n\r\n") // on the same connection
	if resp, body := c.response(t, "GET"); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
