package conformance

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dyno.example/nano/openapi/internal/sample"
)

// TestSchemasJudge holds values to the schemas with a validator of JSON Schema,
// which also checks the schemas against the meta-schema.
func TestSchemasJudge(t *testing.T) {
	d := sample.Document(t)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("file:///openapi.json", d); err != nil {
		t.Fatal(err)
	}
	for name := range sample.At(t, d, "components", "schemas").(map[string]any) {
		if _, err := compiler.Compile("file:///openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s is no schema: %v", name, err)
		}
	}
	user, err := compiler.Compile("file:///openapi.json#/components/schemas/User")
	if err != nil {
		t.Fatal(err)
	}
	good := func() sample.User {
		age, level := uint8(20), "a"
		return sample.User{
			Name: "n", Email: "a@example.com", Role: "read only", Age: &age, Level: &level, Tags: []string{"ab", "cd"},
			Home: &sample.Address{Street: "s", Zip: "12345"}, Labels: map[string]string{"a": "b"}, Photo: []byte{1}, Raw: json.RawMessage("[]"),
			Friends: []sample.User{},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*sample.User)
		ok     bool
	}{
		{"good", func(*sample.User) {}, true},
		{"friend without name", func(u *sample.User) { f := good(); f.Name = ""; u.Friends = []sample.User{f} }, false},
		{"good friend", func(u *sample.User) { u.Friends = []sample.User{good()} }, true},
		{"no age", func(u *sample.User) { u.Age = nil }, true},
		{"no level", func(u *sample.User) { u.Level = nil }, true},
		{"name too long", func(u *sample.User) { u.Name = strings.Repeat("x", 51) }, false},
		{"not an address", func(u *sample.User) { u.Email = "x" }, false},
		{"role", func(u *sample.User) { u.Role = "read" }, false},
		{"young", func(u *sample.User) { *u.Age = 17 }, false},
		{"old", func(u *sample.User) { *u.Age = 150 }, false},
		{"tags twice", func(u *sample.User) { u.Tags = []string{"ab", "ab"} }, false},
		{"short tag", func(u *sample.User) { u.Tags = []string{"a"} }, false},
		{"zip", func(u *sample.User) { u.Home.Zip = "1234a" }, false},
		{"long label", func(u *sample.User) { u.Labels["a"] = "bbbbb" }, false},
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
