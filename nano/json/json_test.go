package json_test

import (
	std "encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/json"
	"dyno.example/nano/nanotest"
)

type Base struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind,omitempty"`
}

// odd reads itself, from texts only.
type odd struct{ text string }

func (o *odd) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return errors.New("odd")
	}
	o.text = string(b)
	return nil
}

// everything is what a type can hold.
type everything struct {
	Base
	*Deep
	Name    string            `json:"name"`
	Small   int8              `json:"small"`
	Price   float32           `json:"price"`
	Quoted  int               `json:"quoted,string"`
	On      *bool             `json:"on"`
	At      time.Time         `json:"at"`
	For     time.Duration     `json:"for"`
	From    netip.Addr        `json:"from"`
	Number  std.Number        `json:"number"`
	Numbers []std.Number      `json:"numbers"`
	Raw     std.RawMessage    `json:"raw"`
	Big     *big.Int          `json:"big"`
	Odd     odd               `json:"odd"`
	Any     any               `json:"any"`
	Labels  map[string]string `json:"labels"`
	ByID    map[int]Base      `json:"by_id"`
	ByAddr  map[netip.Addr]int
	List    []Base  `json:"list"`
	Pair    [2]int  `json:"pair"`
	Bytes   []byte  `json:"bytes"`
	Octets  [3]byte `json:"octets"`
	Out     string  `json:"-"`
}

type Deep struct {
	Depth int     `json:"depth"`
	Child *Deep   `json:"child"`
	All   []*Deep `json:"all"`
}

// texts are what the decoders are held against each other with.
var texts = []string{
	`{}`, `null`, `[]`, `7`, `"x"`, ``, ` `, `{`, `{"name"}`, `{"name":}`, `{"name":"a",}`, `{} {}`, `{}x`, "\ufeff{}", `{"name":"a"} `, "\t{\r\n}\n",
	`{"id":1,"kind":"k","depth":3,"child":{"depth":4},"all":[null,{"depth":5}]}`,
	`{"ID":1,"NAME":"x","Out":"o","-":"d","private":1}`, `{"nam\u0065":"x"}`, `{"ſmall":1,"\u212aind":"k"}`,
	`{"name":"\ud800","kind":"\udc00\ud800x"}`, "{\"name\":\"\xff\xfe\"}", "{\"na\xffme\":1}", "{\"name\":\"a\x01b\"}", `{"name":"\x"}`, `{"name":"` + "\u2028<>&" + `"}`,
	`{"small":127}`, `{"small":128}`, `{"small":-0}`, `{"small":1.0}`, `{"small":1e2}`, `{"small":01}`, `{"small":+1}`, `{"small":null}`, `{"small":"1"}`,
	`{"price":1e38}`, `{"price":1e39}`, `{"price":0x1}`, `{"price":NaN}`, `{"price":-0.0}`, `{"quoted":"5"}`, `{"quoted":5}`, `{"quoted":" 5"}`, `{"quoted":null}`, `{"quoted":"null"}`, `{"quoted":""}`,
	`{"on":true}`, `{"on":null}`, `{"on":1}`, `{"on":tru}`, `{"at":"2026-01-02T03:04:05Z"}`, `{"at":"2026-01-02 03:04"}`, `{"at":null}`, `{"at":1}`, `{"at":"2026-01-02T03:04:05,5+01:00"}`,
	`{"for":5}`, `{"for":"5s"}`, `{"from":"::1"}`, `{"from":1}`, `{"from":"x"}`, `{"from":null}`,
	`{"number":1.50}`, `{"number":"2"}`, `{"number":"x"}`, `{"number":null}`, `{"number":true}`, `{"numbers":[1,"2",3e4]}`, `{"numbers":[1,"x"]}`,
	`{"raw":{"a" : [1, 2]}}`, `{"raw":null}`, `{"big":123456789012345678901234567890}`, `{"big":"1"}`, `{"odd":"x"}`, `{"odd":1}`, `{"odd":null}`,
	`{"any":{"a":[1,2.5,"x",null,true,{}]}}`, `{"any":[[[[1]]]]}`, `{"any":1e400}`, `{"labels":{"a":"b"}}`, `{"labels":{"a":1}}`, `{"labels":null}`,
	`{"by_id":{"1":{"id":1},"-2":null}}`, `{"by_id":{"x":{}}}`, `{"by_id":{"1":{},"01":{}}}`, `{"ByAddr":{"::1":1}}`, `{"ByAddr":{"x":1}}`,
	`{"list":[{"id":1},{"id":"x"}]}`, `{"list":{}}`, `{"list":[]}`, `{"pair":[1]}`, `{"pair":[1,2,3]}`, `{"pair":null}`, `{"bytes":"AQI="}`, `{"bytes":"AQI"}`, `{"bytes":[1]}`, `{"bytes":"A Q"}`,
	`{"octets":[1,2,3]}`, `{"octets":"AQID"}`, `{"unknown":1}`, `{"base":{"id":1}}`, `{"Base":{"id":1}}`,
	`{"name":"a","name":"b"}`, `{"any":{"a":1,"\u0061":2}}`, `{"list":[{"id":1,"id":2}]}`, `{"":1,"":2}`, `{"unknown":{"a":1,"a":2}}`, `{"raw":{"a":1,"a":2}}`, `{"odd":"x","any":[{"b":1,"b":1}]}`,
	strings.Repeat("[", 20_000), strings.Repeat(`{"any":`, 9_000) + "1" + strings.Repeat("}", 9_000), strings.Repeat(`{"any":`, 11_000) + "1" + strings.Repeat("}", 11_000),
}

