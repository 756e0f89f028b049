package openapi_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/openapi"
	"dyno.example/nano/openapi/internal/sample"
)

func handler(nano.Ctx) error { return nil }

// is compares a part of a document with JSON.
func is(t *testing.T, v any, want string, steps ...string) {
	t.Helper()
	got, err := json.Marshal(sample.At(t, v, steps...))
	if err != nil || string(got) != want {
		t.Errorf("%s is %s, %v; want %s", strings.Join(steps, " > "), got, err, want)
	}
}

func sorted(words []string) string {
	slices.Sort(words)
	return strings.Join(words, ",")
}

func TestDocument(t *testing.T) {
	d := sample.Document(t)
	is(t, d, `"3.1.0"`, "openapi")
	is(t, d, `{"title":"Users","version":"1.2.3"}`, "info")
	is(t, d, `[{"url":"https://example.com"}]`, "servers")
	var paths []string
	for p := range sample.At(t, d, "paths").(map[string]any) {
		for m := range sample.At(t, d, "paths", p).(map[string]any) {
			paths = append(paths, m+" "+p)
		}
	}
	want := "delete /all,delete /users/{id},get /all,get /exact/,get /files/{path},get /users,get /users/{id},patch /all,post /all,post /users,put /all"
	if got := sorted(paths); got != want {
		t.Errorf("paths\n%s, want\n%s", got, want)
	}
	list := sample.At(t, d, "paths", "/users", "get")
	is(t, list, `"listUsers"`, "operationId")
	is(t, list, `["users"]`, "tags")
	is(t, list, `[{"bearer":[]}]`, "security")
	is(t, list, `[{"in":"query","name":"limit","schema":{"format":"int64","maximum":100,"minimum":1,"type":"integer"}},{"in":"header","name":"X-Trace","schema":{"type":"string"}}]`, "parameters")
	is(t, list, `{"$ref":"#/components/schemas/Page_User"}`, "responses", "200", "content", "application/json", "schema")
	is(t, list, `{"$ref":"#/components/schemas/Problem"}`, "responses", "default", "content", "application/problem+json", "schema")
	create := sample.At(t, d, "paths", "/users", "post")
	is(t, create, `["users","writes"]`, "tags")
	is(t, create, `{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/User"}}},"required":true}`, "requestBody")
	is(t, create, `{"description":"No Content"}`, "responses", "204")
	is(t, d, `[{"description":"The user's number","in":"path","name":"id","required":true,"schema":{"format":"int64","type":"integer"}}]`,
		"paths", "/users/{id}", "get", "parameters")
	is(t, d, `[{"in":"path","name":"id","required":true,"schema":{"type":"string"}}]`, "paths", "/users/{id}", "delete", "parameters")
	is(t, d, `[{"description":"May hold slashes.","in":"path","name":"path","required":true,"schema":{"type":"string"}}]`,
		"paths", "/files/{path}", "get", "parameters")
	is(t, d, `{"default":{"description":"Whatever"}}`, "paths", "/all", "put", "responses")
	is(t, d, `"all-put"`, "paths", "/all", "put", "operationId")
}

func TestDocumentOfHost(t *testing.T) {
	c := sample.Config()
	c.Host = "api.example.com"
	d, err := openapi.New(sample.Users(), c)
	if err != nil {
		t.Fatal(err)
	}
	if op := d.Paths["/users/{id}"]["get"]; op.ID != "hostUser" {
		t.Errorf("the host's own route doesn't go first: %+v", op)
	}
	if d.Paths["/users"] == nil || d.Paths["/other"] != nil {
		t.Errorf("paths: %v", d.Paths)
	}
}

func TestSchemaOfFields(t *testing.T) {
	d := sample.Document(t)
	user := sample.At(t, d, "components", "schemas", "User")
	is(t, user, `["email","name"]`, "required")
	for name, want := range map[string]string{
		"id":       `{"description":"Given by the service.","format":"int64","type":"integer"}`,
		"created":  `{"format":"date-time","type":"string"}`,
		"name":     `{"maxLength":50,"minLength":1,"type":"string"}`,
		"email":    `{"format":"email","type":"string"}`,
		"role":     `{"enum":["admin","user","read only"],"type":"string"}`,
		"age":      `{"exclusiveMaximum":150,"maximum":255,"minimum":18,"type":["integer","null"]}`,
		"level":    `{"enum":["a","b",null],"type":["string","null"]}`,
		"tags":     `{"items":{"minLength":2,"type":"string"},"maxItems":3,"type":"array","uniqueItems":true}`,
		"home":     `{"anyOf":[{"$ref":"#/components/schemas/Address"},{"type":"null"}]}`,
		"labels":   `{"additionalProperties":{"maxLength":4,"type":"string"},"maxProperties":2,"type":"object"}`,
		"friends":  `{"items":{"$ref":"#/components/schemas/User"},"type":"array"}`,
		"photo":    `{"contentEncoding":"base64","type":"string"}`,
		"counter":  `{"type":"string"}`,
		"anything": `{}`,
		"raw":      `{}`,
		"point":    `{"items":{"type":"number"},"maxItems":2,"minItems":2,"type":"array"}`,
	} {
		is(t, user, want, "properties", name)
	}
	if n := len(sample.At(t, user, "properties").(map[string]any)); n != 16 {
		t.Errorf("%d properties, want 16", n)
	}
}

