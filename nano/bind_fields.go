package nano

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno.example/nano/internal/exchange"
)

var errEscape = errors.New("has an escape that can't be decoded")

// fill sets the field of v from the request.
func (f *planField) fill(c Ctx, v reflect.Value, form *Form) error {
	if f.file {
		f.fillFiles(v.FieldByIndex(f.index), form)
		return nil
	}
	var room [4][]byte
	values, err := f.find(c, form, room[:0])
	if err != nil {
		return err
	}
	if len(values) == 0 {
		to := v.FieldByIndex(f.index)
		if !f.hasOne || f.keepJSON && !to.IsZero() {
			return nil
		}
		values = append(values, []byte(f.fallback))
	}
	return f.setAll(v.FieldByIndex(f.index), values)
}

// find returns the field's values as text; all of them only for a slice.
func (f *planField) find(c Ctx, form *Form, values [][]byte) ([][]byte, error) {
	x := c.live()
	switch f.in {
	case inPath:
		if v := x.param(f.name); v != nil {
			values = append(values, v)
		}
	case inQuery:
		return f.findQuery(x, values)
	case inHeader:
		if f.many {
			for i := range x.Req.Fields {
				if h := &x.Req.Fields[i]; exchange.SameName(h.Name.Of(x.Buf), f.name) {
					values = splitHeader(values, string(h.Value.Of(x.Buf)))
				}
			}
		} else if v := x.field(f.name); v != nil {
			values = append(values, v)
		}
	case inCookie:
		if v, ok := x.cookie(f.name); ok {
			values = append(values, v)
		}
	case inForm:
		if form != nil {
			for _, v := range form.values {
				if string(v.name) == f.name {
					values = append(values, v.value)
				}
			}
		}
	}
	return values, nil
}

func (f *planField) findQuery(x *liveRequest, values [][]byte) ([][]byte, error) {
	for p := range pairs(x.Req.Query.Of(x.Buf)) {
		if !p.named(f.name) {
			continue
		}
		v, ok := x.unescaped(p.value)
		if !ok {
			return nil, errEscape
		}
		values = append(values, v)
	}
	return values, nil
}

// setAll sets one value, or a slice of all of them. A name that came twice for
// one value is refused: which of them counts would be a guess.
func (f *planField) setAll(to reflect.Value, values [][]byte) error {
	if !f.many {
		if len(values) > 1 {
			return fmt.Errorf("is there %d times", len(values))
		}
		return f.set(to, values[0])
	}
	all := reflect.MakeSlice(to.Type(), len(values), len(values))
	for i, v := range values {
		if err := f.set(all.Index(i), v); err != nil {
			return err
		}
	}
	to.Set(all)
	return nil
}

// fillFiles sets the files that came with a form.
func (f *planField) fillFiles(to reflect.Value, form *Form) {
	if form == nil {
		return
	}
	all := form.Files(f.name)
	switch {
	case f.many:
		to.Set(reflect.ValueOf(all).Convert(to.Type()))
	case len(all) > 0:
		to.Set(reflect.ValueOf(all[0]))
	}
}

// setter sets a value from text. Its errors are for clients.
type setter func(to reflect.Value, text []byte) error

// setterOf returns the setter of a type; nil if it can't be read from text.
func setterOf(t reflect.Type) setter {
	switch {
	case implements(t):
		return setText
	case t == durationType:
		return setDuration
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := setterOf(t.Elem())
		if inner == nil {
			return nil
		}
		return func(to reflect.Value, text []byte) error {
			v := reflect.New(t.Elem())
			if err := inner(v.Elem(), text); err != nil {
				return err
			}
			to.Set(v)
			return nil
		}
	case reflect.String:
		return func(to reflect.Value, text []byte) error { to.SetString(string(text)); return nil }
	case reflect.Bool:
		return setBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return setInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return setUint
	case reflect.Float32, reflect.Float64:
		return setFloat
	}
	return nil
}

func setText(to reflect.Value, text []byte) error {
	if err := to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return errors.New("can't be read: " + clip(err.Error()))
	}
	return nil
}

func setDuration(to reflect.Value, text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("must be a duration such as 1m30s")
	}
	to.SetInt(int64(d))
	return nil
}

func setBool(to reflect.Value, text []byte) error {
	b, err := strconv.ParseBool(string(text))
	if err != nil {
		return errors.New("must be true or false")
	}
	to.SetBool(b)
	return nil
}

func setInt(to reflect.Value, text []byte) error {
	i, err := strconv.ParseInt(string(text), 10, to.Type().Bits())
	if err != nil {
		return wrongNumber(err, "must be a whole number")
	}
	to.SetInt(i)
	return nil
}

func setUint(to reflect.Value, text []byte) error {
	i, err := strconv.ParseUint(string(text), 10, to.Type().Bits())
	if err != nil {
		return wrongNumber(err, "must be a whole number that isn't negative")
	}
	to.SetUint(i)
	return nil
}

func setFloat(to reflect.Value, text []byte) error {
	f, err := strconv.ParseFloat(string(text), to.Type().Bits())
	if err != nil || f != f || f-f != 0 { // no NaN, no infinity
		return wrongNumber(err, "must be a number")
	}
	to.SetFloat(f)
	return nil
}

func wrongNumber(err error, otherwise string) error {
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("is out of range")
	}
	return errors.New(otherwise)
}

// source is where a field comes from.
type source uint8

const (
	inPath source = iota
	inQuery
	inHeader
	inCookie
	inForm
)

