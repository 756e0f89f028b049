package validate

import (
	"fmt"
	"reflect"
	"strings"
)

// tagCheck is what is wrong with the tags of a type; nil: nothing.
type tagCheck struct{ err error }

// sound says what is wrong with the tags of a type. The library would say it by a panic,
// of each type when the first value of it comes along.
func (v *Validator) sound(t reflect.Type) error {
	known, ok := v.types.Load(t)
	if !ok {
		known, _ = v.types.LoadOrStore(t, tagCheck{v.look(t, map[reflect.Type]bool{})})
	}
	return known.(tagCheck).err
}

// look has the library read the tags of a type, and of the structs that it looks into
// when it checks one of that type.
func (v *Validator) look(t reflect.Type, seen map[reflect.Type]bool) error {
	t = elem(t)
	if t.Kind() != reflect.Struct || t.ConvertibleTo(timeType) || seen[t] {
		return nil
	}
	seen[t] = true
	// A partial check of no field reads all tags, and runs no rule.
	if err := saying(t, func() error { _ = v.rules.StructPartial(reflect.Zero(t).Interface()); return nil }); err != nil {
		return err
	}
	for i := range t.NumField() {
		f := t.Field(i)
		rules := f.Tag.Get("validate")
		direct := f.Type
		for direct.Kind() == reflect.Pointer {
			direct = direct.Elem()
		}
		into := direct.Kind() == reflect.Struct || strings.Contains(rules, "dive")
		if rules == "-" || !f.IsExported() && !f.Anonymous || !into {
			continue
		}
		if err := v.look(f.Type, seen); err != nil {
			return err
		}
	}
	return nil
}

// elem is what a type is of in the end: that of its elements, and of what they point to.
func elem(t reflect.Type) reflect.Type {
	for {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
			return t
		}
	}
}

// saying makes an error of what the library has to say of a type's tags by a panic. It
// panics with texts; all else are mistakes in the program's own rules.
func saying(t reflect.Type, do func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case string:
			err = fmt.Errorf("validate: the tags of %s: %s", t, p)
		default:
			panic(p)
		}
	}()
	return do()
}