func TestMistakes(t *testing.T) {
	describe := func(op openapi.Operation) func(*nano.App) {
		return func(app *nano.App) { app.Get("/x/{id}", handler, nano.Describe(op)) }
	}
	for name, tt := range map[string]struct {
		register func(*nano.App)
		want     string
	}{
		"type":     {describe(openapi.Operation{Body: make(chan int)}), "no form for the type chan int"},
		"field":    {describe(openapi.Operation{Body: struct{ F func() }{}}), ".F: JSON has no form"},
		"map keys": {describe(openapi.Operation{Body: map[bool]int{}}), "keys of the type bool"},
		"rule": {describe(openapi.Operation{Body: struct {
			A int `validate:"min=x"`
		}{}}), `rule "min=x": "x" is not a number`},
		"dive": {describe(openapi.Operation{Body: struct {
			A int `validate:"dive,min=1"`
		}{}}), "has no elements"},
		"length": {describe(openapi.Operation{Body: struct {
			A string `validate:"len=-1"`
		}{}}), "not a length"},
		"one of": {describe(openapi.Operation{Body: struct {
			A int `validate:"oneof=1 b"`
		}{}}), `"b" is not a number`},
		"status":        {describe(openapi.Operation{Responses: openapi.Responses{42: {}}}), "42 is not the status"},
		"scheme":        {describe(openapi.Operation{Security: []string{"oauth"}}), "oauth is not in Config.Security"},
		"no such param": {describe(openapi.Operation{Params: []openapi.Param{{Name: "no", In: openapi.Path}}}), "no parameter no"},
		"no name":       {describe(openapi.Operation{Params: []openapi.Param{{}}}), "has no name"},
		"same path":     {func(app *nano.App) { app.Get("/a/{b}", handler); app.Get("/a/{c...}", handler) }, "can't tell it from GET /a/{b}"},
		"same ID": {func(app *nano.App) {
			app.Get("/a", handler, nano.Name("b"))
			app.Get("/c", handler, nano.Describe(openapi.Operation{ID: "b"}))
		}, "the ID b is that of GET /a"},
	} {
		app := nano.New(nano.Config{})
		tt.register(app)
		_, err := openapi.New(app, sample.Config())
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "openapi_test.go:") {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.want)
		}
	}
	if _, err := openapi.New(nano.New(nano.Config{}), openapi.Config{}); err == nil {
		t.Error("a document without title was made")
	}
}

// TestParamOfGroupAndRoute: what a route says of a parameter goes before what its
// group says of it.
func TestParamOfGroupAndRoute(t *testing.T) {
	app := nano.New(nano.Config{})
	group := app.Group("/a").Default(nano.Describe(openapi.Operation{Params: []openapi.Param{{Name: "page"}, {Name: "page", In: openapi.Header}}}))
	group.Get("", handler, nano.Describe(openapi.Operation{Params: []openapi.Param{{Name: "page", In: openapi.Query, Description: "from 1"}}}))
	d, err := openapi.New(app, sample.Config())
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(d.Paths["/a"]["get"].Parameters)
	const want = `[{"name":"page","in":"query","description":"from 1","schema":{"type":"string"}},{"name":"page","in":"header","schema":{"type":"string"}}]`
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

type broken struct{}

func (broken) JSONSchema() *openapi.Schema { panic("broken") }

// TestHandlerAfterPanic: a document that couldn't be made is never served.
func TestHandlerAfterPanic(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Post("/", handler, nano.Describe(openapi.Operation{Body: broken{}}))
	app.Get("/openapi.json", openapi.Handler(sample.Config()))
	for i := range 2 {
		if got := nanotest.New(app).Get("/openapi.json").Do(); got.Status != 500 {
			t.Errorf("request %d: %d %s", i, got.Status, got.Text())
		}
	}
}
