package transcode

import (
	"math/rand/v2"
	"strings"
	"testing"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nanogate/internal/config"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// begin makes a call.
func begin(t testing.TB, a *API, line, fields string) *Call {
	t.Helper()
	c, reply := a.Begin(asked(t, line, fields), false)
	if reply != nil {
		t.Fatalf("%s: %s", line, reply.Body)
	}
	return c
}

// books are messages of a response with their prefixes, given as JSON.
func books(t testing.TB, c *Call, texts ...string) (frames []byte) {
	t.Helper()
	for _, text := range texts {
		m := dynamicpb.NewMessage(c.Binding.Method.Desc.Output())
		if err := protojson.Unmarshal([]byte(text), m); err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(grpc.AppendPrefix(frames, len(b), false), b...)
	}
	return frames
}

func TestResponses(t *testing.T) {
	const book = `{"id":7,"title":"A","tags":["a","b"],"numbers":{"x":1},"kind":"NOVEL","size":"5"}`
	for _, c := range []struct {
		rules           config.GRPCJSON
		line, got, want string
	}{
		{config.GRPCJSON{}, "GET /v1/books/1", book, book},
		{config.GRPCJSON{}, "GET /v1/books/1", `{}`, `{}`},
		{config.GRPCJSON{EnumNumbers: true}, "GET /v1/books/1", `{"kind":"NOVEL"}`, `{"kind":1}`},
		{config.GRPCJSON{}, "GET /v1/books/1", `{"parts":[{"textValue":"x"}]}`, `{"parts":[{"textValue":"x"}]}`},
		{config.GRPCJSON{PreserveNames: true}, "GET /v1/books/1", `{"parts":[{"textValue":"x"}]}`, `{"parts":[{"text_value":"x"}]}`},
		{config.GRPCJSON{Defaults: true}, "GET /v1/books/1", `{"id":1}`, `{"id":1,"shelf":"","title":"","tags":[],"numbers":{},"parts":[],"kind":"KIND_UNKNOWN","size":"0"}`},
		{config.GRPCJSON{}, "POST /v1/tags", book, `["a","b"]`}, {config.GRPCJSON{Defaults: true}, "POST /v1/tags", book, `["a","b"]`},
		{config.GRPCJSON{}, "POST /v1/tags", `{}`, `[]`},
		{config.GRPCJSON{}, "POST /v1/numbers", book, `{"x":1}`}, {config.GRPCJSON{Defaults: true}, "POST /v1/numbers", book, `{"x":1}`}, {config.GRPCJSON{}, "POST /v1/numbers", `{}`, `{}`},
		{config.GRPCJSON{}, "POST /v1/note", book, `"A"`}, {config.GRPCJSON{}, "POST /v1/note", `{}`, `""`},
		{config.GRPCJSON{}, "POST /v1/books/1:touch", `{}`, `{}`},
	} {
		call := begin(t, compiled(t, library, c.rules), c.line, "")
		if text, err := call.Response(books(t, call, c.got)); err != nil || text != nil {
			t.Errorf("%s: %q, %v", c.line, text, err)
		}
		whole, err := call.Whole()
		if got := tight(string(whole)); err != nil || got != c.want+"\n" {
			t.Errorf("%s %+v: %s, %v, want %s", c.line, c.rules, got, err, c.want)
		}
	}
}

// A list and a map of messages as the whole of a response.
func TestResponseOfMessages(t *testing.T) {
	const file = `service S {
		rpc List(In) returns (Out) { option (google.api.http) = { get: "/list" response_body: "list" }; }
		rpc Map(In) returns (Out) { option (google.api.http) = { get: "/map" response_body: "map" }; }
		rpc One(In) returns (Out) { option (google.api.http) = { get: "/one" response_body: "one" }; }
	} message In {} message Item { int32 n = 1; string s = 2; } message Out { repeated Item list = 1; map<string, Item> map = 2; Item one = 3 [json_name = "o:\"ne"]; }`
	for _, defaults := range []bool{false, true} {
		a := compiled(t, file, config.GRPCJSON{Defaults: defaults})
		for line, want := range map[string]string{"GET /list": `[{"n":1},{}]`, "GET /map": `{"k":{"n":2}}`, "GET /one": `{"n":3}`} {
			if defaults {
				want = strings.NewReplacer(`}`, `,"s":""}`, `{}`, `{"n":0,"s":""}`).Replace(want)
				want = strings.Replace(want, `"s":""},"s":""}`, `"s":""}}`, 1)
			}
			call := begin(t, a, line, "")
			if _, err := call.Response(books(t, call, `{"list":[{"n":1},{}],"map":{"k":{"n":2}},"o:\"ne":{"n":3}}`)); err != nil {
				t.Fatal(err)
			}
			if whole, err := call.Whole(); err != nil || tight(string(whole)) != want+"\n" {
				t.Errorf("%s: %s, %v, want %s", line, whole, err, want)
			}
		}
	}
}

// However a stream is cut into pieces, its lines and events are the same.
func TestStreams(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{})
	for _, c := range []struct{ accept, kind, want, ending string }{
		{"", "application/x-ndjson", "{\"id\":1}\n{}\n{\"title\":\"x\"}\n", "{\"error\":{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"no\",\"code\":\"NOT_FOUND\"}}\n"},
		{"text/html, text/event-stream", "text/event-stream", "data: {\"id\":1}\n\ndata: {}\n\ndata: {\"title\":\"x\"}\n\n", "event: error\ndata: {\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"no\",\"code\":\"NOT_FOUND\"}\n\n"},
		{"application/x-ndjson, text/event-stream", "application/x-ndjson", "{\"id\":1}\n{}\n{\"title\":\"x\"}\n", ""},
	} {
		for range 20 {
			fields := ""
			if c.accept != "" {
				fields = "accept: " + c.accept + "\r\n"
			}
			call := begin(t, a, "GET /v1/search", fields)
			frames, got := books(t, call, `{"id":1}`, `{}`, `{"title":"x"}`), ""
			for len(frames) > 0 {
				n := 1 + rand.IntN(len(frames))
				text, err := call.Response(frames[:n])
				if err != nil {
					t.Fatal(err)
				}
				got += string(text)
				frames = frames[n:]
			}
			if _, err := call.Whole(); err != nil || tight(got) != c.want || call.Form.ContentType() != c.kind {
				t.Fatalf("%s: %q, %v, want %q", c.accept, got, err, c.want)
			}
			if ending := string(call.Ending(&Status{Code: grpc.NotFound, Message: "no"})); c.ending != "" && ending != c.ending {
				t.Fatalf("%s ends with %q", c.accept, ending)
			}
		}
	}
	for form, kind := range map[config.StreamForm]string{config.StreamSSE: "text/event-stream", config.StreamNDJSON: "application/x-ndjson"} {
		call := begin(t, compiled(t, library, config.GRPCJSON{Stream: form}), "GET /v1/search", "accept: text/event-stream\r\n")
		if call.Form.ContentType() != kind {
			t.Errorf("%d gives %s", form, call.Form.ContentType())
		}
	}
}

