package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/openapi"
)

// TestBoundTypes: a type that Bind fills says where each of its fields is.
func TestBoundTypes(t *testing.T) {
	type update struct {
		ID    int      `path:"id"`
		Dry   bool     `query:"dry"`
		Tags  []string `query:"tag" validate:"required"`
		Trace string   `header:"X-Trace"`
		Name  string   `json:"name"`
	}
	type search struct {
		Page int `query:"page"`
	}
	ok := func(c nano.Ctx) error { return nil }
	for name, options := range map[string][2]nano.Option{
		"described": {nano.Describe(openapi.Operation{Body: update{}}), nano.Describe(openapi.Operation{Body: search{}})},
		"bound":     {nano.Binds[update](), nano.Binds[search]()},
	} {
		app := nano.New(nano.Config{Validator: func(any) error { return nil }})
		app.Put("/users/{id}", ok, options[0])
		app.Get("/users", ok, options[1])
		document, err := openapi.New(app, openapi.Config{Title: "t", Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(document)
		all := string(b)
		for _, want := range []string{
			`"name":"id","in":"path","required":true,"schema":{"type":"integer"`,
			`"name":"dry","in":"query","schema":{"type":"boolean"}`,
			`"name":"tag","in":"query","required":true,"schema":{"type":"array"`,
			`"name":"X-Trace","in":"header","schema":{"type":"string"}`,
			`"name":"page","in":"query"`,
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %s is not in %s", name, want, all)
			}
		}
		for _, not := range []string{`"ID"`, `"Dry"`, `"Tags"`, `"Trace"`, `"Page"`} {
			if strings.Contains(all, not) {
				t.Errorf("%s: %s is in %s", name, not, all)
			}
		}
		if get, _ := json.Marshal(document.Paths["/users"]["get"]); strings.Contains(string(get), "requestBody") {
			t.Errorf("%s: a body without fields: %s", name, get)
		}
	}
}
