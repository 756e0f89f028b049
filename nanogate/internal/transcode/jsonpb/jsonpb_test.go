package jsonpb

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// files have a field of each sort.
var files = map[string]string{"all.proto": `syntax = "proto3"; package t;
	import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/wrappers.proto";
	import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; import "google/protobuf/empty.proto"; import "google/protobuf/field_mask.proto";
	import "old.proto";
	enum Kind { NONE = 0; NOVEL = 1; option allow_alias = true; BOOK = 1; BELOW = -1; }
	message All {
		bool a_bool = 1; int32 i32 = 2; int64 i64 = 3; uint32 u32 = 4; uint64 u64 = 5; sint32 s32 = 6; sint64 s64 = 7;
		fixed32 f32 = 8; fixed64 f64 = 9; sfixed32 sf32 = 10; sfixed64 sf64 = 11; float x32 = 12; double x64 = 13;
		string text = 14; bytes blob = 15; Kind kind = 16;
		repeated bool bools = 21; repeated int32 i32s = 22; repeated sint64 s64s = 23; repeated fixed32 f32s = 24; repeated double x64s = 25;
		repeated string texts = 26; repeated bytes blobs = 27; repeated Kind kinds = 28; repeated All alls = 29; repeated int64 loose = 30 [packed = false];
		map<string, string> by_text = 31; map<int32, All> by_i32 = 32; map<uint64, Kind> by_u64 = 33; map<bool, double> by_bool = 34; map<sint64, bytes> by_s64 = 35; map<sfixed32, google.protobuf.Timestamp> by_sf32 = 36;
		optional int32 maybe_i32 = 41; optional string maybe_text = 42; optional Kind maybe_kind = 43; optional bytes maybe_blob = 44;
		oneof one { string one_text = 51; int32 one_i32 = 52; All one_all = 53; google.protobuf.Duration one_wait = 54; }
		All all = 61; google.protobuf.Empty empty = 62; Old old = 63; Strict strict = 64;
		google.protobuf.Timestamp at = 71; google.protobuf.Duration wait = 72; repeated google.protobuf.Timestamp ats = 73;
		google.protobuf.BoolValue w_bool = 81; google.protobuf.Int32Value w_i32 = 82; google.protobuf.Int64Value w_i64 = 83; google.protobuf.UInt32Value w_u32 = 84;
		google.protobuf.UInt64Value w_u64 = 85; google.protobuf.FloatValue w_x32 = 86; google.protobuf.DoubleValue w_x64 = 87; google.protobuf.StringValue w_text = 88; google.protobuf.BytesValue w_blob = 89;
		google.protobuf.Any any = 91; google.protobuf.Value value = 92; google.protobuf.Struct struct = 93; google.protobuf.ListValue values = 94; google.protobuf.FieldMask mask = 95; google.protobuf.NullValue null = 96; repeated google.protobuf.NullValue nulls = 97;
		string named = 1001 [json_name = "o:\"ne é"];
	}`,
	"old.proto": `syntax = "proto2"; package t;
	enum Closed { FIRST = 1; SECOND = 2; }
	message Old {
		optional int32 n = 1 [default = 7]; optional string text = 2; repeated int32 numbers = 3; repeated int32 tight = 4 [packed = true]; optional Closed closed = 5; repeated Closed list = 6;
		optional group Part = 7 { optional int32 n = 1; } repeated group Parts = 8 { optional int32 n = 1; } optional Old old = 9;
		extensions 100 to 199;
	}
	extend Old { optional int32 more = 100; }
	message Strict { required int32 n = 1; }`,
}

// judge holds what is taken against protojson.
type judge struct {
	md    protoreflect.MessageDescriptor
	types *dynamicpb.Types
	by    map[Options]*Message
}

// nesting is how deep messages may be nested in tests.
const nesting = 20

var manners = []Options{{}, {UseProtoNames: true}, {UseEnumNumbers: true}, {EmitDefaultValues: true}, {UseProtoNames: true, UseEnumNumbers: true, EmitDefaultValues: true}}

func newJudge(t testing.TB) *judge {
	t.Helper()
	linked, err := descriptors.Link(transcodetest.Set(t, files), "test")
	if err != nil {
		t.Fatal(err)
	}
	d, err := linked.FindDescriptorByName("t.All")
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{d.(protoreflect.MessageDescriptor), dynamicpb.NewTypes(linked), map[Options]*Message{}}
	for _, o := range manners {
		o := o
		o.MostNesting = nesting
		j.by[o] = NewTypes(o).Of(j.md)
	}
	return j
}

