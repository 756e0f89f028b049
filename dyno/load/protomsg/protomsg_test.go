package protomsg

import (
	"math"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/dyno/load/template"
)

const schema = `
syntax = "proto3";
package t;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/any.proto";

enum Color { RED = 0; GREEN = 1; BLUE = -3; }
message Point { int32 x = 1; sint32 y = 2; }
message All {
  string name = 1;
  bytes data = 2;
  int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6;
  sint32 s32 = 7; sint64 s64 = 8;
  fixed32 f32 = 9; fixed64 f64 = 10; sfixed32 sf32 = 11; sfixed64 sf64 = 12;
  float fl = 13; double db = 14; bool ok = 15;
  Color color = 16;
  Point point = 17;
  repeated Point points = 18;
  repeated int32 numbers = 19;
  repeated string names = 20;
  map<string, int64> counts = 21;
  map<int32, Point> places = 22;
  oneof pick { string left = 23; Point right = 24; }
  google.protobuf.Timestamp at = 25;
  google.protobuf.Duration took = 26;
  google.protobuf.StringValue maybe = 27;
  google.protobuf.Int32Value count = 28;
  google.protobuf.Struct free = 29;
  google.protobuf.Any any = 30;
  All inner = 31;
  string two_words = 32;
}
message None {}
`

const schema2 = `
syntax = "proto2";
package t2;
message Old {
  required string name = 1;
  optional group Pair = 2 { optional int32 a = 3; }
  extensions 100 to 200;
}
extend Old { optional int32 more = 100; }
`

func load(t testing.TB, source, message string) protoreflect.MessageDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"t.proto": source})})}
	files, err := c.Compile(t.Context(), "t.proto")
	if err != nil {
		t.Fatal(err)
	}
	md := files[0].Messages().ByName(protoreflect.Name(message))
	if md == nil {
		t.Fatalf("there is no message %s", message)
	}
	return md
}

