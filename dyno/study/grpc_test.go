package study

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/request"
)

// grpcStudy writes a study beside a .proto file, and reads it.
func grpcStudy(t *testing.T, rest string) (*Study, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"greet.proto": `syntax = "proto3"; package greet;
			message Hello { string name = 1; int64 n = 2; }
			service Greeter { rpc Say(Hello) returns (Hello); rpc Talk(stream Hello) returns (stream Hello); }`,
		"users.csv":  "name\nAnn\n",
		"hello.json": `{"name": "from a file"}`,
		"s.yaml":     named + "subjects: [{name: mine, run: ./server, build: make}]\n" + rest,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(filepath.Join(dir, "s.yaml"), shipped)
	if err != nil {
		t.Logf("%v", err)
	}
	return s, err
}

func TestCallsOfAStudy(t *testing.T) {
	s, err := grpcStudy(t, `feeds: {users: users.csv}
requests:
  - grpc: greet.Greeter/Say
    message: '{"name": "{{feed.users.name}}", "n": {{seq}}}'
    proto: greet.proto
    headers: {x-trace: a}
    auth: bearer token
    compression: gzip
    deadline: 500ms
    expect: {grpc: OK NOT_FOUND, json: '$.n == 1'}
    weight: 3
  - {grpc: greet.Greeter/Talk, name: talk, message_file: hello.json, proto: [greet.proto], import_path: [.], messages: 10, unit: message, answers: 2}
  - {grpc: other.Service/Method}
loads:
  - {name: a, closed: {}}
  - {name: b, closed: {}, streams: 20}
factors: {streams: [1, 10]}
`)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Requests[0]
	g := *r.GRPC
	if !g.Described() || r.Name != "greet.Greeter/Say" || r.Path != "/greet.Greeter/Say" || r.Weight != 3 || len(r.Headers) != 1 || r.Auth != "bearer token" {
		t.Errorf("%+v", r)
	}
	g.Describe(nil)
	g.Schema.Protos = nil
	if want := (request.GRPC{Method: "greet.Greeter/Say", Compression: "gzip", Deadline: 500 * time.Millisecond}); !reflect.DeepEqual(g, want) {
		t.Errorf("%+v", g)
	}
	if want := []string{"grpc OK NOT_FOUND", "json $.n == 1"}; !reflect.DeepEqual(r.Expect, want) {
		t.Errorf("expected is %q", r.Expect)
	}
	talk := s.Requests[1]
	if talk.Name != "talk" || !strings.Contains(talk.Body, "from a file") || talk.GRPC.Messages != 10 || talk.GRPC.Unit != request.UnitMessage || talk.GRPC.Responses != 2 {
		t.Errorf("%+v %+v", talk, talk.GRPC)
	}
	if s.Requests[2].GRPC.Described() {
		t.Error("a method is known that nobody has described")
	}
	for i, want := range []int{1, 20} {
		if got := s.Loads[i].Link.Streams; got != want {
			t.Errorf("load %d has %d streams, want %d: gRPC goes over HTTP/2", i, got, want)
		}
	}
	if s.Subjects[0].Poll != "grpc" {
		t.Errorf("the subject is polled at %q", s.Subjects[0].Poll)
	}
}

func TestCallProblems(t *testing.T) {
	for rest, want := range map[string]string{
		"requests: [{grpc: greet.Greeter}]":                                                           "s.yaml:3:19: requests[0].grpc: method \"greet.Greeter\" of gRPC is not written as package.Service/Method",
		"requests: [{grpc: a.B/C, get: /}]":                                                           "requests[0].get: a call over gRPC has no get (remove it)",
		"requests: [{grpc: a.B/C, body: x}]":                                                          "requests[0].body: a call over gRPC has no body (remove it)",
		"requests: [{get: /, message: x}]":                                                            "requests[0].message: message goes with grpc only (add: grpc: package.Service/Method)",
		"requests: [{grpc: a.B/C, message: x, message_file: y}]":                                      "expected either message or message_file, got both",
		"requests: [{grpc: a.B/C, message_file: none.json}]":                                          "reading the message: open ",
		"requests: [{grpc: a.B/C, messages: 0}]":                                                      "requests[0].messages: expected a whole number",
		"requests: [{grpc: a.B/C, unit: stream}]":                                                     `requests[0].unit: "stream" is not one of the choices`,
		"requests: [{grpc: a.B/C, compression: zstd}]":                                                `requests[0].compression: "zstd" is not one of the choices`,
		"requests: [{grpc: a.B/C, proto: none.proto}]":                                                "requests[0].proto: the .proto file:",
		"requests: [{grpc: a.B/C, proto: greet.proto}]":                                               "requests[0].proto: there is no service \"a.B\"",
		"requests: [{grpc: greet.Greeter/Sag, proto: greet.proto}]":                                   "has no method \"Sag\"; did you mean Say?",
		"requests: [{grpc: greet.Greeter/Say, proto: greet.proto, message: '{\"nam\": \"x\"}'}]":      "requests[0].message: message: nam: there is no such field in greet.Hello; did you mean name?",
		"requests: [{grpc: greet.Greeter/Say, proto: greet.proto, messages: 3}]":                      "it is unary and takes one",
		"requests: [{grpc: a.B/C, expect: {status: 200}}]":                                            "write grpc OK",
		"requests: [{grpc: a.B/C, expect: [grpc NOPE]}]":                                              `"NOPE" is no status of gRPC`,
		"requests: [{get: /, expect: [grpc OK]}]":                                                     "of calls over gRPC only",
		"requests: [{grpc: a.B/C, headers: {grpc-timeout: 1S}}]":                                      "grpc-timeout is set by the deadline",
		"requests: [{grpc: a.B/C, proto: greet.proto, descriptors: x}]":                               "give one of them",
		"requests: [{grpc: greet.Greeter/Say, proto: greet.proto, message: '{\"n\": {{feed.x.n}}}'}]": `there is no feed "x"`,
	} {
		if _, err := grpcStudy(t, rest+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", rest, err, want)
		}
	}
}

// The size of bodies is not that of messages.
func TestSizeOfCalls(t *testing.T) {
	_, err := grpcStudy(t, "requests: [{grpc: a.B/C}]\nfactors: {size: [1, 2]}\n")
	if err == nil || !strings.Contains(err.Error(), "none of the requests has a body") {
		t.Errorf("%v", err)
	}
}

func TestReadiness(t *testing.T) {
	for text, want := range map[string]string{"grpc": "grpc", "grpc:a.B": "grpc:a.B", "/up": "/up"} {
		s, err := Parse("s.yaml", []byte(named+"subjects: [{name: a, run: ./a, ready: \""+text+"\"}]\n"), shipped)
		if err != nil || s.Subjects[0].Ready != want {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"grpc:", "grpc:a/b", "grpcs", "up"} {
		if _, err := Parse("s.yaml", []byte(named+"subjects: [{name: a, run: ./a, ready: \""+text+"\"}]\n"), shipped); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
