package validate_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/validate"
)

type item struct {
	Count int `json:"count" validate:"min=1"`
}

type Common struct {
	Page int `query:"page" validate:"gte=1,lte=50"`
}

type order struct {
	Common
	Shop  string `path:"shop" validate:"len=2"`
	Mail  string `json:"mail" validate:"required,email"`
	Items []item `json:"items" validate:"max=2,dive"`
	Inner struct {
		Kind string `json:"kind" validate:"oneof=a b"`
	} `json:"inner"`
	Code string `json:"code" validate:"omitempty,startswith=x"`
}

func one(in, name, detail string) nano.FieldErrors {
	return nano.FieldErrors{{In: in, Name: name, Detail: detail}}
}

func TestCheck(t *testing.T) {
	fine := order{Common: Common{Page: 1}, Shop: "ab", Mail: "a@example.com", Items: []item{{1}}}
	fine.Inner.Kind = "a"
	with := func(change func(*order)) *order { o := fine; change(&o); return &o }
	for _, tt := range []struct {
		value any
		want  nano.FieldErrors
	}{
		{fine, nil},
		{&fine, nil},
		{(*order)(nil), nil},
		{7, nil},
		{[]int{1}, nil},
		{map[string]any{}, nil},
		{time.Now(), nil},
		{with(func(o *order) { o.Page = 0 }), one("query", "page", "must be 1 or more")},
		{with(func(o *order) { o.Page = 51 }), one("query", "page", "must be 50 or less")},
		{with(func(o *order) { o.Shop = "abc" }), one("path", "shop", "must have exactly 2 characters")},
		{with(func(o *order) { o.Mail = "" }), one("body", "mail", "is missing")},
		{with(func(o *order) { o.Mail = "secret" }), one("body", "mail", "must be an e-mail address")},
		{with(func(o *order) { o.Items = []item{{1}, {0}} }), one("body", "items[1].count", "must be 1 or more")},
		{with(func(o *order) { o.Items = make([]item, 3) }), one("body", "items", "must have 2 or fewer elements")},
		{with(func(o *order) { o.Inner.Kind = "c" }), one("body", "inner.kind", "must be one of: a b")},
		{with(func(o *order) { o.Code = "y" }), one("body", "code", "does not meet the rule startswith=x")},
		{[]item{{1}, {0}}, one("body", "[1].count", "must be 1 or more")},
	} {
		err := validate.New().Check(tt.value)
		var got nano.FieldErrors
		errors.As(err, &got)
		if (err == nil) != (tt.want == nil) || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.value, err, tt.want)
		}
	}
}

type misspelt struct {
	Name string `json:"name" validate:"requird"`
}

type Self struct {
	Next  *Self  `json:"next"`
	Items []Self `json:"items" validate:"dive"`
}

// TestUnknownRules: a rule that isn't there, or not for such a field, is told of by an
// error, before a value comes to it where it can be known.
func TestUnknownRules(t *testing.T) {
	type odd struct {
		N int `validate:"unique"`
	}
	for name, tt := range map[string]struct {
		value any
		want  string // "": none
	}{
		"own":      {misspelt{}, "misspelt: Undefined validation function 'requird' on field 'Name'"},
		"pointer":  {&misspelt{}, "requird"},
		"slice":    {[]misspelt{}, "requird"},
		"map":      {map[string]*misspelt{}, "requird"},
		"inside":   {struct{ Inner *misspelt }{}, "requird"},
		"embedded": {struct{ misspelt }{}, "requird"},
		"elements": {struct {
			A []misspelt `validate:"dive"`
		}{}, "requird"},
		"not looked into": {struct {
			A []misspelt
			C misspelt `validate:"-"`
			c misspelt
		}{}, ""},
		"of another field": {odd{1}, "odd: Bad field"},
		"of itself":        {Self{}, ""},
	} {
		v := validate.New()
		for range 2 {
			err := v.Check(tt.value)
			var wrong nano.FieldErrors
			if (err == nil) != (tt.want == "") || err != nil && (errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
		}
	}
	app := nano.New(nano.Config{Validator: validate.New().Func()})
	defer func() {
		if message := fmt.Sprint(recover()); !strings.Contains(message, "POST /x") || !strings.Contains(message, "requird") {
			t.Errorf("registered: %s", message)
		}
	}()
	app.Post("/x", func(nano.Ctx) error { return nil }, nano.Binds[misspelt]())
}

func Example() {
	type signUp struct {
		Name string `json:"name" validate:"required,max=20"`
		Age  int    `json:"age" validate:"gte=18"`
	}
	app := nano.New(nano.Config{Validator: validate.New().Func()})
	app.Post("/users", func(c nano.Ctx) error {
		u, err := nano.Bind[signUp](c)
		if err != nil {
			return err
		}
		return c.Text(201, "hello "+u.Name)
	})
	client := nanotest.New(app)
	fmt.Println(client.Post("/users").JSON(map[string]any{"name": "Ada", "age": 36}).Do().Text())
	fmt.Println(client.Post("/users").JSON(map[string]any{"age": 7}).Do().Text())
	// Output:
	// hello Ada
	// {"detail":"the request is not valid","errors":[{"in":"body","name":"name","detail":"is missing"},{"in":"body","name":"age","detail":"must be 18 or more"}],"status":422,"title":"Unprocessable Content"}
}