// same holds the decoder against what nano does without it. Only names that differ in case
// and mean the same field may be refused beyond that.
func same(t *testing.T, text string, strict bool) {
	t.Helper()
	codec := json.Codec()
	decode := codec.Unmarshal
	if strict {
		decode = codec.UnmarshalStrict
	}
	var want, got everything
	wrong, err := nano.DecodeJSON([]byte(text), &want, strict), decode([]byte(text), &got)
	short := text[:min(len(text), 300)]
	var twice nano.FieldErrors
	switch {
	case wrong == nil && errors.As(err, &twice):
		if len(twice) != 1 || !strings.Contains(twice[0].Detail, "twice") {
			t.Errorf("%s: %v", short, err)
		}
	case (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error():
		t.Errorf("%s, strict %v: %v, want %v", short, strict, err, wrong)
	case err == nil && !reflect.DeepEqual(got, want):
		t.Errorf("%s:\n got %+v\nwant %+v", short, got, want)
	}
}

func TestSameAsWithoutIt(t *testing.T) {
	for _, text := range texts {
		same(t, text, false)
		same(t, text, true)
	}
}

func FuzzSameAsWithoutIt(f *testing.F) {
	for _, text := range texts {
		f.Add(text, false)
	}
	f.Fuzz(same)
}

// TestTagsOfOld: a type with a tag that the decoder finds malformed is read by encoding/json.
func TestTagsOfOld(t *testing.T) {
	var got struct {
		Dash string `json:"-,"`
		Name string `json:"name"`
	}
	if err := json.Codec().Unmarshal([]byte(`{"-":"a","name":"b"}`), &got); err != nil || got.Dash != "a" || got.Name != "b" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestDoubledNames: which of two values counts would be a guess.
func TestDoubledNames(t *testing.T) {
	for text, name := range map[string]string{
		`{"name":"a","Name":"b"}`: "Name", `{"list":[{"id":1,"iD":2}]}`: "iD", `{"name":"a","name":"b"}`: "name",
	} {
		err := json.Codec().Unmarshal([]byte(text), new(everything))
		var wrong nano.FieldErrors
		if !errors.As(err, &wrong) || len(wrong) != 1 || wrong[0].Name != name || wrong[0].Detail != "is there twice" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBind: an app reads by it, and says what it says without.
func TestBind(t *testing.T) {
	for _, strict := range []bool{false, true} {
		with, without := nano.New(nano.Config{JSON: json.Codec(), StrictJSON: strict}), nano.New(nano.Config{StrictJSON: strict})
		for _, app := range []*nano.App{with, without} {
			app.Post("/{id}", func(c nano.Ctx) error {
				v, err := nano.Bind[struct {
					ID   int    `path:"id"`
					Name string `json:"name"`
				}](c)
				if err != nil {
					return err
				}
				return c.JSON(200, v)
			})
		}
		for _, text := range []string{`{"name":"x"}`, `{"name":"x","ID":9}`, `{"name":7}`, `{"name":`, `null`, ``, `{"name":"x","name":"y"}`, `{"other":1}`} {
			got := nanotest.New(with).Post("/5").Body("application/json", []byte(text)).Do()
			want := nanotest.New(without).Post("/5").Body("application/json", []byte(text)).Do()
			if got.Status != want.Status || got.Text() != want.Text() {
				t.Errorf("%s: %d %s, want %d %s", text, got.Status, got.Body, want.Status, want.Body)
			}
		}
		got := nanotest.New(with).Post("/5").Body("application/json", []byte(`{"name":"x","Name":"y"}`)).Do()
		if got.Status != 400 || !strings.Contains(got.Text(), `"name":"Name","detail":"is there twice"`) {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
}

// order is what BenchmarkUnmarshal reads, of 1 KB.
type order struct {
	ID       int64    `json:"id"`
	Name     string   `json:"name"`
	Email    string   `json:"email"`
	Note     string   `json:"note"`
	Tags     []string `json:"tags"`
	Quantity int      `json:"quantity"`
}

func BenchmarkUnmarshal(b *testing.B) {
	text := []byte(`{"id":42,"name":"a dynamometer","email":"ann@example.com","tags":["new","heavy"],"quantity":3,"note":"` + strings.Repeat("x", 915) + `"}`)
	for name, decode := range map[string]func([]byte, any) error{
		"nano/json":     json.Codec().Unmarshal,
		"without it":    func(text []byte, v any) error { return nano.DecodeJSON(text, v, false) },
		"encoding/json": std.Unmarshal,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var o order
				if err := decode(text, &o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
