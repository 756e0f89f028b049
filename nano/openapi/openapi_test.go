package openapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dyno/nano"
	"dyno/nano/nanotest"
	"dyno/nano/openapi"
)

type Address struct {
	Street string `json:"street" validate:"required,max=100"`
	Zip    string `json:"zip,omitempty" validate:"len=5,numeric"`
}

type Audit struct {
	Created time.Time `json:"created"`
	ID      string    `json:"id" doc:"hidden by the user's own"`
}

type User struct {
	Audit
	ID       int64             `json:"id" doc:"Given by the service."`
	Name     string            `json:"name" validate:"required,min=1,max=50"`
	Email    string            `json:"email" validate:"required,email"`
	Role     string            `json:"role" validate:"oneof=admin user 'read only'"`
	Age      *uint8            `json:"age" validate:"gte=18,lt=150"`
	Level    *string           `json:"level" validate:"omitempty,oneof=a b"`
	Tags     []string          `json:"tags" validate:"max=3,unique,dive,min=2"`
	Home     *Address          `json:"home,omitempty"`
	Labels   map[string]string `json:"labels,omitempty" validate:"max=2,dive,max=4"`
	Friends  []User            `json:"friends,omitempty"`
	Photo    []byte            `json:"photo,omitempty"`
	Counter  uint64            `json:"counter,string"`
	Anything any               `json:"anything,omitempty"`
	Raw      json.RawMessage   `json:"raw,omitempty"`
	Point    [2]float64        `json:"point"`
	Secret   string            `json:"-"`
	private  int
}

type Page[T any] struct {
	Items []T `json:"items" validate:"required"`
}

func handler(nano.Ctx) error { return nil }

func usersApp() *nano.App {
	app := nano.New(nano.Config{})
	users := app.Group("/users").Default(nano.Describe(openapi.Operation{Tags: []string{"users"}, Security: []string{"bearer"}}))
	users.Get("", handler, nano.Name("listUsers"), nano.Describe(openapi.Operation{
		Summary: "List users",
		Params:  []openapi.Param{{Name: "limit", Type: 0, Validate: "min=1,max=100"}, {Name: "X-Trace", In: openapi.Header}},
		Answers: openapi.Answers{200: {Body: Page[User]{}}},
	}))
	users.Post("", handler, nano.Describe(openapi.Operation{
		ID: "createUser", Body: User{}, Tags: []string{"users", "writes"},
		Answers: openapi.Answers{201: {Description: "As created", Body: User{}}, 204: {}},
	}))
	users.Get("/{id}", handler, nano.Describe(openapi.Operation{
		Params: []openapi.Param{{Name: "id", In: openapi.Path, Type: int64(0), Description: "The user's number"}},
	}))
	users.Delete("/{user}", handler, nano.Describe(openapi.Operation{Deprecated: true}))
	app.Get("/files/{path...}", handler)
	app.Get("/exact/{$}", handler)
	app.Get("/static/", handler)
	app.Any("/any", handler)
	app.Any("/all", handler, nano.Describe(openapi.Operation{ID: "all", Answers: openapi.Answers{0: {Description: "Whatever"}}}))
	app.Get("/hidden", handler, nano.Describe(openapi.Operation{Hidden: true}))
	app.Get("api.example.com/users/{id}", handler, nano.Name("hostUser"))
	app.Get("other.example.com/other", handler)
	app.Method("QUERY", "/users", handler)
	app.Get("/openapi.json", openapi.Handler(config), nano.Describe(openapi.Operation{Hidden: true}))
	return app
}

var config = openapi.Config{
	Title: "Users", Version: "1.2.3", Servers: []string{"https://example.com"},
	Security: map[string]openapi.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}},
}

