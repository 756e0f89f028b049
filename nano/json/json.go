// Package json has nano.Bind read JSON with a faster decoder, that of encoding/json/v2,
// by github.com/go-json-experiment/json, which is its mirror for releases of Go before 1.27:
//
//	app := nano.New(nano.Config{JSON: json.Codec()})
//
// It takes and refuses what nano does without it, and says the same about it: the decoder
// has the options by which encoding/json/v2 does what encoding/json did. Names that are
// there twice in one object are refused; here also where they differ only in case, but
// mean the same field. Config.StrictJSON holds.
package json

import (
	std "encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"

	"dyno.example/nano"
)

// Codec returns what nano.Config.JSON takes. Responses are encoded by encoding/json.
func Codec() nano.JSONCodec {
	return nano.JSONCodec{Unmarshal: decoder{options(false), false}.decode, UnmarshalStrict: decoder{options(true), true}.decode}
}

// options makes the decoder do what encoding/json does, but for names that are there twice.
// Errors come from encoding/json: legacy ones would take a pass of their own over each
// text.
func options(strict bool) json.Options {
	return json.JoinOptions(v1.DefaultOptionsV1(), v1.ReportErrorsWithLegacySemantics(false),
		jsontext.AllowDuplicateNames(false), json.RejectUnknownMembers(strict),
		json.WithUnmarshalers(json.UnmarshalFromFunc(decodeNumber)))
}

// decodeNumber reads encoding/json's Number, which the decoder knows by another type.
func decodeNumber(from *jsontext.Decoder, n *std.Number) error {
	return json.UnmarshalDecode(from, (*v1.Number)(n))
}

type decoder struct {
	options json.Options
	strict  bool
}

// decode reads text into what v points to. What it can't read goes to encoding/json,
// which says why, or reads it after all: types may have tags that only encoding/json
// understands.
func (d decoder) decode(text []byte, v any) error {
	err := json.Unmarshal(text, v, d.options)
	if err == nil {
		return nil
	}
	again := reflect.New(reflect.TypeOf(v).Elem()) // v may hold half of it
	if told := nano.DecodeJSON(text, again.Interface(), d.strict); told != nil {
		return told
	}
	var twice *jsontext.SyntacticError
	if errors.As(err, &twice) && errors.Is(err, jsontext.ErrDuplicateName) { // but for its case
		return nano.FieldErrors{{In: "body", Name: clip(twice.JSONPointer.LastToken()), Detail: "is there twice"}}
	}
	reflect.ValueOf(v).Elem().Set(again.Elem())
	return nil
}

// mostEchoed is how much of what a client sent it gets back in an error, in bytes.
const mostEchoed = 100

func clip(s string) string {
	if len(s) > mostEchoed {
		s = strings.ToValidUTF8(s[:mostEchoed], "") + "…"
	}
	return s
}
