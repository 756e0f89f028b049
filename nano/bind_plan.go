package nano

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

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

// planField is one field that doesn't come from JSON alone.
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
			err = fmt.Errorf("nano: binding %s: its validate tags need Config.Validator, as dyno/nano/validate makes one", t)
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
// tags that do so here. Ignored, they would leave it empty, or let everything in.
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

// clear takes back what JSON said of fields it has no business with.
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