func env(t testing.TB) *template.Env {
	t.Helper()
	rows, err := template.ReadCSV("rows.csv", strings.NewReader("n,name,big,bad\n1,Ann,5000000000,x\n2,\"Bo \"\"B\"\" é\",6,7\n"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return &template.Env{Feeds: []*template.Feed{{Name: "rows", Table: rows}}, Getenv: func(name string) (string, bool) { return "5", name == "FIVE" }}
}

// A message is that of the JSON in which placeholders are replaced by what they give.
func TestAppend(t *testing.T) {
	all := load(t, schema, "All")
	for _, c := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`{"name":"a","i32":1,"point":{"x":1,"y":-2},"numbers":[1,2,3],"counts":{"a":"1"},"free":{"x":[1]},"took":"1.5s","any":{"@type":"type.googleapis.com/t.Point","x":3}}`, ""},
		{`{"two_words":"a","twoWords":null}`, "!is given"},
		{`{"name":"user {{feed.rows.name}}"}`, `{"name":"user Bo \"B\" é"}`},
		{`{"name":{{json feed.rows.name}}}`, `{"name":"Bo \"B\" é"}`},
		{`{"name":"\u00e9\"{{choice "\""}}\\ {{"{{"}}"}`, `{"name":"é\"\"\\ {{"}`},
		{`{"i32":{{feed.rows.n}},"i64":"{{feed.rows.big}}","u32":{{seq 7}},"u64":{{env FIVE}},"s32":{{int -4 -4}},"s64":{{int -5 -5}}}`, `{"i32":2,"i64":6,"u32":8,"u64":5,"s32":-4,"s64":-5}`},
		{`{"f32":{{int 3 3}},"f64":{{int 4 4}},"sf32":{{int -3 -3}},"sf64":{{int -4 -4}},"fl":{{choice "1.5"}},"db":{{choice "-2.25e3"}},"ok":{{choice "true"}}}`, `{"f32":3,"f64":4,"sf32":-3,"sf64":-4,"fl":1.5,"db":-2250,"ok":true}`},
		{`{"color":"{{choice "BLUE"}}","data":"{{choice "_-8="}}"}`, `{"color":"BLUE","data":"/+8="}`},
		{`{"color":{{choice "1"}},"data":"{{hex 16}}"}`, "*"},
		{`{"point":{"x":{{feed.rows.n}},"y":4},"points":[{"x":1},{"y":{{int 9 9}}},{}],"numbers":[1,{{int 300 300}},3],"names":["a","{{choice "b"}}"]}`, `{"point":{"x":2,"y":4},"points":[{"x":1},{"y":9},{}],"numbers":[1,300,3],"names":["a","b"]}`},
		{`{"counts":{"a":1,"b":{{int 2 2}}},"places":{"5":{"x":{{int 1 1}}},"6":{}}}`, `{"counts":{"a":1,"b":2},"places":{"5":{"x":1},"6":{}}}`},
		{`{"right":{"x":{{int 1 1}}},"maybe":"{{choice "m"}}","count":{{int 7 7}},"at":"{{timestamp rfc3339}}"}`, `{"right":{"x":1},"maybe":"m","count":7,"at":"2020-09-13T12:26:40.123Z"}`},
		{`{"inner":{"inner":{"inner":{"name":"{{choice "` + strings.Repeat("x", 200) + `"}}"}}}}`, `{"inner":{"inner":{"inner":{"name":"` + strings.Repeat("x", 200) + `"}}}}`},
	} {
		if c.want == "" {
			c.want = c.text
		}
		env := env(t)
		p, err := Compile(c.text, all, env)
		if want, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.text, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		s := env.NewState(1, 0, 1)
		s.Now = 1600000000123000000
		s.Advance(p.Uses())
		s.Advance(p.Uses())
		wire, scratch := p.Append([]byte("x"), nil, s)
		got := dynamicpb.NewMessage(all)
		if err := proto.Unmarshal(wire[1:], got); err != nil || len(got.GetUnknown()) > 0 || wire[0] != 'x' {
			t.Errorf("%s: %q: %v", c.text, wire, err)
			continue
		}
		if n := testing.AllocsPerRun(20, func() { wire, scratch = p.Append(wire[:0], scratch, s) }); n != 0 {
			t.Errorf("%s: %v allocations a message", c.text, n)
		}
		if p.Constant() == strings.Contains(strings.NewReplacer("{{env", "", `{{"{{"}}`, "").Replace(c.text), "{{") {
			t.Errorf("%s: constant is %v", c.text, p.Constant())
		}
		if c.want == "*" {
			continue
		}
		want := dynamicpb.NewMessage(all)
		if err := (protojson.UnmarshalOptions{Resolver: dynamicpb.NewTypes(filesOf(all))}).Unmarshal([]byte(c.want), want); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(got, want) {
			t.Errorf("%s gives %v, want %v", c.text, got, want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	all := load(t, schema, "All")
	deep := strings.Repeat(`{"inner":`, 150) + `{"i32":{{seq}}}` + strings.Repeat("}", 150)
	for text, want := range map[string]string{
		``:                                    "is empty; an empty message is {}",
		`{"name":`:                            "is not JSON",
		`{"name":}`:                           "is not JSON",
		`{} {}`:                               "something follows the message: {}",
		`[]`:                                  "expected an object (t.All), got []",
		`{{seq}}`:                             "{{seq}} can't stand for a message",
		`{"name":"{{seq"}`:                    "lacks its closing",
		`{"name":"{{nothing}}"}`:              `name: {{nothing}}: there is no placeholder "nothing"`,
		`{"nme":"x"}`:                         "nme: there is no such field in t.All; did you mean name?",
		`{"zzzzzzz":"x"}`:                     "it has name, data",
		`{"point":{"z":1}}`:                   "point.z: there is no such field in t.Point; did you mean x?",
		`{"points":[{"x":1},{"x":"a"}]}`:      `points[1].x: expected a number (int32), got "a"`,
		`{"numbers":[1,2,"b"]}`:               `numbers[2]: expected a number (int32), got "b"`,
		`{"numbers":3}`:                       "numbers: expected a list of a number (int32), got 3",
		`{"counts":{"a":true}}`:               `counts["a"]: expected a number (int64), got true`,
		`{"places":{"q":{}}}`:                 `places["q"]: the key must be a number (int32)`,
		`{"places":{"{{seq}}":{}}}`:           "places: a placeholder can't be a key",
		`{"{{seq}}":1}`:                       "a placeholder can't be the name of a field",
		`{"i32":3000000000}`:                  "i32: expected a number (int32), got 3000000000",
		`{"i32":{{feed.rows.big}}}`:           `i32: rows.csv:2: column "big": expected a number (int32), got "5000000000"`,
		`{"i32":{{feed.rows.bad}}}`:           `i32: rows.csv:2: column "bad": expected a number (int32), got "x"`,
		`{"i32":{{int 1 3000000000}}}`:        `i32: expected a number (int32), got "3000000000"`,
		`{"i32":{{hex 4}}}`:                   `i32: expected a number (int32), got "ffff"`,
		`{"i32":"1{{int 1 2}}"}`:              "i32: expected a number (int32): that takes one placeholder",
		`{"u32":{{int -1 3}}}`:                `u32: expected a number (uint32), got "-1"`,
		`{"i32":{{timestamp unix-ms}}}`:       "i32: expected a number (int32), got",
		`{"name":{{seq}}}`:                    "name: expected a string: put the placeholder in quotes, or write {{json …}}",
		`{"point":{{seq}}}`:                   "point: {{seq}} can't stand for a message of type t.Point",
		`{"numbers":{{seq}}}`:                 "numbers: expected a list",
		`{"color":"GREN"}`:                    `color: expected one of RED, GREEN, BLUE (t.Color), got "GREN"; did you mean GREEN?`,
		`{"color":"{{choice "RED" "GREY"}}"}`: `color: a choice: expected one of RED, GREEN, BLUE (t.Color), got "GREY"`,
		`{"data":"{{choice "§"}}"}`:           "data: a choice: expected bytes in base64",
		`{"ok":"x"}`:                          `ok: expected true or false, got "x"`,
		`{"left":"a","right":{}}`:             "right: only one of left and right can be set (t.All.pick)",
		`{"name":"a","name":"b"}`:             "name: is given twice",
		`{"at":"noon"}`:                       `at: expected a time such as "2026-01-31T12:00:00Z" (google.protobuf.Timestamp), got "noon"`,
		`{"at":"{{uuid}}"}`:                   "at: expected a time such as",
		`{"took":"{{seq}}s"}`:                 "took: google.protobuf.Duration can't have placeholders",
		`{"took":5}`:                          "took: expected a duration",
		`{"count":"{{choice "a"}}"}`:          `count: a choice: expected a number (int32), got "a"`,
		`{"any":{"@type":"type.googleapis.com/t.No"}}`:   "any: expected an object with \"@type\"",
		`{"inner":{"inner":{"point":{"x":"{{uuid}}"}}}}`: "inner.inner.point.x: expected a number",
		deep:                        "messages lie more than 100 deep",
		"{\"name\":\"\U000F0001\"}": "for private use",
	} {
		if _, err := Compile(text, all, env(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", text, err, want)
		}
	}
	if _, err := Compile(`{"a":1}`, load(t, schema, "None"), env(t)); err == nil || !strings.Contains(err.Error(), "a: there is no such field in t.None; it has no fields") {
		t.Errorf("a message without fields: %v", err)
	}
}

func TestProto2(t *testing.T) {
	old := load(t, schema2, "Old")
	for text, want := range map[string]string{
		`{"name":"x","[t2.more]":5}`:           "",
		`{"name":"x","[t2.more]":{{int 5 5}}}`: "",
		`{"name":"x","pair":{"a":1}}`:          "",
		`{"name":"x","pair":{"a":{{seq}}}}`:    "pair: a group can't have placeholders",
		`{"[t2.more]":5}`:                      "a required field is missing",
		`{"name":"x","[t2.less]":5}`:           "there is no such field",
	} {
		_, err := Compile(text, old, env(t))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestDecoder(t *testing.T) {
	point := load(t, schema, "Point")
	d := NewDecoder(point)
	got, err := d.AppendJSON([]byte("> "), []byte("\x08\x07"))
	if text := strings.ReplaceAll(string(got), " ", ""); err != nil || text != `>{"x":7,"y":0}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := d.AppendJSON(nil, []byte("\x08")); err == nil {
		t.Error("half a field is read")
	}
}

func TestInsertLength(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 20000, math.MaxUint16 * 40} {
		got := insertLength(append([]byte("ab"), make([]byte, n)...), 2)
		length, size := uint64(0), 0
		for i, c := range got[2:] {
			length |= uint64(c&0x7f) << (7 * i)
			if size = i + 1; c < 0x80 {
				break
			}
		}
		if int(length) != n || len(got) != 2+size+n || string(got[:2]) != "ab" {
			t.Errorf("%d: length %d in %d bytes of %d", n, length, size, len(got))
		}
	}
}

// What compiles gives a message of the type; nothing crashes.
func FuzzCompile(f *testing.F) {
	all := load(f, schema, "All")
	for _, text := range []string{`{"name":"{{uuid}}","points":[{"x":{{seq}}}]}`, `{"at":"{{timestamp rfc3339}}","counts":{"a":{{int 1 9}}}}`, `{"data":"{{hex 4}}"}`, `{"any":{}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := env(t)
		p, err := Compile(text, all, env)
		if err != nil {
			return
		}
		s := env.NewState(1, 0, 1)
		for range 3 {
			s.Advance(p.Uses())
			wire, _ := p.Append(nil, nil, s)
			if err := proto.Unmarshal(wire, dynamicpb.NewMessage(all)); err != nil {
				t.Fatalf("%s gives %q: %v", text, wire, err)
			}
		}
	})
}
