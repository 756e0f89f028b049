package openapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/openapi"
	"dyno.example/nanogate/internal/transcode"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

const shop = `syntax = "proto3"; package shop.v2;
import "google/api/annotations.proto"; import "google/api/httpbody.proto"; import "google/api/field_behavior.proto"; import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; import "google/protobuf/field_mask.proto"; import "google/protobuf/empty.proto";
service Shop {
	// Find an order.
	// It may be old.
	rpc Get(Ask) returns (Order) { option deprecated = true; option (google.api.http) = { get: "/v2/{name=orders/*}" additional_bindings { get: "/v2/shops/{name}/orders/{number}:latest" } }; }
	rpc Put(Change) returns (google.protobuf.Empty) { option (google.api.http) = { put: "/v2/orders/{order.number}" body: "order" }; }
	rpc Files(Ask) returns (Order) { option (google.api.http) = { get: "/v2/{name=shops/*/files/**}" response_body: "lines" }; }
	rpc Watch(Ask) returns (stream Order) { option (google.api.http) = { get: "/v2/orders:watch" }; }
	rpc Import(stream Order) returns (Order) { option (google.api.http) = { post: "/v2/*/a%20b" body: "*" }; }
	rpc Photo(Ask) returns (google.api.HttpBody) { option (google.api.http) = { get: "/v2/photos/{name}" }; }
	rpc SetPhoto(NewPhoto) returns (Order) { option (google.api.http) = { put: "/v2/photos/{name}" body: "photo" }; }
	rpc Report(Ask) returns (Order) { option (google.api.http) = { custom: { kind: "REPORT" path: "/v2/orders:watch" } }; }
}
message NewPhoto { string name = 1; google.api.HttpBody photo = 2; }
message Ask { string name = 1; int32 number = 2; Filter filter = 3; repeated Status status = 4; map<string, string> labels = 5; repeated Line lines = 6; google.protobuf.Timestamp since = 7; }
message Filter { string text_part = 1; Filter and = 2; }
enum Status { UNKNOWN = 0; PAID = 1; }
message Change { Order order = 1; google.protobuf.FieldMask update_mask = 2; }
// An order.
message Order {
	int32 number = 1 [(google.api.field_behavior) = REQUIRED];
	Status status = 2 [(google.api.field_behavior) = OUTPUT_ONLY]; // how far it is
	// What is in it.
	repeated Line lines = 3;
	map<string, Line> by_name = 4; google.protobuf.Timestamp made = 5; google.protobuf.Duration took = 6; google.protobuf.Int64Value count = 7; google.protobuf.Struct more = 8;
	google.protobuf.Value any_value = 9; google.protobuf.ListValue list = 10; google.protobuf.Any any = 11; bytes photo = 12; uint64 big = 13; double ratio = 14; bool sure = 15; repeated string tags = 16; Order before = 17;
	google.protobuf.NullValue nothing = 18; fixed32 fixed = 19; float small = 20; google.protobuf.BytesValue blob = 21; google.protobuf.FieldMask mask = 22; sint64 signed = 23; google.protobuf.Empty none = 24;
}
message Line { string what = 1; int64 cents = 2; }
`

func documentOf(t testing.TB, rules config.GRPCJSON) (document map[string]any, order protoreflect.MessageDescriptor) {
	t.Helper()
	files, err := descriptors.Link(transcodetest.Set(t, map[string]string{"shop.proto": shop}), "test")
	if err != nil {
		t.Fatal(err)
	}
	a, err := transcode.Compile(files, &rules, "test")
	if err != nil {
		t.Fatal(err)
	}
	b, err := openapi.Document(a)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := openapi.Document(a); !bytes.Equal(b, again) {
		t.Error("the document is another one the second time")
	}
	if document, err = readJSON(b); err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName("shop.v2.Order")
	if err != nil {
		t.Fatal(err)
	}
	return document, d.(protoreflect.MessageDescriptor)
}

func readJSON(b []byte) (map[string]any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return v.(map[string]any), nil
}

