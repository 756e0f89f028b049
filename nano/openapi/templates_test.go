package openapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/openapi"
)

// TestTemplates: constraints aren't part of a path in OpenAPI, and an optional
// parameter makes two paths, as its parameters are always required.
func TestTemplates(t *testing.T) {
	app := nano.New(nano.Config{})
	nothing := func(c nano.Ctx) error { return nil }
	app.Get("/a/{id:int}", nothing)
	app.Get("/r/{from:[0-9]{2}}-{to}.csv", nothing)
	app.Get("/l/{page?:uint}", nothing, nano.Name("list"))
	app.Get("/f/{path...}", nothing)
	var d struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Parameters []struct{ Name string }
		}
	}
	text, err := openapi.New(app, openapi.Config{Title: "t", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(slices.Sorted(maps.Keys(d.Paths)), " ")
	if want := "/a/{id} /f/{path} /l /l/{page} /r/{from}-{to}.csv"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	if o := d.Paths["/r/{from}-{to}.csv"]["get"]; len(o.Parameters) != 2 || o.Parameters[1].Name != "to" {
		t.Errorf("parameters of a segment: %+v", o)
	}
	if long, short := d.Paths["/l/{page}"]["get"], d.Paths["/l"]["get"]; long.ID != "list" || len(long.Parameters) != 1 || short.ID == "list" || len(short.Parameters) != 0 {
		t.Errorf("optional: %+v and %+v", long, short)
	}
}
