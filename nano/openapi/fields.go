package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// object returns the schema of a struct's fields as encoding/json names them.
// Those of structs embedded without a name count as its own: of fields with one
// name the outermost does, at one depth the one with a tag, and none if that
// doesn't decide.
func (s *schemas) object(t reflect.Type) (*Schema, error) {
	object := &Schema{Type: "object", Properties: map[string]*Schema{}}
	seen := map[reflect.Type]bool{t: true}
	taken := map[string]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		found, embedded := fieldsOf(level)
		for name, fields := range found {
			if taken[name] {
				continue
			}
			taken[name] = true
			if f, ok := dominant(fields); ok {
				if err := s.property(object, f, name); err != nil {
					return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
				}
			}
		}
		level = slices.DeleteFunc(embedded, func(e reflect.Type) bool { return seen[e] })
		for _, e := range level {
			seen[e] = true
		}
	}
	slices.Sort(object.Required)
	return object, nil
}

// fieldsOf returns the fields of some structs by their JSON names, and the
// structs embedded in them.
func fieldsOf(structs []reflect.Type) (found map[string][]reflect.StructField, embedded []reflect.Type) {
	found = map[string][]reflect.StructField{}
	for _, t := range structs {
		for i := range t.NumField() {
			f := t.Field(i)
			tag := f.Tag.Get("json")
			name, _, _ := strings.Cut(tag, ",")
			if inner := embeddedStruct(f, name); inner != nil && tag != "-" {
				embedded = append(embedded, inner)
				continue
			}
			if tag == "-" || !f.IsExported() || tag == "" && placeOf(f) != "" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			found[name] = append(found[name], f)
		}
	}
	return found, embedded
}

// dominant returns the one of several fields that counts.
func dominant(fields []reflect.StructField) (reflect.StructField, bool) {
	if len(fields) == 1 {
		return fields[0], true
	}
	tagged := slices.DeleteFunc(fields, func(f reflect.StructField) bool {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name == ""
	})
	if len(tagged) == 1 {
		return tagged[0], true
	}
	return reflect.StructField{}, false
}

// embeddedStruct returns the struct whose fields count as the outer one's; nil
// if f is a field of its own.
func embeddedStruct(f reflect.StructField, name string) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !f.Anonymous || name != "" || t.Kind() != reflect.Struct || specialSchema(t) != nil {
		return nil
	}
	return t
}

// property adds a field to its object.
func (s *schemas) property(object *Schema, f reflect.StructField, name string) error {
	rules := f.Tag.Get("validate")
	p, err := s.field(f.Type, rules)
	if err != nil {
		return err
	}
	options := strings.Split(f.Tag.Get("json"), ",")[1:]
	if slices.Contains(options, "string") && isScalar(f.Type.Kind()) {
		p = &Schema{Type: "string"}
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		p.Description = doc
	}
	object.Properties[name] = p
	if slices.Contains(ruleNames(rules), "required") {
		object.Required = append(object.Required, name)
	}
	return nil
}

// isScalar: the option "string" is for bools, numbers and strings.
func isScalar(k reflect.Kind) bool {
	return reflect.Bool <= k && k <= reflect.Float64 || k == reflect.String
}
