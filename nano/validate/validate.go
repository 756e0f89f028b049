// Package validate checks what nano has bound by the validate tags of
// go-playground/validator:
//
//	app := nano.New(nano.Config{Validator: validate.New().Func()})
//
// What is wrong is named as the client names it, by where the field comes from:
// {"in":"query","name":"page","detail":"must be 1 or more"}.
package validate

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-playground/validator/v10"

	"dyno.example/nano"
)

// Validator checks values. It may be used by several goroutines, and by several
// apps.
type Validator struct {
	rules *validator.Validate
	types sync.Map // reflect.Type: an unsound, its zero value if nothing is wrong
}

// New returns a validator with the rules of go-playground/validator.
func New() *Validator {
	rules := validator.New(validator.WithRequiredStructEnabled())
	rules.RegisterTagNameFunc(func(f reflect.StructField) string {
		_, name := named(f)
		return name
	})
	if err := rules.RegisterValidation("email", emailRule()); err != nil {
		panic("validate: " + err.Error()) // only for a name or a function that is none
	}
	return &Validator{rules: rules}
}

// Rules returns the validator behind it, to register rules of one's own before
// the app serves.
func (v *Validator) Rules() *validator.Validate { return v.rules }

// Func returns what nano.Config.Validator takes.
func (v *Validator) Func() func(any) error { return v.Check }

// Check checks a struct, a pointer to one, or the elements of a slice or map of
// structs. What is wrong with it is a [nano.FieldErrors]. Other types have no
// tags and are fine. A tag with a rule that isn't registered, or that makes no sense for
// its field, is an error that is no FieldErrors; where it can be it is found before any
// value is checked, in what a type is made of too.
func (v *Validator) Check(value any) (err error) {
	of := reflect.ValueOf(value)
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Interface {
		if of.IsNil() {
			return nil
		}
		of = of.Elem()
	}
	check := func() error { return v.rules.Struct(pointerTo(of)) }
	switch of.Kind() {
	case reflect.Struct:
		if of.Type().ConvertibleTo(timeType) { // which the library takes for no struct
			return nil
		}
	case reflect.Slice, reflect.Array, reflect.Map:
		if !holdsStructs(of.Type()) {
			return nil
		}
		check = func() error { return v.rules.Var(of.Interface(), "dive") }
	default:
		return nil
	}
	if err := v.sound(of.Type()); err != nil {
		return err
	}
	err = saying(of.Type(), check)
	var wrong validator.ValidationErrors
	if errors.As(err, &wrong) {
		return fieldErrors(of.Type(), wrong)
	}
	return err
}

// pointerTo spares a copy of what can be pointed to.
func pointerTo(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

var timeType = reflect.TypeFor[time.Time]()

func holdsStructs(t reflect.Type) bool {
	t = t.Elem()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// sources are the tags that name a field, as nano.Bind reads them.
var sources = [...]string{"path", "query", "header", "cookie", "form"}

// named returns where a field comes from and what it is called there.
func named(f reflect.StructField) (in, name string) {
	for _, tag := range sources {
		if name := f.Tag.Get(tag); name != "" && name != "-" {
			return tag, name
		}
	}
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		name = f.Name
	}
	return "body", name
}

// fieldErrors says what is wrong with a value of type t.
func fieldErrors(t reflect.Type, wrong validator.ValidationErrors) nano.FieldErrors {
	var all nano.FieldErrors
	for _, w := range wrong {
		f := nano.FieldError{In: "body", Name: w.Namespace(), Detail: detail(w)}
		if t.Kind() == reflect.Struct {
			f.In, f.Name = locate(t, afterDot(w.StructNamespace()), afterDot(w.Namespace()))
		}
		all = append(all, f)
	}
	return all
}

// locate returns where the outermost field of a path such as "Common.Page" comes
// from, and what the client calls it. names is the same path in the client's
// names. The fields of embedded structs are the outer one's.
func locate(t reflect.Type, path, names string) (in, name string) {
	for {
		first, rest, more := strings.Cut(path, ".")
		first, _, _ = strings.Cut(first, "[")
		f, ok := t.FieldByName(first)
		if !ok {
			return "body", names
		}
		if !more || !f.Anonymous || f.Type.Kind() != reflect.Struct || f.Tag.Get("json") != "" {
			in, _ = named(f)
			return in, names
		}
		t, path, names = f.Type, rest, afterDot(names)
	}
}

func afterDot(path string) string {
	_, rest, _ := strings.Cut(path, ".")
	return rest
}
