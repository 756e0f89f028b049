//go:build linux

package gateway_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nanogate/internal/secure/securetest"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// filesProto is a service that takes and gives what is no JSON (google.api.HttpBody), and
// changes a part of something.
const filesProto = `syntax = "proto3"; package files.v1;
	import "google/api/annotations.proto"; import "google/api/httpbody.proto"; import "google/protobuf/field_mask.proto";
	message Ask { string name = 1; }
	message Put { string name = 1; google.api.HttpBody content = 2; }
	message Got { string name = 1; string kind = 2; int64 size = 3; int32 messages = 4; Level level = 5; google.protobuf.FieldMask mask = 6; }
	enum Level { LOW = 0; HIGH = 1; }
	message File { string name = 1; string title = 2; Place place = 3; Level level = 4; int64 size = 5; repeated string tags = 6; }
	message Place { string town = 1; string street = 2; }
	message Update { File file = 1; google.protobuf.FieldMask update_mask = 2; }
	service Files {
		rpc Get(Ask) returns (google.api.HttpBody) { option (google.api.http) = { get: "/v1/{name=files/*}" additional_bindings { get: "/v1/old/{name}" } }; }
		rpc Read(Ask) returns (stream google.api.HttpBody) { option (google.api.http) = { get: "/v1/{name=files/*}:read" }; }
		rpc Store(Put) returns (Got) { option (google.api.http) = { put: "/v1/{name=files/*}" body: "content" }; }
		rpc Write(stream Put) returns (Got) { option (google.api.http) = { post: "/v1/{name=files/*}:write" body: "content" }; }
		rpc Change(Update) returns (Got) { option (google.api.http) = { patch: "/v1/{file.name=files/*}" body: "file" }; }
		rpc Size(Ask) returns (Got) { option (google.api.http) = { get: "/v1/{name=files/*}:size" response_body: "size" }; }
	}`

// filesServer is a server of that service. What a file is called says what comes of it.
type filesServer struct {
	files *protoregistry.Files
	gone  chan struct{} // calls whose client has gone
}

func (s *filesServer) message(name string) *dynamicpb.Message {
	d, err := s.files.FindDescriptorByName(protoreflect.FullName("files.v1." + name))
	if err != nil {
		panic(err)
	}
	return dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
}

// text is a message as JSON.
func text(m proto.Message) string {
	b, _ := protojson.Marshal(m)
	return strings.NewReplacer(`": `, `":`, `, "`, `,"`, `}, {`, `},{`).Replace(string(b))
}

func (s *filesServer) got(name, kind string, size, messages int) proto.Message {
	m := s.message("Got")
	if err := protojson.Unmarshal(fmt.Appendf(nil, `{"name":%q,"kind":%q,"size":%d,"messages":%d,"level":"HIGH"}`, name, kind, size, messages), m); err != nil {
		panic(err)
	}
	return m
}

func (s *filesServer) handle(_ any, stream grpc.ServerStream) error {
	whole, _ := grpc.MethodFromServerStream(stream)
	method := whole[strings.LastIndexByte(whole, '/')+1:]
	in := s.message(map[string]string{"Get": "Ask", "Read": "Ask", "Size": "Ask", "Store": "Put", "Write": "Put", "Change": "Update"}[method])
	if err := stream.RecvMsg(in); err != nil {
		return err
	}
	field := func(m protoreflect.Message, name string) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
	}
	switch method {
	case "Get", "Read", "Size":
		name := field(in, "name").String()
		switch {
		case strings.HasSuffix(name, "wrong"):
			st, _ := status.New(codes.InvalidArgument, "it is wrong").WithDetails(&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "name", Description: "no such name"}, {Field: "b"}}})
			return st.Err()
		case strings.HasSuffix(name, "busy"):
			st, _ := status.New(codes.Unavailable, "not now").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)})
			return st.Err()
		case method == "Size":
			return stream.SendMsg(s.got(name, "", 7, 1))
		case strings.HasSuffix(name, "plain"):
			return stream.SendMsg(&httpbody.HttpBody{Data: []byte("no type")})
		case strings.HasSuffix(name, "evil"):
			return stream.SendMsg(&httpbody.HttpBody{ContentType: "text/plain\r\nSet-Cookie: a=b"})
		case method == "Get":
			return stream.SendMsg(&httpbody.HttpBody{ContentType: "image/x-" + strings.TrimPrefix(name, "files/"), Data: []byte(strings.Repeat("\x00\xff\n", 40_000))})
		}
		for i := 0; i < 5 || strings.HasSuffix(name, "endless"); i++ {
			if err := stream.SendMsg(&httpbody.HttpBody{ContentType: fmt.Sprintf("text/x-%d", i), Data: fmt.Appendf(nil, "part %d\n", i)}); err != nil {
				break
			}
			if stream.Context().Err() != nil {
				break
			}
			if strings.HasSuffix(name, "endless") {
				time.Sleep(time.Millisecond)
			}
			if strings.HasSuffix(name, "breaks") && i == 2 {
				return status.Error(codes.DataLoss, "it broke")
			}
		}
		if strings.HasSuffix(name, "endless") {
			<-stream.Context().Done()
			s.gone <- struct{}{}
		}
		return nil
	case "Store", "Write":
		first, size, n := in, 0, 0
		for {
			n++
			size += len(field(field(in, "content").Message(), "data").Bytes())
			if name := field(in, "name").String(); name != field(first, "name").String() {
				return status.Error(codes.Internal, "a message is of "+name)
			}
			if method == "Store" {
				break
			}
			next := s.message("Put")
			if err := stream.RecvMsg(next); err != nil {
				break
			}
			in = next
		}
		return stream.SendMsg(s.got(field(first, "name").String(), field(field(first, "content").Message(), "content_type").String(), size, n))
	}
	out := s.got(text(in.Get(in.Descriptor().Fields().ByName("file")).Message().Interface()), "", 0, 0).(*dynamicpb.Message)
	out.Set(out.Descriptor().Fields().ByName("mask"), in.Get(in.Descriptor().Fields().ByName("update_mask")))
	return stream.SendMsg(out)
}

