package mirror

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompare(t *testing.T) {
	body := func(text string) response { return response{status: 200, content: []byte(text)} }
	zipped := func(text string) response {
		return response{status: 200, header: http.Header{"Content-Encoding": {"gzip"}}, content: packed(t, text)}
	}
	all := config.Compare{JSON: []string{"$"}}
	for name, c := range map[string]struct {
		rules         config.Compare
		first, second response
		want          []Difference
		unread        bool
	}{
		"the same": {config.Compare{Status: true, Body: true, JSON: []string{"$"}}, body(`{"a":1}`), body(`{"a":1}`), nil, false},
		"status":   {config.Compare{Status: true}, response{status: 200}, response{status: 503}, []Difference{{Kind: KindStatus, First: "200", Second: "503"}}, false},
		"grpc":     {config.Compare{Status: true}, response{status: 200, grpc: "0"}, response{status: 200, grpc: "14"}, []Difference{{Kind: KindGRPC, First: "0", Second: "14"}}, false},
		"no rules": {config.Compare{}, response{status: 200}, response{status: 503}, nil, false},
		"fields": {config.Compare{Headers: []string{"content-type", "x-a"}},
			response{header: http.Header{"Content-Type": {"a"}, "X-A": {"1", "2"}, "X-B": {"1"}}}, response{header: http.Header{"X-A": {"1", "2"}}},
			[]Difference{{Kind: KindHeader, Field: "content-type", First: "a"}}, false},
		"bytes":  {config.Compare{Body: true}, body("ab"), body("abc"), []Difference{{Kind: KindBody, First: "2 bytes", Second: "3 bytes"}}, false},
		"long":   {config.Compare{Body: true}, response{content: []byte("ab"), long: true}, body("ab"), []Difference{{Kind: KindBody, First: "more than 2 bytes", Second: "2 bytes"}}, false},
		"longer": {config.Compare{Body: true}, response{long: true}, response{long: true}, nil, true},
		"values": {all, body(`{"a":1,"b":[1,{"c":"x"}],"d":null,"f":true}`), body(`{"b":[1,{"c":"y"},2],"a":1,"e":{},"f":null}`), []Difference{
			{KindJSON, "$", "$.b[1].c", `"x"`, `"y"`}, {KindJSON, "$", "$.b[2]", "", "2"}, {KindJSON, "$", "$.d", "null", ""}, {KindJSON, "$", "$.e", "", "{}"}, {KindJSON, "$", "$.f", "true", "null"}}, false},
		"kinds":          {all, body(`{"a":[1]}`), body(`{"a":{"b":1}}`), []Difference{{KindJSON, "$", "$.a", "[1]", `{"b":1}`}}, false},
		"numbers":        {all, body(`[1.0,10,9007199254740993]`), body(`[1,1e1,9007199254740992]`), []Difference{{KindJSON, "$", "$[2]", "9007199254740993", "9007199254740992"}}, false},
		"odd names":      {all, body(`{"a b":1}`), body(`{"a b":2}`), []Difference{{KindJSON, "$", `$["a b"]`, "1", "2"}}, false},
		"a path":         {config.Compare{JSON: []string{"$.a"}}, body(`{"a":1,"b":1}`), body(`{"a":1,"b":2}`), nil, false},
		"a wildcard":     {config.Compare{JSON: []string{"$.items[*].price"}}, body(`{"items":[{"price":1,"at":1},{"price":2}]}`), body(`{"items":[{"price":1,"at":2},{"price":3}]}`), []Difference{{KindJSON, "$.items[*].price", "$.items[1].price", "2", "3"}}, false},
		"a filter":       {config.Compare{JSON: []string{"$[?@.id == 1].v"}}, body(`[{"id":1,"v":1},{"id":2,"v":1}]`), body(`[{"id":1,"v":2},{"id":2,"v":3}]`), []Difference{{KindJSON, "$[?@.id == 1].v", "$[0].v", "1", "2"}}, false},
		"one is missing": {config.Compare{JSON: []string{"$.a"}}, body(`{"a":1}`), body(`{}`), []Difference{{KindJSON, "$.a", "$.a", "1", ""}}, false},
		"ignored":        {config.Compare{JSON: []string{"$"}, Ignore: []string{"$..at", "$.b[0]"}}, body(`{"at":1,"b":[1,2],"c":{"at":1,"d":1}}`), body(`{"at":2,"b":[2,2],"c":{"d":1}}`), nil, false},
		"gzip":           {all, zipped(`{"a":1}`), body(`{"a":2}`), []Difference{{KindJSON, "$", "$.a", "1", "2"}}, false},
		"a bomb":         {all, zipped(`"` + strings.Repeat("a", 1<<20) + `"`), zipped(`"` + strings.Repeat("b", 1<<20) + `"`), nil, true},
		"no JSON":        {all, body(`<a>`), body(`<b>`), nil, true},
		"one is no JSON": {all, body(`{}`), body(`{} ` + "x"), []Difference{{KindJSON, "$", "$", "JSON", "no JSON"}}, false},
		"an odd coding":  {all, response{header: http.Header{"Content-Encoding": {"br"}}, content: []byte("x")}, body("{}"), []Difference{{KindJSON, "$", "$", "coded as br", "JSON"}}, false},
		"nothing":        {all, body(""), body(""), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := compile(&c.rules)
			if err != nil {
				t.Fatal(err)
			}
			found, unread := made.responses(c.first, c.second, nil)
			if !reflect.DeepEqual(found, c.want) || unread != c.unread {
				t.Errorf("%+v, unread %v\nwant %+v, %v", found, unread, c.want, c.unread)
			}
		})
	}
}

// Of what is different all over a few are told.
func TestDifferencesAreBounded(t *testing.T) {
	made, err := compile(&config.Compare{JSON: []string{"$[*]"}})
	if err != nil {
		t.Fatal(err)
	}
	list := func(s string) response { return response{content: []byte("[" + strings.Repeat(s+",", 999) + s + "]")} }
	if found, _ := made.responses(list("1"), list("2"), nil); len(found) != mostDifferences {
		t.Errorf("%d differences", len(found))
	}
}

// Whatever two documents are, comparing them ends; a document is no different from
// itself, and what is different is so both ways.
func FuzzCompare(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `{"a":[1,{"b":2}]}`, "$..b")
	f.Add(`[1,2]`, `[]`, "$[-1]")
	f.Add(`{"":1e999}`, `{"":1}`, "$.*")
	f.Fuzz(func(t *testing.T, a, b, path string) {
		made, err := compile(&config.Compare{JSON: []string{path, "$"}})
		if err != nil {
			t.Skip()
		}
		x, y := response{content: []byte(a)}, response{content: []byte(b)}
		if found, _ := made.responses(x, x, nil); len(found) > 0 {
			t.Fatalf("%s is different from itself: %+v", a, found)
		}
		one, _ := made.responses(x, y, nil)
		other, _ := made.responses(y, x, nil)
		if len(one) != len(other) {
			t.Fatalf("%+v one way, %+v the other", one, other)
		}
	})
}
