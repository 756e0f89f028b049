package nano

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"dyno/nano/internal/exchange"
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