func TestWrongResponses(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{Most: 100})
	for name, c := range map[string]struct{ content, want string }{
		"none":       {"", errNone.Error()},
		"several":    {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", errSeveral.Error()},
		"part":       {"\x00\x00\x00\x00\x05ab", errPart.Error()},
		"compressed": {"\x01\x00\x00\x00\x01a", errCompressed.Error()},
		"flag":       {"\x02\x00\x00\x00\x01a", grpc.ErrFlag.Error()},
		"long":       {"\x00\x00\x00\x00\x65", "grpc: message of 101 bytes, more than the limit of 100"},
		"garbage":    {"\x00\x00\x00\x00\x02\xff\xff", "a message is no t.Book"},
		"text":       {"\x00\x00\x00\x00\x03\x1a\x01\xff", "invalid UTF-8"},
	} {
		call := begin(t, a, "GET /v1/books/1", "")
		_, err := call.Response([]byte(c.content))
		if err == nil {
			_, err = call.Whole()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		call.Restart()
		if _, err := call.Response(books(t, call, `{"id":1}`)); err != nil {
			t.Errorf("%s, again: %v", name, err)
		}
	}
}

func TestStatuses(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{})
	call := begin(t, a, "GET /v1/books/1", "")
	known, _ := anypb.New(&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "id", Description: "none"}}})
	whole, err := proto.Marshal(&spb.Status{Code: 3, Details: []*anypb.Any{known, {TypeUrl: "type.googleapis.com/t.Inner", Value: []byte("\x0a\x01x")}, {TypeUrl: "x/y.Z", Value: []byte("hi")}}})
	if err != nil {
		t.Fatal(err)
	}
	lines := "grpc-status: 3\r\ngrpc-message: caf%C3%A9\r\nx: y\r\ngrpc-status-details-bin: " + string(grpc.AppendBinary(nil, whole)) + "\r\n"
	status, ok := StatusOf([]byte(lines))
	if !ok {
		t.Fatal("there is no status")
	}
	reply := call.Refusal(&status)
	want := `{"type":"about:blank","title":"Bad Request","status":400,"detail":"café","field":"id","code":"INVALID_ARGUMENT","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id","description":"none"}]},{"@type":"type.googleapis.com/t.Inner","textValue":"x"},{"@type":"x/y.Z","value":"aGk="}]}` + "\n"
	if tight(string(reply.Body)) != want || reply.Status != 400 {
		t.Errorf("%s, want %s", reply.Body, want)
	}
	for lines, ok := range map[string]bool{"": false, "grpc-status: x\r\n": false, "Grpc-Status: 0\r\n": true, "grpc-message: x\r\n": false} {
		if _, is := StatusOf([]byte(lines)); is != ok {
			t.Errorf("%q: %v", lines, is)
		}
	}
}

