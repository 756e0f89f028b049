package transcode

import (
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

const pictures = `import "google/api/httpbody.proto";
	service Pictures {
		rpc Add(google.api.HttpBody) returns (Picture) { option (google.api.http) = { post: "/v1/pictures" body: "*" }; }
		rpc Put(Picture) returns (google.api.HttpBody) { option (google.api.http) = { put: "/v1/pictures/{name}" body: "content" }; }
		rpc Push(stream Picture) returns (Picture) { option (google.api.http) = { post: "/v1/pictures/{name}:push" body: "content" response_body: "content" }; }
		rpc Pull(Picture) returns (stream google.api.HttpBody) { option (google.api.http) = { get: "/v1/pictures/{name}:pull" }; }
		rpc List(Picture) returns (Picture) { option (google.api.http) = { post: "/v1/list" body: "all" response_body: "all" }; }
	}
	message Picture { string name = 1; google.api.HttpBody content = 2; repeated google.api.HttpBody all = 3; bool sharp = 4; }
`

// What a request's body is goes into the message as it is, with its content type; of a
// stream each piece is a message, and the first one has the type.
func TestRawRequests(t *testing.T) {
	a := compiled(t, pictures, config.GRPCJSON{Most: 100})
	for _, c := range []struct {
		line, kind string
		pieces     []string
		want       string
	}{
		{"POST /v1/pictures", "image/png", []string{"\x00\xff", "\n{"}, `{"contentType":"image/png","data":"AP8Kew=="}`},
		{"POST /v1/pictures", "", nil, `{}`},
		{"PUT /v1/pictures/a?sharp=true", "text/plain", []string{"a=b"}, `{"name":"a","content":{"contentType":"text/plain","data":"YT1i"},"sharp":true}`},
		{"PUT /v1/pictures/a", "a/b", []string{strings.Repeat("x", 101)}, `a message has 100 bytes at most`},
		{"PUT /v1/pictures/a", "a/b", []string{strings.Repeat("x", 95)}, `a message has 100 bytes at most`},
		{"POST /v1/pictures/a:push", "a/b", []string{"12", "", "3"}, `{"name":"a","content":{"contentType":"a/b","data":"MTI="}} {"name":"a","content":{"data":"Mw=="}}`},
		{"POST /v1/pictures/a:push", "a/b", nil, `{"name":"a","content":{"contentType":"a/b"}}`},
		{"POST /v1/list", "application/json", []string{`[{"contentType":"a/b"}]`}, `{"all":[{"contentType":"a/b"}]}`}, // several are JSON
	} {
		call, reply := a.Begin(asked(t, c.line, "content-type: "+c.kind+"\r\n"), len(c.pieces) > 0)
		if reply != nil {
			t.Errorf("%s: %s", c.line, reply.Body)
			continue
		}
		var got []string
		take := func(piece string, end bool) {
			frames, err := call.Request([]byte(piece), end)
			if err != nil {
				got = append(got, err.Error())
			}
			for _, m := range unframe(t, frames) {
				got = append(got, textOf(t, a, call.Binding.Method.Desc.Input(), m))
			}
		}
		for _, piece := range c.pieces {
			if take(piece, false); len(got) > 0 && strings.Contains(c.want, "at most") {
				break
			}
		}
		if len(got) == 0 || call.Streams() {
			take("", true)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.line, text, c.want)
		}
	}
	call, _ := a.Begin(asked(t, "POST /v1/pictures/a:push", "content-type: a/b\r\n"), true)
	frames, err := call.Request([]byte(strings.Repeat("x", 120)), true)
	if n := len(unframe(t, frames)); n != 3 || err != nil { // of 50 bytes each, as a message has other things in it too
		t.Errorf("%d messages, %v", n, err)
	}
	if _, reply := a.Begin(asked(t, "PUT /v1/pictures/a", "content-type: a/b\r\ncontent-encoding: gzip\r\n"), true); reply == nil || reply.Status != 415 {
		t.Error("a body that is compressed is taken")
	}
}

// What messages of a response hold is given as it is; the first one says what it is.
func TestRawResponses(t *testing.T) {
	a := compiled(t, pictures, config.GRPCJSON{})
	for _, c := range []struct {
		line  string
		got   []string // messages
		kind  string
		want  string
		wrong string
	}{
		{"PUT /v1/pictures/a", []string{`{"contentType":"image/png","data":"AP8K"}`}, "image/png", "\x00\xff\n", ""},
		{"PUT /v1/pictures/a", []string{`{}`}, "", "", ""},
		{"PUT /v1/pictures/a", []string{`{"contentType":"a\r\nb: c"}`}, "", "", "content type"},
		{"PUT /v1/pictures/a", []string{`{}`, `{}`}, "", "", "several"},
		{"POST /v1/pictures/a:push", []string{`{"content":{"contentType":"a/b","data":"MTI="}}`}, "a/b", "12", ""},
		{"POST /v1/pictures/a:push", []string{`{}`}, "", "", ""},
		{"GET /v1/pictures/a:pull", []string{`{"contentType":"a/b","data":"MTI="}`, `{"contentType":"c/d","data":"Mw=="}`, `{}`}, "a/b", "123", ""},
	} {
		call := begin(t, a, c.line, "")
		frames := books(t, call, c.got...)
		text, err := "", error(nil)
		for i := range frames { // byte by byte
			var part []byte
			if part, err = call.Response(frames[i : i+1]); err != nil {
				break
			}
			text += string(part)
		}
		if err == nil && call.Form == One {
			whole, wrong := call.Whole()
			text, err = string(whole), wrong
		}
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s %s: %v", c.line, c.got, err)
			}
			continue
		}
		if err != nil || text != c.want || call.ContentType() != c.kind {
			t.Errorf("%s %s: %q of %q, %v", c.line, c.got, text, call.ContentType(), err)
		}
	}
	call := begin(t, a, "GET /v1/pictures/a:pull", "")
	call.Response(books(t, call, `{"contentType":"a/b","data":"MTI="}`))
	if call.Restart(); call.ContentType() != "" {
		t.Error("what another response said counts")
	}
}

