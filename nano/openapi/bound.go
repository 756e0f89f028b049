package openapi

import (
	"reflect"
	"slices"
)

// boundPlaces are the tags of nano.Bind whose fields are parameters.
var boundPlaces = [...]In{Path, Query, Header, Cookie}

// placeOf returns where Bind takes a field from; "": from the body.
func placeOf(f reflect.StructField) In {
	for _, in := range boundPlaces {
		if f.Tag.Get(string(in)) != "" {
			return in
		}
	}
	return ""
}

// boundParams returns what the type of a body says of parameters, if it is one that
// nano.Bind fills: a field with a tag path, query, header or cookie is one of the
// field's type. body is false if all of its fields are: then there is no body. Of the
// path's only those in names count.
func boundParams(v any, names []string) (params []Param, body bool) {
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, true
	}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		in := placeOf(f)
		if in == "" || f.Tag.Get("json") != "" {
			body = body || f.Tag.Get("json") != "-"
		}
		name := f.Tag.Get(string(in))
		if in == "" || in == Path && !slices.Contains(names, name) {
			continue
		}
		params = append(params, Param{
			Name: name, In: in, Type: reflect.Zero(f.Type).Interface(), Description: f.Tag.Get("doc"),
			Validate: f.Tag.Get("validate"), Required: slices.Contains(ruleNames(f.Tag.Get("validate")), "required"),
		})
	}
	return params, body || len(params) == 0
}
