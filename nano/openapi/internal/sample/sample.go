// Package sample is an app for the tests of package openapi and of modules around it:
// something of everything that a document can describe.
package sample

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/openapi"
)

// Address is part of a [User].
type Address struct {
	Street string `json:"street" validate:"required,max=100"`
	Zip    string `json:"zip,omitempty" validate:"len=5,numeric"`
}

// Audit is embedded in a [User], whose ID hides its own.
type Audit struct {
	Created time.Time `json:"created"`
	ID      string    `json:"id" doc:"hidden by the user's own"`
}

// User has a field for each kind of Go type and of rule.
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
	private  int               // not in the document
}

// Page is a type with a parameter.
type Page[T any] struct {
	Items []T `json:"items" validate:"required"`
}

func handler(nano.Ctx) error { return nil }

// Users returns an app whose routes show what there is to describe, with its document
// at /openapi.json.
func Users() *nano.App {
	app := nano.New(nano.Config{})
	users := app.Group("/users").Default(nano.Describe(openapi.Operation{Tags: []string{"users"}, Security: []string{"bearer"}}))
	users.Get("", handler, nano.Name("listUsers"), nano.Describe(openapi.Operation{
		Summary:   "List users",
		Params:    []openapi.Param{{Name: "limit", Type: 0, Validate: "min=1,max=100"}, {Name: "X-Trace", In: openapi.Header}},
		Responses: openapi.Responses{200: {Body: Page[User]{}}},
	}))
	users.Post("", handler, nano.Describe(openapi.Operation{
		ID: "createUser", Body: User{}, Tags: []string{"users", "writes"},
		Responses: openapi.Responses{201: {Description: "As created", Body: User{}}, 204: {}},
	}))
	users.Get("/{id}", handler, nano.Describe(openapi.Operation{
		Params: []openapi.Param{{Name: "id", In: openapi.Path, Type: int64(0), Description: "The user's number"}},
	}))
	users.Delete("/{user}", handler, nano.Describe(openapi.Operation{Deprecated: true}))
	app.Get("/files/{path...}", handler)
	app.Get("/exact/{$}", handler)
	app.Get("/static/", handler)
	app.Any("/any", handler)
	app.Any("/all", handler, nano.Describe(openapi.Operation{ID: "all", Responses: openapi.Responses{0: {Description: "Whatever"}}}))
	app.Get("/hidden", handler, nano.Describe(openapi.Operation{Hidden: true}))
	app.Get("api.example.com/users/{id}", handler, nano.Name("hostUser"))
	app.Get("other.example.com/other", handler)
	app.Method("QUERY", "/users", handler)
	app.Get("/openapi.json", openapi.Handler(Config()), nano.Describe(openapi.Operation{Hidden: true}))
	return app
}

// Config says of [Users] what its routes don't.
func Config() openapi.Config {
	return openapi.Config{
		Title: "Users", Version: "1.2.3", Servers: []string{"https://example.com"},
		Security: map[string]openapi.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}},
	}
}

// Document requests the document of [Users] and returns it as plain values, numbers as
// [json.Number].
func Document(t testing.TB) map[string]any {
	t.Helper()
	w := httptest.NewRecorder()
	Users().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var d map[string]any
	decoder := json.NewDecoder(w.Body)
	decoder.UseNumber() // as validators of JSON Schema want them
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// At walks down a document; a missing step fails the test.
func At(t testing.TB, v any, steps ...string) any {
	t.Helper()
	for i, s := range steps {
		m, ok := v.(map[string]any)
		if v = m[s]; !ok || v == nil {
			t.Fatalf("the document has no %s", strings.Join(steps[:i+1], " > "))
		}
	}
	return v
}
