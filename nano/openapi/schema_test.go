package openapi_test

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/openapi"
	"dyno.example/nano/openapi/internal/sample"
)

type colour int

func (colour) MarshalJSON() ([]byte, error) { return []byte(`"red"`), nil }
func (colour) JSONSchema() *openapi.Schema {
	return &openapi.Schema{Type: "string", Enum: []any{"red"}}
}

// level says by its pointer what its JSON is.
type level []int

func (*level) JSONSchema() *openapi.Schema { return &openapi.Schema{Type: "string"} }

// opaque doesn't say what its JSON is.
type opaque []int

func (opaque) MarshalJSON() ([]byte, error) { return []byte(`""`), nil }

type ruled struct {
	Opaque opaque        `json:"opaque" validate:"min=1,dive,min=1"`
	Bytes  []byte        `json:"bytes" validate:"min=1,unique,dive,min=1"`
	Wait   time.Duration `json:"wait" validate:"min=1s,max=5"`
}

type left struct {
	Both   int
	Tagged int
	Deep   string
}

type right struct {
	Both int
	Own  string `json:"Tagged"`
	inner
}

type inner struct {
	Deep int
	More *inner `json:"more"`
}

type Recursive struct {
	Next *Recursive `json:"next" doc:"the one after"`
}

// TestTypes compares the schemas of types with what encoding/json makes of them.
func TestTypes(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{true, `{"type":"boolean"}`},
		{int32(1), `{"type":"integer","format":"int32"}`},
		{int8(1), `{"type":"integer","minimum":-128,"maximum":127}`},
		{uint16(1), `{"type":"integer","minimum":0,"maximum":65535}`},
		{uint64(1), `{"type":"integer","minimum":0}`},
		{1.5, `{"type":"number"}`},
		{json.Number("1"), `{"type":"number"}`},
		{time.Second, `{"type":"integer","format":"int64","description":"A duration in nanoseconds."}`},
		{time.Time{}, `{"type":"string","format":"date-time"}`},
		{&time.Time{}, `{"type":["string","null"],"format":"date-time"}`},
		{netip.Addr{}, `{"type":"string"}`},
		{[]byte{}, `{"type":"string","contentEncoding":"base64"}`},
		{[2]byte{}, `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","minimum":0,"maximum":255}}`},
		{map[int][]string{}, `{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}`},
		{big.Int{}, `{}`}, // has a MarshalJSON
		{colour(1), `{"type":"string","enum":["red"]}`},
		{new(colour), `{"type":["string","null"],"enum":["red"]}`},
		{level{}, `{"type":"string"}`},
		{&openapi.Schema{Format: "binary"}, `{"format":"binary"}`},
		{Recursive{}, `{"$ref":"#/components/schemas/Recursive"}`},
		{struct {
			left
			right
		}{}, `{"type":"object","properties":{"Deep":{"type":"string"},"Tagged":{"type":"string"},"more":{"anyOf":[{"$ref":"#/components/schemas/inner"},{"type":"null"}]}}}`},
	} {
		app := nano.New(nano.Config{})
		app.Post("/", handler, nano.Describe(openapi.Operation{Body: tt.value}))
		d, err := openapi.New(app, sample.Config())
		if err != nil {
			t.Errorf("%T: %v", tt.value, err)
			continue
		}
		got, _ := json.Marshal(d.Paths["/{rest}"]["post"].Body.Content["application/json"].Schema)
		if string(got) != tt.want {
			t.Errorf("%T:\n%s, want\n%s", tt.value, got, tt.want)
		}
	}
}

func TestTypesOfOneName(t *testing.T) {
	type Note struct{ Other int }
	app := nano.New(nano.Config{})
	app.Post("/", handler, nano.Describe(openapi.Operation{Body: Note{}, Responses: openapi.Responses{200: {Body: nano.Problem{}}, 201: {Body: noteOf()}}}))
	d, err := openapi.New(app, sample.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Note", "openapi_test.Note", "Problem"} {
		if d.Components.Schemas[name] == nil {
			t.Errorf("no schema %s", name)
		}
	}
}

func noteOf() any { return Note{} }

// TestRulesOfOpaqueTypes: rules for what a schema doesn't tell of are left out.
func TestRulesOfOpaqueTypes(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Post("/", handler, nano.Describe(openapi.Operation{Body: ruled{}}))
	d, err := openapi.New(app, sample.Config())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"opaque": `{}`,
		"bytes":  `{"type":"string","contentEncoding":"base64"}`,
		"wait":   `{"type":"integer","format":"int64","description":"A duration in nanoseconds.","minimum":1000000000,"maximum":5}`,
	} {
		if got, _ := json.Marshal(d.Components.Schemas["ruled"].Properties[name]); string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