// documentOf asks an app for its document and returns it as plain values.
func documentOf(t *testing.T, app *nano.App) map[string]any {
	t.Helper()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	d, err := jsonschema.UnmarshalJSON(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return d.(map[string]any)
}

// at walks down a document; a missing step fails the test.
func at(t *testing.T, v any, steps ...string) any {
	t.Helper()
	for i, s := range steps {
		m, ok := v.(map[string]any)
		if v = m[s]; !ok || v == nil {
			t.Fatalf("the document has no %s", strings.Join(steps[:i+1], " > "))
		}
	}
	return v
}

// is compares a part of a document with JSON.
func is(t *testing.T, v any, want string, steps ...string) {
	t.Helper()
	got, err := json.Marshal(at(t, v, steps...))
	if err != nil || string(got) != want {
		t.Errorf("%s is %s, %v; want %s", strings.Join(steps, " > "), got, err, want)
	}
}

func TestDocument(t *testing.T) {
	d := documentOf(t, usersApp())
	is(t, d, `"3.1.0"`, "openapi")
	is(t, d, `{"title":"Users","version":"1.2.3"}`, "info")
	is(t, d, `[{"url":"https://example.com"}]`, "servers")
	var paths []string
	for p := range at(t, d, "paths").(map[string]any) {
		for m := range at(t, d, "paths", p).(map[string]any) {
			paths = append(paths, m+" "+p)
		}
	}
	want := "delete /all,delete /users/{id},get /all,get /exact/,get /files/{path},get /users,get /users/{id},patch /all,post /all,post /users,put /all"
	if got := sorted(paths); got != want {
		t.Errorf("paths\n%s, want\n%s", got, want)
	}
	list := at(t, d, "paths", "/users", "get")
	is(t, list, `"listUsers"`, "operationId")
	is(t, list, `["users"]`, "tags")
	is(t, list, `[{"bearer":[]}]`, "security")
	is(t, list, `[{"in":"query","name":"limit","schema":{"format":"int64","maximum":100,"minimum":1,"type":"integer"}},{"in":"header","name":"X-Trace","schema":{"type":"string"}}]`, "parameters")
	is(t, list, `{"$ref":"#/components/schemas/Page_User"}`, "responses", "200", "content", "application/json", "schema")
	is(t, list, `{"$ref":"#/components/schemas/Problem"}`, "responses", "default", "content", "application/problem+json", "schema")
	create := at(t, d, "paths", "/users", "post")
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
	c := config
	c.Host = "api.example.com"
	d, err := openapi.New(usersApp(), c)
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
	d := documentOf(t, usersApp())
	user := at(t, d, "components", "schemas", "User")
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
	if n := len(at(t, user, "properties").(map[string]any)); n != 16 {
		t.Errorf("%d properties, want 16", n)
	}
}

// TestSchemasJudge holds values to the schemas with a validator of JSON Schema,
// which also checks the schemas against the meta-schema.
func TestSchemasJudge(t *testing.T) {
	d := documentOf(t, usersApp())
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("file:///openapi.json", d); err != nil {
		t.Fatal(err)
	}
	for name := range at(t, d, "components", "schemas").(map[string]any) {
		if _, err := compiler.Compile("file:///openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s is no schema: %v", name, err)
		}
	}
	user, err := compiler.Compile("file:///openapi.json#/components/schemas/User")
	if err != nil {
		t.Fatal(err)
	}
	good := func() User {
		age, level := uint8(20), "a"
		return User{
			Name: "n", Email: "a@example.com", Role: "read only", Age: &age, Level: &level, Tags: []string{"ab", "cd"},
			Home: &Address{Street: "s", Zip: "12345"}, Labels: map[string]string{"a": "b"}, Photo: []byte{1}, Raw: json.RawMessage("[]"),
			Friends: []User{},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*User)
		ok     bool
	}{
		{"good", func(*User) {}, true},
		{"friend without name", func(u *User) { f := good(); f.Name = ""; u.Friends = []User{f} }, false},
		{"good friend", func(u *User) { u.Friends = []User{good()} }, true},
		{"no age", func(u *User) { u.Age = nil }, true},
		{"no level", func(u *User) { u.Level = nil }, true},
		{"name too long", func(u *User) { u.Name = strings.Repeat("x", 51) }, false},
		{"not an address", func(u *User) { u.Email = "x" }, false},
		{"role", func(u *User) { u.Role = "read" }, false},
		{"young", func(u *User) { *u.Age = 17 }, false},
		{"old", func(u *User) { *u.Age = 150 }, false},
		{"tags twice", func(u *User) { u.Tags = []string{"ab", "ab"} }, false},
		{"short tag", func(u *User) { u.Tags = []string{"a"} }, false},
		{"zip", func(u *User) { u.Home.Zip = "1234a" }, false},
		{"long label", func(u *User) { u.Labels["a"] = "bbbbb" }, false},
	} {
		u := good()
		tt.change(&u)
		encoded, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
		if err != nil {
			t.Fatal(err)
		}
		if err := user.Validate(v); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
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
		"status":        {describe(openapi.Operation{Answers: openapi.Answers{42: {}}}), "42 is not the status"},
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
		_, err := openapi.New(app, config)
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
	d, err := openapi.New(app, config)
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

// TestHandlerAfterPanic: a document that couldn't be made is never answered.
func TestHandlerAfterPanic(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Post("/", handler, nano.Describe(openapi.Operation{Body: broken{}}))
	app.Get("/openapi.json", openapi.Handler(config))
	for i := range 2 {
		if got := nanotest.New(app).Get("/openapi.json").Do(); got.Status != 500 {
			t.Errorf("request %d: %d %s", i, got.Status, got.Text())
		}
	}
}