// at is what stands below names, as JSON.
func at(t testing.TB, v any, names ...string) string {
	t.Helper()
	for _, name := range names {
		m, ok := v.(map[string]any)
		if !ok || m[name] == nil {
			t.Errorf("there is no %s", strings.Join(names, " "))
			return ""
		}
		v = m[name]
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDocument(t *testing.T) {
	d, _ := documentOf(t, config.GRPCJSON{})
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"openapi"}, `"3.1.0"`},
		{[]string{"info"}, `{"title":"shop.v2.Shop","version":"v2"}`},
		{[]string{"paths", "/v2/orders/{name}", "get", "parameters"}, `[{"description":"The field name is orders/{name}.","in":"path","name":"name","required":true,"schema":{"type":"string"}},` +
			`{"in":"query","name":"number","schema":{"format":"int32","type":"integer"}},{"in":"query","name":"filter.textPart","schema":{"type":"string"}},{"in":"query","name":"filter.and.textPart","schema":{"type":"string"}},` +
			`{"in":"query","name":"filter.and.and.textPart","schema":{"type":"string"}},{"in":"query","name":"status","schema":{"items":{"$ref":"#/components/schemas/shop.v2.Status"},"type":"array"}},{"in":"query","name":"since","schema":{"format":"date-time","type":"string"}}]`},
		{[]string{"paths", "/v2/orders/{name}", "get", "summary"}, `"Find an order"`},
		{[]string{"paths", "/v2/orders/{name}", "get", "description"}, `"It may be old."`},
		{[]string{"paths", "/v2/orders/{name}", "get", "deprecated"}, `true`},
		{[]string{"paths", "/v2/orders/{name}", "get", "operationId"}, `"Shop_Get"`},
		{[]string{"paths", "/v2/orders/{name}", "get", "responses"}, `{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/shop.v2.Order"}}},"description":"Order"},"default":{"$ref":"#/components/responses/Problem"}}`},
		{[]string{"paths", "/v2/shops/{name}/orders/{number}:latest", "get", "operationId"}, `"Shop_Get_2"`},
		{[]string{"paths", "/v2/orders/{name}", "put", "parameters"}, `[{"in":"path","name":"name","required":true,"schema":{"format":"int32","type":"integer"}},{"in":"query","name":"updateMask","schema":{"type":"string"}}]`},
		{[]string{"paths", "/v2/orders/{name}", "put", "requestBody"}, `{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/shop.v2.Order"}}}}`},
		{[]string{"paths", "/v2/orders/{name}", "put", "responses", "200", "content", "application/json", "schema"}, `{"type":"object"}`},
		{[]string{"paths", "/v2/shops/{name_1}/files/{name_2}", "get", "responses", "200", "content", "application/json", "schema"}, `{"items":{"$ref":"#/components/schemas/shop.v2.Line"},"type":"array"}`},
		{[]string{"paths", "/v2/orders:watch", "get", "responses", "200", "content"}, `{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/shop.v2.Order"}},"text/event-stream":{"schema":{"$ref":"#/components/schemas/shop.v2.Order"}}}`},
		{[]string{"paths", "/v2/orders:watch", "x-report", "operationId"}, `"Shop_Report"`},
		{[]string{"components", "schemas", "shop.v2.Status"}, `{"enum":["UNKNOWN","PAID"],"type":"string"}`},
		{[]string{"components", "schemas", "shop.v2.Line"}, `{"properties":{"cents":{"format":"int64","type":"string"},"what":{"type":"string"}},"type":"object"}`},
		{[]string{"components", "schemas", "shop.v2.Order", "required"}, `["number"]`},
		{[]string{"components", "schemas", "shop.v2.Order", "description"}, `"An order."`},
		{[]string{"components", "schemas", "shop.v2.Order", "properties", "lines"}, `{"description":"What is in it.","items":{"$ref":"#/components/schemas/shop.v2.Line"},"type":"array"}`},
		{[]string{"components", "schemas", "shop.v2.Order", "properties", "status"}, `{"$ref":"#/components/schemas/shop.v2.Status","readOnly":true}`},
		{[]string{"components", "schemas", "shop.v2.Order", "properties", "byName"}, `{"additionalProperties":{"$ref":"#/components/schemas/shop.v2.Line"},"type":"object"}`},
	} {
		if got := at(t, d, c.names...); got != c.want {
			t.Errorf("%s:\n %s, want\n %s", strings.Join(c.names, " "), got, c.want)
		}
	}
	d, _ = documentOf(t, config.GRPCJSON{PreserveNames: true, EnumNumbers: true, Stream: config.StreamSSE})
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"components", "schemas", "shop.v2.Status"}, `{"enum":[0,1],"type":"integer"}`},
		{[]string{"components", "schemas", "shop.v2.Order", "properties", "by_name", "type"}, `"object"`},
		{[]string{"paths", "/v2/orders:watch", "get", "responses", "200", "content"}, `{"text/event-stream":{"schema":{"$ref":"#/components/schemas/shop.v2.Order"}}}`},
	} {
		if got := at(t, d, c.names...); got != c.want {
			t.Errorf("%s: %s, want %s", strings.Join(c.names, " "), got, c.want)
		}
	}
}

