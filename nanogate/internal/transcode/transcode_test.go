package transcode

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// compile makes an API of a file's text, which begins behind the imports.
func compile(t testing.TB, text string, rules config.GRPCJSON) (*API, error) {
	t.Helper()
	imports := `import "google/api/annotations.proto";`
	if strings.Contains(text, "google.protobuf.") {
		imports += `import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/field_mask.proto";
			import "google/protobuf/wrappers.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; import "google/protobuf/empty.proto";`
	}
	set := transcodetest.Set(t, map[string]string{"test.proto": `syntax = "proto3"; package t;` + imports + text})
	files, err := descriptors.Link(set, "test")
	if err != nil {
		t.Fatal(err)
	}
	if rules.Most == 0 {
		rules.Most = 1 << 20
	}
	return Compile(files, &rules, "test")
}

func compiled(t testing.TB, text string, rules config.GRPCJSON) *API {
	t.Helper()
	a, err := compile(t, text, rules)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// asked is a request as the gateway sees it. A body without a content type is JSON.
func asked(t testing.TB, line, fields string) *request.Request {
	t.Helper()
	text := line + " HTTP/1.1\r\nhost: h\r\n" + fields
	if !strings.Contains(fields, "content-type") {
		text += "content-type: application/json\r\n"
	}
	text += "\r\n"
	head := &http1.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		t.Fatal(line, n, err)
	}
	r := &request.Request{}
	r.Begin(head, []byte(text))
	path, err := request.AppendCanonical(nil, r.RawPath(), request.Keeps{Slashes: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	r.Path = path
	return r
}

// send gives the method and the messages that a request is made, or the response that it gets.
func send(t testing.TB, a *API, line, body string) string {
	t.Helper()
	c, reply := a.Begin(asked(t, line, ""), body != "")
	if reply != nil {
		return strings.TrimSpace(string(reply.Body))
	}
	frames, err := c.Request([]byte(body), true)
	if err != nil {
		return strings.TrimSpace(string(ReplyTo(err).Body))
	}
	out := string(c.Binding.Method.Desc.Name())
	for _, m := range unframe(t, frames) {
		out += " " + textOf(t, a, c.Binding.Method.Desc.Input(), m)
	}
	return out
}

func unframe(t testing.TB, frames []byte) (messages [][]byte) {
	t.Helper()
	for len(frames) > 0 {
		n, compressed, err := grpc.ParsePrefix(frames)
		if err != nil || compressed {
			t.Fatal(compressed, err)
		}
		messages = append(messages, frames[grpc.PrefixLen:][:n])
		frames = frames[grpc.PrefixLen+int(n):]
	}
	return messages
}

// textOf is a message as JSON without spaces.
func textOf(t testing.TB, a *API, md protoreflect.MessageDescriptor, b []byte) string {
	t.Helper()
	m := dynamicpb.NewMessage(md)
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	text, err := protojson.MarshalOptions{Resolver: a.types}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return tight(string(text))
}

// tight takes the spaces out that protojson puts in at will, behind colons and commas.
func tight(text string) string {
	return strings.NewReplacer(`": `, `":`, `, "`, `,"`, `, {`, `,{`).Replace(text)
}

// The examples of google/api/http.proto.
func TestDocumentation(t *testing.T) {
	const get = `service Messaging { rpc GetMessage(GetMessageRequest) returns (Message) { option (google.api.http) = `
	for _, c := range []struct {
		file            string
		line, body, got string
	}{
		{get + `{ get: "/v1/{name=messages/*}" }; } } message GetMessageRequest { string name = 1; } message Message { string text = 1; }`,
			"GET /v1/messages/123456", "", `GetMessage {"name":"messages/123456"}`},
		{get + `{ get:"/v1/messages/{message_id}" }; } }
			message GetMessageRequest { message SubMessage { string subfield = 1; } string message_id = 1; int64 revision = 2; SubMessage sub = 3; } message Message { string text = 1; }`,
			"GET /v1/messages/123456?revision=2&sub.subfield=foo", "", `GetMessage {"messageId":"123456","revision":"2","sub":{"subfield":"foo"}}`},
		{`service Messaging { rpc UpdateMessage(UpdateMessageRequest) returns (Message) { option (google.api.http) = { patch: "/v1/messages/{message_id}" body: "message" }; } }
			message UpdateMessageRequest { string message_id = 1; Message message = 2; } message Message { string text = 1; }`,
			"PATCH /v1/messages/123456", `{ "text": "Hi!" }`, `UpdateMessage {"messageId":"123456","message":{"text":"Hi!"}}`},
		{`service Messaging { rpc UpdateMessage(Message) returns (Message) { option (google.api.http) = { patch: "/v1/messages/{message_id}" body: "*" }; } }
			message Message { string message_id = 1; string text = 2; }`,
			"PATCH /v1/messages/123456", `{ "text": "Hi!" }`, `UpdateMessage {"messageId":"123456","text":"Hi!"}`},
		{get + `{ get: "/v1/messages/{message_id}" additional_bindings { get: "/v1/users/{user_id}/messages/{message_id}" } }; } }
			message GetMessageRequest { string message_id = 1; string user_id = 2; } message Message { string text = 1; }`,
			"GET /v1/users/me/messages/123456", "", `GetMessage {"messageId":"123456","userId":"me"}`},
	} {
		if got := send(t, compiled(t, c.file, config.GRPCJSON{}), c.line, c.body); got != c.got {
			t.Errorf("%s %s: %s, want %s", c.line, c.body, got, c.got)
		}
	}
}

const library = `
	service Library {
		rpc Get(Query) returns (Book) { option (google.api.http) = { get: "/v1/books/{id}" }; }
		rpc Enumerated(Query) returns (Book) { option (google.api.http) = { get: "/v1/kinds/{kind}/{flag}/{blob}" }; }
		rpc Files(Query) returns (Book) { option (google.api.http) = { get: "/v1/files/{path=**}" }; }
		rpc Create(Draft) returns (Book) { option (google.api.http) = { post: "/v1/{book.shelf=shelves/*}/books" body: "book" }; }
		rpc Whole(Draft) returns (Book) { option (google.api.http) = { put: "/v1/books/{book.id}" body: "*" }; }
		rpc Tags(Draft) returns (Book) { option (google.api.http) = { post: "/v1/tags" body: "tags" response_body: "tags" }; }
		rpc Numbers(Draft) returns (Book) { option (google.api.http) = { post: "/v1/numbers" body: "numbers" response_body: "numbers" }; }
		rpc Note(Draft) returns (Book) { option (google.api.http) = { post: "/v1/note" body: "note" response_body: "title" }; }
		rpc Touch(Query) returns (google.protobuf.Empty) { option (google.api.http) = { post: "/v1/books/{id}:touch" }; }
		rpc Search(Query) returns (stream Book) { option (google.api.http) = { get: "/v1/search" }; }
		rpc Import(stream Draft) returns (Book) { option (google.api.http) = { post: "/v1/import/{note}" body: "book" }; }
		rpc Hidden(Query) returns (Book);
		rpc Custom(Query) returns (Book) { option (google.api.http) = { custom: { kind: "REPORT" path: "/v1/report" } }; }
		rpc Any(Query) returns (Book) { option (google.api.http) = { custom: { kind: "*" path: "/v1/any" } }; }
	}
	enum Kind { KIND_UNKNOWN = 0; NOVEL = 1; }
	message Query {
		int32 id = 1; string path = 2; Kind kind = 3; bool flag = 4; bytes blob = 5; repeated string tag = 6; repeated Kind kinds = 7;
		Inner inner = 8; google.protobuf.Timestamp since = 9; google.protobuf.Duration wait = 10; google.protobuf.FieldMask read_mask = 11;
		google.protobuf.Int64Value most = 12; google.protobuf.BoolValue sure = 13; double ratio = 14; uint64 big = 15; map<string, string> labels = 16;
		repeated Inner inners = 17; oneof one { string first = 18; string second = 19; } google.protobuf.Value any = 20; optional string maybe = 21;
	}
	message Inner { string text_value = 1; repeated int64 n = 2; Inner inner = 3; }
	message Draft { Book book = 1; repeated string tags = 2; map<string, int32> numbers = 3; string note = 4; }
	message Book { int32 id = 1; string shelf = 2; string title = 3; repeated string tags = 4; map<string, int32> numbers = 5; repeated Inner parts = 6; Kind kind = 7; google.protobuf.Any extra = 8; int64 size = 9; }
`

func TestRequests(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{})
	bad := func(field, text string) string {
		detail := strings.ReplaceAll(text, `"`, `\"`)
		if field != "" {
			return `{"type":"about:blank","title":"Bad Request","status":400,"detail":"` + field + `: ` + detail + `","field":"` + field + `"}`
		}
		return `{"type":"about:blank","title":"Bad Request","status":400,"detail":"` + detail + `"}`
	}
	for _, c := range []struct{ line, body, want string }{
		// Paths.
		{"GET /v1/books/7", "", `Get {"id":7}`}, {"HEAD /v1/books/-7", "", `Get {"id":-7}`},
		{"GET /v1/books/seven", "", bad("id", `expected a whole number of 32 bits, got "seven"`)},
		{"GET /v1/books/2147483648", "", bad("id", `expected a whole number of 32 bits, got "2147483648"`)},
		{"GET /v1/kinds/NOVEL/true/aGk", "", `Enumerated {"kind":"NOVEL","flag":true,"blob":"aGk="}`},
		{"GET /v1/kinds/1/true/_-8=", "", `Enumerated {"kind":"NOVEL","flag":true,"blob":"/+8="}`},
		{"GET /v1/kinds/POEM/true/aGk", "", bad("kind", `expected a value of t.Kind, got "POEM"`)},
		{"GET /v1/kinds/1/yes/aGk", "", bad("flag", `expected true or false, got "yes"`)},
		{"GET /v1/kinds/1/true/!", "", bad("blob", `expected bytes in base64, got "!"`)},
		{"GET /v1/files/a/b%20c/d%2Fe", "", `Files {"path":"a/b c/d%2Fe"}`}, {"GET /v1/files/%ff", "", bad("path", `expected text in UTF-8, got "\\xff"`)},
		{"GET /v1/none", "", `{"type":"about:blank","title":"Not Found","status":404,"detail":"no method of the API has this path"}`},
		{"PUT /v1/search", "", `{"type":"about:blank","title":"Method Not Allowed","status":405}`},
		{"GET /t.Library/Hidden", "", `{"type":"about:blank","title":"Not Found","status":404,"detail":"no method of the API has this path"}`},
		{"REPORT /v1/report?id=1", "", `Custom {"id":1}`}, {"BREW /v1/any", "", `Any {}`},
		// Queries.
		{"GET /v1/books/7?path=a+b%2B&tag=x&tag=y&kinds=NOVEL&kinds=0", "", `Get {"id":7,"path":"a b+","tag":["x","y"],"kinds":["NOVEL","KIND_UNKNOWN"]}`},
		{"GET /v1/books/7?inner.text_value=a&inner.n=1&inner.n=2&inner.inner.textValue=b", "", `Get {"id":7,"inner":{"textValue":"a","n":["1","2"],"inner":{"textValue":"b"}}}`},
		{"GET /v1/books/7?since=2026-01-02T03:04:05Z&wait=1.5s&readMask=a,b.cD&most=5&sure=false&ratio=1e3&big=18446744073709551615", "",
			`Get {"id":7,"since":"2026-01-02T03:04:05Z","wait":"1.500s","readMask":"a,b.cD","most":"5","sure":false,"ratio":1000,"big":"18446744073709551615"}`},
		{"GET /v1/books/7?ratio=NaN&maybe=&&first=x", "", `Get {"id":7,"ratio":"NaN","first":"x","maybe":""}`},
		{"GET /v1/books/7?since=yesterday", "", bad("since", `expected a Timestamp as JSON has it, got "yesterday"`)},
		{"GET /v1/books/7?ratio=0x10", "", bad("ratio", `expected a number, got "0x10"`)},
		{"GET /v1/books/7?id=8", "", bad("id", "the path has it")},
		{"GET /v1/books/7?path=a&path=b", "", bad("path", "it is given twice, and isn't repeated")},
		{"GET /v1/books/7?pth=a", "", bad("pth", `no such parameter: t.Query has no field "pth", did you mean path?`)},
		{"GET /v1/books/7?labels=a", "", bad("labels", "t.Query.labels is a map, which a query can't have")},
		{"GET /v1/books/7?labels.a=b", "", bad("labels.a", "no such parameter: t.Query.labels is a map, which has no fields")},
		{"GET /v1/books/7?inners.text_value=a", "", bad("inners.text_value", "no such parameter: t.Query.inners is repeated: it can't be said which of it is meant")},
		{"GET /v1/books/7?inner=a", "", bad("inner", "t.Inner is a message: name one of its fields")},
		{"GET /v1/books/7?path.x=a", "", bad("path.x", `no such parameter: t.Query.path is no message, and has no field "x"`)},
		{"PUT /v1/books/7?note=a", `{}`, bad("note", "no such parameter: this method takes all from its path and its body")},
		// Bodies.
		{"POST /v1/shelves/3/books?note=n&tags=x", `{"title":"A","id":5}`, `Create {"book":{"id":5,"shelf":"shelves/3","title":"A"},"tags":["x"],"note":"n"}`},
		{"POST /v1/shelves/3/books?book.title=A", `{}`, bad("book.title", "book is the body of the request")},
		{"PUT /v1/books/7", `{"book":{"id":9,"title":"A"},"note":"n"}`, `Whole {"book":{"id":7,"title":"A"},"note":"n"}`},
		{"PUT /v1/books/7", "", `Whole {"book":{"id":7}}`},
		{"POST /v1/tags", `["a","b"]`, `Tags {"tags":["a","b"]}`}, {"POST /v1/numbers?note=n", ` {"x":1} `, `Numbers {"numbers":{"x":1},"note":"n"}`},
		{"POST /v1/note", `"text"`, `Note {"note":"text"}`},
		{"POST /v1/note", `"a","tags":["b"]`, bad("note", "the body is no JSON")},
		{"POST /v1/books/7:touch", "", `Touch {"id":7}`}, {"POST /v1/books/7:touch", " {}\n", `Touch {"id":7}`},
		{"POST /v1/books/7:touch", `{"id":8}`, bad("", "this method takes no body")},
		{"POST /v1/import/n", "{\"id\":1}\n\n{\"id\":2}", `Import {"book":{"id":1},"note":"n"} {"book":{"id":2},"note":"n"}`},
		{"POST /v1/import/n", "{\"id\":1}\n{\"id\":x}\n", `{"type":"about:blank","title":"Bad Request","status":400,"detail":"line 2: book.id: syntax error (line 1:7): invalid value x","field":"book.id"}`},
		// Where JSON doesn't fit.
		{"PUT /v1/books/7", `{"book":{"title":5}}`, bad("book.title", `invalid value for string field title: 5`)},
		{"PUT /v1/books/7", `{"book":{"parts":[{"n":[1,"2"]},{"n":["x"]}]}}`, bad("book.parts[1].n[0]", `invalid value for int64 field n: "x"`)},
		{"PUT /v1/books/7", "{\"note\":\"\",\n \"tags\":[\"a\",\n\"\u00e9\",7]}", bad("tags[2]", `invalid value for string field tags: 7`)},
		{"PUT /v1/books/7", `{"numbers":{"a":1,"b c":1.5}}`, bad("numbers.b c", `invalid value for int32 field value: 1.5`)},
		{"PUT /v1/books/7", `{"book":{"titel":""}}`, bad("book.titel", `unknown field "titel"`)},
		{"PUT /v1/books/7", `{"note":"a","note":"b"}`, bad("note", `duplicate field "note"`)},
		{"POST /v1/shelves/3/books", `{"kind":"POEM"}`, bad("book.kind", `invalid value for enum field kind: "POEM"`)},
		{"POST /v1/shelves/3/books", `[]`, bad("book", `syntax error (line 1:1): unexpected token [`)},
		{"POST /v1/tags", `["a",1]`, bad("tags[1]", `invalid value for string field tags: 1`)},
		{"PUT /v1/books/7", `{"book":`, bad("", "unexpected EOF")},
		{"PUT /v1/books/7", `{"book":{"extra":{"@type":"type.googleapis.com/t.None"}}}`, bad("book.extra.@type", `unable to resolve "type.googleapis.com/t.None": "not found"`)},
		{"PUT /v1/books/7", `{"book":{"extra":{"@type":"type.googleapis.com/t.Inner","textValue":"x"}}}`, `Whole {"book":{"id":7,"extra":{"@type":"type.googleapis.com/t.Inner","textValue":"x"}}}`},
	} {
		if got := send(t, a, c.line, c.body); got != c.want {
			t.Errorf("%s %s:\n %s, want\n %s", c.line, c.body, got, c.want)
		}
	}
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' && r != ' ' || r > '~' })
}

// tryAsked is asked for a line that may be no request.
func tryAsked(line string) (*request.Request, bool) {
	text := line + " HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n\r\n"
	head := &http1.Request{}
	if n, err := head.Parse([]byte(text), nil); n == 0 || err != nil {
		return nil, false
	}
	r := &request.Request{}
	r.Begin(head, []byte(text))
	path, err := request.AppendCanonical(nil, r.RawPath(), request.Keeps{Slashes: true, Parameters: true})
	r.Path = path
	return r, err == nil
}

// Rules that can't be kept are refused, each with its file and method.
func TestRules(t *testing.T) {
	const in = ` message In { string a = 1; repeated string list = 2; Sub sub = 3; map<string, string> map = 4; } message Sub { string b = 1; } message Out { string c = 1; }`
	rule := func(rules ...string) string {
		text := "service S {"
		for i, r := range rules {
			text += " rpc M" + string(rune('0'+i)) + "(In) returns (Out) { option (google.api.http) = {" + r + "}; }"
		}
		return text + " }" + in
	}
	for _, c := range []struct{ file, want string }{
		{rule(`get: "/v1/{a"`), `test.proto: t.S/M0: path template "/v1/{a": expected "}" at its end`},
		{rule(`get: "/v1/{b}"`), `test.proto: t.S/M0: GET /v1/{b}: {b}: t.In has no field "b", did you mean a?`},
		{rule(`get: "/v1/{sub.a}"`), `test.proto: t.S/M0: GET /v1/{sub.a}: {sub.a}: t.Sub has no field "a", did you mean b?`},
		{rule(`get: "/v1/{sub}"`), `test.proto: t.S/M0: GET /v1/{sub}: {sub}: t.In.sub is a message, and a path binds single values: name one of its fields`},
		{rule(`get: "/v1/{list}"`), `test.proto: t.S/M0: GET /v1/{list}: {list}: t.In.list is repeated, and a path binds single values`},
		{rule(`get: "/v1/{map}"`), `test.proto: t.S/M0: GET /v1/{map}: {map}: t.In.map is a map, and a path binds single values`},
		{rule(`post: "/v1" body: "sbu"`), `test.proto: t.S/M0: POST /v1: body: t.In has no field "sbu", did you mean sub?`},
		{rule(`post: "/v1/{a}" body: "a"`), `test.proto: t.S/M0: POST /v1/{a}: the field a is the body, and bound by the path too`},
		{rule(`get: "/v1" body: "*"`), `test.proto: t.S/M0: GET /v1: a GET has no body, and this rule gives it one`},
		{rule(`get: "/v1" response_body: "a"`), `test.proto: t.S/M0: GET /v1: response_body: t.Out has no field "a", did you mean c?`},
		{rule(`body: "*"`), `test.proto: t.S/M0: the rule has no path: it needs one of get, put, post, delete, patch and custom`},
		{rule(`custom: { kind: "A B" path: "/a" }`), `test.proto: t.S/M0: custom: "A B" is no method of HTTP`},
		{rule(`get: "/a" additional_bindings { get: "/b" additional_bindings { get: "/c" } }`), `test.proto: t.S/M0: additional_bindings in additional_bindings: they go one deep`},
		{rule(`get: "/v1/{a}"`, `get: "/v1/{sub.b}"`), `test.proto: t.S/M1: GET /v1/{sub.b} is asked for like GET /v1/{a} of t.S/M0: requests couldn't be told apart`},
		{rule(`get: "/a" additional_bindings { get: "/a" }`), `test.proto: t.S/M0: GET /a is asked for like GET /a of t.S/M0: requests couldn't be told apart`},
		{rule(`get: "a"`, `get: "b"`), `test.proto: t.S/M0: path template "a": it has to begin with a slash; test.proto: t.S/M1: path template "b": it has to begin with a slash`},
		{`service S { rpc M(In) returns (Out); }` + in, `test: no method of t.S has a rule for HTTP (option (google.api.http) in its .proto file)`},
		{in, `test: there is no service in it`},
	} {
		if _, err := compile(t, c.file, config.GRPCJSON{}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	two := `service One { rpc M(In) returns (Out) { option (google.api.http) = { get: "/one" }; } } service Two { rpc M(In) returns (Out) { option (google.api.http) = { get: "/two" }; } }` + in
	for want, services := range map[string][]string{"2": nil, "1": {"t.Two"}, `test: there is no service "t.Twoo", did you mean t.Two?`: {"t.Twoo"}} {
		a, err := compile(t, two, config.GRPCJSON{Services: services})
		if err != nil && err.Error() != want || err == nil && string(rune('0'+len(a.Methods))) != want {
			t.Errorf("%v: %v, want %s", services, err, want)
		}
	}
}

// With unknown-fields: ignore they are left out, and nothing else is.
func TestIgnoreUnknown(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{IgnoreUnknown: true})
	for _, c := range []struct{ line, body, want string }{
		{"PUT /v1/books/7?key=a", `{"nobody":[{"x":1}],"note":"n"}`, `Whole {"book":{"id":7},"note":"n"}`},
		{"GET /v1/books/7?pth=a&path=b", "", `Get {"id":7,"path":"b"}`},
		{"GET /v1/books/7?id=8", "", `{"type":"about:blank","title":"Bad Request","status":400,"detail":"id: the path has it","field":"id"}`},
	} {
		if got := send(t, a, c.line, c.body); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

// Pages of other sites can send forms and text without asking: that is no JSON.
func TestContentTypes(t *testing.T) {
	a := compiled(t, library, config.GRPCJSON{})
	for fields, status := range map[string]int{
		"content-type: application/json\r\n": 0, "content-type: Application/JSON; charset=utf-8\r\n": 0, "content-type: application/x-ndjson\r\n": 0, "content-type: application/merge-patch+json\r\n": 0,
		"content-type: text/plain\r\n": 415, "content-type: application/x-www-form-urlencoded\r\n": 415, "content-type: \r\n": 415, "content-type: application/json\r\ncontent-encoding: gzip\r\n": 415,
	} {
		_, reply := a.Begin(asked(t, "PUT /v1/books/7", fields), true)
		if reply == nil && status != 0 || reply != nil && reply.Status != status {
			t.Errorf("%q: %+v, want %d", fields, reply, status)
		}
	}
}