// What is too long is refused wherever it is cut, and no more than the bound is held.
func TestBounds(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{Most: 64})
	long := `{"note":"` + strings.Repeat("x", 64) + `"}`
	for _, line := range []string{"PUT /v1/books/7", "POST /v1/import/n"} {
		c := begin(t, a, line, "")
		var err error
		for i := 0; i < len(long) && err == nil; i++ {
			if _, err = c.Request([]byte(long[i:i+1]), false); cap(c.body) > 256 {
				t.Fatalf("%s holds %d bytes", line, cap(c.body))
			}
		}
		if w, ok := err.(*Wrong); !ok || w.Status != 413 {
			t.Errorf("%s: %v", line, err)
		}
	}
	deep := strings.Repeat(`{"inner":`, 200) + "{}" + strings.Repeat("}", 200)
	a = compiled(t, `service S { rpc A(In) returns (In) { option (google.api.http) = { post: "/a" body: "*" }; } } message In { In inner = 1; }`, config.GRPCJSON{})
	if got := send(t, a, "POST /a", deep); !strings.Contains(got, "exceeded max recursion depth") {
		t.Error(got)
	}
}

// However bytes come, requests are refused or become messages that are read as what they
// say, and nothing panics.
func FuzzCall(f *testing.F) {
	a := compiled(f, library, config.GRPCJSON{Most: 4096})
	f.Add("PUT /v1/books/7?x=y", `{"book":{"parts":[{"n":[1]}]}}`, []byte("\x00\x00\x00\x00\x02\x08\x01"), uint8(3))
	f.Add("POST /v1/import/n", "{\"id\":1}\n{\"id\":x}\n", []byte("\x00\x00\x00\x00\x00"), uint8(1))
	f.Add("POST /v1/note", `"a","b":1`, []byte{}, uint8(1))
	f.Add("GET /v1/search?inner.inner.n=1&since=2026-01-01T00:00:00Z", "", []byte("\x00\x00\x00\x00\x02\x08\x01\x00\x00\x00\x00\x02\x08\x01"), uint8(2))
	f.Fuzz(func(t *testing.T, line, body string, response []byte, step uint8) {
		if strings.ContainsAny(line, "\r\n") || strings.Count(line, " ") != 1 || !strings.Contains(line, " /") || !printable(line) {
			return
		}
		r, ok := tryAsked(line)
		if !ok {
			return
		}
		c, reply := a.Begin(r, body != "")
		if reply != nil {
			if reply.Status < 400 || len(reply.Body) == 0 {
				t.Fatalf("%s: %+v", line, reply)
			}
			return
		}
		cuts := int(step) + 1
		var frames []byte
		for rest := []byte(body); ; {
			n := min(cuts, len(rest))
			got, err := c.Request(rest[:n:n], n == len(rest))
			if err != nil {
				if a := ReplyTo(err); a.Status < 400 || a.Status > 413 {
					t.Fatalf("%v is %d", err, a.Status)
				}
				return
			}
			frames = append(frames, got...)
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		messages := unframe(t, frames)
		if !c.Streams() && len(messages) != 1 {
			t.Fatalf("%d messages", len(messages))
		}
		for _, m := range messages {
			textOf(t, a, c.Binding.Method.Desc.Input(), m)
		}
		lines := 0
		for len(response) > 0 {
			n := min(cuts, len(response))
			text, err := c.Response(response[:n])
			if err != nil {
				return
			}
			lines += strings.Count(string(text), "\n")
			response = response[n:]
		}
		if c.Form == NDJSON && lines != c.got {
			t.Fatalf("%d messages are %d lines", c.got, lines)
		}
	})
}