// GetServiceInfo offers it by reflection.
func (*filesServer) GetServiceInfo() map[string]grpc.ServiceInfo {
	return map[string]grpc.ServiceInfo{"files.v1.Files": {}}
}

// filesUpstream serves it, over TLS if there is a certificate, and gives a file that
// describes it.
func filesUpstream(t *testing.T, certificate *tls.Certificate) (address, file string, s *filesServer) {
	t.Helper()
	set := transcodetest.Set(t, map[string]string{"files.proto": filesProto})
	files, err := descriptors.Link(set, "test")
	if err != nil {
		t.Fatal(err)
	}
	s = &filesServer{files: files, gone: make(chan struct{}, 10)}
	options := []grpc.ServerOption{grpc.UnknownServiceHandler(s.handle)}
	if certificate != nil {
		options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(certificate)))
	}
	server := grpc.NewServer(options...)
	grpc_reflection_v1.RegisterServerReflectionServer(server, reflection.NewServerV1(reflection.ServerOptions{Services: s, DescriptorResolver: files}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(ln)
	t.Cleanup(server.Stop)
	return ln.Addr().String(), writeSet(t, set), s
}

// What isn't JSON passes as it is, with its content type, in one message or in many; fields
// that a PATCH changes are named by its body; statuses tell what they know. Upstreams are
// asked over h2c and over TLS, and described by a file or by themselves.
func TestTranscodeFiles(t *testing.T) {
	ca := securetest.New(t)
	certificate := ca.Issue("site", time.Hour, "127.0.0.1").Pair(t)
	open, file, _ := filesUpstream(t, nil)
	closed, _, _ := filesUpstream(t, &certificate)
	_, atOpen := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s, message: 128KiB}}]\n", open, file))
	_, atClosed := start(t, fmt.Sprintf("routes: [{to: u, grpc-json: {reflection: true, message: 128KiB}}]\nupstreams: {u: {endpoints: [\"https://%s\"], tls: {ca: %q}}}\n", closed, ca.Path))
	for _, at := range []string{atOpen, atClosed} {
		for version, client := range clients(t) {
			waitFor(t, "the API is known", func() bool {
				resp, _ := do(t, client, "GET", "http://"+at+"/v1/files/1:size", "")
				return resp.StatusCode != 503
			})
			const problem = `{"type":"about:blank","title":`
			for _, c := range []struct {
				method, path, kind, body string
				status                   int
				response, want           string // the response's content type and body
			}{
				{"GET", "/v1/files/png", "", "", 200, "image/x-png", strings.Repeat("\x00\xff\n", 40_000)},
				{"HEAD", "/v1/files/png", "", "", 200, "image/x-png", ""},
				{"GET", "/v1/old/gif", "", "", 200, "image/x-gif", strings.Repeat("\x00\xff\n", 40_000)},
				{"GET", "/v1/files/plain", "", "", 200, "", "no type"},
				{"GET", "/v1/files/evil", "", "", 502, "application/problem+json", "*"},
				{"GET", "/v1/files/1:read", "", "", 200, "text/x-0", "part 0\npart 1\npart 2\npart 3\npart 4\n"},
				{"GET", "/v1/files/busy:read", "", "", 503, "application/problem+json", problem + `"Service Unavailable","status":503,"detail":"not now","code":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]}` + "\n"},
				{"GET", "/v1/files/wrong", "", "", 400, "application/problem+json", problem + `"Bad Request","status":400,"detail":"it is wrong","field":"name","code":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"name","description":"no such name"},{"field":"b"}]}]}` + "\n"},
				{"PUT", "/v1/files/a", "text/csv; charset=utf-8", "a,\x00\xff\r\n", 200, "application/json", `{"name":"files/a","kind":"text/csv; charset=utf-8","size":"6","messages":1,"level":"HIGH"}` + "\n"},
				{"PUT", "/v1/files/a", "application/x-www-form-urlencoded", strings.Repeat("x", 100_000), 200, "application/json", `{"name":"files/a","kind":"application/x-www-form-urlencoded","size":"100000","messages":1,"level":"HIGH"}` + "\n"},
				{"PUT", "/v1/files/a", "a/b", strings.Repeat("x", 140_000), 413, "application/problem+json", "*"},
				{"PUT", "/v1/files/a", "", "", 200, "application/json", `{"name":"files/a","messages":1,"level":"HIGH"}` + "\n"},
				{"POST", "/v1/files/a:write", "a/b", strings.Repeat("x", 400_000), 200, "application/json", `{"name":"files/a","kind":"a/b","size":"400000",*"level":"HIGH"}` + "\n"},
				{"POST", "/v1/files/a:write", "", "", 200, "application/json", `{"name":"files/a","messages":1,"level":"HIGH"}` + "\n"},
				{"PATCH", "/v1/files/a", "application/json", `{"title":"T","place":{"town":"X"},"tags":[],"level":1}`, 200, "application/json", `{"name":"{\"name\":\"files/a\",\"title\":\"T\",\"place\":{\"town\":\"X\"},\"level\":\"HIGH\"}","level":"HIGH","mask":"title,place.town,tags,level"}` + "\n"},
				{"PATCH", "/v1/files/a?update_mask=title", "application/json", `{"title":"T","size":"5"}`, 200, "application/json", `{"name":"{\"name\":\"files/a\",\"title\":\"T\",\"size\":\"5\"}","level":"HIGH","mask":"title"}` + "\n"},
				{"PATCH", "/v1/files/a", "text/plain", `{}`, 415, "application/problem+json", "*"},
				{"GET", "/v1/files/a:size", "", "", 200, "application/json", `"7"` + "\n"},
			} {
				header := []string{}
				if c.kind != "" {
					header = []string{"Content-Type", c.kind}
				}
				resp, got := doRaw(t, client, c.method, "http://"+at+c.path, c.body, header...)
				before, after, part := strings.Cut(c.want, "*")
				if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != c.response || got != c.want && !(part && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)) {
					t.Errorf("%s: %s %s: %d %q %.300q, want %d %q %.300q", version, c.method, c.path, resp.StatusCode, resp.Header.Get("Content-Type"), got, c.status, c.response, c.want)
				}
				if retry := resp.Header.Get("Retry-After"); (retry == "2") != strings.Contains(c.path, "busy") {
					t.Errorf("%s: Retry-After is %q", c.path, retry)
				}
			}
			// A failure behind the first part can't be told, but for an end that is none.
			r, _ := http.NewRequest("GET", "http://"+at+"/v1/files/breaks:read", nil)
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != 200 || err == nil || !strings.HasPrefix("part 0\npart 1\npart 2\n", string(got)) {
				t.Errorf("%s: a stream that breaks: %d %q, %v", version, resp.StatusCode, got, err)
			}
		}
	}
}

// A client that hangs up in the middle of a stream ends the call at its server.
func TestTranscodeHangsUp(t *testing.T) {
	upstream, file, s := filesUpstream(t, nil)
	_, at := start(t, fmt.Sprintf("routes: [{to: \"h2c://%s\", grpc-json: {descriptors: %s}}]\n", upstream, file))
	for version, client := range clients(t) {
		ctx, cancel := context.WithCancel(context.Background())
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+at+"/v1/files/endless:read", nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len("part 0\npart 1\n"))
		if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "part 0\npart 1\n" {
			t.Fatalf("%s: %q, %v", version, b, err)
		}
		cancel()
		resp.Body.Close()
		select {
		case <-s.gone:
		case <-time.After(patience):
			t.Fatalf("%s: the call goes on without its client", version)
		}
	}
}