var sources = [...]string{"path", "query", "header", "cookie", "form"}

func (s source) String() string { return sources[s] }

// plan is how a type is bound. It doesn't change.
type plan struct {
	fields []planField
	json   bool // some field comes from JSON
	form   bool
	rules  bool // some field has a validate tag
}

// planField is one field that has a source other than JSON.
type planField struct {
	index    []int
	in       source
	name     string
	fallback string // the default tag
	hasOne   bool
	many     bool // a slice of values
	file     bool // *Upload, or a slice of them
	set      setter
	keepJSON bool // has a json tag too
}

// plans is an app's plans by type.
type plans struct{ byType sync.Map }

// planned is a plan, or why there is none.
type planned struct {
	plan *plan
	err  error
}

func (a *App) planOf(t reflect.Type) (*plan, error) {
	got, ok := a.plans.byType.Load(t)
	if !ok {
		p := &plan{}
		err := p.make(t)
		if err == nil && p.rules && a.config.Validator == nil {
			err = fmt.Errorf("nano: binding %s: its validate tags need Config.Validator, as dyno.example/nano/validate makes one", t)
		}
		got, _ = a.plans.byType.LoadOrStore(t, planned{p, err})
	}
	p := got.(planned)
	return p.plan, p.err
}

func (p *plan) make(t reflect.Type) error {
	if t.Kind() != reflect.Struct || implements(t) {
		p.json = true
		return nil
	}
	return p.addFields(t, nil)
}

// addFields plans the fields of a struct, those of embedded structs too.
func (p *plan) addFields(t reflect.Type, at []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		in, name, tagged, err := sourceOf(f)
		if err != nil {
			return fmt.Errorf("nano: binding %s.%s: %w", t, f.Name, err)
		}
		rules, _ := f.Tag.Lookup("validate")
		p.rules = p.rules || rules != "" && rules != "-"
		jsonTag, hasJSON := f.Tag.Lookup("json")
		switch {
		case f.Anonymous && !tagged && !hasJSON && f.Type.Kind() == reflect.Struct && !implements(f.Type):
			if err := p.addFields(f.Type, index); err != nil {
				return err
			}
			continue
		case !tagged:
			p.json = p.json || f.IsExported() && jsonTag != "-"
			continue
		case !f.IsExported():
			return fmt.Errorf("nano: binding %s.%s: the field is not exported", t, f.Name)
		}
		field := planField{index: index, in: in, name: name, keepJSON: hasJSON && jsonTag != "-"}
		p.json = p.json || field.keepJSON
		p.form = p.form || in == inForm
		field.fallback, field.hasOne = f.Tag.Lookup("default")
		if err := field.resolve(f.Type); err != nil {
			return fmt.Errorf("nano: binding %s.%s: %w", t, f.Name, err)
		}
		p.fields = append(p.fields, field)
	}
	return nil
}

// foreignTags are those by which other frameworks fill a field or check it, with the
// tags that do so here. If they were ignored, the field would stay empty or unchecked.
var foreignTags = [...]struct{ name, here string }{{"uri", "path"}, {"param", "path"}, {"binding", "validate"}}

// sourceOf returns what the field's tags say.
func sourceOf(f reflect.StructField) (in source, name string, tagged bool, err error) {
	for _, tag := range foreignTags {
		_, has := f.Tag.Lookup(tag.name)
		if _, ours := f.Tag.Lookup(tag.here); has && !ours {
			return 0, "", false, fmt.Errorf("the tag %s is not read here: write %s", tag.name, tag.here)
		}
	}
	for s, tag := range sources {
		value, ok := f.Tag.Lookup(tag)
		if !ok || value == "-" {
			continue
		}
		if tagged {
			return 0, "", false, fmt.Errorf("comes from both %s and %s", in, tag)
		}
		if value == "" {
			return 0, "", false, fmt.Errorf("the tag %s names nothing", tag)
		}
		in, name, tagged = source(s), value, true
	}
	return in, name, tagged, nil
}

// resolve finds how the field's type is set, and tries the default.
func (f *planField) resolve(t reflect.Type) error {
	elem := t
	if t.Kind() == reflect.Slice && !implements(t) {
		f.many, elem = true, t.Elem()
	}
	if elem == uploadType {
		if f.file = true; f.in != inForm || f.hasOne {
			return fmt.Errorf("an Upload comes from a form and has no default")
		}
		return nil
	}
	if f.set = setterOf(elem); f.set == nil {
		return fmt.Errorf("%s can't be read from text", t)
	}
	if f.hasOne {
		if err := f.setAll(reflect.New(t).Elem(), [][]byte{[]byte(f.fallback)}); err != nil {
			return fmt.Errorf("default %q: %w", f.fallback, err)
		}
	}
	return nil
}

var (
	uploadType   = reflect.TypeFor[*Upload]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	durationType = reflect.TypeFor[time.Duration]()
)

// implements reports whether a *t reads itself from text.
func implements(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textType) }

// clear zeroes fields that JSON has set but that are bound from other sources only.
func (p *plan) clear(v reflect.Value) {
	for i := range p.fields {
		if f := &p.fields[i]; !f.keepJSON {
			v.FieldByIndex(f.index).SetZero()
		}
	}
}

// splitHeader splits the values of a list field (RFC 9110 5.6.1).
func splitHeader(values [][]byte, value string) [][]byte {
	for one := range strings.SplitSeq(value, ",") {
		if one = strings.Trim(one, " \t"); one != "" {
			values = append(values, []byte(one))
		}
	}
	return values
}