func (j *judge) message(o Options) *Message {
	o.MostNesting = nesting
	return j.by[o]
}

// reads reports whether JSON is taken. If it is, it has to come to what protojson makes of it.
func (j *judge) reads(t testing.TB, text []byte) bool {
	t.Helper()
	got, ok := j.message(Options{}).AppendMessage([]byte("before"), text)
	if !ok {
		return false
	}
	want, have := dynamicpb.NewMessage(j.md), dynamicpb.NewMessage(j.md)
	if err := (protojson.UnmarshalOptions{Resolver: j.types, RecursionLimit: nesting}).Unmarshal(text, want); err != nil {
		t.Fatalf("%q is taken, and protojson says %v", text, err)
	}
	if err := (proto.UnmarshalOptions{Resolver: j.types}).Unmarshal(got[len("before"):], have); err != nil {
		t.Fatalf("%q comes to %x, which is no message: %v", text, got, err)
	}
	if size := proto.Size(want); !proto.Equal(have, want) || len(have.GetUnknown()) > 0 || len(got) != len("before")+size {
		t.Fatalf("%q comes to\n%v (%d bytes)\nwant\n%v (%d)", text, have, len(got)-len("before"), want, size)
	}
	return true
}

// writes reports whether a message is taken, in all manners. If it is, the JSON has to be
// what protojson makes of it, but for spaces.
func (j *judge) writes(t testing.TB, message []byte) bool {
	t.Helper()
	all := true
	for _, o := range manners {
		got, ok := j.message(o).AppendJSON([]byte("before"), message)
		if !ok {
			all = false
			continue
		}
		m := dynamicpb.NewMessage(j.md)
		if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: j.types, RecursionLimit: nesting}).Unmarshal(message, m); err != nil {
			t.Fatalf("%x is taken, and proto says %v", message, err)
		}
		want, err := protojson.MarshalOptions{AllowPartial: true, Resolver: j.types, UseProtoNames: o.UseProtoNames, UseEnumNumbers: o.UseEnumNumbers, EmitDefaultValues: o.EmitDefaultValues}.Marshal(m)
		if err != nil {
			t.Fatalf("%x is taken, and protojson says %v", message, err)
		}
		var tight bytes.Buffer
		if err := json.Compact(&tight, want); err != nil {
			t.Fatal(err)
		}
		if string(got) != "before"+tight.String() {
			t.Fatalf("%x comes to\n%s\nwant\n%s", message, got[len("before"):], tight.Bytes())
		}
	}
	return all
}

