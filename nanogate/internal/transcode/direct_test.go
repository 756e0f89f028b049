package transcode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nanogate/internal/config"
)

const shelves = `service Shelves {
		rpc Get(Asked) returns (Asked) { option (google.api.http) = { get: "/get/{id}" }; }
		rpc Whole(Asked) returns (Asked) { option (google.api.http) = { post: "/whole/{id}" body: "*" }; }
		rpc Within(Asked) returns (Asked) { option (google.api.http) = { post: "/within/{book.shelf}" body: "*" }; }
		rpc One(Asked) returns (Asked) { option (google.api.http) = { post: "/one/{first}" body: "*" }; }
		rpc Update(Asked) returns (Asked) { option (google.api.http) = { patch: "/books/{book.shelf}/{book.id}" body: "book" response_body: "book" }; }
		rpc Deep(Asked) returns (Asked) { option (google.api.http) = { post: "/deep/{book.part.n}" body: "book" response_body: "id" }; }
		rpc Tags(Asked) returns (Asked) { option (google.api.http) = { post: "/tags" body: "tags" response_body: "tags" }; }
		rpc Counts(Asked) returns (Asked) { option (google.api.http) = { post: "/counts" body: "counts" response_body: "counts" }; }
	}
	message Asked {
		int64 id = 1; Book book = 2; repeated string tags = 3; map<string, int32> counts = 4; oneof either { string first = 5; string second = 6; }
		google.protobuf.FieldMask update_mask = 7; google.protobuf.Timestamp since = 8; google.protobuf.Int32Value most = 9; Book other = 10; repeated sint32 numbers = 11;
		bytes blob = 12; double ratio = 13; float part = 14; bool sure = 15; Kind kind = 16; fixed64 big = 17; sfixed32 small = 18; uint32 u = 19; google.protobuf.Struct any = 20;
	}
	enum Kind { NONE = 0; SOME = 1; }
	message Book { string shelf = 1; int32 id = 2; Part part = 3; repeated Book books = 4; oneof sort { string novel = 5; Part poem = 6; } }
	message Part { int32 n = 1; string s = 2; }`

// Whatever is taken straight comes to the message that protobuf's library makes of it, and
// what has to be merged or is rare isn't taken.
func TestDirectRequests(t *testing.T) {
	a := compiled(t, shelves, config.GRPCJSON{})
	for _, c := range []struct {
		line, body string
		taken      bool
	}{
		{"GET /get/7", "", true}, {"GET /get/0?tags=a&tags=b&sure=false", "", true}, {"GET /get/7", " {} ", true},
		{"GET /get/7?ratio=1.5&part=-0&sure=true&kind=SOME&big=18446744073709551615&small=-1&u=4294967295&blob=_-8&numbers=-1&numbers=5&first=x", "", true},
		{"GET /get/7?since=2026-01-02T03:04:05.5Z&most=0&update_mask=a,b.cD", "", true}, {"GET /get/7?book.shelf=a&other.part.n=5", "", true},
		{"GET /get/7?book.shelf=a&book.id=5", "", false}, {"GET /get/7?book.novel=a&book.part.n=5", "", false}, {"GET /get/7?since.seconds=5", "", false},
		{"POST /whole/7", `{"tags":["a"],"book":{"shelf":"x"}}`, true}, {"POST /whole/7", `{"id":9}`, true}, {"POST /whole/7", "", true}, {"POST /whole/0", `{"id":9}`, true}, {"POST /whole/7", `{"any":{}}`, false},
		{"POST /within/a", `{"id":9}`, false}, {"POST /one/a", `{"second":"b"}`, false},
		{"PATCH /books/a/7", `{"id":9,"part":{"n":1}}`, true}, {"PATCH /books/a/7", "", true}, {"PATCH /books/a/7", "{}", true}, {"PATCH /books/a/7?tags=x&id=5", `{"books":[{},{"id":1}]}`, true}, {"PATCH /books/a/7?update_mask=shelf", `{"id":9}`, true},
		{"PATCH /books/a/7?update_mask.paths=shelf", `{"id":9}`, false}, {"PATCH /books/a/7?other.shelf=b", `{"novel":"n"}`, true}, {"PATCH /books/a/7", `{"part":null}`, true},
		{"POST /deep/5", `{"id":9}`, false}, {"POST /deep/5", ``, false},
		{"POST /tags?id=5", `["a","b"]`, true}, {"POST /tags", `[]`, true}, {"POST /tags", ` `, true}, {"POST /tags", `null`, false}, {"POST /counts?first=a", `{"a":1}`, true},
	} {
		call, reply := a.Begin(asked(t, c.line, ""), c.body != "")
		if reply != nil {
			t.Fatalf("%s: %s", c.line, reply.Body)
		}
		got, taken := call.direct([]byte("before"), []byte(c.body))
		if taken != c.taken {
			t.Errorf("%s %s: taken %v, want %v", c.line, c.body, taken, c.taken)
		}
		if !taken {
			continue
		}
		text, err := call.dynamic(nil, []byte(c.body))
		if err != nil {
			t.Errorf("%s %s is taken, and refused the long way: %v", c.line, c.body, err)
			continue
		}
		have, want := dynamicpb.NewMessage(call.Binding.Method.Desc.Input()), dynamicpb.NewMessage(call.Binding.Method.Desc.Input())
		if err := proto.Unmarshal(got[len("before"):], have); err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(text, want); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(have, want) {
			t.Errorf("%s %s:\n%v, want\n%v", c.line, c.body, have, want)
		}
	}
}

// A response comes to the same JSON, but for spaces.
func TestDirectResponses(t *testing.T) {
	for _, rules := range []config.GRPCJSON{{}, {PreserveNames: true, EnumNumbers: true, Defaults: true}} {
		a := compiled(t, shelves, rules)
		for _, line := range []string{"GET /get/1", "PATCH /books/a/1", "POST /deep/1", "POST /tags", "POST /counts"} {
			for _, message := range []string{`{}`, `{"id":5,"tags":["a"],"counts":{"b":1,"a":2},"book":{"shelf":"x","books":[{},{"poem":{"n":1}}]},"kind":"SOME","since":"2026-01-02T03:04:05.5Z"}`, `{"any":{}}`} {
				c := begin(t, a, line, "")
				b := books(t, c, message)[grpc.PrefixLen:]
				text, ok := c.directJSON([]byte("before"), b)
				if rare := message == `{"any":{}}` && c.Binding.Response == nil; ok == rare {
					t.Errorf("%s %s: taken %v", line, message, ok)
				}
				if !ok {
					continue
				}
				if err := c.dynamicJSON(b); err != nil {
					t.Fatal(err)
				}
				var want bytes.Buffer
				if err := json.Compact(&want, bytes.TrimSuffix(c.text, []byte("\n"))); err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimPrefix(string(text), "before"); got != want.String() {
					t.Errorf("%s %s %+v:\n%s, want\n%s", line, message, rules, got, &want)
				}
			}
		}
	}
}
