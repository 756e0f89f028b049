package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dyno.example/nanogate/internal/config"
)

// shape31 is what OpenAPI 3.1 (section 4.8) demands of the parts that these documents have;
// nothing else may be in them but extensions, whose names begin with x-.
const shape31 = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object", "additionalProperties": false, "required": ["openapi", "info", "paths", "components"],
  "properties": {
    "openapi": {"pattern": "^3\\.1\\.[0-9]+$"},
    "info": {"type": "object", "required": ["title", "version"], "additionalProperties": false, "properties": {"title": {"type": "string"}, "version": {"type": "string"}}},
    "paths": {
      "type": "object", "propertyNames": {"pattern": "^/"},
      "additionalProperties": {
        "type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/operation"},
        "propertyNames": {"pattern": "^(get|put|post|delete|options|head|patch|trace|x-.+)$"}
      }
    },
    "components": {
      "type": "object", "additionalProperties": false,
      "properties": {
        "schemas": {"type": "object", "propertyNames": {"$ref": "#/$defs/name"}, "additionalProperties": {"$ref": "#/$defs/schema"}},
        "responses": {"type": "object", "propertyNames": {"$ref": "#/$defs/name"}, "additionalProperties": {"$ref": "#/$defs/response"}}
      }
    }
  },
  "$defs": {
    "name": {"pattern": "^[a-zA-Z0-9._-]+$"},
    "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    "content": {
      "type": "object", "minProperties": 1, "propertyNames": {"pattern": "^[^/]+/[^/]+$"},
      "additionalProperties": {"type": "object", "additionalProperties": false, "properties": {"schema": {"$ref": "#/$defs/schema"}}}
    },
    "response": {
      "type": "object", "additionalProperties": false, "required": ["description"],
      "properties": {"description": {"type": "string"}, "content": {"$ref": "#/$defs/content"}}
    },
    "operation": {
      "type": "object", "additionalProperties": false, "required": ["operationId", "responses"],
      "properties": {
        "operationId": {"type": "string", "minLength": 1}, "summary": {"type": "string"}, "description": {"type": "string"}, "deprecated": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "parameters": {"type": "array", "uniqueItems": true, "items": {
          "type": "object", "additionalProperties": false, "required": ["name", "in", "schema"],
          "properties": {
            "name": {"type": "string", "minLength": 1}, "in": {"enum": ["query", "path"]}, "description": {"type": "string"}, "required": {"type": "boolean"}, "schema": {"$ref": "#/$defs/schema"}
          },
          "if": {"properties": {"in": {"const": "path"}}}, "then": {"properties": {"required": {"const": true}}, "required": ["required"]}
        }},
        "requestBody": {"type": "object", "required": ["content"], "additionalProperties": false, "properties": {"content": {"$ref": "#/$defs/content"}, "required": {"type": "boolean"}}},
        "responses": {
          "type": "object", "minProperties": 1, "propertyNames": {"pattern": "^(default|[1-5][0-9][0-9])$"},
          "additionalProperties": {"anyOf": [{"$ref": "#/$defs/response"}, {"type": "object", "required": ["$ref"], "additionalProperties": false, "properties": {"$ref": {"type": "string"}}}]}
        }
      }
    }
  }
}`

// A document is one of OpenAPI 3.1: its parts are what they have to be, what is referred to
// is there, and no two operations or parameters of one are called the same.
func TestShape(t *testing.T) {
	var described any
	if err := json.Unmarshal([]byte(shape31), &described); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("file:///shape.json", described); err != nil {
		t.Fatal(err)
	}
	shape, err := compiler.Compile("file:///shape.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range []config.GRPCJSON{{}, {PreserveNames: true, EnumNumbers: true, Defaults: true, Stream: config.StreamNDJSON}} {
		d, _ := documentOf(t, rules)
		if err := shape.Validate(d); err != nil {
			t.Errorf("%+v: %v", rules, err)
		}
		follow(t, d, d)
		ids := map[string]bool{}
		for path, item := range d["paths"].(map[string]any) {
			for verb, operation := range item.(map[string]any) {
				o := operation.(map[string]any)
				if id := o["operationId"].(string); ids[id] {
					t.Errorf("two operations are called %s", id)
				} else {
					ids[id] = true
				}
				names := map[string]bool{}
				parameters, _ := o["parameters"].([]any)
				for _, p := range parameters {
					p := p.(map[string]any)
					if key := p["in"].(string) + " " + p["name"].(string); names[key] {
						t.Errorf("%s %s has %s twice", verb, path, key)
					} else {
						names[key] = true
					}
				}
			}
		}
	}
	d, _ := documentOf(t, config.GRPCJSON{})
	for _, raw := range []string{"put", "get"} {
		operation := d["paths"].(map[string]any)["/v2/photos/{name}"].(map[string]any)[raw]
		if text := at(t, operation, "responses", "200", "content") + at(t, operation, "tags"); raw == "get" && !strings.HasPrefix(text, `{"*/*":{}}`) {
			t.Errorf("%s: %s", raw, text)
		}
		if raw == "put" && at(t, operation, "requestBody", "content") != `{"*/*":{}}` {
			t.Errorf("%s: %s", raw, at(t, operation, "requestBody"))
		}
	}
	// The shape refuses what isn't one.
	delete(d, "info")
	if shape.Validate(d) == nil {
		t.Error("a document without info is taken")
	}
}

// follow finds what is referred to below v in a document.
func follow(t *testing.T, d map[string]any, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if to, ok := v["$ref"].(string); ok {
			path, ok := strings.CutPrefix(to, "#/")
			var part any = d
			for _, name := range strings.Split(path, "/") {
				m, _ := part.(map[string]any)
				part = m[name]
			}
			if !ok || part == nil {
				t.Errorf("there is no %s", to)
			}
		}
		for _, one := range v {
			follow(t, d, one)
		}
	case []any:
		for _, one := range v {
			follow(t, d, one)
		}
	}
}