// wire is a message as protobuf has it, given as protojson reads it.
func (j *judge) wire(t testing.TB, text string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(j.md)
	if err := (protojson.UnmarshalOptions{AllowPartial: true, Resolver: j.types}).Unmarshal([]byte(text), m); err != nil {
		t.Fatal(text, err)
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is usual is taken both ways, and comes to the same as with protojson.
func TestTaken(t *testing.T) {
	j := newJudge(t)
	for _, text := range usual {
		if !j.reads(t, []byte(text)) {
			t.Errorf("%s isn't taken", text)
		}
		if !j.writes(t, j.wire(t, text)) {
			t.Errorf("the message of %s isn't taken", text)
		}
	}
}

var usual = []string{
	`{}`, " {\n\t} \r\n", `{"aBool":true}`, `{"a_bool":true,"i32":1}`, `{"aBool":false,"i32":0,"text":"","blob":"","kind":"NONE","x64":0,"f64":0}`,
	`{"i32":-2147483648,"i64":-9223372036854775808,"u32":4294967295,"u64":18446744073709551615,"s32":-2147483648,"s64":-9223372036854775808}`,
	`{"i32":"2147483647","i64":"9223372036854775807","u32":"0","u64":"18446744073709551615","s32":"-1","s64":"1"}`,
	`{"f32":4294967295,"f64":"18446744073709551615","sf32":-2147483648,"sf64":"-9223372036854775808"}`,
	`{"x32":1.5,"x64":-0.0}`, `{"x32":-0,"x64":1e300}`, `{"x32":"NaN","x64":"Infinity"}`, `{"x32":"-Infinity","x64":1E-7}`, `{"x32":1e-6,"x64":0.000001}`, `{"x32":1e21,"x64":1e21}`, `{"x32":3.4e38,"x64":123456789.125}`, `{"x32":9.9e-7,"x64":9.99e+20}`,
	`{"text":"plain"}`, `{"text":"é漢😀\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t\u0000\u001f\u007f<>&"}`, `{"o:\"ne é":"x"}`, `{"named":"x"}`, `{"te\u0078t":"x"}`,
	`{"blob":"aGk="}`, `{"blob":"aGk"}`, `{"blob":"_-8"}`, `{"blob":"+/8="}`, `{"blob":"_-8="}`,
	`{"kind":"NOVEL"}`, `{"kind":1}`, `{"kind":"BOOK"}`, `{"kind":-1}`, `{"kind":5}`, `{"kind":"BEL\u004fW"}`,
	`{"bools":[true,false],"i32s":[1,-1,0],"s64s":["-5",5],"f32s":[0,1],"x64s":[1,"NaN"]}`, `{"texts":["","a"],"blobs":["","aGk"],"kinds":["NONE","BOOK",7],"loose":[1,"2"]}`,
	`{"bools":[],"texts":[ ],"alls":[],"byText":{},"by_i32":{ }}`, `{"alls":[{},{"alls":[{"i32":1}]}]}`,
	`{"byText":{"b":"x","a":"","é":"z"}}`, `{"byI32":{"10":{},"-3":{"i32":1},"9":{"byI32":{"1":{}}}}}`, `{"byU64":{"18446744073709551615":"NOVEL","0":"NONE"}}`, `{"byBool":{"true":1,"false":-0.5}}`, `{"byS64":{"-1":"aGk","5":""}}`, `{"bySf32":{"-7":"2026-01-02T03:04:05Z","7":"2026-01-02T03:04:05.5Z"}}`,
	`{"maybeI32":0,"maybeText":"","maybeKind":"NONE","maybeBlob":""}`, `{"maybeI32":null,"text":null,"alls":null,"byText":null,"oneText":null,"oneI32":1,"at":null,"wBool":null}`,
	`{"oneText":""}`, `{"oneI32":0}`, `{"oneAll":{}}`, `{"oneWait":"0s"}`, `{"all":{"all":{"all":{}}},"empty":{}}`,
	`{"at":"2026-01-02T03:04:05Z"}`, `{"at":"0001-01-01T00:00:00Z"}`, `{"at":"9999-12-31T23:59:59.999999999Z"}`, `{"at":"1969-12-31T23:59:59.100Z"}`, `{"at":"1970-01-01T00:00:00Z"}`, `{"ats":["2024-02-29T00:00:00.000001Z","2024-02-29T00:00:00.12Z"]}`,
	`{"wait":"0s"}`, `{"wait":"1.5s"}`, `{"wait":"-0.000000001s"}`, `{"wait":"-315576000000s"}`, `{"wait":"315576000000.999999999s"}`, `{"wait":"3.001200s"}`,
	`{"wBool":true,"wI32":-1,"wI64":"-1","wU32":1,"wU64":1,"wX32":1.5,"wX64":"NaN","wText":"x","wBlob":"aGk"}`, `{"wBool":false,"wI32":0,"wI64":0,"wU32":0,"wU64":0,"wX32":0,"wX64":0,"wText":"","wBlob":""}`,
	`{"old":{"n":0,"text":"x","numbers":[1,2],"tight":[1,2],"closed":"SECOND","list":["FIRST","SECOND"],"old":{"n":7}}}`, `{"old":{"closed":9}}`,
	`{"text":"` + strings.Repeat("x", 200) + `","all":{"text":"` + strings.Repeat("y", 20000) + `"}}`, strings.Repeat(`{"all":`, nesting-1) + "{}" + strings.Repeat("}", nesting-1), keys(mostKeys),
}

// keys is JSON with a map of so many keys.
func keys(n int) string {
	m := map[string]string{}
	for i := range n {
		m[strconv.Itoa(i)] = ""
	}
	b, _ := json.Marshal(map[string]any{"byText": m})
	return string(b)
}

// What JSON has that isn't usual, or is wrong, is left to protojson.
func TestLeft(t *testing.T) {
	j := newJudge(t)
	for _, text := range []string{
		``, ` `, `null`, `[]`, `"x"`, `1`, `{`, `}`, `{}x`, `{}{}`, `{} ,`, "{}\x00", `{"i32":1,}`, `{,}`, `{"i32"}`, `{"i32":}`, `{"i32" 1}`, `{i32:1}`, `{"i32":1 "i64":1}`, `{"i32":1;}`,
		`{"none":1}`, `{"i32":1,"i32":1}`, `{"i32":null,"i32":1}`, `{"aBool":true,"a_bool":true}`, `{"oneText":"","oneI32":1}`, `{"[t.more]":1}`,
		`{"i32":01}`, `{"i32":-0}`, `{"i32":+1}`, `{"i32":1.0}`, `{"i32":1e2}`, `{"i32":"1 "}`, `{"i32":" 1"}`, `{"i32":""}`, `{"i32":-}`, `{"i32":--1}`, `{"i32":1-}`, `{"i32":1x}`, `{"i32":2147483648}`, `{"i32":-2147483649}`, `{"i32":true}`, `{"i32":"\u0031"}`,
		`{"i64":9223372036854775808}`, `{"i64":-9223372036854775809}`, `{"u32":-1}`, `{"u32":4294967296}`, `{"u64":18446744073709551616}`, `{"u64":18446744073709551620}`, `{"u64":99999999999999999999}`, `{"u64":118446744073709551615}`,
		`{"x32":1e39}`, `{"x64":1e400}`, `{"x64":.5}`, `{"x64":1.}`, `{"x64":1e}`, `{"x64":1e+}`, `{"x64":01}`, `{"x64":-}`, `{"x64":"1"}`, `{"x64":NaN}`, `{"x64":1.5.5}`, `{"x64":0x1}`,
		`{"aBool":"true"}`, `{"aBool":1}`, `{"aBool":truex}`, `{"aBool":tru}`, `{"aBool":nul}`, `{"text":nullx}`, `{"text":1}`, "{\"text\":\"\n\"}", "{\"text\":\"\xff\"}", "{\"text\":\"\xc3\"}", `{"text":"\x"}`, `{"text":"\u12"}`, `{"text":"\u12g4"}`, `{"text":"\ud83d"}`, `{"text":"\ud83dx"}`, `{"text":"\ude00\ud83d"}`, `{"text":"`, `{"text":"\`, "{\"text\":\"\\n\xff\"}",
		`{"blob":"!"}`, `{"blob":"aGk=="}`, `{"blob":"+_=="}`, `{"blob":"a"}`, `{"kind":"POEM"}`, `{"kind":1.5}`, `{"kind":null,"kind":1}`, `{"kind":2147483648}`, `{"kind":"1"}`,
		`{"i32s":1}`, `{"i32s":[1,]}`, `{"i32s":[,1]}`, `{"i32s":[null]}`, `{"i32s":[1 2]}`, `{"i32s":[1}`, `{"texts":[null]}`, `{"alls":[null]}`, `{"i32s":{}}`,
		`{"byText":[]}`, `{"byText":{"a":"","a":""}}`, `{"byText":{"a":"","\u0061":""}}`, `{"byText":{"a":null}}`, `{"byText":{"a":"",}}`, `{"byI32":{"01":{}}}`, `{"byI32":{"1":{},"+1":{}}}`, `{"byI32":{"x":{}}}`, `{"byBool":{"1":1}}`, `{"byText":{"a":1}}`, `{"byText":{a:""}}`, `{"byText":{"a" ""}}`, `{"byI32":{"2147483648":{}}}`,
		`{"at":"yesterday"}`, `{"at":"2026-01-02T03:04:05+01:00"}`, `{"at":"0000-12-31T23:59:59Z"}`, `{"at":"2026-01-02T03:04:05.1234567891Z"}`, `{"at":"2026-13-02T03:04:05Z"}`, `{"at":"2026-01-02T03:04:60Z"}`, `{"at":"2026-01-02t03:04:05z"}`, `{"at":5}`, `{"at":{}}`, `{"ats":[null]}`,
		`{"wait":"1"}`, `{"wait":"s"}`, `{"wait":".5s"}`, `{"wait":"1.s"}`, `{"wait":"+1s"}`, `{"wait":"--1s"}`, `{"wait":"01s"}`, `{"wait":"315576000001s"}`, `{"wait":"0.1234567891s"}`, `{"wait":"1.5xs"}`, `{"wait":"1.-5s"}`, `{"wait":1}`,
		`{"wI32":{"value":1}}`, `{"any":{}}`, `{"value":1}`, `{"value":null}`, `{"struct":{}}`, `{"values":[]}`, `{"mask":"a"}`, `{"null":null}`, `{"nulls":[null]}`, `{"old":{"part":{}}}`, `{"old":{"more":1}}`, `{"strict":{"n":1}}`, `{"strict":{}}`,
		strings.Repeat(`{"all":`, nesting) + "{}" + strings.Repeat("}", nesting), strings.Repeat(`[`, 100000), strings.Repeat(`{"alls":[`, 100000),
		keys(mostKeys + 1),
	} {
		if j.reads(t, []byte(text)) {
			t.Errorf("%.100s is taken", text)
		}
	}
}