// Parameters stand in their path, and those of one path are called the same.
func TestPaths(t *testing.T) {
	d, _ := documentOf(t, config.GRPCJSON{})
	for path, item := range d["paths"].(map[string]any) {
		var want []string
		for _, part := range strings.Split(path, "{")[1:] {
			name, _, _ := strings.Cut(part, "}")
			want = append(want, name)
		}
		for verb, operation := range item.(map[string]any) {
			var got []string
			parameters, _ := operation.(map[string]any)["parameters"].([]any)
			for _, p := range parameters {
				if p := p.(map[string]any); p["in"] == "path" {
					got = append(got, p["name"].(string))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s has %v", verb, path, got)
			}
		}
	}
}

// What protobuf writes is what the schemas say, and something else is not.
func TestSchemasJudge(t *testing.T) {
	for _, rules := range []config.GRPCJSON{{}, {PreserveNames: true, EnumNumbers: true}} {
		d, order := documentOf(t, rules)
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.AssertFormat()
		if err := c.AddResource("file:///openapi.json", d); err != nil {
			t.Fatal(err)
		}
		for name := range d["components"].(map[string]any)["schemas"].(map[string]any) {
			if _, err := c.Compile("file:///openapi.json#/components/schemas/" + name); err != nil {
				t.Errorf("%s is no schema: %v", name, err)
			}
		}
		s, err := c.Compile("file:///openapi.json#/components/schemas/shop.v2.Order")
		if err != nil {
			t.Fatal(err)
		}
		for text, ok := range map[string]bool{
			`{"number":1,"status":"PAID","lines":[{"what":"x","cents":"5"},{}],"byName":{"a":{"cents":"-7"}},"made":"2026-01-02T03:04:05.5Z","took":"1.5s","count":"3","more":{"a":[1,null]},"anyValue":"x","list":[1,"a"],
				"photo":"aGk=","big":"18446744073709551615","ratio":1.5,"sure":true,"tags":["a"],"before":{"number":0,"status":"PAID"},"nothing":null,"fixed":4294967295,"small":0.5,"blob":"aGk=","mask":"a,b","signed":"-1","none":{}}`: true,
			`{"number":2}`: true,
		} {
			m := dynamicpb.NewMessage(order)
			if err := protojson.Unmarshal([]byte(text), m); err != nil {
				t.Fatal(err)
			}
			b, err := protojson.MarshalOptions{UseProtoNames: rules.PreserveNames, UseEnumNumbers: rules.EnumNumbers, EmitDefaultValues: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(v); (err == nil) != ok {
				t.Errorf("%s: %v", b, err)
			}
		}
		for _, text := range []string{`{}`, `[]`, `{"number":"x"}`, `{"number":1,"lines":{}}`, `{"number":1,"tags":[1]}`, `{"number":1,"ratio":"1"}`, `{"number":1,"made":"yesterday"}`, `{"number":1,"took":"1 s"}`, `{"number":1,"before":{}}`} {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if s.Validate(v) == nil {
				t.Errorf("%s is what the schema says", text)
			}
		}
	}
}
