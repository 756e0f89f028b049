package subject

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/subject/contract"
)

func TestParseRoutes(t *testing.T) {
	const text = `
- name: a
  path: /a?x=1
  expect: {text: ""}
- name: b
  method: PUT
  path: /b
  headers: {X-One: "1", Accept: "*/*"}
  body: hello
  expect: {status: 201, headers: {Content-Type: text/}, json: {n: 1, s: "1", l: [true, null, 1.5]}}
- {name: c, path: /c, expect: {json: '[1, {"a": null}]'}}
- {name: d, path: /d, expect: {contains: x}}
`
	got, err := ParseRoutes("r.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	empty := ""
	want := []contract.Route{
		{Name: "a", Method: "GET", Path: "/a?x=1", Expect: contract.Expect{Status: 200, Text: &empty}},
		{
			Name: "b", Method: "PUT", Path: "/b", Body: "hello",
			Headers: []request.Header{{Name: "X-One", Value: "1"}, {Name: "Accept", Value: "*/*"}},
			Expect: contract.Expect{
				Status: 201, Headers: []request.Header{{Name: "Content-Type", Value: "text/"}},
				JSON: map[string]any{"n": json.Number("1"), "s": "1", "l": []any{true, nil, json.Number("1.5")}},
			},
		},
		{Name: "c", Method: "GET", Path: "/c", Expect: contract.Expect{Status: 200, JSON: []any{json.Number("1"), map[string]any{"a": nil}}}},
		{Name: "d", Method: "GET", Path: "/d", Expect: contract.Expect{Status: 200, Contains: "x"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if r := got[1].Request(); r.Status != 201 || r.Method != "PUT" || r.Body != "hello" || len(r.Headers) != 2 {
		t.Errorf("as a request: %+v", r)
	}
}

func TestParseRoutesErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"not a list", "name: a", "r.yaml:1:1: expected a list, got a mapping"},
		{"no routes", "[]", "no routes"},
		{"unknown field", "- {name: a, path: /, expekt: {}}", `r.yaml:1:22: [0]: unknown field "expekt"; did you mean "expect"?`},
		{"missing", "- {name: a, expect: {}}", `[0]: field "path" is missing`},
		{"twice", "- {name: a, path: /, expect: {}}\n- {name: a, path: /, expect: {}}", `r.yaml:2:3: [1]: a second route with the name "a"`},
		{"method", "- {name: a, method: get, path: /, expect: {}}", `[0].method: "get" is not a method`},
		{"status", "- {name: a, path: /, expect: {status: ok}}", `[0].expect.status: "ok" is not a status`},
		{"header", "- {name: a, path: /, headers: {a b: c}, expect: {}}", `"a b" is not the name of a header`},
		{"header's value", `- {name: a, path: /, headers: {a: "b\nc"}, expect: {}}`, "must be one line"},
		{"two bodies", "- {name: a, path: /, expect: {text: a, contains: b}}", "only one of text, json and contains"},
		{"broken JSON", "- {name: a, path: /, expect: {json: '{\"a\": }'}}", "[0].expect.json: not valid JSON"},
		{"number", "- {name: a, path: /, expect: {json: {x: 0x10}}}", `[0].expect.json.x: "0x10" is not a number in JSON`},
		{"space in path", "- {name: a, path: /a b, expect: {}}", "is not a path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseRoutes("r.yaml", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error lacks %q:\n%v", tt.want, err)
			}
		})
	}
}

func FuzzParseRoutes(f *testing.F) {
	for _, seed := range []string{"[]", "- {name: a, path: /, expect: {json: {x: [1, .inf, ~]}}}", "- *a", "- {name: a, path: /, expect: {json: '{'}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		routes, err := ParseRoutes("r.yaml", data)
		if err != nil {
			return
		}
		for _, r := range routes {
			if r.Name == "" || !strings.HasPrefix(r.Path, "/") {
				t.Errorf("accepted %+v", r)
			}
			if r.Expect.JSON != nil && !contract.EqualJSON(r.Expect.JSON, r.Expect.JSON) {
				t.Errorf("%v differs from itself", r.Expect.JSON)
			}
		}
	})
}