// A PATCH names the fields that its body has, unless the request does.
func TestMask(t *testing.T) {
	a := compiled(t, `service S {
			rpc Patch(Update) returns (Thing) { option (google.api.http) = { patch: "/v1/{thing.name=things/*}" body: "thing" additional_bindings { put: "/v1/{thing.name=things/*}" body: "thing" } additional_bindings { patch: "/v1/all" body: "*" } }; }
			rpc Bare(Plain) returns (Thing) { option (google.api.http) = { patch: "/v1/bare" body: "thing" }; }
		}
		message Update { Thing thing = 1; google.protobuf.FieldMask update_mask = 2; }
		message Plain { Thing thing = 1; string update_mask = 2; }
		message Thing { string name = 1; Inner in_ner = 2; repeated Inner list = 3; map<string, Inner> by_key = 4; google.protobuf.Timestamp made = 5; google.protobuf.Struct more = 6; google.protobuf.Int64Value count = 7; int64 size = 8; }
		message Inner { string a_b = 1; Inner in = 2; }`, config.GRPCJSON{IgnoreUnknown: true})
	for _, c := range []struct{ line, body, want string }{
		{"PATCH /v1/things/1", `{"size":"1","name":"x"}`, "size,name"},
		{"PATCH /v1/things/1", `{"inNer":{"aB":"","in":{"in":{"a_b":"x"}}}}`, "inNer.aB,inNer.in.in.aB"},
		{"PATCH /v1/things/1", `{"in_ner":{},"list":[{"aB":"x"}],"byKey":{"k":{"aB":"x"}}}`, "inNer,list,byKey"},
		{"PATCH /v1/things/1", `{"inNer":null,"size":null,"list":[]}`, "inNer,size,list"},
		{"PATCH /v1/things/1", `{"inNer":{"in":null,"nobody":{"x":[1,{"y":2}]}},"made":"2026-01-02T03:04:05Z","more":{"a":{"b":1}},"count":"5"}`, "inNer.in,made,more,count"},
		{"PATCH /v1/things/1", ` `, ""},
		{"PATCH /v1/things/1", `{}`, "-"},
		{"PATCH /v1/things/1?updateMask=size", `{"name":"x"}`, "size"},
		{"PATCH /v1/things/1?updateMask=", `{"name":"x"}`, "-"},
		{"PUT /v1/things/1", `{"name":"x"}`, ""},
		{"PATCH /v1/all", `{"thing":{"name":"x"}}`, ""},
		{"PATCH /v1/bare", `{"name":"x"}`, ""},
	} {
		want := ""
		switch c.want {
		case "":
		case "-":
			want = `"updateMask":""`
		default:
			want = `"updateMask":"` + c.want + `"`
		}
		if got := send(t, a, c.line, c.body); !strings.Contains(got, want) || want == "" && strings.Contains(got, "updateMask") || strings.Contains(got, "problem") {
			t.Errorf("%s %s: %s, want %s", c.line, c.body, got, want)
		}
	}
}

// Whatever a body is, what names its fields ends, and names fields that there are.
func FuzzMask(f *testing.F) {
	a := compiled(f, library, config.GRPCJSON{})
	md := a.Methods[0].Desc.Output() // a Book
	for _, seed := range []string{`{"id":1,"parts":[{}],"numbers":{"a":1}}`, `{"extra":{"@type":"x"}}`, `{"id"`, `[`, `{"parts":{"a":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range maskPaths(body, md) {
			if _, err := fieldPath(md, strings.Split(path, "."), false); err != nil {
				t.Fatalf("%q: %v", body, err)
			}
		}
	})
}

// What is no HttpBody is JSON.
func TestHTTPBodyOf(t *testing.T) {
	if md := compiled(t, pictures, config.GRPCJSON{}).Methods[0].Desc.Input(); md.FullName() != "google.api.HttpBody" || httpBodyOf(md) == nil {
		t.Errorf("%s is none", md.FullName())
	}
	if httpBodyOf(nil) != nil || httpBodyOf(compiled(t, library, config.GRPCJSON{}).Methods[0].Desc.Output()) != nil {
		t.Error("a message of another name is taken for one")
	}
}
