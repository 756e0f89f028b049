package conformance

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dyno.example/nano/openapi/internal/sample"
)

// shape is what OpenAPI 3.1 (section 4.8) demands of the parts that documents
// made here can have, and nothing else may be in them.
const shape = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["openapi", "info", "paths"],
  "additionalProperties": false,
  "properties": {
    "openapi": {"pattern": "^3\\.1\\.[0-9]+$"},
    "info": {
      "type": "object", "required": ["title", "version"], "additionalProperties": false,
      "properties": {"title": {"type": "string"}, "version": {"type": "string"}, "description": {"type": "string"}}
    },
    "servers": {"type": "array", "items": {
      "type": "object", "required": ["url"], "additionalProperties": false, "properties": {"url": {"type": "string"}}
    }},
    "paths": {
      "type": "object", "propertyNames": {"pattern": "^/"},
      "additionalProperties": {
        "type": "object", "additionalProperties": {"$ref": "#/$defs/operation"},
        "propertyNames": {"enum": ["get", "put", "post", "delete", "options", "head", "patch", "trace"]}
      }
    },
    "components": {
      "type": "object", "additionalProperties": false,
      "properties": {
        "schemas": {"$ref": "#/$defs/named", "additionalProperties": {"$ref": "#/$defs/schema"}},
        "securitySchemes": {"$ref": "#/$defs/named", "additionalProperties": {
          "type": "object", "required": ["type"],
          "oneOf": [
            {"properties": {"type": {"const": "http"}}, "required": ["scheme"]},
            {"properties": {"type": {"const": "apiKey"}, "in": {"enum": ["query", "header", "cookie"]}}, "required": ["name", "in"]},
            {"properties": {"type": {"const": "openIdConnect"}}, "required": ["openIdConnectUrl"]},
            {"properties": {"type": {"const": "mutualTLS"}}}
          ]
        }}
      }
    }
  },
  "$defs": {
    "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    "named": {"type": "object", "propertyNames": {"pattern": "^[a-zA-Z0-9._-]+$"}},
    "content": {
      "type": "object", "minProperties": 1, "propertyNames": {"pattern": "^[^/]+/[^/]+$"},
      "additionalProperties": {
        "type": "object", "required": ["schema"], "additionalProperties": false, "properties": {"schema": {"$ref": "#/$defs/schema"}}
      }
    },
    "operation": {
      "type": "object", "additionalProperties": false, "required": ["responses"],
      "properties": {
        "operationId": {"type": "string", "minLength": 1},
        "summary": {"type": "string"}, "description": {"type": "string"}, "deprecated": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "security": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}},
        "parameters": {"type": "array", "items": {
          "type": "object", "additionalProperties": false, "required": ["name", "in", "schema"],
          "properties": {
            "name": {"type": "string", "minLength": 1}, "in": {"enum": ["query", "header", "path", "cookie"]},
            "description": {"type": "string"}, "required": {"type": "boolean"}, "schema": {"$ref": "#/$defs/schema"}
          },
          "if": {"properties": {"in": {"const": "path"}}}, "then": {"properties": {"required": {"const": true}}, "required": ["required"]}
        }},
        "requestBody": {
          "type": "object", "required": ["content"], "additionalProperties": false,
          "properties": {"content": {"$ref": "#/$defs/content"}, "required": {"type": "boolean"}}
        },
        "responses": {
          "type": "object", "minProperties": 1, "propertyNames": {"pattern": "^(default|[1-5][0-9][0-9])$"},
          "additionalProperties": {
            "type": "object", "required": ["description"], "additionalProperties": false,
            "properties": {"description": {"type": "string"}, "content": {"$ref": "#/$defs/content"}}
          }
        }
      }
    }
  }
}`

func TestDocumentHasTheShapeOfOpenAPI(t *testing.T) {
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(shape))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("file:///shape.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("file:///shape.json")
	if err != nil {
		t.Fatal(err)
	}
	d := sample.Document(t)
	if err := schema.Validate(d); err != nil {
		t.Errorf("%v", err)
	}
	checkPathParams(t, d)
	checkRefs(t, d, d)
}

// checkPathParams: every {name} of a path is a parameter, and the other way
// round (OpenAPI 3.1, 4.8.8.1).
func checkPathParams(t *testing.T, d map[string]any) {
	for path := range sample.At(t, d, "paths").(map[string]any) {
		for method := range sample.At(t, d, "paths", path).(map[string]any) {
			rest := path
			list, _ := sample.At(t, d, "paths", path, method).(map[string]any)["parameters"].([]any)
			for _, p := range list {
				if p.(map[string]any)["in"] == "path" {
					name := "{" + p.(map[string]any)["name"].(string) + "}"
					if !strings.Contains(rest, name) {
						t.Errorf("%s %s: %s is not in the path", method, path, name)
					}
					rest = strings.Replace(rest, name, "", 1)
				}
			}
			if strings.Contains(rest, "{") {
				t.Errorf("%s %s: no parameter for %s", method, path, rest)
			}
		}
	}
}

// checkRefs: every $ref leads to a schema.
func checkRefs(t *testing.T, d map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			checkRefs(t, d, e)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			sample.At(t, d, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		for _, e := range v {
			checkRefs(t, d, e)
		}
	}
}
